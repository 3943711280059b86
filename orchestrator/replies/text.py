"""Replies as plain text: named parts, each on a new line, `Reasoning: ...`.

A list of objects has one entry a line: `- play slot 2: 0.9` for objects of two fields, `- slot: 0; safety: 0.9; ...`
for larger ones. The last occurrence of a part counts, so that a draft before the final answer does no harm. A missing
part is never guessed, so that no entry of a cut-off list passes for a choice. Colons and semicolons may be the wide
ones of Chinese.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.replies.doubts import RETRACTS, phrases, taken_back
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.replies.values import (
    NOTHING,
    NUMBER,
    RATED_IN_BRACKETS,
    bare,
    entry,
    fields,
    names,
)
from hanabi_orchestrator.orchestrator.replies.writer import label


class Missing(ValueError):  # noqa: N818  # named for what is wrong with the text; callers ask the model again
    """A part of the text is missing or in doubt; the message is a sentence for the model."""


class Part(NamedTuple):
    name: str
    """Of the field."""
    head: int
    """Where its name begins."""
    end: int
    value: str

    @property
    def line(self) -> str:
        """The first line of its value."""
        return self.value.partition("\n")[0]


def parts(text: str, kind: type[Reply]) -> dict[str, str]:
    """Return the text of each part, up to the next one; of parts with the same name, the last. Raises Missing."""
    heads = _heads(text, kind)
    _check(text, heads, kind)
    texts = {part.name: part.value for part in heads}
    first = kind.answer_fields()[0]
    before = text[: heads[0].head].strip() if heads else ""
    if before and first not in texts and kind.model_fields[first].annotation is str:
        texts[first] = before  # models leave out the name of the first part
    return texts


def last_stated(text: str, kind: type[Reply], name: str) -> str | None:
    """Return the first line of the last part of a name, even where the text leaves doubt about it."""
    return next((part.line for part in reversed(_heads(text, kind)) if part.name == name), None)


_SPACE = r"[ \t*_]*"
"""White space, and marks of bold and italics."""
_EMOJI_OR_MARK = r"[>*#_ \t\U0001F000-\U0001FAFF☀-➿\uFE0F-]"
_NUMBER = rf"\d+[.)]{_SPACE}+"
"""Of a list: `3. `."""


def _heads(text: str, kind: type[Reply]) -> list[Part]:
    """Return the parts that the text names.

    After a list, the keys of its entries are not names of parts: `Action: play slot 0` is an entry there, not a choice.
    A part name that is marked as a heading needs no colon.
    """
    lined = text
    answer_fields = kind.answer_fields()
    if decisive := "|".join(
        re.escape(title) for name in kind.decisive for title in names(kind, name)
    ):
        # the decision may be named by the last words of a line: `It fits. Verification: Okay`
        last = re.compile(rf"(?<=[.!?)])[ \t](?=[*_]*(?:{decisive})[*_]*[:：][^\n:：\"”]*\Z)")
        lined = last.sub("\n", text.rstrip()).ljust(len(text))
    titled = {title: name for title, name in fields(kind).items() if name in answer_fields}
    titles = "|".join(re.escape(title) for title in sorted(titled, key=len, reverse=True))
    openings = "".join(
        rf"|(?P<by_{name}>{opening})"
        for name, opening in kind.openings.items()
        if name in answer_fields
    )
    title_end = rf"(?:{_SPACE}[:：]{_SPACE}|(?P<bare>{_SPACE}$))"
    begin = (
        rf"^(?P<mark>{_EMOJI_OR_MARK}*+(?:{_NUMBER})?)(?:(?P<title>{titles}){title_end}{openings})"
    )
    heads: list[tuple[str, re.Match[str]]] = []
    keys: set[str] = set()
    for head in re.finditer(begin, lined, re.IGNORECASE | re.MULTILINE):
        title = (head["title"] or "").lower()
        name = titled[title] if title else str(head.lastgroup).removeprefix("by_")
        heading = head["bare"] is None or "#" in head["mark"] or "**" in head["mark"]
        if heading and title not in keys:
            heads.append((name, head))
            inner = entry(kind.model_fields[name].annotation)
            keys = set(fields(inner)) if inner else set()
    ends = [*(head.start() for _, head in heads[1:]), len(text)]
    return [
        Part(name, head.start(), end, text[head.end() : end].strip())
        for (name, head), end in zip(heads, ends, strict=False)
    ]


def _check(text: str, heads: Sequence[Part], kind: type[Reply]) -> None:
    """Raise Missing where the text leaves doubt about the decision: it is stated twice, or taken back after it."""
    for name in kind.decisive:
        stated = [number for number, part in enumerate(heads) if part.name == name]
        for first, again in pairwise(stated):
            between = {part.name for part in heads[first + 1 : again]}
            # the whole reply may be written again after a first version that ended with its decision
            redrafted = (
                heads[0].name not in kind.decisive
                and {*kind.answer_fields()} - {*kind.decisive} <= between
            )
            lines = {heads[number].line.strip(" *_`.").lower() for number in (first, again)}
            if len(lines) > 1 and not redrafted:
                raise Missing(f"it says '{label(kind, name)}:' in two ways; say it once")
        if stated and heads[-1].name != name and not entry(kind.model_fields[name].annotation):
            # it may come before its reason, if each part stands there once and none takes the decision back
            after = text[heads[stated[-1]].end :]
            title = label(kind, name)
            if len({part.name for part in heads}) < len(heads):
                raise Missing(f"it goes on after '{title}:', which must be the last part")
            if reconsiders(after) or _LABEL.search(after):
                raise Missing(
                    f"it takes back what it says after '{title}:'; say only the final decision"
                )


_BETTER = phrases("""
    wait / actually / hmm+ / instead(?! of) / rather(?! than) / (?:would be|is) better / better to / worst / opposite
    (?:this|it)(?: move| action)? is (?:forbidden|illegal)
    let(?:['’]s| us| me) (?:think|check|see|look|consider|verify|keep|start)
""")
_TAKEN_BACK = re.compile(
    rf"""
    \b (?:{_BETTER}) \b
    | (?: ^ | [:：] ) [ \t]* no [ \t]* (?: [,.;!—-] | $ )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""In the parts after a decision: words that prefer something else, or begin to think again."""
_LABEL = re.compile(r"(?<![\w'’])[A-HJ-Z](?![\w'’])")
"""The label of another option; `I` is none."""


def reconsiders(reason: str) -> bool:
    """Return whether a reason that stands after its decision takes it back."""
    return bool(_TAKEN_BACK.search(reason) or RETRACTS.search(reason))


# The values of the parts


def unfenced(text: str) -> str:
    """Return the text without the lines that fence code."""
    return re.sub(r"^[ \t]*```\w*[ \t]*$\n?", "", text, flags=re.MULTILINE)


_LATEX = re.compile(r"\$?\$?\\(?:boxed|text(?:bf|it|tt)?|math(?:bf|rm))\{([^{}\n]*)\}\$*")
_STYLE = re.compile(r"\\(?:text(?:bf|it|tt)?|math(?:bf|rm))\{([^{}\n]*)\}")
_BOX = re.compile(r"\$*\\boxed\{([^{}\n]*)\}\$*")
_TABLE_HEAD = re.compile(
    r"^[ \t]*\|[^\n]*\|[ \t]*\n[ \t]*+\|[ \t:|]*+-[ \t:|-]*+$\n?", re.MULTILINE
)
_TABLE_ROW = re.compile(
    r"^[ \t]*+\|[ \t]*+([^|\n]*[^|\s])[ \t]*+\|[ \t]*+([^|\n]*[^|\s])[ \t]*+\|[ \t]*+$",
    re.MULTILINE,
)


def unmarked(text: str) -> str:
    """Return the text without fences and LaTeX, and the rows of tables of two columns as lines `name: value`."""
    text = _LATEX.sub(r"\1", _LATEX.sub(r"\1", unfenced(text)))
    return _TABLE_ROW.sub(r"\1: \2", _TABLE_HEAD.sub("", text))


def boxed(text: str) -> tuple[str, str, str]:
    """Return what stands before the only `\\boxed{}` of a text, in it, and after it; nothing in it where there is none,
    where several differ, or where what comes after may speak of another."""
    boxes = list(_BOX.finditer(text := _STYLE.sub(r"\1", unfenced(text))))
    if len({box[1].strip() for box in boxes}) != 1 or _MORE.search(text, boxes[-1].end()):
        return text, "", ""
    return text[: boxes[0].start()], boxes[-1][1].strip(), text[boxes[-1].end() :]


def parse(text: str, kind: type[Reply]) -> dict[str, Any]:
    """Return the values of a text by field, still as text, for pydantic to convert. Raises Missing."""
    texts = parts(text, kind)
    answer_fields = kind.answer_fields()
    heads = [texts.get(name, "").partition("\n")[0] for name in answer_fields]
    if len(texts) > 1 and heads == [str(number) for number in range(1, len(heads) + 1)]:
        raise Missing("its parts are only numbered; write your own words in each")
    data: dict[str, Any] = {}
    for name in answer_fields:
        field = kind.model_fields[name]
        if name in texts:
            # a verdict is read as a whole: what follows its first line may contradict it
            is_verdict = name in kind.decisive and field.annotation is bool
            data[name] = texts[name] if is_verdict else _value(texts[name], kind, name)
        elif field.is_required() and name not in kind.spare:
            raise Missing(f"it has no line that begins with '{label(kind, name)}:'")
    return data


def _value(text: str, kind: type[Reply], name: str) -> Any:
    """Return the value of a part; of a list that the reply can do without, lines that are no entries come as they
    are."""
    annotation = kind.model_fields[name].annotation
    title = label(kind, name)
    if (inner := entry(annotation)) is not None:
        entries = list(_keyed(text, inner))
        if len(inner.model_fields) <= 2 and not any(len(cells) == 2 for cells in entries):
            entries = list(_pairs(text, inner))
        if text and not entries and text.strip(" .-").lower() not in NOTHING:
            if name in kind.beside:
                return [
                    {next(iter(inner.model_fields)): line}
                    for line in text.splitlines()
                    if line.strip()
                ]
            raise Missing(f"its part '{title}:' has no entry that can be read")
        return entries
    return (
        _cell(text, annotation)
        if get_origin(annotation) is tuple or annotation is str
        else _single(text, title)
    )


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
    """Return a value on one line. Raises Missing when the lines after it may take it back."""
    first, *more = [line for line in text.splitlines() if line.strip()] or [""]
    if any(_MORE.search(line) or taken_back(line) for line in more):
        raise Missing(f"it goes on after '{named}: {first[:60]}'; let that be its last line")
    return bare(first.lstrip("> \t"))


def _keyed(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Entries like `- slot: 0; safety: 0.9; ...`, one a line; commas will do between all the fields in their order."""
    field_names = fields(kind)
    titles = "|".join(map(re.escape, sorted(field_names, key=len, reverse=True)))
    key, after_comma = (
        re.compile(rf"(?:^|[{ends}])[ \t*]*+({titles})[ \t*]*+[:：]", re.IGNORECASE)
        for ends in (";；", ",，")
    )
    text = re.sub(
        rf"[;；]?(?<![ \t])[ \t]*+\n[ \t]++(?=[*]*(?:{titles})[ \t*]*[:：])",
        "; ",
        text,
        flags=re.IGNORECASE,
    )
    for line, marked in _lines(text):
        heads = list(key.finditer(line))
        by_comma = list(after_comma.finditer(line))
        if len(heads) == 1 and [field_names[head[1].lower()] for head in by_comma] == list(
            kind.model_fields
        ):
            heads = by_comma
        ends = [*(head.start() for head in heads[1:]), len(line)]
        cells: dict[str, Any] = {}
        for head, end in zip(heads, ends, strict=False):
            if (name := field_names[head[1].lower()]) in cells:
                yield cells
                cells = {}
            cells[name] = _cell(line[head.end() : end].strip(), kind.model_fields[name].annotation)
        if cells or marked:
            yield cells


def _cell(text: str, annotation: Any) -> Any:
    return text if annotation is str or get_origin(annotation) is tuple else bare(text)


_MARK = re.compile(r"(?:[-*•]|\d+[.)])\s+")


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the entries of a list, one a line, and whether it has a list mark; a line without it continues the one
    before."""
    lines: list[str] = []
    marked = False
    for line in filter(None, map(str.strip, text.splitlines())):
        if (mark := _MARK.match(line)) and lines:
            yield " ".join(lines), marked
            lines = []
        marked = mark is not None or (marked and bool(lines))
        lines.append(line[mark.end() :] if mark else line)
    if lines:
        yield " ".join(lines), marked


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
_AROUND = " \t-*•`:：="
"""What stands around the move of an entry."""
_RATED = re.compile(rf"[:：=][ \t]*+({NUMBER})(?![\w%/–—-]|,\d)")


def _pairs(text: str, kind: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Entries like `- play slot 2: 0.9`, one a line; those with numbers may share a line: `Move 0: 0.5, Move 1:
    -0.3`."""
    first, second = kind.model_fields
    annotation = kind.model_fields[second].annotation
    if (get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation) in (
        int,
        float,
    ):
        for line in text.splitlines():
            yield from _ratings(line, first, second)
        return
    for line, _ in _lines(text):
        if colon := re.search(r"[:：]\s", line):
            value = _cell(line[colon.end() :].strip(), annotation)
            yield {first: line[: colon.start()].strip("* `"), second: value}


def _ratings(line: str, first: str, second: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of a line: the number stands after a colon or in brackets, not both. One whose number cannot be
    read comes as it is, to be counted."""
    rated = []
    for cell in _cells(line):
        outside = _RATED.search(_unbracketed(cell))
        inside = RATED_IN_BRACKETS.search(cell)
        if (number := outside or inside) and not (outside and inside):
            rated.append((cell, number))
    for cell, number in rated:
        yield {first: _NUMBERED.sub("", cell[: number.start()].strip(_AROUND)), second: number[1]}
    move, colon, rating = line.replace("：", ":").rpartition(":")
    if not rated and (rating := rating.strip()) and _MARK.match(line.strip()):
        yield {first: (move or rating).strip(_AROUND), second: rating}
    elif not rated and colon and rating and re.search(r"\d", rating):
        yield {first: move.strip(_AROUND), second: rating}


def _cells(line: str) -> Iterator[str]:
    """Yield the entries of a line; what stands in brackets is not taken apart."""
    start = 0
    for comma in _SPLIT.finditer(_unbracketed(line)):
        yield line[start : comma.start()]
        start = comma.end()
    yield line[start:]


def _unbracketed(text: str) -> str:
    """Return a text, equally long, without anything that stands in brackets."""
    return _BRACKETED.sub(lambda brackets: "(" * len(brackets[0]), text)
