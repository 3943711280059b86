"""Models of any provider that LangChain knows, as transports: the only module that imports LangChain's chat models."""

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from langchain_core.globals import get_llm_cache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys, langchain_fields
from hanabi_orchestrator.orchestrator.models.completion import parse_completion
from hanabi_orchestrator.orchestrator.models.faults import NoFormatError
from hanabi_orchestrator.orchestrator.models.finish import FILTERED
from hanabi_orchestrator.orchestrator.models.llm_runs import labels, spoken
from hanabi_orchestrator.orchestrator.models.request import ModelResponse
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings, of_object
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest
from hanabi_orchestrator.orchestrator.models.usage import Usage


class LangChainTransport:
    """A LangChain chat model; it has its sampling settings since it was made."""

    context_length: int | None = None

    def __init__(self, model: BaseChatModel) -> None:
        self.model = model

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Every key that the model was made with."""
        return langchain_fields.secrets(self.model)

    @property
    def takes_response_format(self) -> bool:
        """True for the providers whose packages make a schema of their own API of it."""
        return langchain_fields.takes_response_format(self.model)

    async def send(self, request: CompletionRequest, /) -> ModelResponse:
        """See Transport. Raises UserError where the model's package does not know what it is given."""
        more: dict[str, Any] = (
            {} if request.response_format is None else {"response_format": request.response_format}
        )
        messages = [spoken(message) for message in request.messages]
        try:
            trace = cast("RunnableConfig", labels(request.labels))
            model = self.model
            changed: dict[str, Any] = {}
            if request.seed is not None:
                changed[str(langchain_fields.seed_field(model))] = request.seed
            if model.cache is not False and (model.cache or get_llm_cache() is not None):
                changed["cache"] = (
                    False  # it knows no samples and no repeats: they would all be one answer
                )
            model = model.model_copy(update=changed) if changed else model
            return _response(await model.ainvoke(messages, trace, **more))
        except TypeError as error:
            if "unexpected keyword argument" not in str(error):
                raise
            if more:
                raise NoFormatError(str(error)) from None
            raise UserError(f"{type(self.model).__name__} cannot be asked: {error}") from None
        except Exception as error:
            # openai's client raises what it cannot parse
            if type(error).__name__ == "ContentFilterFinishReasonError":
                return ModelResponse(text="", finish=FILTERED)
            if (cut_off := getattr(error, "completion", None)) is None:
                raise
            return parse_completion(cut_off.model_dump())

    async def check(self) -> None:
        """Not every provider can be asked for anything but a completion."""

    async def aclose(self) -> None:
        """Its connections are its own affair."""


def _response(message: AIMessage) -> ModelResponse:
    counts: Any = message.usage_metadata or {}
    meta = message.response_metadata
    usage = Usage.counted(
        counts.get("input_tokens") or 0,
        counts.get("output_tokens") or 0,
        counts.get("total_tokens") or 0,
        (counts.get("input_token_details") or {}).get("cache_read") or 0,
        (counts.get("output_token_details") or {}).get("reasoning") or 0,
    )
    finish = next((meta[name] for name in FINISH if meta.get(name)), None)
    if meta.get("status") == "incomplete":
        finish = str((meta.get("incomplete_details") or {}).get("reason") or "length")
    return ModelResponse(
        text=message.text,
        **usage.counts,
        finish=finish,
        served_by=meta.get("model_name") or meta.get("model"),
        fingerprint=meta.get("system_fingerprint"),
        reasoning=_reasoning(message),
    )


FINISH = ("finish_reason", "stop_reason", "done_reason", "stopReason")
"""What providers call the finish reason."""


def _reasoning(message: AIMessage) -> str | None:
    """Return the text of its thinking, or the summaries of it."""
    try:
        blocks: Any = message.content_blocks
    except (
        Exception
    ):  # a form of content that LangChain cannot translate; the answer is paid for, and stays
        blocks = ()
    texts = [block.get("reasoning") for block in blocks if block.get("type") == "reasoning"]
    return "\n\n".join(filter(None, texts)) or message.additional_kwargs.get("reasoning_content")


def init(settings: ModelSettings) -> BaseChatModel:
    """Return the model of `langchain:PROVIDER:NAME`, without retries of its own, and with no other setting than those
    given. Raises UserError when it cannot be made so."""
    addresses = [
        *filter(None, (settings.base_url,)),
        *langchain_fields.addresses(settings.extra_body),
    ]
    for address in addresses:
        keys.check_host(f"what {settings.model} sends", address)
    reached = {"base_url": settings.base_url, "api_key": settings.secret}
    common = {name: value for name, value in reached.items() if value is not None}
    kind = type(_built(settings, common))
    model = _built(settings, common | _options(kind, settings))
    carried = langchain_fields.secrets(model)
    for variable in (name for name, value in os.environ.items() if value in carried):
        for address in addresses or [settings.server]:
            keys.check(variable, address)
            keys.sent(variable, address)
    if settings.response_format == "json_object" and not langchain_fields.takes_json_object(model):
        raise UserError(
            f"{settings.model}: {kind.__name__} takes schemas alone; set response_format to json_schema or none"
        )
    return model


def _options(kind: type[BaseChatModel], settings: ModelSettings) -> dict[str, Any]:
    """Return the settings under the names that a class of models has for them. Raises UserError for one without."""
    options: dict[str, Any] = {}
    for name, value in settings.sampling.items():
        if (called := langchain_fields.parameter(kind, name)) is None:
            raise UserError(
                f"{settings.model}: {kind.__name__} has no setting like `{name}`; leave it out"
            )
        options[called] = value
    if settings.seed is not None and langchain_fields.seed_field(kind) is None:
        raise UserError(f"{settings.model}: {kind.__name__} takes no seed; leave `seed` out")
    if (
        settings.temperature is None
        and (default := langchain_fields.own_temperature(kind)) is not None
    ):
        if not langchain_fields.may_be_none(kind, "temperature"):
            raise UserError(
                f"{settings.model}: {kind.__name__} sends temperature {default} if none is set; set `temperature`"
            )
        options["temperature"] = None
    try:
        return options | langchain_fields.extras(kind, settings.extra_body)
    except KeyError as error:
        raise UserError(
            f"{settings.model}: {kind.__name__} has no setting {error} for `extra_body`"
        ) from None


def _built(settings: ModelSettings, options: Mapping[str, Any]) -> BaseChatModel:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise UserError(
            f"{settings.model} needs LangChain: pip install 'hanabi-orchestrator[langchain]'"
        ) from None
    try:
        model = init_chat_model(
            settings.name,
            model_provider=settings.provider,
            max_retries=0,
            timeout=settings.timeout_s,
            **options,
        )
    except ImportError as error:
        raise UserError(f"{settings.model}: {error}") from None
    except Exception as error:  # each provider has its own way to miss a key
        reason = str(error).split("\n")[0]
        raise UserError(f"{settings.model} cannot be used: {reason}") from None
    assert isinstance(model, BaseChatModel)
    return model


def described(model: BaseChatModel) -> ModelSettings:
    """Return the settings of a model object: its class and name, and what it was given that may be written down."""
    name: Any = getattr(model, "model_name", None) or getattr(model, "model", None) or "unnamed"
    return of_object(
        f"langchain:{type(model).__name__}:{str(name).replace(' ', '-')}",
        langchain_fields.written(model),
    )
