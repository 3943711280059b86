"""How notes are put to a model: an adviser's reply under his node's name, or one's own samples as candidates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from orchestrator.plain import text_of
from roles.replies import Choice, Form, Reply


def report(node: str, replies: Sequence[BaseModel], raw: Form | None = None) -> str:
    """A node's reply under its name; of several samples, one after the other."""
    title = f"## {node.replace('_', ' ')}"
    texts = [plain(reply) if raw is None else written(reply, raw) for reply in replies]
    if len(texts) == 1:
        return f"{title}\n{texts[0]}"
    return "\n\n".join(f"{title}, answer {number}\n{text}" for number, text in enumerate(texts, 1))


def written(reply: BaseModel, form: Form) -> str:
    """What the model wrote; of a program's reply, what a model would have written in this form."""
    if not isinstance(reply, Reply):
        return plain(reply)
    return reply.text or text_of(reply, form)


def candidates(replies: Sequence[BaseModel]) -> str:
    """Several choices of one node; equal ones once, with their count and all reasons."""
    choices = [reply for reply in replies if isinstance(reply, Choice)]
    given = Counter(str(choice.action) for choice in choices)
    blocks = []
    for number, (move, times) in enumerate(given.items(), 1):
        reasons = dict.fromkeys(choice.reason for choice in choices if str(choice.action) == move)
        said = "\n".join(f"- {reason}" for reason in reasons)
        blocks.append(f"candidate {number}: {move} (given {times} of {len(choices)} times)\n{said}")
    return "\n".join(blocks)


def plain(reply: BaseModel) -> str:
    """A reply as lines: a field each, and an entry of a list of objects each."""
    return lines(reply.as_data() if isinstance(reply, Reply) else reply.model_dump(mode="json"))


def lines(reply: Mapping[str, Any]) -> str:
    """The same of a reply as plain data."""
    return "\n".join(line for key, value in reply.items() for line in _field(key, value))


def _field(key: str, value: Any) -> Iterator[str]:
    name = key.replace("_", " ")
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{name}:"
        for entry in value:
            there = ((inner.replace("_", " "), v) for inner, v in entry.items() if v is not None)
            yield "- " + "; ".join(f"{inner}: {scalar(v)}" for inner, v in there)
    elif value is not None:
        yield f"{name}: {scalar(value)}"


def scalar(value: Any) -> str:
    """A value in words; a probability is 0 or 1 only when it is certain."""
    if isinstance(value, list):
        return ", ".join(scalar(inner) for inner in value) or "none"
    if isinstance(value, float) and 0 < value < 1:
        return f"{min(max(value, 0.01), 0.99):.2f}"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
