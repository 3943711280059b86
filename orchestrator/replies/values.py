"""Values as models write them, made into what a reply type takes: `Certain`, `90%`, `n/a`, `{"play slot 2": 0.9}`.

Only what a person would read in one way is changed; everything else is left as it is, for the type to refuse.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from hanabi_orchestrator.orchestrator.replies.reply import OPTION, Reply

NOTHING = ("", "-", "–", "—", "none", "null", "nil", "n/a", "not applicable")
"""How models say that a field has no value."""


def names(kind: type[BaseModel], name: str) -> tuple[str, ...]:
    """Return what a field is called, the name that is shown to models first."""
    labels = kind.labels.get(name, ()) if issubclass(kind, Reply) else ()
    return labels or (name.replace("_", " ").capitalize(),)


@cache
def fields(kind: type[BaseModel]) -> Mapping[str, str]:
    """Return the fields by everything that they may be called, in small letters and with spaces."""
    called = [(title, name) for name in kind.model_fields for title in (*names(kind, name), name)]
    return {title.replace("_", " ").lower(): name for title, name in called}


def entry(annotation: Any) -> type[BaseModel] | None:
    """Return the type of the entries of a list of objects; None for other fields."""
    inner = get_args(annotation)[0] if get_origin(annotation) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a type is made of: of `tuple[Rating, ...] | None` Rating."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values inside nested data that hold no others, with their dotted paths."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    if not inside or not value:
        yield path, value
        return
    for key, inner in inside:
        yield from leaves(inner, f"{path}.{key}" if path else str(key))


def clipped(sentence: str, most: int) -> str:
    """Return a sentence of at most so many characters: it may quote a value, and a value may be a page."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 3]}..."


@cache
def numbered(kind: type[Reply]) -> Mapping[str, tuple[str, str]]:
    """Return the lists with one number for each option, as ratings of moves: by the list, what option and number are
    called.

    An object may stand for such a list: `{"play slot 2": 0.9}`.
    """
    lists = {}
    for name, field in kind.model_fields.items():
        inner = entry(field.annotation)
        if inner is None or not issubclass(inner, Reply) or len(inner.model_fields) != 2:
            continue
        option, number = inner.model_fields
        schema = inner.model_json_schema()["properties"][option]
        if (
            inner.unique == option
            and OPTION in schema
            and inner.model_fields[number].annotation in (int, float)
        ):
            lists[name] = (option, number)
    return lists


def as_objects(data: Mapping[str, Any], kind: type[Reply]) -> dict[str, Any]:
    """Plain data with objects in place of its lists of numbers."""
    objects = dict(data)
    for name, (option, number) in numbered(kind).items():
        if isinstance(entries := data.get(name), list):
            objects[name] = {item[option]: item[number] for item in entries}
    return objects


def as_lists(data: Mapping[str, Any], kind: type[Reply]) -> dict[str, Any]:
    """Plain data with lists of numbers in place of the objects that stand for them."""
    lists = dict(data)
    for name, (option, number) in numbered(kind).items():
        if isinstance(entries := data.get(name), Mapping):
            lists[name] = [{option: key, number: value} for key, value in entries.items()]
    return lists


def optional(field: FieldInfo) -> bool:
    """Return whether a field may have no value."""
    return field.default is None and not field.is_required()


def by_field(data: Mapping[str, Any], kind: type[BaseModel]) -> dict[str, Any]:
    """Return an object with the names of the fields as its keys; its own key goes before another name of a field."""
    names = fields(kind)
    plain = {
        " ".join(re.split(r"[\s_-]+", key.strip().lower())): value for key, value in data.items()
    }
    values = {names[key]: value for key, value in plain.items() if key in names}
    return values | {name: data[name] for name in kind.model_fields if name in data}


def meant(data: Mapping[str, Any], kind: type[BaseModel]) -> dict[str, Any]:
    """Return an object with every value as the type of its field takes it."""
    values: dict[str, Any] = {}
    for name, value in by_field(data, kind).items():
        field = kind.model_fields[name]
        if field.annotation is str and blank(value):
            values[name] = Blank(value)
            continue
        nothing = isinstance(value, str) and bare(value).lower() in NOTHING and optional(field)
        values[name] = (
            None if nothing else _typed(value, field.annotation, tuple(field.metadata), name)
        )
    return values


_BLANK = re.compile(r"<[^<>]*>|<\w+|\[(?:your|insert)\b[^\[\]]*\]", re.IGNORECASE)
"""A blank of a form: `<text>`, `[Your explanation]`."""


@dataclass(frozen=True)
class Blank:
    """A blank of a form in place of a text, so that no type takes it for one."""

    text: str


def blank(value: Any) -> str | None:
    """Return the blank that stands in place of a value; None if it is none."""
    text = value.text if isinstance(value, Blank) else value
    return bare(text) if isinstance(text, str) and _BLANK.fullmatch(bare(text)) else None


def _typed(value: Any, annotation: Any, limits: tuple[Any, ...], name: str) -> Any:
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if any(isinstance(limit, BeforeValidator) for limit in limits):
        return value  # the type reads texts itself
    if origin is Annotated:
        is_field = isinstance(arguments[1], FieldInfo)
        return (
            _typed(value, arguments[0], (*arguments[1].metadata, *limits), name)
            if is_field
            else value
        )
    if origin in (Union, UnionType):
        plain = [option for option in arguments if option is not type(None)]
        return _typed(value, plain[0], limits, name) if len(plain) == 1 else value
    if origin is tuple:
        return _items(value, arguments[0], name)
    if origin is Literal:
        return _one_of(value, arguments)
    if annotation in (int, float):
        return _number(value, annotation, limits, name)
    if annotation is bool:
        return _one_of(value, ("yes", "no", "true", "false"))
    return _text(value) if annotation is str else value


def bare(text: str) -> str:
    """Return a text without the marks that models put around it."""
    return text.strip().strip("*`\"'").rstrip(".;,").strip()


_AGAINST = re.compile(r"\b(?:but|not|or|no|unless|except|however|although)\b")


def _one_of(value: Any, options: tuple[Any, ...]) -> Any:
    """Return the option that a text means, in any case and perhaps with a remark after it; else the text."""
    if not isinstance(value, str):
        return value
    for option in sorted(map(str, options), key=len, reverse=True):
        spelled = r"[\s_-]+".join(map(re.escape, option.split("-")))
        match = re.match(rf"{spelled}(?:\Z|\s*[(:.;,!]|\s+[–—-]\s)", bare(value), re.IGNORECASE)
        if match and not _AGAINST.search(bare(value)[match.end() :].lower()):
            return option
    return value


OF_ONE = r"(?:[ \t]*+/[ \t]*+1(?:\.0++)?+(?![\d.]))"
"""After a number: that it is one of 1, as in `0.9/1`."""
NUMBER = rf"[-+−]?+(?:\d++(?:\.\d*+)?+|\.\d++){OF_ONE}?+"
RATED_IN_BRACKETS = re.compile(
    rf"\([ \t]*+(?:(?:rating|rated|score)\b[ \t]*+[:=]?+[ \t]*+)?+({NUMBER})[ \t]*+\)",
    re.IGNORECASE,
)
"""A rating after a move: `play slot 2 (0.9)`."""
_NUMBER = re.compile(
    rf"""
    (?P<about> ~ | ≈ | about\s+ )?
    (?P<number> [-+]? (?: \d+ (?:\.\d*)? | \.\d+ ) )
    (?P<of_one> {OF_ONE} )?
    \s* (?P<percent> %? )
    (?: \s* \([^()]*\) )?
    """,
    re.VERBOSE,
)
_IN_WORDS = {
    word: str(number) for number, word in enumerate(("zero", "one", "two", "three", "four", "five"))
}
_CALLED = {"seat": "seat|player|p"}


def _number(value: Any, kind: type, limits: tuple[Any, ...], name: str) -> Any:
    """Return a number as a number: a percentage only where the field is a probability; truth values are none."""
    if isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return value
    text = bare(value).replace("−", "-")
    if kind is int:
        text = re.sub(
            rf"\b(?:{'|'.join(_IN_WORDS)})\b",
            lambda word: _IN_WORDS[word[0].lower()],
            text,
            flags=re.IGNORECASE,
        )
        text = re.sub(
            rf"^(?:{_CALLED.get(name, f'slot|{re.escape(name)}')})\s*#?(?=\d)",
            "",
            text,
            flags=re.IGNORECASE,
        )
    bounds = {
        key: getattr(limit, key) for limit in limits for key in ("ge", "le") if hasattr(limit, key)
    }
    match = _NUMBER.fullmatch(text)
    if (
        match is None
        or (match["percent"] and bounds != {"ge": 0, "le": 1})
        or (kind is int and (match["about"] or match["of_one"]))
    ):
        return value
    return float(match["number"]) / 100 if match["percent"] else match["number"]


def _text(value: Any) -> Any:
    """Texts on several lines may come as a list; a number is a text, too; the blank of a form is none."""
    if blank(value):
        return None
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        return " ".join(value)
    return str(value) if isinstance(value, int | float) else value


def _items(value: Any, inner: Any, name: str) -> Any:
    """Return a list; an object or a text may stand for it, and nothing for an empty one."""
    if value is None or (isinstance(value, str) and bare(value).lower() in NOTHING):
        return []
    kind = entry(tuple[inner, ...])
    if kind is None:
        items = split(value, inner) if isinstance(value, str) else value
        return (
            [_typed(item, inner, (), name) for item in items] if isinstance(items, list) else items
        )
    if isinstance(value, dict):
        value = list(_entries(value, kind))
    return [_entry(item, kind) for item in value] if isinstance(value, list) else value


def split(text: str, inner: Any) -> list[str]:
    """Return the items of a list in a text: one a line if they are listed so, else separated by commas."""
    lines = [
        line.strip()[1:].strip()
        for line in text.splitlines()
        if line.strip()[:1] in ("-", "*", "•")
    ]
    if lines and inner is str:
        return lines
    items = [
        item.strip()
        for item in re.split(r"[,\n]" if inner is str else r"[,\n>→]", "\n".join(lines) or text)
    ]
    return [item.rstrip(".") for item in items if item and item.lower() != "none"]


def _entries(data: Mapping[str, Any], kind: type[BaseModel]) -> Iterator[Any]:
    """Yield the entries of an object that stands for a list: itself one entry, or one for each of its keys."""
    first, *rest = kind.model_fields
    if first in by_field(data, kind):
        yield data
        return
    for key, value in data.items():
        if isinstance(value, dict):
            yield {first: key, **value}
        else:
            yield {first: key, rest[0]: value} if len(rest) == 1 else {key: value}


def _entry(item: Any, kind: type[BaseModel]) -> Any:
    """Return an entry; of two fields it may stand on one line: `play slot 2: 0.9`, `play slot 2 (0.9)`."""
    two = len(kind.model_fields) == 2
    if two and isinstance(item, str) and ":" in item:
        item = [part.strip() for part in item.rsplit(":", 1)]
    elif two and isinstance(item, str) and (rating := RATED_IN_BRACKETS.search(item)):
        item = (
            [item[: rating.start()].strip(), rating[1]]
            if rating.end() == len(item.rstrip())
            else item
        )
    if two and isinstance(item, list) and len(item) == 2:
        item = dict(zip(kind.model_fields, item, strict=True))
    elif two and isinstance(item, dict) and len(item) == 1:
        (item,) = _entries(item, kind)
    return meant(item, kind) if isinstance(item, dict) else item
