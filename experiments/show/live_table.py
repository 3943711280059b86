"""The live table of `play`: an event sink that draws the game while it is played; plain lines
without a terminal."""

import time

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.show.terminal import (
    Warnings,
    card,
    choice,
    fireworks,
    slips,
    turn_line,
)
from hanabi_orchestrator.experiments.values.position import pack_of
from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_LIVES, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    Moved,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigin, MoveOrigins
from hanabi_orchestrator.roles.words import ENGLISH

REASON = 90
"""Characters of a reason in a plain line."""
THINKING_S = 2.0
"""Seconds of a turn after which they are shown."""


class LiveTable:
    """Draws each turn: finished turns as lines above, the table as the acting seat sees it
    below."""

    def __init__(self, console: Console, *, live: bool = True) -> None:
        self._console = console
        is_live = live and console.is_terminal
        self._game: Game | None = None
        self._view: View | None = None
        self._decided: Decided | None = None
        self._origin_of = MoveOrigins()
        self._origin: MoveOrigin | None = None
        self._calls: list[Call] = []
        """Of the turn in play."""
        self._warn = Warnings(console)
        self._since = 0.0
        self._live = (
            Live(console=console, get_renderable=self._picture, transient=True) if is_live else None
        )

    def __enter__(self) -> "LiveTable":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        self._origin = self._origin_of(event) or self._origin
        self._warn(event)
        match event:
            case GameStarted():
                self._game = Game.of((event,))
            case Call():
                self._calls.append(event)
            case TurnStarted():
                self._view = event.view
                self._decided = None
                self._since = time.monotonic()
                self._calls.clear()
            case Decided():
                self._decided = event
            case Moved() if self._view and self._decided:
                line = turn_line(
                    self._view, self._decided, event.past, self._origin, pack=self._pack
                )
                if self._live:
                    self._console.print(line, no_wrap=True, overflow="ellipsis")
                else:
                    errors = slips(self._calls)
                    reason = " ".join(self._decided.why.split())  # models write paragraphs
                    line.append(
                        f"  {reason if len(reason) <= REASON else f'{reason[: REASON - 3]}...'}"
                    )
                    self._console.print(
                        line.append(f"  simulated errors: {errors}" if errors else "", "magenta")
                    )
        if self._live and isinstance(event, TurnStarted | Decided):
            self._live.refresh()

    @property
    def _pack(self) -> str:
        if self._view:
            return pack_of(self._game, self._view.seat, self._view.turn)
        return "newest"

    def _picture(self) -> RenderableType:
        """Return the table, and for how long a model has been thinking, which may be minutes."""
        if self._view is None:
            return Text()
        passed = time.monotonic() - self._since
        table = picture(self._view, self._decided, self._pack)
        if self._decided is not None or passed < THINKING_S:
            return table
        return Group(table, Text(f"P{self._view.seat} is thinking, {passed:.0f} s", style="dim"))


def picture(view: View, decided: Decided | None = None, pack: str = "newest") -> Panel:
    """Return the table as one seat sees it, with its decision if there is one."""
    parts: list[Text | Table] = [counts(view), Text(), hands(view)]
    if decided:
        line = Text.assemble(
            (f"P{decided.seat} decides: ", "bold"), choice(view, decided.move, pack)
        )
        parts += [Text(), line, Text(decided.why, style="italic")]
    if view.legal:
        title = f"turn {view.turn}, P{view.seat} to move"
    else:
        title = f"turn {view.turn}, as P{view.seat} sees it"
    return Panel(Group(*parts), title=title, border_style="dim", expand=False, padding=(0, 2))


def counts(view: View) -> Text:
    """Return the fireworks, score, tokens, lives and deck on a line."""
    line = Text("fireworks ")
    line.append_text(fireworks(view.fireworks))
    line.append(f"   score {view.score}   tokens ")
    line.append("●" * view.tokens, style="cyan").append(
        "○" * (MAX_TOKENS - view.tokens), style="dim"
    )
    line.append("   lives ").append("♥" * view.lives, style="red").append(
        "♡" * (MAX_LIVES - view.lives), style="dim"
    )
    line.append(f"   deck {view.deck_size}")
    if view.turns_left is not None:
        line.append(
            f"   {view.turns_left} turn{'s' if view.turns_left > 1 else ''} left", style="bold"
        )
    return line


def hands(view: View) -> Table:
    """Return a row for each seat: its cards, and beside each what hints have told its owner."""
    slots = []
    for slot in range(max(len(view.own), *(len(hand.cards) for hand in view.hands))):
        slots.append(f"slot {slot}")
    table = plain_table("", *slots, words=("", *slots))
    rows = [(f"P{view.seat} (you)", [Text("??", style="bold")] * len(view.own), view.own)]
    rows += [(f"P{hand.seat}", [*map(card, hand.cards)], hand.known) for hand in view.hands]
    for name, faces, knowledge in rows:
        hinted = []
        for facts in knowledge:
            hinted.append(f" {ENGLISH.hint(facts)}" if facts.colour or facts.rank else "")
        table.add_row(
            name,
            *(Text.assemble(face, (hint, "dim")) for face, hint in zip(faces, hinted, strict=True)),
        )
    return table
