"""One game, as `play` plays it: on which models, in which file, from where it stands to its end."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from graphs.config import GraphConfig
from graphs.graph_seat import GraphSeat
from orchestrator import journal
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.journal.events import Call, GameStarted, Result, Sink
from orchestrator.journal.recorded_answers import Replay
from orchestrator.journal.resume import GameSoFar, differences
from orchestrator.journal.totals import usage_by_turn
from orchestrator.models import settings
from orchestrator.models.layer import ModelLayer
from orchestrator.models.settings import ModelSettings
from orchestrator.models.simulated import SimSettings
from orchestrator.table.game_loop import play_async
from orchestrator.table.seat import JournaledSeat, Seat


def models(configs: Sequence[GraphConfig], given: str) -> Mapping[str, str | ModelSettings | SimSettings]:
    """The models of `--model`, by name: a model string is the one called `default`; a YAML file may hold several.

    Raises UserError when a graph needs a default and there is none: a slip must not become a game of programs.
    """
    named = settings.read_models(Path(given)) if given.endswith((".yaml", ".yml")) else {"default": given}
    if "default" not in named and any("default" in config.models for config in configs):
        raise UserError(f"{given} names {', '.join(named)}, and not default, the model of nodes that name none")
    return named


def file(folder: Path, name: str, started: GameStarted, *, new: bool) -> Path:
    """Where this game is, finished or not; a new file when it is nowhere yet, or when `new` asks for one.

    Raises UserError when an unfinished game of this name is another one: it might be meant to go on.
    """
    other: tuple[Path, GameSoFar] | None = None
    for path in [] if new else reversed(list(_taken(folder, name))):
        begun = _begun(path)
        if not differences(begun.started, started):
            return path
        if begun.result is None and other is None:
            other = path, begun
    if other:
        changed = "; ".join(differences(other[1].started, started))
        raise UserError(f"{other[0]} is an unfinished game, and another one: {changed}. {BESIDE}")
    return next(path for path in _names(folder, name) if not path.exists())


BESIDE = "--force-new leaves it there and begins a new game beside it"


def _names(folder: Path, name: str) -> Iterator[Path]:
    return (folder / f"{name}{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))


def _taken(folder: Path, name: str) -> Iterator[Path]:
    for path in _names(folder, name):
        if not path.exists():
            return
        yield path


def _begun(path: Path) -> GameSoFar:
    """Raises UserError for a file that is no journal that this program reads: a game might be in it."""
    try:
        return GameSoFar.of(journal.read(path))
    except UserError as error:
        raise UserError(f"{error}. {BESIDE}") from None


class Game:
    """A game and its file; what the file holds has happened."""

    def __init__(
        self, seats: Sequence[Seat], started: GameStarted, label: str | None, path: Path, layer: ModelLayer
    ) -> None:
        self.seats = seats
        self.started = started
        self.label = label
        self.path = path
        self.layer = layer
        self.before = GameSoFar.of(journal.read(path) if path.exists() else ())
        brains = [brain for seat in seats if isinstance(seat, GraphSeat) for brain in seat.brains.values()]
        self.recordings = [brain.recording for brain in brains if isinstance(brain, Replay)]
        for recording in self.recordings:
            recording.check(started)
        if layer.budget:
            layer.budget.remember(usage_by_turn(self.before.events))

    @property
    def over(self) -> bool:
        """Whether it was played to its end before."""
        return self.before.result is not None

    async def on(self, sink: Sink) -> Result:
        """Play on to the end: the server checked before the first move, its connections closed after the last.

        Raises Suspended when it stopped before its end, UserError when the server refuses before it said anything;
        then no file is left.
        """
        try:
            if not self.over:
                await self._checked()
            return await self._played(sink)
        except Suspended as suspended:
            if suspended.refused and not self.before.events:
                self.path.unlink()
                raise UserError(str(suspended)) from None
            where = f"suspended at turn {suspended.turn} of {self.path}"
            raise Suspended(f"{where}: {suspended}", suspended.turn, held=suspended.held) from None
        except TurnError:
            if self.recordings:
                self.path.unlink()  # half a replay is nothing to keep
            raise
        finally:
            for seat in self.seats:
                if isinstance(seat, JournaledSeat):
                    await seat.aclose()
            self.layer.close()

    async def _checked(self) -> None:
        """A server that cannot be used is a mistake before the first answer; after it, the game waits."""
        try:
            await self.layer.check()
        except UserError as error:
            if not any(isinstance(event, Call) and event.asked for event in self.before.events):
                raise
            raise Suspended(str(error), len(self.before.moves) + 1) from None

    async def _played(self, sink: Sink) -> Result:
        dealt = self.started.seed is not None
        return await play_async(
            self.seats,
            players=self.started.players,
            seed=self.started.seed,
            deck=None if dealt else self.started.deck,
            label=self.label,
            journal=self.path,
            sink=sink,
            gate=self.layer.budget,
        )
