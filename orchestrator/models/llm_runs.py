"""Requests to servers as `llm` runs of LangChain's callbacks, as LangChain's own models make them.

Who traces with LangSmith, Langfuse or any callback handler sees each of them under the run of its node. Without
LangChain in the process nobody can watch, and it is not imported.
"""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.models.faults import Fault
from hanabi_orchestrator.orchestrator.models.request import Message, ModelResponse
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage

SWITCHES = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
)
"""The environment variables by which LangChain sends traces to LangSmith."""


def to_langsmith() -> bool:
    """Return whether LangChain sends traces to LangSmith."""
    return any(os.environ.get(name, "").lower() == "true" for name in SWITCHES)


class Run:
    """One request that somebody watches."""

    def __init__(self, manager: "AsyncCallbackManagerForLLMRun", model: str) -> None:
        self._manager = manager
        self._model = model

    async def end(self, outcome: ModelResponse | Fault | None) -> None:
        """Tell what came of it: a response, a fault without keys, or None where the request was cancelled."""
        from langchain_core.outputs import LLMResult

        if isinstance(outcome, ModelResponse):
            await self._manager.on_llm_end(_result(outcome, outcome.served_by or self._model))
        else:
            why = f"the model server {outcome.sentence}" if outcome else "the request was cancelled"
            await self._manager.on_llm_error(ModelError(why), response=LLMResult(generations=[]))


async def begin(settings: ModelSettings, request: CompletionRequest) -> Run | None:
    """Tell that a request is sent; None where nobody watches."""
    if "langchain_core" not in sys.modules and not to_langsmith():
        return None
    from langchain_core.callbacks import AsyncCallbackManager
    from langchain_core.runnables.config import ensure_config

    config = ensure_config()
    tags = labels(request.labels)
    provider = "azure" if settings.azure else "openai" if settings.home else "openai_compatible"
    facts = {"ls_provider": provider, "ls_model_name": settings.name, "ls_model_type": "chat"}
    manager = AsyncCallbackManager.configure(
        config.get("callbacks"),
        inheritable_tags=config.get("tags"),
        local_tags=tags["tags"],
        inheritable_metadata=config.get("metadata"),
        local_metadata={**facts, **tags["metadata"]},
    )
    if not manager.handlers:
        return None
    sent = {
        "model": settings.name,
        **settings.sampling,
        **({} if request.seed is None else {"seed": request.seed}),
    }
    package = ["hanabi_orchestrator", provider]
    described = {"lc": 1, "type": "not_implemented", "id": package, "name": settings.name}
    messages = [spoken(message) for message in request.messages]
    (run,) = await manager.on_chat_model_start(
        described, [messages], invocation_params=sent, options={}, name=settings.name
    )
    return Run(run, settings.name)


def labels(of_request: Mapping[str, str | int]) -> dict[str, Any]:
    """Return tags (`node:proposer`, `turn:3`) and metadata (`hanabi_node` ...) of a request."""
    return {
        "tags": [f"{name}:{value}" for name, value in of_request.items()],
        "metadata": {f"hanabi_{name}": value for name, value in of_request.items()},
    }


def spoken(message: Message) -> "BaseMessage":
    """Return a message as LangChain has it."""
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

    kinds: dict[str, type[BaseMessage]] = {
        "system": SystemMessage,
        "user": HumanMessage,
        "assistant": AIMessage,
    }
    return kinds[message.role](content=message.content)


def _result(response: ModelResponse, model: str) -> Any:
    from langchain_core.messages import AIMessage
    from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
    from langchain_core.outputs import ChatGeneration, LLMResult

    usage = UsageMetadata(
        input_tokens=response.tokens_in,
        output_tokens=response.tokens_out,
        total_tokens=response.tokens_in + response.tokens_out,
        input_token_details=InputTokenDetails(cache_read=response.cached_tokens),
        output_token_details=OutputTokenDetails(reasoning=response.reasoning_tokens),
    )
    message = AIMessage(
        response.text,
        additional_kwargs={"reasoning_content": response.reasoning} if response.reasoning else {},
        usage_metadata=usage if usage["total_tokens"] else None,
        response_metadata={"model_name": model, "finish_reason": response.finish},
    )
    return LLMResult(
        generations=[[ChatGeneration(message=message)]], llm_output={"model_name": model}
    )
