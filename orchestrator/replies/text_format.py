"""Replies as plain text: named parts, each on a new line, `Reasoning: ...`. One writer and one reader for all types.

A list of objects has one entry a line: `- play slot 2: 0.9` for objects of two fields, `- slot: 0; safety: 0.9; ...`
for larger ones. `text_parts` finds the parts. The last occurrence of a part counts, so that a draft before the final
answer does no harm. A missing part is never guessed, so that no entry of a cut-off list passes for a choice. Colons
and semicolons may be the wide ones of Chinese.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from orchestrator.replies.doubts import phrases, taken_back
from orchestrator.replies.reply import Form, Reply
from orchestrator.replies.text_parts import Missing, parts
from orchestrator.replies.values import NOTHING, NUMBER, RATED_IN_BRACKETS, as_objects, bare, fields, names, split
from orchestrator.replies.values import entry as entry


def label(kind: type[Reply], name: str) -> str:
    """The name of a field in the text."""
    return names(kind, name)[0]


def text_of(reply: Reply, form: Form) -> str:
    """A reply as a model would write it."""
    data, kind = reply.as_data(), type(reply)
    if form == "text":
        return write(kind, data)
    return json.dumps(as_objects(data, kind) if form == "json_schema" else data, ensure_ascii=False)


def write(kind: type[Reply], data: Mapping[str, Any]) -> str:
    """A reply, given as plain data, as the text that `parse` reads."""
    return "\n".join(
        f"{label(kind, name)}:{_written(data[name], kind.model_fields[name].annotation)}"
        for name in kind.answer_fields()
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


def unfenced(text: str) -> str:
    """The text without the lines that fence code."""
    return re.sub(r"^[ \t]*```\w*[ \t]*$\n?", "", text, flags=re.MULTILINE)


_LATEX = re.compile(r"\$?\$?\\(?:boxed|text(?:bf|it|tt)?|math(?:bf|rm))\{([^{}\n]*)\}\$*")
_TABLE_HEAD = re.compile(r"^[ \t]*\|[^\n]*\|[ \t]*\n[ \t]*+\|[ \t:|]*+-[ \t:|-]*+$\n?", re.MULTILINE)
_TABLE_ROW = re.compile(
    r"^[ \t]*+\|[ \t]*+([^|\n]*[^|\s])[ \t]*+\|[ \t]*+([^|\n]*[^|\s])[ \t]*+\|[ \t]*+$", re.MULTILINE
)


def unmarked(text: str) -> str:
    """The text without fences and LaTeX, and the rows of tables of two columns as lines `name: value`."""
    text = _LATEX.sub(r"\1", _LATEX.sub(r"\1", unfenced(text)))
    return _TABLE_ROW.sub(r"\1: \2", _TABLE_HEAD.sub("", text))


def parse(text: str, kind: type[Reply]) -> dict[str, Any]:
    """The values of a text by field, still as text, for pydantic to convert. Raises Missing."""
    found = parts(text, kind)
    if len(found) > 1 and [found.get(name, "").partition("\n")[0] for name in kind.answer_fields()] == _counted(kind):
        raise Missing("its parts are only numbered; write your own words in each")
    data: dict[str, Any] = {}
    for name in kind.answer_fields():
        field = kind.model_fields[name]
        if name in found:
            named, beside = label(kind, name), name in kind.beside
            data[name] = found[name] if _is_verdict(kind, name) else _value(found[name], field, named, beside=beside)
        elif field.is_required() and name not in kind.spare:
            raise Missing(f"it has no line that begins with '{label(kind, name)}:'")
    return data


def _counted(kind: type[Reply]) -> list[str]:
    """What stands in the parts of an answer that numbers them: 1, 2 ..."""
    return [str(number) for number in range(1, len(kind.answer_fields()) + 1)]


def _is_verdict(kind: type[Reply], name: str) -> bool:
    """Whether a part is read as a whole: what follows the first line of a verdict may contradict it."""
    return name in kind.decisive and kind.model_fields[name].annotation is bool


def _value(text: str, field: FieldInfo, named: str, *, beside: bool = False) -> Any:
    """The value of a part; of a list that the reply can do without, lines that are no entries come as they are."""
    annotation = field.annotation
    if (inner := entry(annotation)) is not None:
        entries = list(_entries(text, inner))
        if text and not entries and text.strip(" .-").lower() not in NOTHING:
            if beside:
                return [{next(iter(inner.model_fields)): line} for line in text.splitlines() if line.strip()]
            raise Missing(f"its part '{named}:' has no entry that can be read")
        return entries
    if get_origin(annotation) is tuple:
        return split(text, get_args(annotation)[0])
    return text if annotation is str else _single(text, named)


_SPOKEN_OF = phrases("""
    play / discard / hint / clue / move / slot / accept / refuse / okay / ok / verdict
    wrong / instead / no / not / but / wait / actually / rather / better / or / hmm+ / then / never / cannot / back
""")
_MORE = re.compile(
    rf"""
    \b (?:{_SPOKEN_OF}) \b | n['’]t \b
    | ^ \W* \d{{1,2}} \W* $
    | (?-i: (?<![\w'’]) [A-HJ-Z] (?![\w'’]) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""In the lines after a decision: words that may take it back, and labels of other options."""


def _single(text: str, named: str) -> str:
    """A value on one line. Raises Missing when the lines after it may take it back."""
    first, *more = [line for line in text.splitlines() if line.strip()] or [""]
    if any(_MORE.search(line) or taken_back(line) for line in more):
        raise Missing(f"it goes on after '{named}: {first[:60]}'; let that be its last line")
    return bare(first.lstrip("> \t"))


def _entries(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    keyed = list(_keyed(text, kind))
    if len(kind.model_fields) > 2 or any(len(cells) == 2 for cells in keyed):
        yield from keyed
    else:
        yield from _pairs(text, kind)


def _keyed(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Entries like `- slot: 0; safety: 0.9; ...`, one a line; commas will do between all the fields in their order."""
    known = fields(kind)
    titles = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    key, after_comma = (
        re.compile(rf"(?:^|[{ends}])[ \t*]*+({titles})[ \t*]*+[:：]", re.IGNORECASE) for ends in (";；", ",，")
    )
    text = re.sub(rf"[;；]?(?<![ \t])[ \t]*+\n[ \t]++(?=[*]*(?:{titles})[ \t*]*[:：])", "; ", text, flags=re.IGNORECASE)
    for line, marked in _lines(text):
        heads, by_comma = list(key.finditer(line)), list(after_comma.finditer(line))
        if len(heads) == 1 and [known[one[1].lower()] for one in by_comma] == list(kind.model_fields):
            heads = by_comma
        ends = [*(one.start() for one in heads[1:]), len(line)]
        cells: dict[str, Any] = {}
        for one, end in zip(heads, ends, strict=False):
            if (name := known[one[1].lower()]) in cells:
                yield cells
                cells = {}
            cells[name] = _cell(line[one.end() : end].strip(), kind.model_fields[name].annotation)
        if cells or marked:
            yield cells


def _cell(text: str, annotation: Any) -> Any:
    if get_origin(annotation) is tuple:
        return split(text, get_args(annotation)[0])
    return text if annotation is str else bare(text)


_MARK = re.compile(r"(?:[-*•]|\d+[.)])\s+")


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The entries of a list, one a line, and whether it has a list mark; a line without it continues the one before."""
    gathered: list[str] = []
    marked = False
    for line in filter(None, map(str.strip, text.splitlines())):
        if (mark := _MARK.match(line)) and gathered:
            yield " ".join(gathered), marked
            gathered = []
        marked = mark is not None or (marked and bool(gathered))
        gathered.append(line[mark.end() :] if mark else line)
    if gathered:
        yield " ".join(gathered), marked


_NUMBERED = re.compile(r"\A\d+[.)]\s+(?=[A-Za-z])")
_BRACKETED = re.compile(r"\([^()\n]*\)")
_SPLIT = re.compile(
    r"""
    (?<!\d),                  # a comma, and not that of a decimal number
    | ,(?!\d)
    | ,(?=\d+\s*[:：])
    | [;，；]
    | (?<=\d)[ \t](?=Move\b)
    """,
    re.VERBOSE,
)
_RATED = re.compile(rf"[:：=][ \t]*+({NUMBER})(?![\w%/–—-]|,\d)")


def _pairs(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Entries like `- play slot 2: 0.9`, one a line; those with numbers may share a line: `Move 0: 0.5, Move 1:
    -0.3`."""
    first, second = kind.model_fields
    if _numeric(kind.model_fields[second].annotation):
        for line in text.splitlines():
            yield from _rated(line, first, second)
        return
    for line, _ in _lines(text):
        if colon := re.search(r"[:：]\s", line):
            value = _cell(line[colon.end() :].strip(), kind.model_fields[second].annotation)
            yield {first: line[: colon.start()].strip("* `"), second: value}


def _rated(line: str, first: str, second: str) -> Iterator[dict[str, Any]]:
    """The entries of a line; one whose number cannot be read comes as it is, to be counted."""
    rated = [(cell, found) for cell in _cells(line) if (found := _rating(cell))]
    for cell, found in rated:
        yield {first: _NUMBERED.sub("", _bare_move(cell[: found.start()])), second: found[1]}
    move, colon, said = line.replace("：", ":").rpartition(":")
    if not rated and (said := said.strip()) and _MARK.match(line.strip()):
        yield {first: _bare_move(move or said), second: said}
    elif not rated and colon and said and re.search(r"\d", said):
        yield {first: _bare_move(move), second: said}


def _cells(line: str) -> Iterator[str]:
    """The entries of a line; what stands in brackets is not taken apart."""
    start = 0
    for found in _SPLIT.finditer(_unbracketed(line)):
        yield line[start : found.start()]
        start = found.end()
    yield line[start:]


def _unbracketed(text: str) -> str:
    """A text, equally long, without anything that stands in brackets."""
    return _BRACKETED.sub(lambda one: "(" * len(one[0]), text)


def _rating(cell: str) -> re.Match[str] | None:
    """The number of an entry, after a colon or in brackets; none where both are there."""
    beside = _RATED.search(_unbracketed(cell))
    inside = RATED_IN_BRACKETS.search(cell)
    return None if beside and inside else beside or inside


def _bare_move(text: str) -> str:
    return text.strip(" \t-*•`:：=")


def _numeric(annotation: Any) -> bool:
    return (get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation) in (int, float)
