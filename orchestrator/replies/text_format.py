"""Replies as plain text: named parts, each on a new line, `Reasoning: ...`. One writer and one reader for all types.

A list of objects has one entry a line: `- play slot 2: 0.9` for objects of two fields, `- slot: 0; safety: 0.9; ...`
for larger ones. The last occurrence of a part counts, so that a draft before the final answer does no harm. A missing
part is never guessed, so that no entry of a cut-off list passes for a choice. Colons and semicolons may be the wide
ones of Chinese.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from orchestrator.replies.reply import Form, Reply


def label(kind: type[Reply], name: str) -> str:
    """The name of a field in the text."""
    return _labels(kind, name)[0]


def _labels(kind: type[Reply], name: str) -> tuple[str, ...]:
    return kind.labels.get(name) or (name.replace("_", " ").capitalize(),)


def entry(annotation: Any) -> type[BaseModel] | None:
    """The type of the entries of a list of objects; None for other fields."""
    inner = get_args(annotation)[0] if get_origin(annotation) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def text_of(reply: Reply, form: Form) -> str:
    """A reply as a model would write it."""
    data = reply.as_data()
    return write(type(reply), data) if form == "text" else json.dumps(data, ensure_ascii=False)


def write(kind: type[Reply], data: Mapping[str, Any]) -> str:
    """A reply, given as plain data, as the text that `parse` reads."""
    return "\n".join(
        f"{label(kind, name)}:{_written(data[name], kind.model_fields[name].annotation)}"
        for name in kind.asked()
        if name in data
    )


def _written(value: Any, annotation: Any) -> str:
    """The value of a part; entries of a list of objects or texts stand on lines of their own."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(f"\n- {_entry(item)}" for item in value)
    if value and get_origin(annotation) is tuple and get_args(annotation)[0] is str:
        return "".join(f"\n- {_scalar(item)}" for item in value)
    return f" {_scalar(value)}"


def _entry(item: Mapping[str, Any]) -> str:
    """An entry of a list; null values are left out, as "discard risk: none" of a play would be misread."""
    if len(item) == 2:
        first, second = map(_scalar, item.values())
        return f"{first}: {second}"
    there = {key.replace("_", " "): _scalar(value) for key, value in item.items() if value is not None}
    return "; ".join(f"{key}: {value}" for key, value in there.items())


def _scalar(value: Any) -> str:
    """A value on one line: a further line that began with the name of a part would be read as that part."""
    if isinstance(value, list):
        return ", ".join(map(_scalar, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else " ".join(str(value).split())


class Missing(ValueError):  # noqa: N818  # named for what is wrong with the text; callers ask the model again
    """A part of the text is missing; the message is a sentence for the model."""


def unfenced(text: str) -> str:
    """The text without the lines that fence code."""
    return re.sub(r"^[ \t]*```\w*[ \t]*$\n?", "", text, flags=re.MULTILINE)


def parse(text: str, kind: type[Reply]) -> dict[str, Any]:
    """The values of a text by field, still as text, for pydantic to convert. Raises Missing."""
    found = _parts(text, kind)
    data: dict[str, Any] = {}
    for name in kind.asked():
        field = kind.model_fields[name]
        if name in found:
            data[name] = _value(found[name], field.annotation, label(kind, name))
        elif field.is_required():
            raise Missing(f"it has no line that begins with '{label(kind, name)}:'")
    return data


def _parts(text: str, kind: type[Reply]) -> dict[str, str]:
    """The text of each part, up to the next one; of parts with the same name, the last. Raises Missing."""
    heads = _heads(text, kind)
    found = {name: text[start:end].strip() for name, start, end in heads}
    first, last = kind.asked()[0], kind.asked()[-1]
    if heads and heads[-1][0] != last and last in found and not entry(kind.model_fields[last].annotation):
        raise Missing(f"it goes on after '{label(kind, last)}:', which must be the last part")
    before = text[: heads[0][1]].rpartition("\n")[0].strip() if heads else ""
    if before and first not in found and kind.model_fields[first].annotation is str:
        found[first] = before  # models leave out the name of the first part
    return found


def _heads(text: str, kind: type[Reply]) -> list[tuple[str, int, int]]:
    """The parts that the text names, each with its beginning and its end.

    After a list, the keys of its entries are not names of parts: `Action: play slot 0` is an entry there, not a choice.
    A part name that is marked as a heading needs no colon.
    """
    names = {title.lower(): name for name in kind.asked() for title in (*_labels(kind, name), name.replace("_", " "))}
    titles = "|".join(re.escape(title) for title in sorted(names, key=len, reverse=True))
    marks = r"^(?P<mark>[>*#_ \t-]*+(?:\d+[.)][ \t*_]*+)?)"
    head = re.compile(
        rf"{marks}(?P<title>{titles})(?:[ \t*_]*[:：][ \t*_]*|(?P<bare>[ \t*_]*$))", re.IGNORECASE | re.MULTILINE
    )
    found: list[tuple[str, re.Match[str]]] = []
    keys: set[str] = set()
    for one in head.finditer(text):
        name = names[one["title"].lower()]
        heading = one["bare"] is None or "#" in one["mark"] or "**" in one["mark"]
        if heading and one["title"].lower() not in keys:
            found.append((name, one))
            keys = {key.replace("_", " ") for key in _keys(kind, name)}
    ends = [one.start() for _, one in found[1:]]
    return [(name, one.end(), end) for (name, one), end in zip(found, [*ends, len(text)], strict=False)]


def _keys(kind: type[Reply], name: str) -> Sequence[str]:
    """The keys of the entries of a list."""
    inner = entry(kind.model_fields[name].annotation)
    return list(inner.model_fields) if inner else []


def _value(text: str, annotation: Any, named: str) -> Any:
    if (inner := entry(annotation)) is not None:
        entries = list(_entries(text, inner))
        if text and not entries and text.strip(" .-").lower() != "none":
            raise Missing(f"its part '{named}:' has no entry that can be read")
        return entries
    if get_origin(annotation) is tuple:
        return _list(text, get_args(annotation)[0])
    return text if annotation is str else _single(text, annotation, named)


_MORE = re.compile(r"\b(?:play|discard|hint|move|slot|accept|refuse|okay|ok|verdict|wrong|instead)\b", re.IGNORECASE)


def _single(text: str, annotation: Any, named: str) -> str | None:
    """A value on one line. Raises Missing when the lines after it may take it back."""
    first, *more = [line for line in text.splitlines() if line.strip()] or [""]
    if any(_MORE.search(line) for line in more):
        raise Missing(f"it goes on after '{named}: {first[:60]}'; let that be its last line")
    return _bare(first, annotation)


def _bare(text: str, annotation: Any) -> str | None:
    """A value without the marks that models put around it; None for `none` where the field allows it."""
    bare = text.strip().strip("*`\"'").rstrip(".;,").strip()
    nothing = bare.lower() in ("", "none", "null", "-", "n/a")
    return None if nothing and type(None) in get_args(annotation) else bare


def _list(text: str, inner: Any) -> list[str]:
    """The items of a list: one a line if they are listed so, else separated by commas."""
    lines = [line.strip()[1:].strip() for line in text.splitlines() if line.strip()[:1] in ("-", "*", "•")]
    if lines and inner is str:
        return lines
    items = [item.strip() for item in re.split(r"[,\n]", "\n".join(lines) or text)]
    return [item.rstrip(".") for item in items if item and item.lower() != "none"]


def _entries(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    names = list(kind.model_fields)
    if len(names) == 2:
        yield from _pairs(text, kind)
        return
    known = {name.replace("_", " "): name for name in names}
    key = re.compile(rf"(?:^|[;；])[ \t*]*+({'|'.join(map(re.escape, known))})[ \t*]*+[:：]", re.IGNORECASE)
    for line in _lines(text):
        heads = list(key.finditer(line))
        ends = [*(one.start() for one in heads[1:]), len(line)]
        cells = {known[one[1].lower()]: line[one.end() : end].strip() for one, end in zip(heads, ends, strict=False)}
        if cells:
            yield {name: _cell(value, kind.model_fields[name].annotation) for name, value in cells.items()}


def _cell(text: str, annotation: Any) -> Any:
    if get_origin(annotation) is tuple:
        return _list(text, get_args(annotation)[0])
    return text if annotation is str else _bare(text, annotation)


_MARK = re.compile(r"(?:[-*•]|\d+[.)])\s+")


def _lines(text: str) -> Iterator[str]:
    """The entries of a list, one a line; a line without a list mark continues the one before."""
    gathered: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if (mark := _MARK.match(line)) and gathered:
            yield " ".join(gathered)
            gathered = []
        gathered.append(line[mark.end() :] if mark else line)
    if gathered:
        yield " ".join(gathered)


_SPLIT = re.compile(r"[\n,;，；]|(?<=\d)[ \t](?=Move\b)")
_RATED = re.compile(r"[:：][ \t]*+([-+−]?+(?:\d++(?:\.\d*+)?|\.\d++))(?![\w%/–—-])")


def _pairs(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Entries like `- play slot 2: 0.9`, one a line; those with numbers may share a line: `Move 0: 0.5, Move 1:
    -0.3`."""
    first, second = kind.model_fields
    if _numeric(kind.model_fields[second].annotation):
        for cell in _SPLIT.split(text):
            if found := _RATED.search(cell):
                yield {first: cell[: found.start()].strip(" \t-*•`"), second: found[1].replace("−", "-")}
        return
    for line in _lines(text):
        if colon := re.search(r"[:：]\s", line):
            value = _cell(line[colon.end() :].strip(), kind.model_fields[second].annotation)
            yield {first: line[: colon.start()].strip("* `"), second: value}


def _numeric(annotation: Any) -> bool:
    return (get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation) in (int, float)
