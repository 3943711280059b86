"""Models of any provider that LangChain knows, as transports: the only module that imports LangChain's chat models."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from orchestrator.errors import UserError
from orchestrator.models import langchain_fields
from orchestrator.models.request import ModelResponse
from orchestrator.models.settings import ModelSettings, of_object
from orchestrator.models.transport import CompletionRequest
from orchestrator.models.usage import Usage


class LangChainTransport:
    """A LangChain chat model; it has its sampling settings since it was made."""

    takes_response_format = False
    """LangChain's models have ways of their own to be given a schema; the prompt has to do."""
    context_length: int | None = None

    def __init__(self, model: BaseChatModel) -> None:
        self.model = model

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Every key that the model was made with."""
        return langchain_fields.secrets(self.model)

    async def send(self, request: CompletionRequest, /) -> ModelResponse:
        more: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
        messages = [_KINDS[message.role](content=message.content) for message in request.messages]
        return _response(await self.model.ainvoke(messages, **more))

    async def check(self) -> None:
        """Not every provider can be asked for anything but a completion."""

    async def aclose(self) -> None:
        """Its connections are its own affair."""


_KINDS: Mapping[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


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
    return ModelResponse(
        text=message.text,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cached_tokens=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        finish=meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason"),
        served_by=meta.get("model_name"),
        fingerprint=meta.get("system_fingerprint"),
        reasoning=message.additional_kwargs.get("reasoning_content"),
    )


def init(settings: ModelSettings) -> BaseChatModel:
    """Return the model of `langchain:PROVIDER:NAME`, without retries of its own. Raises UserError when it cannot be
    made."""
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise UserError(f"{settings.model} needs LangChain: pip install 'hanabi-orchestrator[langchain]'") from None
    options = {"base_url": settings.base_url, "extra_body": settings.extra_body or None, **settings.sampling}
    if settings.key:
        options["api_key"] = settings.secret
    try:
        model = init_chat_model(
            settings.name,
            model_provider=settings.provider,
            max_retries=0,
            timeout=settings.timeout_s,
            **{key: value for key, value in options.items() if value is not None},
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
    return of_object(f"langchain:{type(model).__name__}:{str(name).replace(' ', '-')}", langchain_fields.written(model))
