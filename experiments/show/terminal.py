"""How Hanabi looks in a terminal: cards in their colours, a turn on a line."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from hanabi_orchestrator.experiments.document.terminal import UNBROKEN
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    SeatInfo,
)
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigin
from hanabi_orchestrator.orchestrator.journal.result import FAKE_SERVER
from hanabi_orchestrator.orchestrator.models.simulated_settings import among
from hanabi_orchestrator.roles.words import ENGLISH, percent


def certainty(view: View, move: Move, pack: str = "newest") -> str:
    """Return how likely a move is playable, dead or critical; empty for hints.

    The first chance is by hints and counting alone. Where the conventions, as far as the partners
    keep to them, give another one, it follows: `playable 33% by hints, 100% by conventions`.
    `pack`: these conventions.
    """
    if not isinstance(move, Play | Discard):
        return ""
    position = Position(view, {}, pack)
    chances = []
    for slot in (position.by_hints[move.slot], position.own[move.slot]):
        if slot.dead == 1.0:
            lost = f"dead {percent(slot.dead)}"
        else:
            lost = f"critical {percent(slot.critical)}"
        chances.append(f"playable {percent(slot.playable)}" if isinstance(move, Play) else lost)
    by_hints, by_conventions = chances
    if by_hints == by_conventions:
        return f"{by_hints} by hints"
    word, _ = by_hints.split()
    second_word, share = by_conventions.split()
    return f"{by_hints} by hints, {share if word == second_word else by_conventions} by conventions"


STYLES = {"R": "red", "Y": "yellow", "G": "green", "W": "bright_white", "B": "blue"}


def on(models: str) -> str:
    """Return the models of a seat, marked when one is simulated: it must never be taken for a
    language model."""
    if among(models):
        return f"{models} (simulated)"
    return models


def who(seat: SeatInfo) -> str:
    """Return who sits at a seat: `house on openai:NAME`, `person`, `hanab.live, Alice`."""
    if seat.label:
        return f"{seat.graph}, {seat.label}"
    if seat.own_hand:
        cheats = ", which cheats: it sees its own cards"
    else:
        cheats = ""
    return (
        seat.graph if seat.graph == seat.model else f"{seat.graph} on {on(seat.model)}"
    ) + cheats


def warning(models: str) -> Text | None:
    """Return a line that says which models are simulated; None where there are none."""
    if not (names := among(models)):
        return None
    subject = (
        f"{', '.join(names)} "
        f"{'is no language model' if len(names) == 1 else 'are no language models'}"
    )
    return Text(
        f"simulated: {subject}, but exact programs with errors at stated rates", style="magenta"
    )


def fake_warning() -> Text:
    """Return a line that says that no language model answered."""
    return Text(FAKE_SERVER, style="magenta")


class Warnings:
    """An event sink that says where no language model plays: of simulated models, and once of the
    fake server."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._faked = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, GameStarted) and (line := warning(event.model)):
            self._console.print(line)
        if isinstance(event, Call) and event.fake and not self._faked:
            self._faked = True
            self._console.print(fake_warning())


def choice(view: View, move: Move, pack: str = "newest") -> Text:
    """Return a move and how certain it is."""
    sure = certainty(view, move, pack)
    return Text.assemble((str(move), "bold cyan"), f"  ({sure})" if sure else "")


def card(face: Card) -> Text:
    return Text(face.value, style=f"bold {STYLES[face.colour]}")


def fireworks(tops: tuple[int, ...]) -> Text:
    """Return `R3 Y0 G5 W1 B2`, each in its colour, dimmed at zero."""
    parts = []
    for colour, top in zip(COLOURS, tops, strict=True):
        parts.append(Text(f"{colour}{top}", style=f"bold {STYLES[colour]}" if top else "dim"))
    return Text(" ").join(parts)


def turn_line(
    view: View,
    decided: Decided,
    past: Past,
    origin: MoveOrigin | None = None,
    width: int = UNBROKEN,
    pack: str = "newest",
) -> Text:
    """Return one turn on a line: the seat, its move and the outcome, the table after it, and how
    the move came about.

    Where `width` is too narrow, the chance stands on a line of its own. `pack`: the conventions of
    the seat.
    """
    line = Text(f"{past.turn:>3}  P{past.seat}  ")
    if past.scored is False:
        style = "bold red"
    elif past.scored:
        style = "bold"
    else:
        style = ""
    if past.card is None:
        outcome = f" -> {','.join(map(str, past.slots))}"
    elif past.scored is None:
        outcome = ENGLISH.outcome(past)
    else:
        outcome = f" ({past.card.value}{'' if past.scored else ', MISPLAY'})"
    line.append(f"{past.move}{outcome}".ljust(26), style=style)
    line.append_text(fireworks(past.fireworks))
    line.append(
        f"  tokens {past.tokens}  lives {past.lives}  deck "
        f"{max(view.deck_size - (past.card is not None), 0):>2}"
    )
    sure = certainty(view, past.move, pack)
    if sure and line.cell_len + len(sure) + 2 > width:
        line.append(f"\n         {sure}", style="dim")
    else:
        line.append(f"  {sure:<22}", style="dim")
    line.append("  FORCED" if decided.forced else "", style="bold magenta")
    if origin:
        refused = origin.refused
        line.append(
            f"  {len(refused)} refused, first {refused[0]}" if refused else "", style="yellow"
        )
        line.append("  second ask" if origin.second_ask else "", style="yellow")
        line.append("  COPIED from the example" if origin.copied else "", style="bold magenta")
    return line


def slips(calls: Iterable[Call]) -> str:
    """Return the errors of simulated models by node: `tom_interpreter malformed; aggregator misread
    stack`."""
    by_node: dict[str, dict[str, None]] = {}
    for call in calls:
        if call.injected:
            by_node.setdefault(call.node, {}).update(dict.fromkeys(call.injected))
    return "; ".join(
        f"{node} {', '.join(kinds).replace('_', ' ')}" for node, kinds in by_node.items()
    )
