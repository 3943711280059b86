"""Completions as OpenAI's API sends them, and as other servers nearly do, given as plain data."""

from orchestrator.models.faults import NotACompletion
from orchestrator.models.request import ModelResponse
from orchestrator.models.usage import Usage


def parse_completion(answer: object) -> ModelResponse:
    """Return the first choice of a chat completion, given as plain data. Raises NotACompletion when it is none."""
    choices = _at(answer, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _at(choice, "message")
    if not isinstance(message, dict):
        raise NotACompletion(f"it sent {str(answer)[:2000]!r}")  # shortened further once keys are removed
    usage = Usage.counted(
        _count(answer, "usage", "prompt_tokens"),
        _count(answer, "usage", "completion_tokens"),
        _count(answer, "usage", "total_tokens"),
        _count(answer, "usage", "prompt_tokens_details", "cached_tokens"),
        _count(answer, "usage", "completion_tokens_details", "reasoning_tokens"),
    )
    return ModelResponse(
        text=_text(_at(message, "content")) or _text(_at(message, "refusal")),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cached_tokens=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        finish=_string(_at(choice, "finish_reason")),
        served_by=_string(_at(answer, "model")),
        fingerprint=_string(_at(answer, "system_fingerprint")),
        reasoning=_string(_at(message, "reasoning_content") or _at(message, "reasoning")),
    )


def _at(value: object, *path: str) -> object:
    """Return what lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: object, *path: str) -> int:
    """Return a count; 0 for what is none."""
    number = _at(value, *path)
    return int(number) if isinstance(number, int | float) and 0 <= number < 1e12 else 0


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _text(content: object) -> str:
    """Return a text, or the texts of a list of content parts."""
    if isinstance(content, list):
        return "".join(_text(_at(part, "text")) for part in content)
    return content if isinstance(content, str) else ""
