"""Consoles, and documents as text for a terminal."""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import Any, TextIO

from rich import table as rich_table
from rich import text as rich_text
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Document,
    Figure,
    Folded,
    Heading,
    Level,
    Look,
    Note,
    Table,
    Text,
    plain,
)
from hanabi_orchestrator.orchestrator.printable import printable

UNBROKEN = 100_000
"""Width of output to a file or another program, so that no line is broken."""
FOLD = 16
"""The least width to which a narrow terminal folds a column of words."""
NOTES: dict[Level, str] = {
    "plain": "",
    "aside": "dim",
    "caution": "yellow",
    "error": "bold red",
    "no model": "magenta",
}
ROWS: dict[Look, str] = {"plain": "", "strong": "bold", "faint": "dim", "no model": "magenta"}


class Trimmed(StringIO):
    """Passes text on without trailing spaces, with which tables fill their columns."""

    def __init__(self, to: TextIO) -> None:
        super().__init__()
        self._to = to

    def write(self, text: str) -> int:
        self._to.write(re.sub(r" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def flush(self) -> None:
        self._to.flush()


class Terminal(Console):
    """The one way of texts to a terminal: whatever a journal, a server or a file's name holds moves
    no cursor and changes no colour or title. Lines that are too long are left to the terminal, in
    place of cutting them off."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            ours = segment.control or segment.text == "\r"  # of Rich, for its live tables
            if ours:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*objects, **{"crop": False, **options})


class PlainTable(rich_table.Table):
    """A table whose numbers are whole on any terminal: rich would cut their last digits off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        texts = [[column.header, *column.cells] for column in self.columns]
        widths = []
        for cells in texts:
            widths.append(max(cell_len(str(cell)) for cell in cells))
        width_of_all = sum(widths) + len(GAP) * (len(widths) - 1)
        if width_of_all <= options.max_width and all(map(_is_plain, chain.from_iterable(texts))):
            yield from self._lines(console, widths)
            return
        full = Measurement.get(console, options.update(max_width=UNBROKEN), self).maximum
        narrow = full
        for column, width in zip(self.columns, widths, strict=True):
            if not column.no_wrap:
                narrow -= max(0, width - FOLD)
        wide = options.update(max_width=max(options.max_width, narrow))
        yield from super().__rich_console__(console, wide)

    def _lines(self, console: Console, widths: Sequence[int]) -> Iterator[Segment]:
        """Yield a table that fits, as Rich prints it, in a tenth of the time."""
        rows = zip(*(column.cells for column in self.columns), strict=True)
        lines = []
        if self.show_header:
            lines.append((tuple(column.header for column in self.columns), self.header_style))
        lines += [(cells, row.style or "") for cells, row in zip(rows, self.rows, strict=True)]
        for cells, style in lines:
            padded = list[str]()
            for cell, column, width in zip(cells, self.columns, widths, strict=True):
                space = " " * (width - cell_len(str(cell)))
                padded.append(f"{cell}{space}" if column.justify == "left" else f"{space}{cell}")
            yield Segment(f"{GAP.join(padded)}\n", console.get_style(style or ""))


GAP = "  "
"""Between two columns."""


def _is_plain(cell: RenderableType) -> bool:
    """Return whether a cell is one line of text in the style of its row."""
    if isinstance(cell, rich_text.Text) and (cell.spans or cell.style):
        return False
    text = str(cell)
    return isinstance(cell, str | rich_text.Text) and "\n" not in text and "\t" not in text


def console(*, err: bool = False) -> Console:
    """Return the console of stdout or stderr: plain text with unbroken lines when it is no
    terminal; obeys NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    # brackets are brackets
    plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    if stream.isatty():
        return Terminal(file=stream, **plain)
    return Terminal(file=Trimmed(stream), width=UNBROKEN, **plain)


def tell(sentence: str, head: str = "") -> None:
    """Print a sentence on stderr; `head`: the word before it that says how bad it is."""
    console(err=True).print(rich_text.Text.assemble((head, "bold red"), sentence))


def show(document: Document | Iterable[Block], screen: Console) -> None:
    """Print a document, or blocks: an empty line between parts, none between notes."""
    before: Block | None = None
    for part in document.blocks if isinstance(document, Document) else document:
        if isinstance(part, Table) and part.printed() is None:
            continue
        if before is not None and not (
            isinstance(part, Note | Figure) and isinstance(before, Note | Figure)
        ):
            screen.print()
        _print(part, screen)
        before = part


def _print(part: Block, screen: Console) -> None:
    match part:
        case Table(title=title, caption=caption):
            if title:
                screen.print(_text(title), soft_wrap=True)
            if caption:
                screen.print(_text(caption, "dim"), soft_wrap=True)
            screen.print(table(part))
        case Heading(text=words):
            screen.print(_text(words, "bold"), soft_wrap=True)
        case Text(text=words):
            screen.print(_text(words), soft_wrap=True)
        case Note(text=words, level=level):
            screen.print(_text(words, NOTES[level]))
        case Figure(title=title):
            screen.print(_text(f"{title}: {part.picture or part.csv}"), soft_wrap=True)
        case Folded(title=title, texts=texts):
            screen.print(_text(title, "bold"), soft_wrap=True)
            if isinstance(texts, str):
                screen.print(rich_text.Text(texts), soft_wrap=True)
            else:
                show(texts, screen)


def table(part: Table) -> PlainTable:
    """Return a table as Rich prints it, without its title."""
    printed = part.printed() or part
    fixed = [column.unbroken or not column.format.words for column in printed.columns]
    rows = _grid(
        [column.title for column in printed.columns],
        [column.format.words for column in printed.columns],
        fixed,
    )
    rows.show_header = any(column.title for column in printed.columns)
    looks: Sequence[Look] = printed.looks or ["plain"] * len(printed.rows)
    for row, texts, look in zip(printed.rows, printed.texts(), looks, strict=True):
        cells = []
        for column, cell, text in zip(printed.columns, row, texts, strict=True):
            cells.append(
                rich_text.Text(
                    printable(text if isinstance(cell, str) else text.translate(ASCII)),
                    **(CUT if column.cut else {}),
                )
            )
        rows.add_row(*cells, style=ROWS[look])
    return rows


CUT: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis"}
ASCII = str.maketrans({"−": "-", "–": "-"})
"""Signs of numbers that not every terminal has."""


def plain_table(
    *columns: str, words: Collection[str] = (), fixed: Collection[str] | None = None
) -> PlainTable:
    """Return an empty table without lines, for cells that Rich draws. Columns of `words` are
    left-aligned.

    Cells of `fixed` columns are not broken on a narrow terminal; by default those are the columns
    of numbers.
    """
    aligned = [name in words for name in columns]
    if fixed is None:
        unbroken = [name not in words for name in columns]
    else:
        unbroken = [name in fixed for name in columns]
    return _grid(columns, aligned, unbroken)


def _grid(titles: Iterable[str], words: Iterable[bool], fixed: Iterable[bool]) -> PlainTable:
    grid = PlainTable(box=None, pad_edge=False, header_style="dim")
    for title, is_words, unbroken in zip(titles, words, fixed, strict=True):
        grid.add_column(
            title, justify="left" if is_words else "right", no_wrap=unbroken, overflow="fold"
        )
    return grid


def _text(words: str, style: str = "") -> rich_text.Text:
    return rich_text.Text(plain(words), style=style)
