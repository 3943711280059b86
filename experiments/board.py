"""The live board of `play`: a sink that draws the game as it goes. Plain lines when it is no terminal."""

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from experiments.terminal import card, fireworks, sureness, turn_line
from orchestrator.cards import MAX_LIVES, MAX_TOKENS
from orchestrator.events import Decided, Event, Moved, TurnStarted
from orchestrator.view import Knowledge, View

REASON = 90
"""Characters of a reason in a plain line."""


class Board:
    """Draws each turn: a line for the turn above, the table as the acting seat sees it below."""

    def __init__(self, console: Console, *, live: bool = True) -> None:
        self._console = console
        drawn = live and console.is_terminal
        self._live = Live(console=console, auto_refresh=False, transient=True) if drawn else None
        self._view: View | None = None
        self._decided: Decided | None = None

    def __enter__(self) -> "Board":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._view, self._decided = event.view, None
                self._draw()
            case Decided():
                self._decided = event
                self._draw()
            case Moved() if self._view and self._decided:
                line = turn_line(self._view, self._decided, event.past)
                self._console.print(line if self._live else line.append(f"  {_brief(self._decided.why)}"))

    def _draw(self) -> None:
        if self._live and self._view:
            self._live.update(picture(self._view, self._decided), refresh=True)


def _brief(why: str) -> str:
    """A reason's beginning, for a line; models reason in paragraphs."""
    first = " ".join(why.split())
    return first if len(first) <= REASON else f"{first[: REASON - 3]}..."


def picture(view: View, decided: Decided | None = None) -> Panel:
    """The table as one seat sees it, with its decision when there is one."""
    parts: list[Text | Table] = [_counts(view), Text(), _hands(view)]
    if decided:
        sure = sureness(view, decided.move)
        said = Text.assemble((f"P{decided.seat} decides: ", "bold"), (str(decided.move), "bold cyan"))
        said.append(f"  ({sure})" if sure else "")
        parts += [Text(), said, Text(decided.why, style="italic")]
    title = f"turn {view.turn}, P{view.seat} to move" if view.legal else f"turn {view.turn}, as P{view.seat} sees it"
    return Panel(Group(*parts), title=title, border_style="dim", expand=False, padding=(0, 2))


def _counts(view: View) -> Text:
    line = Text("fireworks ")
    line.append_text(fireworks(view.fireworks))
    line.append(f"   score {view.score}   tokens ")
    line.append("●" * view.tokens, style="cyan").append("○" * (MAX_TOKENS - view.tokens), style="dim")
    line.append("   lives ").append("♥" * view.lives, style="red").append("♡" * (MAX_LIVES - view.lives), style="dim")
    line.append(f"   deck {view.deck_size}")
    if view.turns_left is not None:
        line.append(f"   {view.turns_left} turn{'s' if view.turns_left > 1 else ''} left", style="bold")
    return line


def _hands(view: View) -> Table:
    """A row a seat: the cards it holds, and under each what hints have told its owner."""
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    table.add_column("")
    for slot in range(max(len(view.own), *(len(hand.cards) for hand in view.hands))):
        table.add_column(f"slot {slot}")
    table.add_row(f"P{view.seat} (you)", *(_shown(Text("??", style="bold"), known) for known in view.own))
    for hand in view.hands:
        cells = (_shown(card(held), known) for held, known in zip(hand.cards, hand.known, strict=True))
        table.add_row(f"P{hand.seat}", *cells)
    return table


def _shown(held: Text, known: Knowledge) -> Text:
    told = "" if known.told == "nothing" else f" {known.told}"
    return Text.assemble(held, (told, "dim"))
