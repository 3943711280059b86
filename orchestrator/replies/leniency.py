"""What a reply loses rather than be refused: entries of its lists, and values that it need not have.

A move or a verdict is never dropped, and a list that a report consists of is never emptied.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.replies.reply import NotAnOption, Options, Reply
from orchestrator.replies.unreadable import Unreadable
from orchestrator.replies.values import entry, optional

SENTENCE = 600
"""The most characters of the sentence about an unusable answer."""

SHORT = 160
"""The most characters of a sentence about something dropped."""

TOLD = 20
"""How many dropped things have a sentence of their own."""


def validated(data: Mapping[str, Any], reply: type[Reply], moves: Options) -> tuple[Reply, tuple[str, ...]]:
    """The reply, and a sentence for everything that was dropped from it. Raises Unreadable."""
    lacking = [name for name in reply.answer_fields() if name in reply.spare and name not in data]
    made, dropped = _kept({**{name: reply.spare[name] for name in lacking}, **data}, reply, moves)
    made, twice = _once(made)
    short = [sentence.partition("; ")[0] for sentence in dropped]  # the rest says what to answer instead
    told = [_clipped(one, SHORT) for one in (*(f"{name}: it is missing" for name in lacking), *short, *twice)]
    more = len(told) - TOLD
    return made, tuple([*told[:TOLD], f"and {more} more"] if more > 0 else told)


def _kept(data: Mapping[str, Any], reply: type[Reply], moves: Options) -> tuple[Reply, list[str]]:
    """Validate; without what is wrong, if that can be left out."""
    try:
        return reply.model_validate(data, context={"moves": moves}), []
    except ValidationError as error:
        wrong = list(_wrong(error, reply))
        details = error.errors(include_url=False)
        sentences = [_sentence(detail) for detail in details]
    left = _without(data, wrong, reply)
    for one, detail in zip(wrong, details, strict=True):
        if data[one.field] and left.get(one.field) == [] and one.field not in reply.beside:
            raise _unreadable(detail)
    try:
        return reply.model_validate(left, context={"moves": moves}), _first_of_each(wrong, sentences)
    except ValidationError as error:
        raise _unreadable(error.errors(include_url=False)[0]) from None


class _Wrong(NamedTuple):
    """Something that can be left out."""

    field: str
    number: int | None
    """Of an entry; None for the whole field."""
    key: str | None
    """Of a value in the entry; None for the whole entry."""


def _wrong(error: ValidationError, reply: type[Reply]) -> Iterator[_Wrong]:
    """What is to be left out, a thing for each error. Raises Unreadable where that would change what the reply says."""
    for detail in error.errors(include_url=False):
        name, *rest = detail["loc"] or ("",)
        field = reply.model_fields.get(str(name))
        if field is None or name in reply.decisive:
            raise _unreadable(detail)
        if get_origin(field.annotation) is tuple and rest and isinstance(rest[0], int):
            yield _Wrong(str(name), rest[0], _optional_key(field.annotation, rest))
        elif optional(field) or (name in reply.beside and detail["type"] != "missing"):
            yield _Wrong(str(name), None, None)
        else:
            raise _unreadable(detail)


def _optional_key(annotation: Any, rest: list[int | str]) -> str | None:
    kind = entry(annotation)
    key = str(rest[1]) if len(rest) > 1 else None
    return key if kind and key in kind.model_fields and optional(kind.model_fields[key]) else None


def _without(data: Mapping[str, Any], wrong: list[_Wrong], reply: type[Reply]) -> dict[str, Any]:
    """The data without what is wrong."""
    left = {name: list(value) if isinstance(value, list) else value for name, value in data.items()}
    gone = {(one.field, one.number) for one in wrong if one.number is not None and one.key is None}
    for one in wrong:
        if one.number is None:
            left[one.field] = [] if one.field in reply.beside else None
        elif one.key is not None and (one.field, one.number) not in gone:
            left[one.field][one.number] = {**left[one.field][one.number], one.key: None}
    for name in {name for name, _ in gone}:
        left[name] = [value for number, value in enumerate(left[name]) if (name, number) not in gone]
    return left


def _first_of_each(wrong: list[_Wrong], sentences: list[str]) -> list[str]:
    """One sentence for an entry with several errors; a value of an entry that goes as a whole needs none."""
    whole = {(one.field, one.number) for one in wrong if one.key is None}
    found: dict[Any, str] = {}
    for one, sentence in zip(wrong, sentences, strict=True):
        there = (one.field, one.number)
        if one.key is None or there not in whole:
            found.setdefault(there if there in whole else one, sentence)
    return list(found.values())


def _once(made: Reply) -> tuple[Reply, list[str]]:
    """The reply without entries that say again what an earlier entry says."""
    twice: list[str] = []
    changed = {}
    for name, field in type(made).model_fields.items():
        kind = entry(field.annotation)
        if kind is None or not issubclass(kind, Reply) or kind.unique is None:
            continue
        seen: dict[Any, Reply] = {}
        for number, one in enumerate(getattr(made, name)):
            key = getattr(one, kind.unique)
            if seen.setdefault(key, one) is not one:
                twice.append(f"{name}.{number}: {key} is there twice; the first counts")
        if len(seen) < len(getattr(made, name)):
            changed[name] = tuple(seen.values())
    return (made.model_copy(update=changed) if changed else made), twice


def _unreadable(detail: ErrorDetails) -> Unreadable:
    """The error of a reply in which this is wrong and cannot be left out."""
    illegal = isinstance(detail.get("ctx", {}).get("error"), NotAnOption)
    return Unreadable(_clipped(_sentence(detail), SENTENCE), "illegal" if illegal else "schema")


def _sentence(detail: ErrorDetails) -> str:
    """A problem, by its path in the reply."""
    path = ".".join(str(part) for part in detail["loc"])
    said = detail["msg"].removeprefix("Value error, ")
    if detail["type"] != "value_error":
        said = said[:1].lower() + said[1:]
    return f"{path}: {said}" if path else said


def _clipped(sentence: str, most: int) -> str:
    """Errors quote the value; a value may be a page."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 3]}..."
