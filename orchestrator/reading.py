"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A reply is the last complete top-level JSON object of the text that fits its type. Only what cannot change the
meaning is mended: words and code fences around the object, trailing commas, single quotes. A cut-off object is
never mended and never searched for smaller objects inside, so that no entry of a truncated list passes for a reply.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import json_repair
from pydantic import BaseModel, ValidationError

from orchestrator.moves import Numbered


class Unreadable(Exception):  # noqa: N818  # what the text is; callers turn it into a second ask
    """A text that is not the wanted reply; the message is a sentence for the model."""


@dataclass(frozen=True)
class Reading:
    reply: BaseModel
    repaired: bool


def read(text: str, reply: type[BaseModel], moves: Numbered, *, cut_off: bool = False) -> Reading:
    """The typed reply of a text; moves named in it are grounded in `moves`. Raises Unreadable."""
    if not text.strip():
        raise Unreadable("it is empty")
    thought = text.rpartition("</think>")[2]
    problem = "it was cut off before its end" if cut_off else "it holds no complete JSON object"
    for chunk in reversed(list(_objects(thought))):
        data, repaired = _load(chunk)
        if data is None:
            continue
        try:
            made = reply.model_validate(data, context={"moves": moves})
        except ValidationError as error:
            problem = _sentence(error)
            continue
        return Reading(made, repaired or chunk != text.strip())
    raise Unreadable(problem)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)


def _objects(text: str) -> Iterator[str]:
    """The complete top-level {...} stretches; nothing after an unclosed brace. Braces inside strings do not count."""
    start = text.find("{")
    while start >= 0 and (end := _closing(text, start)):
        yield text[start:end]
        start = text.find("{", end)


def _closing(text: str, start: int) -> int | None:
    """Where the object that opens at `start` ends, its brace included."""
    depth = 0
    for found in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return None


def _load(chunk: str) -> tuple[dict[str, object] | None, bool]:
    """The object of a complete stretch, and whether it had to be mended."""
    try:
        data = json.loads(chunk)
        return (data, False) if isinstance(data, dict) else (None, False)
    except (ValueError, RecursionError):
        pass
    try:
        data = json_repair.loads(chunk)
    except (ValueError, RecursionError):
        return None, True
    return (data, True) if isinstance(data, dict) else (None, True)


def _sentence(error: ValidationError) -> str:
    """The first problem, by its path in the reply."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        said = said[:1].lower() + said[1:]
    return f"{path}: {said}" if path else said
