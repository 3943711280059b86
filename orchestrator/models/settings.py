"""The settings of a model, given as a string, in a YAML file, by the environment or in Python."""

import os
import re
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from hanabi_orchestrator.orchestrator.errors import UserError, shortened, user_error
from hanabi_orchestrator.orchestrator.models import (
    keys,
    model_names,
    sent_values,
    simulated_settings,
)
from hanabi_orchestrator.orchestrator.models.model_names import PROGRAM as PROGRAM
from hanabi_orchestrator.orchestrator.models.price import Price, Share
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.orchestrator.yaml_files import from_file, loaded

OPENAI_URL = "https://api.openai.com/v1"

PERSON = "person"
"""Stands for the model of a seat at which a person plays."""
REPLAY = "replay:"
"""Prefix of a model that replays the recording at a path."""

AZURE_KEY = "AZURE_OPENAI_API_KEY"
AZURE_TOKEN = "AZURE_OPENAI_AD_TOKEN"
"""Either will do; where both are set, the token is used."""
AZURE_VERSION = "OPENAI_API_VERSION"

SAMPLING = ("temperature", "top_p", "reasoning_effort", "max_tokens")
"""The settings that every request carries, where they are set."""

EXAMPLE = Path(__file__).with_name("models_example.yaml")
"""A commented models file with an example of every kind of model."""

LOCAL = ("ollama", "ChatOllama")
"""LangChain's providers, and classes, whose servers are quick with a new schema."""
BOUNDLESS = ("bedrock", "bedrock_converse", "ChatBedrockConverse")
"""Those that refuse a schema with the bounds of numbers."""

OURS = ("model", "messages", "input", "response_format", "stream", "n")
"""Keys of a request that `extra_body` cannot set."""


SEEDS = r"^(\d+(-\d+)?(,\d+(-\d+)?)*)?$"
"""Seeds in words, such as `1-50,60`."""


class ModelSettings(Frozen):
    """A model and its settings; a setting without a value is not sent.

    The first group of settings influences responses: it is written to journals and hashed. The second group
    concerns the connection, and may change before a game is resumed.
    """

    model: str
    """`openai:NAME`, `openai:NAME@URL`, `azure:DEPLOYMENT` or `langchain:PROVIDER:NAME`."""
    temperature: Share | None = None
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest answer in tokens, reasoning included."""
    seed: int | None = None
    """Every request gets a seed of its own, hashed from this one and the request's place in its game."""
    reasoning_effort: str | None = None
    reasoning_summary: str | None = None
    """The length of summaries of the reasoning (`auto`, `concise`, `detailed`); only in the Responses API."""
    api: Literal["chat", "responses"] = "chat"
    """The interface of an OpenAI-compatible server: Chat Completions or the Responses API."""
    extra_body: dict[str, Any] = {}
    """Merged into every request as it is."""
    response_format: Literal["json_schema", "json_object", "none"] = "json_schema"
    """The constraint on the answer that the server is asked for; the prompt states the format as well."""
    schema_moves: Literal["enum", "string"] | None = None
    """True if a schema names the legal moves of the turn, or takes any text for a move and leaves it to the reader.

    With `enum`, ratings are an object with one number for each legal move rather than a list. None: `string` for
    api.openai.com, Azure and LangChain's providers but Ollama, which are slow at the first request with a new schema,
    else `enum`; on a llama.cpp server
    the moves of a turn cost a tenth of a second or less (benchmarks/README.md, "What schemas cost").
    """
    schema_bounds: bool | None = None
    """True if a schema has the bounds of numbers and lists. None: not for Azure and Bedrock, which do not take them.

    Together with `schema_moves: enum` a decimal is then one of 21 values: from -1 to 1 in steps of 0.1, a chance in
    steps of 0.05, because most servers hold no decimal to its bounds: a model that wants to say 0.97 says 0.95. With
    `max_tokens` under 1,000, lists and texts also get greatest lengths with which the answer is not cut off. `false`:
    the model may write any number, list and text.
    """
    made_with: dict[str, Any] = {}
    """The parameters of a LangChain model object that was made in Python."""

    base_url: str | None = None
    """The server's address, or Azure's endpoint. Unlike `@URL` in `model` it may change between runs."""
    key: str | None = None
    """The environment variable that holds the key; its name ends in `_API_KEY`.

    Else OPENAI_API_KEY for api.openai.com, AZURE_OPENAI_API_KEY for Azure, HANABI_API_KEY for any other server.
    `orchestrator.models.keys` says which key may go where.
    """
    headers: dict[str, str] = {}
    """Headers of every request, for gateways. `$NAME_API_KEY` in a value stands for the key in that variable."""
    query: dict[str, str] = {}
    """Parameters of every request's address, such as `{api-version: 2024-10-21}`; with `$NAME_API_KEY`, too."""
    context_length: int | None = Field(default=None, ge=1)
    """Tokens that the model takes at a time, prompt and answer together; None: as the server says, if it does."""
    max_answer_bytes: int = Field(default=4_000_000, ge=10_000)
    """Bytes of one answer over the wire, after decompression; a longer one is not read, and counts as unusable."""
    timeout_s: float = Field(default=600, gt=0, allow_inf_nan=False)
    """Seconds for one call; reasoning models think for minutes."""
    max_concurrency: int = Field(default=16, ge=1)
    """Calls at the same time, over all games of a process; fewer at first, and halved when the server is crowded."""
    attempts: int = Field(default=8, ge=1)
    """Tries of one request when the server is at fault."""
    backoff_s: Share = 1
    """Seconds before the second try; doubled for each further one, with jitter."""
    patience_s: Share = 300
    """Seconds that one request may wait between its tries, all waits together."""
    price: Price | None = None
    trained_on: str = Field(default="", pattern=SEEDS)
    """Seeds of the deals that the model was trained on, such as `10001-10080`; an experiment with one of them is
    refused."""

    @field_validator("model", "reasoning_effort", "reasoning_summary")
    @classmethod
    def _of_words(cls, text: str | None) -> str | None:
        if text is not None and not text.isprintable():
            raise ValueError(f"{text!r} holds characters that cannot be sent")
        return text

    @field_validator("model")
    @classmethod
    def _form(cls, model: str) -> str:
        if not model_names.named(model):
            if re.fullmatch(r"openai:[^@\s]+@[^@/\s]+(:\d+)?(/\S*)?", model):
                url = model.replace("@", "@http://")
                raise ValueError(
                    f"{model!r}: the server's address begins with http:// or https://, e.g. {url}"
                )
            meant = model_names.meant(model)
            hint = f"did you mean {meant!r}? Known" if meant else "known"
            raise ValueError(f"unknown model {model!r}; {hint}: program, {model_names.FORMS}")
        return model

    @field_validator("key")
    @classmethod
    def _a_name(cls, key: str | None) -> str | None:
        """Refuse a key given here by mistake, which would appear in error messages, and a variable that is no key."""
        if key is not None and not re.fullmatch(r"[A-Z][A-Z0-9_]*", key):
            raise ValueError(
                "this names the environment variable of the key, e.g. TOGETHER_API_KEY; it is not the key"
            )
        if key is not None and not keys.NAME.fullmatch(key):
            raise ValueError(
                f"{key} is not sent: the names of keys end in _API_KEY, e.g. TOGETHER_API_KEY"
            )
        return key

    @field_validator("extra_body")
    @classmethod
    def _not_ours(cls, body: dict[str, Any]) -> dict[str, Any]:
        """These keys belong to the program; others would break the response."""
        if keys := [key for key in body if key in OURS]:
            raise ValueError(f"extra_body cannot set {keys[0]!r}: it is the program's own")
        return body

    @field_validator("headers", "query", mode="before")
    @classmethod
    def _texts(cls, values: Any) -> Any:
        return sent_values.as_texts(values)

    @field_validator("headers", "query")
    @classmethod
    def _sendable(cls, values: dict[str, str]) -> dict[str, str]:
        for name, value in values.items():
            sent_values.check(name, value)
        return values

    @model_validator(mode="after")
    def _over_http(self) -> "ModelSettings":
        if self.provider and (self.headers or self.query):
            raise ValueError("headers and query are for openai: and azure: models")
        if names := [name for name in self.headers if name.lower() in sent_values.OURS]:
            raise ValueError(f"headers cannot set {names[0]}: it is the program's own")
        return self

    @model_validator(mode="after")
    def _of_the_api(self) -> "ModelSettings":
        """Refuse what an API does not have."""
        if self.api == "responses" and (self.azure or self.provider):
            server = (
                "@https://RESOURCE.openai.azure.com/openai/v1 with key: AZURE_OPENAI_API_KEY"
                * self.azure
            )
            raise ValueError(
                f"api: responses is for openai: models, such as openai:{self.name}{server}"
            )
        if self.api == "responses" and self.seed is not None:
            raise ValueError("the Responses API takes no seed; leave it out, or api: responses")
        if self.api == "chat" and self.reasoning_summary is not None:
            raise ValueError(
                "summaries of thinking come from the Responses API alone; set api: responses"
            )
        return self

    @model_validator(mode="after")
    def _one_server(self) -> "ModelSettings":
        match = model_names.OPENAI.fullmatch(self.model)
        if self.base_url and match and match["url"]:
            raise ValueError(f"{self.model!r} names its server already; leave base_url out")
        for url in (self.base_url, match and match["url"]):
            if url:
                model_names.check_url(url)
        return self

    @property
    def provider(self) -> str | None:
        """The LangChain provider; None for an OpenAI-compatible server."""
        match = model_names.LANGCHAIN.fullmatch(self.model)
        return match["provider"] if match else None

    @property
    def azure(self) -> bool:
        return model_names.AZURE.fullmatch(self.model) is not None

    @property
    def home(self) -> bool:
        """True if api.openai.com or one of its regional hosts serves it."""
        return self.provider is None and not self.azure and keys.is_openai(self.url)

    @property
    def server(self) -> str:
        """Where its key goes: an address, or `langchain:PROVIDER` for the one that a package knows by itself."""
        if self.provider:
            return self.base_url or f"{keys.PROVIDER}{self.provider}"
        return self.url

    @property
    def enumerates_moves(self) -> bool:
        """True if a schema names the legal moves of the turn."""
        if self.schema_moves is None:
            return not (self.home or self.azure or self.provider) or self.provider in LOCAL
        return self.schema_moves == "enum"

    @property
    def bounds_values(self) -> bool:
        """True if a schema has the bounds of numbers and lists."""
        return (
            not self.azure and self.provider not in BOUNDLESS
            if self.schema_bounds is None
            else self.schema_bounds
        )

    @property
    def name(self) -> str:
        """What the server calls the model."""
        match = model_names.named(self.model)
        assert match is not None  # checked when it was made
        return str(match.groupdict().get("there") or match["name"])

    @property
    def url(self) -> str:
        """The server of an OpenAI-compatible model; empty where an Azure endpoint is not given."""
        match = model_names.OPENAI.fullmatch(self.model)
        default = os.environ.get(keys.AZURE_ENDPOINT, "") if self.azure else OPENAI_URL
        url = (self.base_url or (match and match["url"]) or default).rstrip("/")
        scheme, colon, rest = url.partition("://")
        return f"{scheme.lower()}{colon}{rest}"

    @property
    def sampling(self) -> dict[str, Any]:
        """The sampling settings that are sent with every request: those that are set."""
        values = {name: getattr(self, name) for name in SAMPLING}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def deciding(self) -> dict[str, Any]:
        """The settings that influence responses, as far as they are set: for journals, hashes and cache keys."""
        return self.model_dump(include=set(DECIDING), exclude_defaults=True)

    @property
    def secret(self) -> str | None:
        """The key, from the environment; None where none is needed and none is there.

        Raises UserError when something that the model needs is not in the environment.
        """
        if self.azure:
            self._check_azure()
        if not self.key_variables:
            return None
        variable = self.key_variables[0]
        key = keys.value(variable, self.server)
        if not key and (self.home or self.key):
            raise UserError(
                f"{self.model} needs a key: set {variable} in the environment or in .env"
            )
        return key

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that its requests may carry; of a LangChain model the one that it names, if any.

        Of those that are set, the last one is sent.
        """
        if self.azure:
            return (self.key or AZURE_KEY, AZURE_TOKEN)
        if self.provider:
            return (self.key,) if self.key else ()
        return (self.key or (keys.OPENAI if self.home else keys.DEFAULT),)

    @property
    def sent_variables(self) -> tuple[str, ...]:
        """The environment variables that `headers` and `query` name."""
        return sent_values.variables((*self.headers.values(), *self.query.values()))

    def sent(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return headers or parameters as they are sent, with the keys that they name. Raises UserError."""
        return {name: sent_values.filled(value, self._named_key) for name, value in values.items()}

    def _named_key(self, variable: str) -> str:
        key = keys.value(variable, self.server)
        if not key:
            raise UserError(
                f"{self.model} needs a key: set {variable} in the environment or in .env"
            )
        return key

    @property
    def secrets(self) -> tuple[str, ...]:
        """All keys of the model, which must never be written. Raises UserError as `secret` does."""
        token = keys.value(AZURE_TOKEN, self.server) if self.azure else None
        named = (self._named_key(variable) for variable in self.sent_variables)
        return tuple(filter(None, (self.secret, token, *named)))

    def _check_azure(self) -> None:
        """Raise UserError for variables that the Azure client needs and that are not set."""
        needed = [] if self.base_url else [keys.AZURE_ENDPOINT]
        if self.key or not os.environ.get(AZURE_TOKEN):
            needed.append(self.key or AZURE_KEY)
        if missing := [name for name in (*needed, AZURE_VERSION) if not os.environ.get(name)]:
            them = "it" if len(missing) == 1 else "them"
            raise UserError(
                f"{self.model} needs {' and '.join(missing)}: set {them} in the environment or in .env"
            )
        try:
            model_names.check_url(self.url)
        except ValueError as error:
            raise UserError(f"{keys.AZURE_ENDPOINT}: {error}") from None


DECIDING = tuple(takewhile(lambda name: name != "base_url", ModelSettings.model_fields))
"""The settings that decide what a model answers."""

SCHEMA = ("response_format", "schema_moves", "schema_bounds")
"""Those of them that hold of a model object, too."""


def settings(model: "str | Mapping[str, Any] | ModelSettings") -> ModelSettings:
    """Return the settings of a server's model, given as a string or a mapping, completed by the environment. Raises
    UserError.

    HANABI_TEMPERATURE, HANABI_MAX_TOKENS, HANABI_PRICE (`{input: 1, output: 4}`) ...: every setting but the model and
    its server can be given so; what the mapping says goes first.
    """
    if isinstance(model, ModelSettings):
        return model
    data = {"model": model} if isinstance(model, str) else dict(model)
    where = f"model {data.get('model')!r}" if "model" in data else "a model"
    if simulated_settings.is_simulated(data.get("model")):
        raise UserError(f"{where} is simulated: the roles of a graph answer for it, no server does")
    try:
        return ModelSettings.model_validate(_environment() | data)
    except ValidationError as error:
        raise user_error("" if isinstance(model, str) else where, error) from None


def _environment(names: Iterable[str] = tuple(ModelSettings.model_fields)) -> dict[str, Any]:
    values = {}
    for name in names:
        if name not in ("model", "base_url", "key", "made_with", "headers", "query") and (
            text := os.environ.get(f"HANABI_{name.upper()}")
        ):
            values[name] = loaded(text, f"HANABI_{name.upper()}={shortened(repr(text))}")
    return values


def of_object(model: str, parameters: Mapping[str, Any]) -> ModelSettings:
    """Return the settings of a model object that was made in Python with these parameters."""
    names = [name for name in ModelSettings.model_fields if name not in DECIDING or name in SCHEMA]
    try:
        return ModelSettings.model_validate(
            {**_environment(names), "model": model, "made_with": dict(parameters)}
        )
    except ValidationError as error:
        raise user_error("", error) from None


def read_models(path: Path) -> dict[str, ModelSettings | SimSettings | str]:
    """Return the models of a YAML file, by name: one model's settings, or a mapping of names to models. Raises
    UserError.

    A file with the key `model` gives the model called `default`.
    """
    data = loaded(from_file(path, "models"), f"models {str(path)!r}")
    if not isinstance(data, dict) or not data:
        raise UserError(
            f"models {str(path)!r} is not a mapping: `model: openai:NAME` and settings, or one per name"
        )
    named = {"default": data} if "model" in data else data
    return {str(name): _read_model(path, str(name), model) for name, model in named.items()}


def _read_model(path: Path, name: str, model: Any) -> ModelSettings | SimSettings | str:
    if isinstance(model, dict) and set(model) == {"model"}:
        model = model["model"]
    if isinstance(model, str) and (model == PROGRAM or model.startswith(REPLAY)):
        return model
    if not isinstance(model, str | dict):
        raise UserError(
            f"models {str(path)!r}: {name} is {model!r}; a model is a string, or a mapping with `model`"
        )
    try:
        return simulated_settings.settings(model) or settings(model)
    except UserError as error:
        raise UserError(f"{path}, {name}: {error}") from None
