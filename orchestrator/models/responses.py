"""OpenAI's Responses API: what a request says there, and what its response says.

Reasoning models give summaries of their thinking there, and nowhere else.
"""

from collections.abc import Iterator
from typing import Any

from orchestrator.models.completion import at, count, string, tier
from orchestrator.models.faults import NotACompletion
from orchestrator.models.request import ModelResponse
from orchestrator.models.settings import ModelSettings
from orchestrator.models.transport import CompletionRequest
from orchestrator.models.usage import Usage

NAMES = {"max_tokens": "max_output_tokens"}
"""What the API calls a sampling setting, where it is not its name here."""


def fixed(settings: ModelSettings) -> dict[str, Any]:
    """Return what every request of a model says; no server is asked to keep a response."""
    sampling = settings.sampling
    effort = {"effort": sampling.pop("reasoning_effort", None), "summary": settings.reasoning_summary}
    reasoning = {name: value for name, value in effort.items() if value is not None}
    named = {NAMES.get(name, name): value for name, value in sampling.items()}
    body = {"model": settings.name, "store": False, **named, **({"reasoning": reasoning} if reasoning else {})}
    return merged(body, settings.extra_body)


def body(request: CompletionRequest, fixed: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a request."""
    sent: dict[str, Any] = {
        "input": [{"role": message.role, "content": message.content} for message in request.messages]
    }
    if request.response_format is not None:
        asked = request.response_format
        sent["text"] = {"format": {"type": asked["type"], **asked.get("json_schema", {})}}
    return merged(sent, fixed)


def merged(body: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return a body with more fields; what both give as objects has the keys of both: `text`, `reasoning`."""
    both = {name for name in body.keys() & more.keys() if isinstance(body[name], dict) and isinstance(more[name], dict)}
    return body | more | {name: body[name] | more[name] for name in both}


def parse(answer: object) -> ModelResponse:
    """Return what a response says, given as plain data. Raises NotACompletion when it is none, or failed."""
    output = at(answer, "output")
    if not isinstance(output, list) or at(answer, "status") in ("failed", "cancelled"):
        raise NotACompletion(f"it sent {str(at(answer, 'error') or answer)[:2000]!r}")
    usage = Usage.counted(
        count(answer, "usage", "input_tokens"),
        count(answer, "usage", "output_tokens"),
        count(answer, "usage", "total_tokens"),
        count(answer, "usage", "input_tokens_details", "cached_tokens"),
        count(answer, "usage", "output_tokens_details", "reasoning_tokens"),
    )
    spoken = [part for item in output if at(item, "type") == "message" for part in _parts(item, "content")]
    thought = [item for item in output if at(item, "type") == "reasoning"]
    texts = [
        string(at(part, "text")) for item in thought for key in ("summary", "content") for part in _parts(item, key)
    ]
    why = string(at(answer, "incomplete_details", "reason"))
    return ModelResponse(
        text="".join(string(at(part, "text")) or string(at(part, "refusal")) or "" for part in spoken),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cached_tokens=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        finish=(why or "length") if at(answer, "status") == "incomplete" else "stop",
        served_by=string(at(answer, "model")),
        fingerprint=string(at(answer, "system_fingerprint")),
        reasoning="\n\n".join(filter(None, texts)) or None,
        service_tier=tier(answer),
    )


def _parts(item: object, key: str) -> Iterator[object]:
    parts = at(item, key)
    yield from parts if isinstance(parts, list) else ()
