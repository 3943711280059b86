"""A request to a model in the words of OpenTelemetry's conventions for generative AI: names, settings, messages."""

import json
from typing import Any

from orchestrator.journal.events import Call, SeatInfo
from orchestrator.models.settings import SAMPLING


def error_type(call: Call) -> str | None:
    """What kind of fault it was; None for a usable answer."""
    if call.outcome in ("ok", "repaired"):
        return None
    statuses = [attempt.status for attempt in call.attempts if attempt.status is not None]
    return call.cause or (str(statuses[-1]) if call.outcome == "failed" and statuses else call.outcome)


def plain_model(name: str) -> str:
    """A model's own name: `gpt` of `openai:gpt@https://...`, without the address of its server."""
    return name.partition("@")[0].split(":", 1)[-1] or name


def provider(name: str) -> str:
    """Who serves a model, as the conventions name it: `openai` for every server that speaks its protocol."""
    kind, *rest = name.partition("@")[0].split(":")
    if kind == "langchain" and rest:
        return rest[0]
    return {"azure": "azure.ai.openai", "sim": "hanabi.simulated"}.get(kind, kind)


def request(seat: SeatInfo, call: Call) -> dict[str, Any]:
    """What was asked for, as the conventions name it."""
    settings = next((model for name, model in seat.models.items() if call.model in (name, model.get("model"))), {})
    sampling = {f"gen_ai.request.{name}": settings.get(name) for name in SAMPLING}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider(call.model),
        "gen_ai.request.model": plain_model(call.model),
        **sampling,
    }


def content(call: Call) -> dict[str, str]:
    """The prompt and the answer, as the conventions write them: JSON lists of messages with parts."""
    messages = [{"role": m.role, "parts": [{"type": "text", "content": m.content}]} for m in call.messages]
    parts = [{"type": "reasoning", "content": call.reasoning}] if call.reasoning else []
    parts += [{"type": "text", "content": call.text}] if call.text is not None else []
    answer = [{"role": "assistant", "parts": parts, "finish_reason": call.finish or "stop"}] if parts else []
    return {
        "gen_ai.input.messages": json.dumps(messages, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(answer, ensure_ascii=False),
    }
