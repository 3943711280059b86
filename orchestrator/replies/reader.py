"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A plain-text reply is read by `text_format`. A JSON reply is the last complete top-level object in the text that fits
the reply type. Only what cannot change the meaning is repaired: words and code fences around the object, trailing
commas, single quotes. A cut-off object is neither repaired nor searched for smaller objects, so that no entry of a
truncated list passes for a reply.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import json_repair
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.replies import text_format
from orchestrator.replies.reply import Form, NotAnOption, Options, Reply

Cause = Literal["cut_off", "too_long", "empty", "prose", "schema", "illegal", "overflow"]
"""Why an answer is unusable: it was cut off; has more characters than are read; is empty; has no object or part in it;
has a wrong value in a field; names a move that is not on the list; or never came, since the prompt was too long for the
model."""


class Unreadable(Exception):  # noqa: N818  # named for the text; callers ask the model again
    """A text that is not the wanted reply; the message is a sentence for the model."""

    def __init__(self, sentence: str, cause: Cause = "schema") -> None:
        super().__init__(sentence)
        self.cause = cause


LONGEST = 100_000
"""The most characters of an answer, without its thinking; the longest report of any role takes a tenth."""

SENTENCE = 600
"""The most characters of the sentence about an unusable answer."""


@dataclass(frozen=True)
class Reading:
    """A reply, and whether its text had to be repaired."""

    reply: Reply
    repaired: bool


def read(
    text: str, reply: type[Reply], moves: Options, form: Form = "json_schema", *, cut_off: bool = False
) -> Reading:
    """The typed reply of a text; moves named in it are grounded in `moves`. Raises Unreadable."""
    answer = text.rpartition("</think>")[2]
    if cut_off or "<think>" in answer:
        raise Unreadable("it was cut off before its end", "cut_off")
    if not answer.strip():
        raise Unreadable("it is empty", "empty")
    if len(answer) > LONGEST:
        raise Unreadable(f"it has {len(answer)} characters; {LONGEST} are the most that are read", "too_long")
    if form == "text":
        return _plainly(answer, reply, moves)
    return _as_json(text, answer, reply, moves)


def _plainly(answer: str, reply: type[Reply], moves: Options) -> Reading:
    """Read named parts; a JSON object is accepted as well."""
    bare = text_format.unfenced(answer)
    try:
        made = reply.model_validate(text_format.parse(bare, reply), context={"moves": moves})
    except text_format.Missing as missing:
        try:
            return replace(_as_json("", answer, reply, moves), repaired=True)
        except Unreadable:
            raise Unreadable(str(missing), "prose") from None
    except ValidationError as error:
        raise _wrong(error) from None
    return Reading(made, repaired=bare != answer)


def _as_json(text: str, answer: str, reply: type[Reply], moves: Options) -> Reading:
    problem, found = Unreadable("it holds no complete JSON object", "prose"), list[Reading]()
    for chunk in reversed(_objects(answer)):
        data, repaired = _load(chunk)
        if data is None:
            continue
        try:
            asked = {key: value for key, value in data.items() if key not in reply.programmed}
            made = reply.model_validate(asked, context={"moves": moves})
        except ValidationError as error:
            problem = _wrong(error)
            if not found and set(data) & set(reply.asked()):
                break  # what came before is a draft of this
            continue
        found.append(Reading(made, repaired or chunk != text.strip()))
    if len(chosen := {str(one.reply.action) for one in found if hasattr(one.reply, "action")}) > 1:
        raise Unreadable(f"it chooses several moves: {', '.join(sorted(chosen))}; reply with one object", "schema")
    if not found:
        raise problem
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
    """The object of a complete stretch, and whether it had to be repaired; None when it cannot be read safely."""
    try:
        return _printable(json.loads(chunk, object_pairs_hook=_unique_keys)), False
    except _DuplicateKey:
        return None, False
    except (ValueError, RecursionError):
        pass
    try:
        data = json_repair.loads(chunk)
    except (ValueError, RecursionError):
        return None, True
    kept = isinstance(data, dict) and _words(json.dumps(data, ensure_ascii=False)) == _words(chunk)
    return (_printable(data) if kept else None), True


class _DuplicateKey(ValueError):  # noqa: N818  # named for what is wrong with the object
    """A key stands there twice, so that the object is ambiguous."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _DuplicateKey
    return made


def _words(text: str) -> list[str]:
    """Every word and number, in order: a repair must not change them."""
    return re.findall(r"\w+", text.lower())


def _printable(data: Any) -> dict[str, object] | None:
    """The object with question marks for lone surrogates, which no file and no provider accepts."""
    if not isinstance(data, dict):
        return None
    clean = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    made: dict[str, object] = json.loads(clean)
    return made


def _wrong(error: ValidationError) -> Unreadable:
    """The first problem, by its path in the reply."""
    first = error.errors(include_url=False)[0]
    illegal = isinstance(first.get("ctx", {}).get("error"), NotAnOption)
    return Unreadable(_sentence(first), "illegal" if illegal else "schema")


def _sentence(first: ErrorDetails) -> str:
    path = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        said = said[:1].lower() + said[1:]
    return _clipped(f"{path}: {said}" if path else said)


def _clipped(sentence: str) -> str:
    """Errors quote the value; a value may be a page."""
    return sentence if len(sentence) <= SENTENCE else f"{sentence[: SENTENCE - 3]}..."
