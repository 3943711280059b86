"""What a document is made of: headings, texts, notes, tables, figures, and texts that a page folds
away."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from hanabi_orchestrator.experiments.document.formats import TEXT, Format, empty

Cell: TypeAlias = str | int | float | bool | tuple[Any, ...] | None
"""A value, a text, or the parts of a value that has several, such as the bounds of an interval."""
Level: TypeAlias = Literal["plain", "aside", "caution", "error", "no model"]
"""How a note is meant: a sentence of the report, small print, something to be careful about,
something that went wrong, or that what follows was not answered by a language model."""
Look: TypeAlias = Literal["plain", "strong", "faint", "no model"]
"""How a row stands out: a total, a mere reference, one that is not of a language model or
cheats."""


@dataclass(frozen=True)
class Column:
    key: str
    """The name in data."""
    title: str
    format: Format = TEXT
    says: str = ""
    """The sentence that explains it."""
    unbroken: bool = False
    """Whether its words stay on one line on a narrow terminal, as numbers do."""
    cut: bool = False
    """Whether its words end with a sign of omission on a narrow terminal, so that a row stays one
    line."""
    constant: bool = False
    """Whether it is no reason to print a table: it says which row this is."""
    of: Callable[[Any], Cell] | None = None
    """Its value in a row of `listing`; by default the attribute that its key names, such as
    `found.mean`."""


@dataclass(frozen=True)
class Table:
    """Rows of values below typed columns; in words and numbers only through a writer."""

    key: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    """What is in it; a word in `*` is emphasised."""
    title: str = ""
    folded: int = 0
    """The number of last rows that a page folds away."""
    looks: tuple[Look, ...] = ()
    """How each row looks; empty where all are plain."""

    def select(self, keys: Iterable[str], **changes: Any) -> "Table":
        """Return the table with these columns, in this order, those that it has; `changes` as for
        `replace`."""
        places = {column.key: place for place, column in enumerate(self.columns)}
        chosen = [places[key] for key in keys if key in places]
        columns = tuple(self.columns[place] for place in chosen)
        rows = []
        for row in self.rows:
            rows.append(tuple(row[place] for place in chosen))
        return replace(self, columns=columns, rows=tuple(rows), **changes)

    def printed(self) -> "Table | None":
        """Return the table without the columns that have no value; None where nothing is left to
        print."""
        keys = []
        for place, c in enumerate(self.columns):
            if any(not empty(row[place]) for row in self.rows):
                keys.append(c.key)
        table = self.select(keys)
        if any(not column.constant for column in table.columns):
            return table
        return None

    def texts(self) -> list[list[str]]:
        """Return the cells as they are written."""
        texts = []
        for row in self.rows:
            cells = zip(self.columns, row, strict=True)
            texts.append([column.format.text(cell) for column, cell in cells])
        return texts

    def written(self, lines: "Callable[[Table, list[list[str]]], str]", between: str) -> str:
        """Return the table in a form in which rows can be folded away; `lines` writes some of its
        rows."""
        if (printed := self.printed()) is None:
            return ""
        texts = printed.texts()
        first = len(printed.rows) - printed.folded
        if not printed.folded:
            return lines(printed, texts)
        summary = (
            f"<details><summary>{printed.folded} more "
            f"{'row' if printed.folded == 1 else 'rows'}</summary>"
        )
        return between.join(
            [lines(printed, texts[:first]), summary, lines(printed, texts[first:]), "</details>"]
        )


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2
    key: str = ""
    """The place on a page to which links lead."""


@dataclass(frozen=True)
class Text:
    """A paragraph; a word in `*` is emphasised, one in backticks is code."""

    text: str


@dataclass(frozen=True)
class Note:
    """A sentence; several that follow each other are a list."""

    text: str
    level: Level = "plain"

    @property
    def listed(self) -> bool:
        """Whether it is an item of a list, and no warning."""
        return self.level in ("plain", "aside")


@dataclass(frozen=True)
class Figure:
    """A picture and the file of its numbers."""

    key: str
    title: str
    caption: str
    csv: str
    """The file of its numbers, below the document's folder."""
    picture: str = ""
    svg: str = ""
    """The picture for a page; empty where it could not be drawn."""
    broad: bool = False
    """Whether it needs more than the width of a text."""


@dataclass(frozen=True)
class Folded:
    """Texts as they are, below a title that opens them."""

    title: str
    texts: "str | tuple[Folded, ...]"
    open: bool = False
    page_only: bool = False
    """Whether only a page holds it: what would be too long where nothing folds."""


Block: TypeAlias = Heading | Text | Note | Table | Figure | Folded


@dataclass(frozen=True)
class Document:
    title: str
    blocks: tuple[Block, ...]

    @property
    def unfolded(self) -> tuple[Block, ...]:
        """The blocks without pictures and folded texts, for a terminal."""
        return tuple(block for block in self.blocks if not isinstance(block, Figure | Folded))


EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")


def plain(text: str) -> str:
    """Return a text without the marks of emphasis."""
    return EMPHASIS.sub(r"\1", text)


def table(
    key: str, columns: Sequence[Column], rows: Iterable[Sequence[Cell]], **options: Any
) -> Table:
    """Return a table of any sequences; `options`: its other fields."""
    return Table(key, tuple(columns), tuple(map(tuple, rows)), **options)


def listing(
    key: str,
    columns: Sequence[Column],
    items: Iterable[Any],
    folds: Callable[[Any], bool] = lambda item: False,
    **options: Any,
) -> Table:
    """Return a table with a row for each item, whose columns read their values from it.

    `folds`: the items whose rows come last, and which a page folds away; `options` as for `table`.
    """
    values = [column.of or attrgetter(column.key) for column in columns]
    ordered = sorted(items, key=folds)
    rows = []
    for item in ordered:
        rows.append([value(item) for value in values])
    return table(key, columns, rows, folded=sum(map(folds, ordered)), **options)


def grouped(
    key: str, columns: Sequence[Column], rows: Iterable[tuple[str, Sequence[Cell]]]
) -> Table:
    """Return a table whose rows are indented below the name of their group, which each row comes
    after."""
    lines = list[Sequence[Cell]]()
    looks = list[Look]()
    before = ""
    for group, (first, *cells) in rows:
        if group != before:
            lines.append((group, *[""] * len(cells)))
            looks.append("strong")
            before = group
        lines.append((f"  {first}", *cells))
        looks.append("plain")
    return table(key, columns, lines, looks=tuple(looks))


def notes(texts: Iterable[str], level: Level = "plain") -> tuple[Note, ...]:
    """Return a note of each text."""
    return tuple(Note(text, level) for text in texts)
