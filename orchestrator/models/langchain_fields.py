"""The fields of LangChain's models: what they are called, what of them may be written to journals, and what is secret.

An object may hold a key anywhere: in headers, in the query of its requests, in nested settings. So only fields of known
names are written, and any other that decides its answers leaves a short digest, by which two objects are told apart.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args
from urllib.parse import unquote, urlsplit, urlunsplit

from pydantic import SecretStr

_ANSWERS = """
    model model_name model_id deployment_name azure_deployment model_provider model_version api_version
    openai_api_version
    temperature top_p top_k min_p typical_p n best_of seed random_seed max_tokens max_completion_tokens
    max_output_tokens max_new_tokens max_tokens_to_sample num_predict num_ctx num_keep stop stop_sequences stop_token
    frequency_penalty presence_penalty repetition_penalty repeat_penalty repeat_last_n logit_bias logprobs top_logprobs
    tfs_z mirostat mirostat_eta mirostat_tau do_sample num_beams use_beam_search
    reasoning reasoning_effort effort verbosity thinking thinking_budget thinking_level budget_tokens
    include_thoughts enable_thinking summary type
    streaming stream_usage service_tier response_format format safe_prompt safe_mode use_responses_api output_version
    use_previous_response_id truncation include store disabled_params
"""
WRITTEN = frozenset(_ANSWERS.split())
"""Names of fields, also of fields within fields, whose values decide answers and are no secrets."""

ADDRESSES = frozenset(
    {
        "base_url",
        "openai_api_base",
        "api_base",
        "endpoint",
        "azure_endpoint",
        "inference_server_url",
    }
)
"""Names of fields with a server's address, which is written without user, password and query."""

_TRANSPORT = """
    default_headers default_query extra_headers extra_query headers query cookies auth proxies openai_proxy
    openai_organization organization organization_id project project_id http_client http_async_client
    cache callbacks callback_manager metadata tags name custom_get_token_ids verbose profile rate_limiter
    disable_streaming max_retries request_timeout timeout timeout_s tiktoken_model_name
"""
REACHED = frozenset(_TRANSPORT.split())
"""Names of fields that say how a model is reached and watched, not what it answers."""

_SECRET = re.compile(
    r"key|token|secret|password|passwd|credential|auth|cookie|signature|bearer", re.IGNORECASE
)
_CARRIERS = re.compile(r"headers|query|cookies|auth|proxies|proxy", re.IGNORECASE)
"""Names of fields in which every text may be a key."""
_ADDRESS = re.compile(r"url|base|endpoint|host|prox(?:y|ies)$|server|^uri", re.IGNORECASE)
"""What names of fields with an address have in them, in the packages of all providers."""
SHORTEST = 6
"""The fewest characters of a text that counts as a key where its name does not say so: it is cut out of all texts."""


OTHER_NAMES = {"max_tokens": "num_predict"}
"""Ollama's name of a setting, by the name that all others have."""

STRUCTURED = frozenset({
    "BaseChatOpenAI", "ChatAnthropic", "ChatBedrockConverse", "ChatGoogleGenerativeAI", "ChatGroq", "ChatMistralAI",
    "ChatOllama", "ChatOpenRouter",
})  # fmt: skip
"""The classes that are known to take a `response_format` with each call, and to send it as their own API wants it."""
SCHEMA_ALONE = frozenset({"ChatAnthropic", "ChatBedrockConverse"})
"""Those of them that take no `json_object`."""


def takes_response_format(model: Any) -> bool:
    """Return whether a model can be given a schema with each call."""
    return not STRUCTURED.isdisjoint(kind.__name__ for kind in type(model).__mro__)


def takes_json_object(model: Any) -> bool:
    """Return whether a model can be held to any JSON object, or takes no format at all."""
    return SCHEMA_ALONE.isdisjoint(kind.__name__ for kind in type(model).__mro__)


def parameter(kind: type[Any], name: str) -> str | None:
    """Return what a class of models calls a setting; None where it would drop it without a word."""
    parameters = _parameters(kind)
    passed_on = name if "model_kwargs" in parameters else None
    return next(
        (called for called in (name, OTHER_NAMES.get(name)) if called in parameters), passed_on
    )


def seed_field(kind: Any) -> str | None:
    """Return the field with the seed, of a model or its class; None where the provider takes none."""
    fields: Any = getattr(kind if isinstance(kind, type) else type(kind), "model_fields", ())
    return next((name for name in ("seed", "random_seed") if name in fields), None)


def own_temperature(kind: type[Any]) -> float | None:
    """Return the temperature that a class of models sends where none is set; None where it sends none."""
    field = kind.model_fields.get("temperature")
    default: float | None = None if field is None or field.is_required() else field.get_default()
    return default


def may_be_none(kind: type[Any], name: str) -> bool:
    """Return whether a field of a class of models can be left open."""
    return type(None) in get_args(kind.model_fields[name].annotation)


def extras(kind: type[Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a class of models that stand for `extra_body`: its own fields where it has none for
    further ones. Raises KeyError for what it would drop without a word."""
    parameters = _parameters(kind)
    if not body or "extra_body" in parameters:
        return {"extra_body": dict(body)} if body else {}
    fields = {name: value for name, value in body.items() if name in parameters}
    rest = {name: value for name, value in body.items() if name not in parameters}
    if not rest:
        return fields
    if "additional_model_request_fields" in parameters:
        return fields | {"additional_model_request_fields": rest}
    if "model_kwargs" in parameters and kind.__name__ != "ChatGoogleGenerativeAI":
        return fields | {"model_kwargs": {"extra_body": rest}}
    raise KeyError(next(iter(rest)))


def addresses(settings: Any, name: str = "") -> Iterator[str]:
    """Yield the servers that nested settings name: every URL, and every text whose name says that it is an address."""
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            yield from addresses(value, str(key))
    elif isinstance(settings, list | tuple):
        for value in settings:
            yield from addresses(value, name)
    elif isinstance(settings, str) and ("://" in settings or _ADDRESS.search(name)):
        yield settings


def _parameters(kind: type[Any]) -> frozenset[str]:
    """Return the names of what a class of models can be made with."""
    aliases = (field.alias for field in kind.model_fields.values())
    return frozenset(filter(None, (*kind.model_fields, *aliases)))


def written(model: Any) -> dict[str, Any]:
    """Return what it was given that may be written, by field; `other`: a digest of what else decides its answers."""
    sampling = (
        {"temperature"} if getattr(model, "temperature", None) is not None else set[str]()
    )  # LangChain's, where unset
    settings = {name: getattr(model, name) for name in sorted(model.model_fields_set | sampling)}
    fields = {
        name: part
        for name, value in settings.items()
        if (part := _writable(name, value)) is not None
    }
    rest = {
        name: part
        for name, value in settings.items()
        if (part := _unwritable(name, value)) is not None
    }
    # too short to test a guessed key by
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True, default=str).encode()).hexdigest()[:8]
    return fields | ({"other": digest} if rest else {})


def _writable(name: str, value: Any) -> Any:
    """Return the part of a field that may be written; None for none."""
    if name in ADDRESSES:
        if not isinstance(value, str):
            return None
        parts = urlsplit(value)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    if isinstance(value, Mapping) and name == "logit_bias":
        return {str(token): bias for token, bias in value.items() if isinstance(bias, int | float)}
    if isinstance(value, Mapping) and name not in REACHED:
        inner = {
            str(key): part
            for key, item in value.items()
            if (part := _writable(str(key), item)) is not None
        }
        return inner or None
    if name not in WRITTEN:
        return None
    if isinstance(value, list | tuple):
        return (
            list(value)
            if all(isinstance(item, str | int | float | bool) for item in value)
            else None
        )
    return value if isinstance(value, str | int | float | bool) else None


def _unwritable(name: str, value: Any) -> Any:
    """Return what of a field decides answers and is not written; None for nothing. Keys and clients are no part of
    it."""
    if (
        name in REACHED
        or name in ADDRESSES
        or (_SECRET.search(name) and not isinstance(value, int | float))
    ):
        return None
    if isinstance(value, Mapping) and name != "logit_bias":
        inner = {
            str(key): rest
            for key, item in value.items()
            if (rest := _unwritable(str(key), item)) is not None
        }
        return inner or None
    plain = isinstance(value, str | int | float | bool | list | tuple)
    return value if plain and _writable(name, value) is None else None


def secrets(model: Any) -> tuple[str, ...]:
    """Return every text in it that may be a key, the longest first: none of them is ever written."""
    keys = {
        key for name in type(model).model_fields for key in _held(name, getattr(model, name, None))
    }
    return tuple(sorted(keys, key=lambda key: (-len(key), key)))


def _held(name: str, value: Any, *, carried: bool = False) -> Iterator[str]:
    """Yield the keys in a field. `carried`: it stands in one in which every text may be a key."""
    if isinstance(value, SecretStr):
        key = value.get_secret_value()
        yield from filter(
            None, (key, key.rpartition(" ")[2])
        )  # without the word before it, too: `Bearer sk-...`
    elif isinstance(value, Mapping):
        inside = carried or _CARRIERS.search(name) is not None
        for key, item in value.items():
            yield from _held(str(key), item, carried=inside)
    elif isinstance(value, list | tuple | set):
        for item in value:
            yield from _held(name, item, carried=carried)
    elif isinstance(value, str):
        yield from _keys_in(name, value, carried)


def _keys_in(name: str, text: str, carried: bool) -> Iterator[str]:
    if "://" in text:
        parts = urlsplit(text)
        yield from (unquote(key) for key in (parts.password,) if key)
        yield from (
            key
            for _, _, key in (pair.partition("=") for pair in parts.query.split("&"))
            if len(key) >= SHORTEST
        )
    elif name not in WRITTEN and (_SECRET.search(name) or (carried and len(text) >= SHORTEST)):
        yield from filter(None, (text, text.rpartition(" ")[2]))
