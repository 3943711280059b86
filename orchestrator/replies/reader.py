"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A reply in plain text is what `plain` reads; one in JSON is the last complete top-level object of the text that fits its
type. Only what cannot change the meaning is mended: words and code fences around the object, trailing commas, single
quotes. A cut-off object is never mended and never searched for smaller objects inside, so that no entry of a truncated
list passes for a reply.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import json_repair
from pydantic import ValidationError

from orchestrator.replies import text_format
from orchestrator.replies.reply import Form, Options, Reply


class Unreadable(Exception):  # noqa: N818  # what the text is; callers turn it into a second ask
    """A text that is not the wanted reply; the message is a sentence for the model."""


LONGEST = 100_000
"""Characters of an answer, its thinking not counted; the longest report of any role takes a tenth."""


SENTENCE = 600
"""Characters of what is said about an unusable answer."""


@dataclass(frozen=True)
class Reading:
    reply: Reply
    repaired: bool


def read(
    text: str, reply: type[Reply], moves: Options, form: Form = "json_schema", *, cut_off: bool = False
) -> Reading:
    """The typed reply of a text; moves named in it are grounded in `moves`. Raises Unreadable."""
    answer = text.rpartition("</think>")[2]
    if cut_off or "<think>" in answer:
        raise Unreadable("it was cut off before its end")
    if not answer.strip():
        raise Unreadable("it is empty")
    if len(answer) > LONGEST:
        raise Unreadable(f"it has {len(answer)} characters; {LONGEST} are the most that are read")
    if form == "text":
        return _plainly(answer, reply, moves)
    return _as_json(text, answer, reply, moves)


def _plainly(answer: str, reply: type[Reply], moves: Options) -> Reading:
    """Named parts; an object of JSON will do as well."""
    bare = text_format.unfenced(answer)
    try:
        made = reply.model_validate(text_format.parse(bare, reply), context={"moves": moves})
    except text_format.Missing as missing:
        try:
            return replace(_as_json("", answer, reply, moves), repaired=True)
        except Unreadable:
            raise Unreadable(str(missing)) from None
    except ValidationError as error:
        raise Unreadable(_sentence(error)) from None
    return Reading(made, repaired=bare != answer)


def _as_json(text: str, answer: str, reply: type[Reply], moves: Options) -> Reading:
    problem, found = "it holds no complete JSON object", list[Reading]()
    for chunk in reversed(_objects(answer)):
        data, repaired = _load(chunk)
        if data is None:
            continue
        try:
            asked = {key: value for key, value in data.items() if key not in reply.programmed}
            made = reply.model_validate(asked, context={"moves": moves})
        except ValidationError as error:
            problem = _sentence(error)
            if not found and set(data) & set(reply.asked()):
                break  # what came before is a draft of this
            continue
        found.append(Reading(made, repaired or chunk != text.strip()))
    if len(chosen := {str(one.reply.action) for one in found if hasattr(one.reply, "action")}) > 1:
        raise Unreadable(f"it chooses several moves: {', '.join(sorted(chosen))}; reply with one object")
    if not found:
        raise Unreadable(problem)
    return found[0]


_ENTRY = re.compile(r"(?:\[|\},)\s*\Z")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
"""A string (to the end of the text if it is never closed) or a brace; possessive: no character is read twice."""


def _objects(text: str) -> list[str]:
    """The complete top-level {...} stretches; none at all when the last one is unclosed: what came before was a draft.

    Braces inside strings do not count. The entries of a list are no replies: of a list there is none.
    """
    found = []
    start = text.find("{")
    while start >= 0:
        end = _closing(text, start)
        if end is None or _ENTRY.search(text[max(0, start - 99) : start]):
            return []
        found.append(text[start:end])
        start = text.find("{", end)
    return found


def _closing(text: str, start: int) -> int | None:
    """Where the object that opens at `start` ends, its brace included."""
    depth = 0
    for found in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return None


def _load(chunk: str) -> tuple[dict[str, object] | None, bool]:
    """The object of a complete stretch, and whether it had to be mended; None when it is not to be understood."""
    try:
        return _printable(json.loads(chunk, object_pairs_hook=_once)), False
    except _Twice:
        return None, False
    except (ValueError, RecursionError):
        pass
    try:
        data = json_repair.loads(chunk)
    except (ValueError, RecursionError):
        return None, True
    kept = isinstance(data, dict) and _words(json.dumps(data, ensure_ascii=False)) == _words(chunk)
    return (_printable(data) if kept else None), True


class _Twice(ValueError):  # noqa: N818  # what is wrong with the object
    """A key is there twice, so that the object says two things."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Twice
    return made


def _words(text: str) -> list[str]:
    """What a repair must leave as it was: every word and number, in order."""
    return re.findall(r"\w+", text.lower())


def _printable(data: Any) -> dict[str, object] | None:
    """Lone surrogates, which no file and no provider takes, become question marks."""
    if not isinstance(data, dict):
        return None
    clean = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    made: dict[str, object] = json.loads(clean)
    return made


def _sentence(error: ValidationError) -> str:
    """The first problem, by its path in the reply."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        said = said[:1].lower() + said[1:]
    return _clipped(f"{path}: {said}" if path else said)


def _clipped(sentence: str) -> str:
    """Errors quote the value; a value may be a page."""
    return sentence if len(sentence) <= SENTENCE else f"{sentence[: SENTENCE - 3]}..."
