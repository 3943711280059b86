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
    """What asks the persons of these seats, and their seat; where a recording answers models, it moves for persons."""
    if not seats:
        return None, None
    if (recorded := replay or _recording(models)) is not None:
        return None, RecordedPerson(recorded)
    here = TerminalSeat(console, TypedLines(), seats)
    return here, Person(here)


def _recording(models: Iterable[object]) -> Path | None:
    """The path of the first model that is a replay."""
    return next((Path(one.removeprefix(REPLAY)) for one in map(str, models) if one.startswith(REPLAY)), None)
