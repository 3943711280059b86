"""Consoles, plain tables, and how Hanabi looks in a terminal: cards in their colours, a turn on a line."""

import re
import sys
from collections.abc import Collection
from io import StringIO
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from experiments.show.chances import certainty
from orchestrator.hanabi.cards import COLOURS, Card
from orchestrator.hanabi.view import Past, View
from orchestrator.journal.events import Decided, SeatInfo
from orchestrator.journal.move_origins import MoveOrigin
from orchestrator.models.simulated_settings import among
from roles.words import ENGLISH

STYLES = {"R": "red", "Y": "yellow", "G": "green", "W": "bright_white", "B": "blue"}


UNBROKEN = 100_000
"""Width of output to a file or another program, so that no line is broken."""

FOLD = 16
"""The least width to which a narrow terminal folds a column of words."""


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


class Uncropped(Console):
    """A console that leaves lines which are too long to the terminal, in place of cutting them off."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*objects, **{"crop": False, **options})


class PlainTable(Table):
    """A table whose numbers are whole on any terminal: rich would cut their last digits off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whole = Measurement.get(console, options.update(max_width=UNBROKEN), self).maximum
        least = whole - sum(max(0, _width(column) - FOLD) for column in self.columns if not column.no_wrap)
        yield from super().__rich_console__(console, options.update(max_width=max(options.max_width, least)))


def _width(column: Column) -> int:
    return max(cell_len(str(cell)) for cell in (column.header, *column.cells))


def console(*, err: bool = False) -> Console:
    """For stdout or stderr: plain text with unbroken lines when it is not a terminal; obeys NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        return Uncropped(file=stream, highlight=False)
    return Console(file=Trimmed(stream), highlight=False, width=UNBROKEN)


def plain_table(*columns: str, words: Collection[str] = (), fixed: Collection[str] | None = None) -> Table:
    """A table without lines. Columns of `words` are left-aligned, the others are numbers.

    Cells of `fixed` columns are not broken on a narrow terminal; by default those are the columns of numbers.
    """
    table = PlainTable(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        whole = name not in words if fixed is None else name in fixed
        table.add_column(name, justify="left" if name in words else "right", no_wrap=whole, overflow="fold")
    return table


def printable(text: str) -> str:
    """The text of a model without characters that move a terminal's cursor or change its colours."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def on(models: str) -> str:
    """The models of a seat, marked when one is simulated: it must never be taken for a language model."""
    return f"{models} (simulated)" if among(models) else models


def who(seat: SeatInfo) -> str:
    """Who sits at a seat: `house on openai:NAME`, `person`, `hanab.live, Alice`."""
    if seat.label:
        return f"{seat.graph}, {printable(seat.label)}"
    cheats = ", which cheats: it sees its own cards" if seat.own_hand else ""
    return (seat.graph if seat.graph == seat.model else f"{seat.graph} on {on(seat.model)}") + cheats


def warning(models: str) -> Text | None:
    """A line that says which models are simulated; None where there are none."""
    if not (found := among(models)):
        return None
    subject = f"{', '.join(found)} {'is no language model' if len(found) == 1 else 'are no language models'}"
    return Text(f"simulated: {subject}, but exact programs with errors at stated rates", style="magenta")


def fake_warning() -> Text:
    """A line that says that no language model answered."""
    return Text(
        "fake server: this game was answered by the package's fake server, not by a language model", style="magenta"
    )


def card(shown: Card) -> Text:
    return Text(shown.value, style=f"bold {STYLES[shown.colour]}")


def fireworks(tops: tuple[int, ...]) -> Text:
    """`R3 Y0 G5 W1 B2`, each in its colour, dimmed at zero."""
    parts = [
        Text(f"{colour}{top}", style=f"bold {STYLES[colour]}" if top else "dim")
        for colour, top in zip(COLOURS, tops, strict=True)
    ]
    return Text(" ").join(parts)


def turn_line(
    view: View, decided: Decided, past: Past, origin: MoveOrigin | None = None, width: int = UNBROKEN
) -> Text:
    """One turn on a line: the seat, its move and the outcome, the table after it, and how the move came about.

    Where `width` is too narrow, the chance stands on a line of its own.
    """
    line = Text(f"{past.turn:>3}  P{past.seat}  ")
    style = "bold red" if past.scored is False else "bold" if past.scored else ""
    line.append(f"{past.move}{_short(past)}".ljust(26), style=style)
    line.append_text(fireworks(past.fireworks))
    line.append(f"  tokens {past.tokens}  lives {past.lives}  deck {_deck_after(view, past):>2}")
    sure = certainty(view, past.move)
    if sure and line.cell_len + len(sure) + 2 > width:
        line.append(f"\n         {sure}", style="dim")
    else:
        line.append(f"  {sure:<22}", style="dim")
    if decided.forced:
        line.append("  FORCED", style="bold magenta")
    return line if origin is None else line.append_text(_marks(origin))


def _marks(origin: MoveOrigin) -> Text:
    marks = Text()
    if origin.refused:
        marks.append(f"  {len(origin.refused)} refused, first {origin.refused[0]}", style="yellow")
    if origin.second_ask:
        marks.append("  second ask", style="yellow")
    if origin.copied:
        marks.append("  COPIED from the example", style="bold magenta")
    return marks


def _short(past: Past) -> str:
    if past.card is None:
        return f" -> {','.join(map(str, past.slots))}"
    if past.scored is None:
        return ENGLISH.outcome(past)
    return f" ({past.card.value}{'' if past.scored else ', MISPLAY'})"


def _deck_after(view: View, past: Past) -> int:
    return max(view.deck_size - (past.card is not None), 0)
