"""Completions as OpenAI's API sends them, and as other servers nearly do, given as plain data."""

from orchestrator.models.faults import NotACompletion
from orchestrator.models.request import ModelResponse
from orchestrator.models.usage import Usage


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
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cached_tokens=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        finish=string(at(choice, "finish_reason")),
        served_by=string(at(answer, "model")),
        fingerprint=string(at(answer, "system_fingerprint")),
        reasoning=string(at(message, "reasoning_content") or at(message, "reasoning")),
        service_tier=tier(answer),
    )


def at(value: object, *path: str) -> object:
    """Return what lies at a path of nested objects; None where there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: object, *path: str) -> int:
    """Return a count; 0 for what is none."""
    number = at(value, *path)
    return int(number) if isinstance(number, int | float) and 0 <= number < 1e12 else 0


def string(value: object) -> str | None:
    """Return a text; None for what is none."""
    return value if isinstance(value, str) else None


def tier(answer: object) -> str | None:
    """Return the service tier that answered, where it is not the ordinary one."""
    name = string(at(answer, "service_tier"))
    return None if name == "default" else name


def _text(content: object) -> str:
    """Return a text, or the texts of a list of content parts."""
    if isinstance(content, list):
        return "".join(_text(at(part, "text")) for part in content)
    return content if isinstance(content, str) else ""
