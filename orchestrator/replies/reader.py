"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A plain-text reply is read by `text_format`. A JSON reply is the last complete top-level object in the text that fits
the reply type. Only what cannot change the meaning is repaired: words and code fences around the object, trailing
commas, single quotes. A cut-off object is neither repaired nor searched for smaller objects, so that no entry of a
truncated list passes for a reply. `values` reads the values, and `leniency` drops those entries of a list that cannot
be read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.replies import text_format
from orchestrator.replies.around_objects import check_around
from orchestrator.replies.json_objects import load, objects
from orchestrator.replies.leniency import validated
from orchestrator.replies.reply import Form, Options, Reply
from orchestrator.replies.text_parts import Missing, reconsiders
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
    place = None
    for start, end in reversed(objects(answer)):
        data, repaired = load(chunk := answer[start:end])
        if data is None:
            continue
        data, wrapped = _unwrapped(data)
        try:
            found.append(_of_object(data, reply, moves, repaired or wrapped or chunk != text.strip()))
            place = place or (start, end)
        except Unreadable as error:
            problem = error
            if not found and set(by_field(data, reply)) & set(reply.answer_fields()):
                break  # what came before is a draft of this
    for name in reply.decisive:
        if len(chosen := {str(getattr(one.reply, name)) for one in found}) > 1:
            raise Unreadable(f"it gives several answers for {name}: {', '.join(sorted(chosen))}; reply with one object")
    if place is None:
        return _without_object(answer, reply, moves, problem)
    check_around(found[0].reply, answer[: place[0]], answer[place[1] :], moves)
    return found[0]


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
    _check_order(asked, reply)
    reading = _made(asked, reply, moves, repaired=repaired or meant(asked, reply) != _plain(asked, reply))
    known = fields(reply)
    for key, value in asked.items():
        name = known.get(key.replace("_", " ").lower())
        if name in reply.decisive and key != name:
            other = _made({**by_field(asked, reply), name: value}, reply, moves, repaired=True).reply
            if getattr(other, name) != getattr(reading.reply, name):
                raise Unreadable(f"{name}: {key!r} says something else; reply with one of them")
    return reading


def _check_order(data: Mapping[str, Any], reply: type[Reply]) -> None:
    """Raise Unreadable where a text after the decision takes it back."""
    names = list(by_field(data, reply))
    for name in set(reply.decisive).intersection(names):
        for later in names[names.index(name) + 1 :]:
            if isinstance(said := by_field(data, reply)[later], str) and reconsiders(said):
                raise Unreadable(f"{later}: it takes back what stands under {name!r}; say only the final decision")


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
