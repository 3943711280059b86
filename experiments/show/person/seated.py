"""The seat of the persons of a game in the terminal: they type their moves, or a recording has them."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from experiments.show.person.terminal_seat import TerminalSeat
from experiments.show.person.typed_lines import TypedLines
from orchestrator.models.settings import REPLAY
from orchestrator.players.person import Person, RecordedPerson
from orchestrator.table.seat import Seat


def persons(
    seats: frozenset[int], console: Console, replay: Path | None, models: Iterable[object]
) -> tuple[TerminalSeat | None, Seat | None]:
    """Return what asks the persons of these seats, and their seat; where a recording answers models, it moves for
    persons."""
    if not seats:
        return None, None
    if (
        recorded := replay
        or next((Path(name.removeprefix(REPLAY)) for name in map(str, models) if name.startswith(REPLAY)), None)
    ) is not None:
        return None, RecordedPerson(recorded)
    seat = TerminalSeat(console, TypedLines(), seats)
    return seat, Person(seat)
