"""Consoles and how Hanabi looks on them: cards in their colours, a turn as a line."""

import re
import sys
from io import StringIO
from typing import TextIO

from rich.console import Console
from rich.text import Text

from orchestrator.hanabi import belief
from orchestrator.hanabi.cards import COLOURS, Card
from orchestrator.hanabi.moves import Discard, Move, Play
from orchestrator.hanabi.view import Past, View
from orchestrator.journal.events import Decided
from orchestrator.models.simulated import among
from roles.words import ENGLISH, percent

STYLES = {"R": "red", "Y": "yellow", "G": "green", "W": "bright_white", "B": "blue"}


UNBROKEN = 100_000
"""Columns for what goes to a file or another program: no line is broken."""


class Trimmed(StringIO):
    """Passes text on without the spaces by which tables fill their columns."""

    def __init__(self, to: TextIO) -> None:
        super().__init__()
        self._to = to

    def write(self, text: str) -> int:
        self._to.write(re.sub(r" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def flush(self) -> None:
        self._to.flush()


def console(*, err: bool = False) -> Console:
    """Plain text with unbroken lines when it is not a terminal; obeys NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=Trimmed(stream), highlight=False, width=UNBROKEN)


def printable(text: str) -> str:
    """A model's words without what would move a terminal's cursor or change its colours."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def on(models: str) -> str:
    """The models of a seat; what is simulated is said to be so, for it must never pass for a model's."""
    return f"{models} (simulated)" if among(models) else models


def warning(models: str) -> Text | None:
    """What simulated models are; None where there are none."""
    if not (found := among(models)):
        return None
    said = f"simulated: {', '.join(found)} {'is no model' if len(found) == 1 else 'are no models'}, but"
    return Text(f"{said} exact programs that err at stated rates", style="magenta")


def card(shown: Card) -> Text:
    return Text(shown.value, style=f"bold {STYLES[shown.colour]}")


def fireworks(tops: tuple[int, ...]) -> Text:
    """`R3 Y0 G5 W1 B2`, each in its colour, those at zero dimmed."""
    parts = [
        Text(f"{colour}{top}", style=f"bold {STYLES[colour]}" if top else "dim")
        for colour, top in zip(COLOURS, tops, strict=True)
    ]
    return Text(" ").join(parts)


def sureness(view: View, move: Move) -> str:
    """How sure the acting seat can be of a move, by hints and counting alone; empty for hints."""
    if not isinstance(move, Play | Discard):
        return ""
    slot = belief.own(view)[move.slot]
    if isinstance(move, Play):
        return f"playable {percent(slot.playable)}"
    return f"dead {percent(slot.dead)}" if slot.dead == 1.0 else f"critical {percent(slot.critical)}"


def turn_line(view: View, decided: Decided, past: Past) -> Text:
    """One turn: who did what, what came of it, the table after it."""
    line = Text(f"{past.turn:>3}  P{past.seat}  ")
    style = "bold red" if past.scored is False else "bold" if past.scored else ""
    line.append(f"{past.move}{_short(past)}".ljust(26), style=style)
    line.append_text(fireworks(past.fireworks))
    line.append(f"  tokens {past.tokens}  lives {past.lives}  deck {_deck_after(view, past):>2}")
    sure = sureness(view, past.move)
    line.append(f"  {sure:<13}", style="dim")
    if decided.forced:
        line.append("  FORCED", style="bold magenta")
    return line


def _short(past: Past) -> str:
    if past.card is None:
        return f" -> {','.join(map(str, past.slots))}"
    if past.scored is None:
        return ENGLISH.outcome(past)
    return f" ({past.card.value}{'' if past.scored else ', MISPLAY'})"


def _deck_after(view: View, past: Past) -> int:
    return max(view.deck_size - (past.card is not None), 0)
