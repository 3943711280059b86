"""OpenAI's two APIs as plain data: what a request says to Chat Completions and to Responses, and what an answer says.

Other servers send completions nearly as OpenAI does. Reasoning models give summaries of their thinking in the Responses
API, and nowhere else.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from orchestrator.models.faults import NotACompletion
from orchestrator.models.request import ModelResponse
from orchestrator.models.settings import ModelSettings
from orchestrator.models.transport import CompletionRequest
from orchestrator.models.usage import Usage

Body = dict[str, Any]


class Api(NamedTuple):
    """One API of a server."""

    path: str
    fixed: Callable[[ModelSettings], Body]
    """Returns what every request of a model says."""
    body: Callable[[CompletionRequest, Body], Body]
    """Returns the body of a request, given what every request says."""
    parse: Callable[[object], ModelResponse]
    """Returns what an answer says. Raises NotACompletion."""


# Chat Completions


def _fixed_chat(settings: ModelSettings) -> Body:
    """Return its name, its sampling settings, and whatever `extra_body` adds."""
    sampling = settings.sampling
    if "max_tokens" in sampling and (settings.home or settings.azure):
        # OpenAI's reasoning models refuse the older name, other servers do not know the newer one
        sampling["max_completion_tokens"] = sampling.pop("max_tokens")
    return {"model": settings.name, **sampling, **settings.extra_body}


def _chat_body(request: CompletionRequest, fixed: Body) -> Body:
    """Return what is set, and nothing else."""
    body: Body = {"messages": [{"role": message.role, "content": message.content} for message in request.messages]}
    if request.response_format is not None:
        body["response_format"] = request.response_format
    if request.seed is not None:
        body["seed"] = request.seed
    return body | fixed


def parse_completion(answer: object) -> ModelResponse:
    """Return the first choice of a chat completion, given as plain data. Raises NotACompletion when it is none."""
    choices = at(answer, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = at(choice, "message")
    if not isinstance(message, dict):
        raise NotACompletion(f"it sent {str(answer)[:2000]!r}")  # shortened further once keys are removed
    usage = Usage.counted(
        count(answer, "usage", "prompt_tokens"),
        count(answer, "usage", "completion_tokens"),
        count(answer, "usage", "total_tokens"),
        count(answer, "usage", "prompt_tokens_details", "cached_tokens")
        or count(answer, "usage", "prompt_cache_hit_tokens"),  # DeepSeek's name of them
        count(answer, "usage", "completion_tokens_details", "reasoning_tokens"),
    )
    return ModelResponse(
        text=_text(at(message, "content")) or _text(at(message, "refusal")),
        **usage.counts,
        finish=string(at(choice, "finish_reason")),
        reasoning=string(at(message, "reasoning_content") or at(message, "reasoning")),
        **_server(answer),
    )


def _text(content: object) -> str:
    """Return a text, or the texts of a list of content parts."""
    if isinstance(content, list):
        return "".join(_text(at(part, "text")) for part in content)
    return content if isinstance(content, str) else ""


# Responses


def _fixed_response(settings: ModelSettings) -> Body:
    """Return the same; no server is asked to keep a response."""
    sampling = settings.sampling
    effort = {"effort": sampling.pop("reasoning_effort", None), "summary": settings.reasoning_summary}
    reasoning = {name: value for name, value in effort.items() if value is not None}
    if "max_tokens" in sampling:
        sampling["max_output_tokens"] = sampling.pop("max_tokens")
    body = {"model": settings.name, "store": False, **sampling, **({"reasoning": reasoning} if reasoning else {})}
    return merged(body, settings.extra_body)


def _response_body(request: CompletionRequest, fixed: Body) -> Body:
    sent: Body = {"input": [{"role": message.role, "content": message.content} for message in request.messages]}
    if (format := request.response_format) is not None:
        sent["text"] = {"format": {"type": format["type"], **format.get("json_schema", {})}}
    return merged(sent, fixed)


def merged(body: Body, more: Body) -> Body:
    """Return a body with more fields; what both give as objects has the keys of both: `text`, `reasoning`."""
    both = {name for name in body.keys() & more.keys() if isinstance(body[name], dict) and isinstance(more[name], dict)}
    return body | more | {name: body[name] | more[name] for name in both}


def parse_response(answer: object) -> ModelResponse:
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
    spoken = _parts(output, "message", "content")
    thought = [string(at(part, "text")) for part in _parts(output, "reasoning", "summary", "content")]
    why = string(at(answer, "incomplete_details", "reason"))
    return ModelResponse(
        text="".join(string(at(part, "text")) or string(at(part, "refusal")) or "" for part in spoken),
        **usage.counts,
        finish=(why or "length") if at(answer, "status") == "incomplete" else "stop",
        reasoning="\n\n".join(filter(None, thought)) or None,
        **_server(answer),
    )


def _parts(output: list[object], kind: str, *keys: str) -> Iterator[object]:
    """Yield the parts that lie under these keys of the items of a kind."""
    for item in output:
        for key in keys if at(item, "type") == kind else ():
            parts = at(item, key)
            yield from parts if isinstance(parts, list) else ()


APIS: dict[str, Api] = {
    "chat": Api("/chat/completions", _fixed_chat, _chat_body, parse_completion),
    "responses": Api("/responses", _fixed_response, _response_body, parse_response),
}


# Plain data from outside


def at(value: object, *path: str) -> object:
    """Return what lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: object, *path: str) -> int:
    """Return a count; 0 for what is none."""
    number = at(value, *path)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0
    return int(number) if 0 <= number < 1e12 else 0


def string(value: object) -> str | None:
    """Return a text; None for what is none."""
    return value if isinstance(value, str) else None


def _server(answer: object) -> dict[str, Any]:
    """Return what an answer says of who gave it: the tier only where it is not the ordinary one."""
    tier = string(at(answer, "service_tier"))
    return {
        "served_by": string(at(answer, "model")),
        "fingerprint": string(at(answer, "system_fingerprint")),
        "service_tier": None if tier == "default" else tier,
    }
