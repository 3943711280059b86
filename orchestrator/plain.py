"""Replies as plain text: named parts, each on a new line, `Reasoning: ...`. One writer and one reader for all types.

A list of objects has an entry a line: `- play slot 2: 0.9` for objects of two fields, `- slot: 0; safety: 0.9; ...`
for larger ones. The last occurrence of a part counts, so that a draft before the final answer does no harm; a part that
is missing is never guessed, so that no entry of a cut-off list passes for a choice. Colons and semicolons may be
the wide ones of Chinese.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from orchestrator.reply import Form, Reply


def label(kind: type[Reply], name: str) -> str:
    """How a field is called in the text."""
    return _labels(kind, name)[0]


def _labels(kind: type[Reply], name: str) -> tuple[str, ...]:
    return kind.labels.get(name) or (name.replace("_", " ").capitalize(),)


def entry(annotation: Any) -> type[BaseModel] | None:
    """The type of a list's entries, when they have fields of their own."""
    inner = get_args(annotation)[0] if get_origin(annotation) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def text_of(reply: Reply, form: Form) -> str:
    """A reply as a model would write it."""
    data = reply.as_data()
    return write(type(reply), data) if form == "text" else json.dumps(data, ensure_ascii=False)


def write(kind: type[Reply], data: Mapping[str, Any]) -> str:
    """A reply, given as plain data, in the form that `parse` reads."""
    return "\n".join(
        f"{label(kind, name)}:{_written(data[name], kind.model_fields[name].annotation)}"
        for name in kind.asked()
        if name in data
    )


def _written(value: Any, annotation: Any) -> str:
    """A part's value; an entry of a list of objects or of free texts each on a line of its own."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(f"\n- {_entry(item)}" for item in value)
    if value and get_origin(annotation) is tuple and get_args(annotation)[0] is str:
        return "".join(f"\n- {_scalar(item)}" for item in value)
    return f" {_scalar(value)}"


def _entry(item: Mapping[str, Any]) -> str:
    values = [(key.replace("_", " "), _scalar(value)) for key, value in item.items()]
    if len(values) == 2:
        return f"{values[0][1]}: {values[1][1]}"
    return "; ".join(f"{key}: {value}" for key, value in values)


def _scalar(value: Any) -> str:
    """On one line: a line that began with a part's name would be taken for that part."""
    if isinstance(value, list):
        return ", ".join(map(_scalar, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else " ".join(str(value).split())


class Missing(ValueError):  # noqa: N818  # what is wrong with the text; callers turn it into a second ask
    """A part is not there; the message is a sentence."""


def unfenced(text: str) -> str:
    """Without the lines that fence code."""
    return re.sub(r"^[ \t]*```\w*[ \t]*$\n?", "", text, flags=re.MULTILINE)


def parse(text: str, kind: type[Reply]) -> dict[str, Any]:
    """The values of a text by field, still as text; pydantic makes types of them. Raises Missing."""
    found = _parts(text, kind)
    data: dict[str, Any] = {}
    for name in kind.asked():
        field = kind.model_fields[name]
        if name in found:
            data[name] = _value(found[name], field.annotation)
        elif field.is_required():
            raise Missing(f"it has no line that begins with '{label(kind, name)}:'")
    return data


def _parts(text: str, kind: type[Reply]) -> dict[str, str]:
    """The text of each part, to the beginning of the next one; the last of each name."""
    names = {title.lower(): name for name in kind.asked() for title in (*_labels(kind, name), name.replace("_", " "))}
    titles = "|".join(re.escape(title) for title in sorted(names, key=len, reverse=True))
    # a heading may do without its colon
    head = re.compile(rf"^[ \t>*#_-]*({titles})(?:[ \t*_]*[:：][ \t*_]*|[ \t*_]*$)", re.IGNORECASE | re.MULTILINE)
    inside = {key.replace("_", " ") for name in kind.asked() for key in _keys(kind, name)}
    heads = [found for found in head.finditer(text) if not (_MARKED.match(found[0]) and found[1].lower() in inside)]
    found = {names[head[1].lower()]: value for head, value in _split(heads, text)}
    first = kind.asked()[0]
    before = text[: heads[0].start()].strip() if heads else ""
    if before and first not in found and kind.model_fields[first].annotation is str:
        found[first] = before  # models leave out the name of what they begin with
    return found


_MARKED = re.compile(r"[ \t]*[-*•][ \t]")


def _keys(kind: type[Reply], name: str) -> Sequence[str]:
    """The keys of a list's entries: a marked line that begins with one is an entry, not a part of the same name."""
    inner = entry(kind.model_fields[name].annotation)
    return list(inner.model_fields) if inner else []


def _split(heads: Sequence[re.Match[str]], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each head with the text up to the next one."""
    for head, after in zip_longest(heads, heads[1:]):
        yield head, text[head.end() : after.start() if after else None].strip()


def _value(text: str, annotation: Any) -> Any:
    if (inner := entry(annotation)) is not None:
        return list(_entries(text, inner))
    if get_origin(annotation) is tuple:
        return _list(text, get_args(annotation)[0])
    if annotation is str:
        return text
    return _bare(next((line for line in text.splitlines() if line.strip()), ""), annotation)


def _bare(text: str, annotation: Any) -> str | None:
    """A single value without what models put around it; nothing where nothing may stand."""
    bare = text.strip().strip("*`\"'").rstrip(".;,").strip()
    nothing = bare.lower() in ("", "none", "null", "-", "n/a")
    return None if nothing and type(None) in get_args(annotation) else bare


def _list(text: str, inner: Any) -> list[str]:
    """Texts a line each if they are listed so, else what commas part."""
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
    key = re.compile(rf"(?:^|[;；])[ \t*]*({'|'.join(map(re.escape, known))})[ \t*]*[:：]", re.IGNORECASE)
    for line in _lines(text):
        cells = {known[head[1].lower()]: value for head, value in _split(list(key.finditer(line)), line)}
        if cells:
            yield {name: _cell(value, kind.model_fields[name].annotation) for name, value in cells.items()}


def _cell(text: str, annotation: Any) -> Any:
    if get_origin(annotation) is tuple:
        return _list(text, get_args(annotation)[0])
    return text if annotation is str else _bare(text, annotation)


def _lines(text: str) -> Iterator[str]:
    """An entry a line; a line without a mark goes on with the one before."""
    entry_line = ""
    for line in text.splitlines():
        bare = line.strip()
        if re.match(r"[-*•]\s|\d+[.)]\s", bare):
            if entry_line:
                yield entry_line
            entry_line = re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", bare)
        elif bare:
            entry_line = f"{entry_line} {bare}".strip()
    if entry_line:
        yield entry_line


_RATED = re.compile(r"(?P<first>[^\n,;]*?[^\n,;:\s])\s*:\s*(?P<second>[-+−]?(?:\d+\.?\d*|\.\d+))(?![\w%])[ \t,;.]*")


def _pairs(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """`- play slot 2: 0.9` a line, or several of a number each on one: `Move 0: 0.5, Move 1: -0.3`."""
    first, second = kind.model_fields
    if _numeric(kind.model_fields[second].annotation):
        for found in _RATED.finditer(text):
            yield {first: found["first"].strip(" \t-*•`"), second: found["second"].replace("−", "-")}
        return
    for line in _lines(text):
        name, colon, value = line.partition(": ")
        if colon:
            yield {first: name.strip("* `"), second: _cell(value.strip(), kind.model_fields[second].annotation)}


def _numeric(annotation: Any) -> bool:
    return (get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation) in (int, float)
