"""The one reader of models' answers: text in, typed reply out, or a sentence that says what was wrong.

A plain-text reply is read by `text`. A JSON reply is the last complete top-level object in the text that fits the
reply type. Only what cannot change the meaning is repaired: words and code fences around the object, trailing commas,
single quotes. A cut-off object is neither repaired nor searched for smaller objects, so that no entry of a truncated
list passes for a reply. `values` reads the values. Entries of a list that cannot be read, and values that need not be
there, are dropped rather than refuse a reply; a move or a verdict never is, and a list that a report consists of is
never emptied.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hanabi_orchestrator.orchestrator.replies.doubts import disowned, without_second_best
from hanabi_orchestrator.orchestrator.replies.json_objects import (
    check_around,
    finals,
    load,
    objects,
    unwrapped,
    words,
)
from hanabi_orchestrator.orchestrator.replies.reply import Cause as Cause
from hanabi_orchestrator.orchestrator.replies.reply import (
    Contradiction,
    Form,
    NotAnOption,
    Options,
    Reply,
    answer_of,
    still_thinks,
)
from hanabi_orchestrator.orchestrator.replies.reply import Unreadable as Unreadable
from hanabi_orchestrator.orchestrator.replies.text import (
    Missing,
    boxed,
    parse,
    reconsiders,
    unmarked,
)
from hanabi_orchestrator.orchestrator.replies.values import (
    Blank,
    as_lists,
    blank,
    by_field,
    clipped,
    entry,
    fields,
    leaves,
    meant,
    optional,
)

LONGEST = 100_000
"""The most characters of an answer, without its thinking; the longest report of any role takes a tenth."""
SENTENCE = 600
"""The most characters of the sentence about an unusable answer."""
SHORT = 160
"""The most characters of a sentence about something dropped."""
SENTENCES = 20
"""How many dropped things have a sentence of their own."""


@dataclass(frozen=True)
class Reading:
    """A reply, and what had to be done to its text."""

    reply: Reply
    repaired: bool
    """True if its form was repaired, or something was left out."""
    dropped: tuple[str, ...] = ()
    """What was left out because it could not be read, a short sentence each."""


def read(
    text: str,
    reply: type[Reply],
    moves: Options,
    form: Form = "json_schema",
    *,
    cut_off: bool = False,
) -> Reading:
    """Return the typed reply of a text; moves named in it are grounded in `moves`. Raises Unreadable."""
    answer = without_second_best(answer_of(text))
    if cut_off or still_thinks(answer):
        raise Unreadable("it was cut off before its end", "cut_off")
    if not answer.strip():
        raise Unreadable("it is empty", "empty")
    if len(answer) > LONGEST:
        raise Unreadable(
            f"it has {len(answer)} characters; {LONGEST} are the most that are read", "too_long"
        )
    if form == "text":
        return _read_text(answer, reply, moves)
    return _read_json(text, answer, reply, moves)


def _read_text(answer: str, reply: type[Reply], moves: Options) -> Reading:
    """Read named parts; a JSON object is accepted as well."""
    if reply.bare and reply.unnamed(answer) == (
        data := dict.fromkeys(reply.decisive, answer.strip())
    ):
        return _reading(data, reply, moves, repaired=False)
    bare = unmarked(answer)
    try:
        return _reading(parse(bare, reply), reply, moves, repaired=bare != answer)
    except Missing as missing:
        try:
            return replace(_read_json("", answer, reply, moves), repaired=True)
        except Unreadable as error:
            problem = (
                error
                if error.cause in ("illegal", "contradiction")
                else Unreadable(str(missing), "prose")
            )
            return _read_unnamed(answer, reply, moves, problem)


def _read_unnamed(answer: str, reply: type[Reply], moves: Options, problem: Unreadable) -> Reading:
    """Read an answer without any names of fields: its box, or its words for the few types that can be told by them."""
    before, value, after = boxed(answer)
    if value and len(reply.decisive) == 1 and not disowned(before, after):
        data: dict[str, Any] | None = {reply.decisive[0]: value}
    else:
        data = reply.unnamed(unmarked(answer))
    if data is None:
        raise problem
    return _reading(data, reply, moves, repaired=True)


def _reading(
    data: Mapping[str, Any], reply: type[Reply], moves: Options, *, repaired: bool
) -> Reading:
    value, dropped = validated(meant(data, reply), reply, moves)
    return Reading(value, repaired or bool(dropped), dropped)


def _read_json(text: str, answer: str, reply: type[Reply], moves: Options) -> Reading:
    """Read the last object that fits; all objects that fit must agree on the decision."""
    problem = Unreadable("it holds no complete JSON object", "prose")
    readings = list[Reading]()
    place = None
    for start, end in reversed(finals(answer, objects(answer))):
        data, repaired = load(chunk := answer[start:end])
        if data is None:
            continue
        data, wrapped = unwrapped(data, reply)
        try:
            readings.append(
                _read_object(data, reply, moves, repaired or wrapped or chunk != text.strip())
            )
            place = place or (start, end)
        except Unreadable as error:
            problem = error
            if not readings and set(by_field(data, reply)) & set(reply.answer_fields()):
                break  # what came before is a draft of this
    for name in reply.decisive:
        if len(choices := {str(getattr(reading.reply, name)) for reading in readings}) > 1:
            raise Unreadable(
                f"it gives several answers for {name}: {', '.join(sorted(choices))}; reply with one object"
            )
    if place is None:
        return _read_without_object(answer, reply, moves, problem)
    check_around(readings[0].reply, answer[: place[0]], answer[place[1] :], moves)
    return readings[0]


_OBJECT = re.compile(r"\{\s*[\"'“]|\{\s*\w+\s*:|\{\s*\Z")
"""The beginning of an object, and no brace of LaTeX."""


def _read_without_object(
    answer: str, reply: type[Reply], moves: Options, problem: Unreadable
) -> Reading:
    """Read named lines of plain text in place of an object; an answer with a brace is an object gone wrong."""
    bare = unmarked(answer)
    if _OBJECT.search(bare) or ("{" in bare and not boxed(answer)[1]):
        raise problem
    try:
        data = parse(bare, reply)
    except Missing:
        return _read_unnamed(answer, reply, moves, problem)
    return _reading(data, reply, moves, repaired=True)


def _read_object(
    data: Mapping[str, Any], reply: type[Reply], moves: Options, repaired: bool
) -> Reading:
    """Read an object. A field that says what is done and has two names must say the same under both."""
    written = {key: value for key, value in data.items() if key not in reply.programmed}
    answer = reply.arranged(written)
    _check_whole(data, answer, reply)
    # the fields as the reply type calls them, in either form of a list of numbers, need no repair
    plain = as_lists({name: answer[name] for name in reply.model_fields if name in answer}, reply)
    reading = _reading(
        answer,
        reply,
        moves,
        repaired=repaired or meant(answer, reply) != plain or answer != written,
    )
    names = fields(reply)
    for key, value in answer.items():
        name = names.get(key.replace("_", " ").lower())
        if name in reply.decisive and key != name:
            other = _reading(
                {**by_field(answer, reply), name: value}, reply, moves, repaired=True
            ).reply
            if getattr(other, name) != getattr(reading.reply, name):
                raise Unreadable(f"{name}: {key!r} says something else; reply with one of them")
    return reading


def _check_whole(data: Mapping[str, Any], answer: Mapping[str, Any], reply: type[Reply]) -> None:
    """Raise Unreadable for a key that only the entries of a list have, in an object without the list, and where a text
    after the decision takes it back."""
    lists = {
        name: kind
        for name, field in reply.model_fields.items()
        if (kind := entry(field.annotation))
    }
    keys = {title for kind in lists.values() for title in fields(kind)} - set(fields(reply))
    key = next((key for key in data if key.replace("_", " ").lower() in keys), None)
    if key and set(by_field(data, reply)).isdisjoint(lists):
        raise Unreadable(
            f"it is an entry of a list, with the key {key!r}; reply with the whole object"
        )
    values = by_field(answer, reply)
    names = list(values)
    for name in set(reply.decisive).intersection(names):
        for later in names[names.index(name) + 1 :]:
            if isinstance(remark := values[later], str) and reconsiders(remark):
                raise Unreadable(
                    f"{later}: it takes back what stands under {name!r}; say only the final decision"
                )


# What is left out


class _Fault(NamedTuple):
    """Something wrong that can be left out."""

    field: str
    number: int | None
    """Of an entry; None for the whole field."""
    key: str | None
    """Of a value in the entry; None for the whole entry."""

    @property
    def entry(self) -> tuple[str, int | None]:
        return self.field, self.number


def validated(
    data: Mapping[str, Any], reply: type[Reply], moves: Options
) -> tuple[Reply, tuple[str, ...]]:
    """Return the reply, and a sentence for everything that was dropped from it. Raises Unreadable."""
    judges = any(
        reply.model_fields[name].annotation is bool for name in reply.decisive
    )  # with a blank they are nobody's
    blanks = () if judges else [name for name, value in data.items() if isinstance(value, Blank)]
    lacking = [
        n for n in reply.answer_fields() if n in reply.spare and (n not in data or n in blanks)
    ]
    value, dropped = _lenient(
        {**data, **{name: reply.spare[name] for name in lacking}}, reply, moves
    )
    value, repeats = _without_repeats(value)
    short = [
        sentence.partition("; ")[0] for sentence in dropped
    ]  # the rest says what to answer instead
    sentences = [f"{name}: it is missing" for name in lacking] + short + repeats
    more = len(sentences) - SENTENCES
    short = [clipped(sentence, SHORT) for sentence in sentences[:SENTENCES]]
    return value, tuple([*short, f"and {more} more"] if more > 0 else short)


def _lenient(
    data: Mapping[str, Any], reply: type[Reply], moves: Options
) -> tuple[Reply, list[str]]:
    """Validate; without what is wrong, if that can be left out."""
    try:
        return reply.model_validate(data, context={"moves": moves}), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    blanks = [
        detail
        for detail in details
        if isinstance(detail["input"], Blank) and len(detail["loc"]) == 1
    ]
    if len(blanks) > 1:  # all of them are named at once
        raise Unreadable(clipped("; ".join(map(_sentence, blanks)), SENTENCE))
    faults = list(_faults(details, reply))
    rest = _without(data, faults, reply)
    for fault, detail in zip(faults, details, strict=True):
        if data[fault.field] and rest.get(fault.field) == [] and fault.field not in reply.beside:
            raise _unreadable(detail)
    try:
        value = reply.model_validate(rest, context={"moves": moves})
    except ValidationError as error:
        raise _unreadable(error.errors(include_url=False)[0]) from None
    entries = {fault.entry for fault in faults if fault.key is None}
    sentences: dict[
        Any, str
    ] = {}  # one for an entry; a value of an entry that goes as a whole needs none
    for fault, detail in zip(faults, details, strict=True):
        if fault.key is None or fault.entry not in entries:
            sentences.setdefault(
                fault.entry if fault.entry in entries else fault, _sentence(detail)
            )
    return value, list(sentences.values())


def _faults(details: Iterable[ErrorDetails], reply: type[Reply]) -> Iterator[_Fault]:
    """Yield a fault for each error. Raises Unreadable where leaving it out would change what the reply says."""
    for detail in details:
        name, *path = detail["loc"] or ("",)
        field = reply.model_fields.get(str(name))
        if field is None or name in reply.decisive:
            raise _unreadable(detail)
        if get_origin(field.annotation) is tuple and path and isinstance(path[0], int):
            kind = entry(field.annotation)
            key = str(path[1]) if len(path) > 1 else ""
            dispensable = kind and key in kind.model_fields and optional(kind.model_fields[key])
            yield _Fault(str(name), path[0], key if dispensable else None)
        elif optional(field) or (name in reply.beside and detail["type"] != "missing"):
            yield _Fault(str(name), None, None)
        else:
            raise _unreadable(detail)


def _without(data: Mapping[str, Any], faults: list[_Fault], reply: type[Reply]) -> dict[str, Any]:
    """Return the data without what is wrong."""
    rest = {name: list(value) if isinstance(value, list) else value for name, value in data.items()}
    entries = {fault.entry for fault in faults if fault.number is not None and fault.key is None}
    for fault in faults:
        if fault.number is None:
            rest[fault.field] = [] if fault.field in reply.beside else None
        elif fault.key is not None and fault.entry not in entries:
            rest[fault.field][fault.number] = {**rest[fault.field][fault.number], fault.key: None}
    for name in {name for name, _ in entries}:
        rest[name] = [
            value for number, value in enumerate(rest[name]) if (name, number) not in entries
        ]
    return rest


def _without_repeats(reply: Reply) -> tuple[Reply, list[str]]:
    """Return the reply without entries that say again what an earlier entry says."""
    sentences: list[str] = []
    changes = {}
    for name, field in type(reply).model_fields.items():
        kind = entry(field.annotation)
        if kind is None or not issubclass(kind, Reply) or kind.unique is None:
            continue
        first: dict[Any, Reply] = {}
        for number, item in enumerate(getattr(reply, name)):
            key = getattr(item, kind.unique)
            if first.setdefault(key, item) is not item:
                sentences.append(f"{name}.{number}: {key} is there twice; the first counts")
        if len(first) < len(getattr(reply, name)):
            changes[name] = tuple(first.values())
    return (reply.model_copy(update=changes) if changes else reply), sentences


def _unreadable(detail: ErrorDetails) -> Unreadable:
    """Return the error of a reply in which this is wrong and cannot be left out."""
    causes: dict[type, Cause] = {NotAnOption: "illegal", Contradiction: "contradiction"}
    cause = causes.get(type(detail.get("ctx", {}).get("error")), "schema")
    return Unreadable(clipped(_sentence(detail), SENTENCE), cause)


def _sentence(detail: ErrorDetails) -> str:
    """Return a problem in words, by its path in the reply."""
    path = ".".join(str(part) for part in detail["loc"])
    if copy := blank(detail["input"]):
        return f"{path} is still the blank `{copy}`; write your own there"
    sentence = detail["msg"].removeprefix("Value error, ")
    if detail["type"] != "value_error":
        sentence = sentence[:1].lower() + sentence[1:]
    return f"{path}: {sentence}" if path else sentence


# Answers that repeat what the prompt shows in place of an answer, so that they are not the model's own


def copied(text: str, reply: Reply | None, blanks: Collection[str]) -> bool:
    """Return whether an answer repeats one of the `blanks` of its prompt: `<a legal move>` anywhere in its text, or a
    blank or the description of a field as a whole value of the reply, without its marks."""
    answer = answer_of(text)
    if any(blank in answer for blank in blanks if blank.startswith("<")):
        return True
    copies = {words(blank) for blank in blanks}
    values = [value for _, value in leaves(reply.as_data())] if reply else []
    return any(
        words(value) in copies for value in values if isinstance(value, str) and value.strip()
    )
