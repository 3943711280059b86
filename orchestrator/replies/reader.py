"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A plain-text reply is read by `text_format`. A JSON reply is the last complete top-level object in the text that fits
the reply type. Only what cannot change the meaning is repaired: words and code fences around the object, trailing
commas, single quotes. A cut-off object is neither repaired nor searched for smaller objects, so that no entry of a
truncated list passes for a reply. `values` reads the values, and `leniency` drops those entries of a list that cannot
be read.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import json_repair

from orchestrator.replies import text_format
from orchestrator.replies.disowned import disowned
from orchestrator.replies.leniency import validated
from orchestrator.replies.reply import Form, Options, Reply
from orchestrator.replies.text_parts import Missing, parts
from orchestrator.replies.unreadable import Cause as Cause
from orchestrator.replies.unreadable import Unreadable as Unreadable
from orchestrator.replies.values import as_lists, by_field, entry, fields, meant

LONGEST = 100_000
"""The most characters of an answer, without its thinking; the longest report of any role takes a tenth."""


@dataclass(frozen=True)
class Reading:
    """A reply, and what had to be done to its text."""

    reply: Reply
    repaired: bool
    """Whether its form was repaired, or something was left out."""
    dropped: tuple[str, ...] = ()
    """What was left out because it could not be read, a short sentence each."""


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
    bare = text_format.unmarked(answer)
    try:
        return _made(text_format.parse(bare, reply), reply, moves, repaired=bare != answer)
    except Missing as missing:
        try:
            return replace(_as_json("", answer, reply, moves), repaired=True)
        except Unreadable:
            return _unnamed(bare, reply, moves, Unreadable(str(missing), "prose"))


def _unnamed(answer: str, reply: type[Reply], moves: Options, problem: Unreadable) -> Reading:
    """Read an answer without any names of fields, for the few types that can be told by their words."""
    data = reply.unnamed(answer)
    if data is None:
        raise problem
    return _made(data, reply, moves, repaired=True)


def _made(data: Mapping[str, Any], reply: type[Reply], moves: Options, *, repaired: bool) -> Reading:
    made, dropped = validated(meant(data, reply), reply, moves)
    return Reading(made, repaired or bool(dropped), dropped)


def _as_json(text: str, answer: str, reply: type[Reply], moves: Options) -> Reading:
    problem, found = Unreadable("it holds no complete JSON object", "prose"), list[Reading]()
    chunks = _objects(answer)
    if chunks and reply.decisive and disowned(answer, chunks[-1]):
        raise Unreadable("the words around its object take it back; reply with the object alone")
    for chunk in reversed(chunks):
        data, repaired = _load(chunk)
        if data is None:
            continue
        data, wrapped = _unwrapped(data)
        try:
            found.append(_of_object(data, reply, moves, repaired or wrapped or chunk != text.strip()))
        except Unreadable as error:
            problem = error
            if not found and set(by_field(data, reply)) & set(reply.asked()):
                break  # what came before is a draft of this
    for name in reply.decisive:
        if len(chosen := {str(getattr(one.reply, name)) for one in found}) > 1:
            raise Unreadable(f"it gives several answers for {name}: {', '.join(sorted(chosen))}; reply with one object")
    if not found:
        return _without_object(answer, reply, moves, problem)
    _agreed(found[0], answer.rpartition(chunks[-1])[2].strip(), moves)
    return found[0]


def _agreed(reading: Reading, after: str, moves: Options) -> None:
    """Raise Unreadable where named lines or a verdict after an object decide something else than the object."""
    kind = type(reading.reply)
    try:
        said = {name: part.strip().partition("\n")[0] for name, part in parts(after, kind).items()}
    except Missing as missing:
        raise Unreadable(str(missing)) from None
    for name in kind.decisive:
        value = said[name] if name in said else (kind.unnamed(after) or {}).get(name)
        if value is None:
            continue
        other = _made({**reading.reply.as_data(), name: value}, kind, moves, repaired=True).reply
        if getattr(other, name) != getattr(reading.reply, name):
            raise Unreadable(f"{name}: the words after the object say something else; reply with the object alone")


def _without_object(answer: str, reply: type[Reply], moves: Options, problem: Unreadable) -> Reading:
    """Read named lines of plain text in place of an object; an answer with a brace is an object gone wrong."""
    if "{" in answer:
        raise problem
    try:
        data = text_format.parse(text_format.unmarked(answer), reply)
    except Missing:
        return _unnamed(answer, reply, moves, problem)
    return _made(data, reply, moves, repaired=True)


_WRAPPERS = {"answer", "reply", "response", "result", "output", "json"}


def _unwrapped(data: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The object inside an object that has nothing else and is only named as the answer."""
    if len(data) == 1 and set(map(str.lower, data)) <= _WRAPPERS:
        (inner,) = data.values()
        if isinstance(inner, dict):
            return inner, True
    return data, False


def _of_object(data: Mapping[str, Any], reply: type[Reply], moves: Options, repaired: bool) -> Reading:
    """The reply of an object. A field that says what is done and has two names must say the same under both."""
    asked = {key: value for key, value in data.items() if key not in reply.programmed}
    if foreign := _of_entries(data, reply):
        raise Unreadable(f"it is an entry of a list, with the key {foreign!r}; reply with the whole object")
    reading = _made(asked, reply, moves, repaired=repaired or meant(asked, reply) != _plain(asked, reply))
    known = fields(reply)
    for key, value in asked.items():
        name = known.get(key.replace("_", " ").lower())
        if name in reply.decisive and key != name:
            other = _made({**by_field(asked, reply), name: value}, reply, moves, repaired=True).reply
            if getattr(other, name) != getattr(reading.reply, name):
                raise Unreadable(f"{name}: {key!r} says something else; reply with one of them")
    return reading


def _of_entries(data: Mapping[str, Any], reply: type[Reply]) -> str | None:
    """A key that only the entries of a list have, in an object without the list: an entry is no reply."""
    lists = {name: kind for name, field in reply.model_fields.items() if (kind := entry(field.annotation))}
    if not set(by_field(data, reply)).isdisjoint(lists):
        return None
    keys = {title for kind in lists.values() for title in fields(kind)} - set(fields(reply))
    return next((key for key in data if key.replace("_", " ").lower() in keys), None)


def _plain(data: Mapping[str, Any], reply: type[Reply]) -> dict[str, Any]:
    """The fields as they are called in the reply type, in either form of a list of numbers: what needs no repair."""
    return as_lists({name: data[name] for name in reply.model_fields if name in data}, reply)


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
        return _printable(json.loads(chunk, object_pairs_hook=_unique_keys, strict=False)), True  # line breaks in texts
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
