"""A run of probes: each is a game that begins at the question, in a journal of its own; what is
there is not asked again."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.record.run_folder import RunFolder
from hanabi_orchestrator.experiments.running.progress import Progress, run_status
from hanabi_orchestrator.experiments.running.runner import Done, Runner, RunOptions
from hanabi_orchestrator.experiments.running.task import Measured, limits_of
from hanabi_orchestrator.experiments.study.job import Unit
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.tasks.probes.probe import Probe, table
from hanabi_orchestrator.experiments.tasks.task_kinds import TaskKind
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.orchestrator import event_loop, journal
from hanabi_orchestrator.orchestrator.errors import user_error
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event, SeatInfo, Sink
from hanabi_orchestrator.orchestrator.journal.game_so_far import GameSoFar
from hanabi_orchestrator.orchestrator.journal.totals import usage_by_turn
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE
from hanabi_orchestrator.orchestrator.players import python_agent
from hanabi_orchestrator.orchestrator.table import game_loop
from hanabi_orchestrator.orchestrator.table.seat import JournaledSeat, Seat, describe
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.orchestrator.yaml_files import from_file

PROBES = "probes.json"
HEAD = (
    "# Who was asked which convention probes. The same command again goes on with them; --per may "
    "grow.\n"
)
_PROBES: TypeAdapter[list[Probe]] = TypeAdapter(list[Probe])


class Record(Frozen):
    """Who was asked."""

    v: Literal[1] = 1
    seat: SeatInfo
    """The asked player, with all that decides what they do."""
    seed: int
    """The seed of the probes."""
    versions: dict[str, str] = {}
    """Versions of the first command."""


FOLDER = RunFolder(
    Record, "probes.yaml", "run of convention probes", HEAD, ("seed", "seat"), files=(PROBES, GAMES)
)


def path_of(folder: Path, probe: Probe) -> Path:
    """Return the journal of a probe: `games/newest/chop-3p-1.jsonl`."""
    pack, convention, which = probe.name.split("/")
    return folder / GAMES / pack / f"{convention}-{which}.jsonl"


def begin(folder: Path, seat: SeatInfo, seed: int, probes: Sequence[Probe]) -> list[Probe]:
    """Write the record of a new run, or check that a run goes on; all probes of the folder, those
    from before first.

    A run without any journal counts as new. Raises UserError for a folder with another run or other
    files.
    """
    begun = any(folder.glob(f"{GAMES}/*/*.jsonl"))
    FOLDER.begin(folder, Record(seat=seat, seed=seed), begun=begun)
    before = probes_of(folder) if begun else []
    every = list({probe.name: probe for probe in (*before, *probes)}.values())
    write_atomically(folder / PROBES, _PROBES.dump_json(every).decode() + "\n")
    return every


def probes_of(folder: Path) -> list[Probe]:
    """Return the probes of a folder. Raises UserError for a file that holds something else."""
    path = folder / PROBES
    try:
        return _PROBES.validate_json(from_file(path, "the probes"))
    except ValidationError as error:
        raise user_error(str(path), error) from None


@dataclass(frozen=True, kw_only=True)
class ProbeUnit(Unit):
    probe: Probe

    @property
    def name(self) -> str:
        return self.probe.name

    @property
    def cluster(self) -> Hashable:
        return self.probe.players, self.probe.deck


@dataclass(frozen=True)
class ProbeTask:
    """Probes that a player is asked."""

    player: PlayerSpec | Seat
    things: str = "probes"
    measure: str = "keeps it"

    @property
    def may_end_process(self) -> bool:
        if isinstance(self.player, PlayerSpec):
            spec = self.player.spec
        else:
            spec = ""
        return bool(named.brought()) or spec.startswith(python_agent.PREFIX)

    def open(self, layer: ModelLayer) -> "ProbeAsker":
        return ProbeAsker(
            self.player.seat(layer) if isinstance(self.player, PlayerSpec) else self.player
        )

    def measured(self, unit: ProbeUnit, result: Move) -> Measured:
        return Measured(float(unit.probe.keeps(result)), 1)


@dataclass(frozen=True)
class ProbeAsker:
    """The asked player in one process."""

    seat: Seat

    def limits(self, unit: ProbeUnit) -> set[Limit]:
        return limits_of(self.seat.brains.values() if isinstance(self.seat, GraphSeat) else ())

    async def ask(self, unit: ProbeUnit, gate: game_loop.Gate, sink: Sink) -> Move:
        probe = unit.probe
        moves = list[Move]()

        def emit(event: Event) -> None:
            sink(event)
            if isinstance(event, Decided):
                moves.append(event.move)

        seats = table(probe, self.seat)
        started = probe.started(self.seat)
        await game_loop.play_started(
            seats, started, journal=unit.journal, sink=emit, gate=gate, max_turns=probe.turn
        )
        return moves[-1]

    async def aclose(self) -> None:
        if isinstance(self.seat, JournaledSeat):
            await self.seat.aclose()


def calls_of(probes: Iterable[Probe], player: PlayerSpec) -> list[Call]:
    """Return the calls of a player on probes, of which nothing is kept. Raises UserError."""
    asker = ProbeAsker(player.seat())
    events = list[Event]()
    for unit in _units(Path(), probes):
        event_loop.run_anywhere(
            asker.ask(replace(unit, journal=None), game_loop.OpenGate(), events.append)
        )
    return [event for event in events if isinstance(event, Call)]


@dataclass(frozen=True)
class ProbeJournals:
    """The journals of a run of probes, as the engine reads them."""

    units: Sequence[ProbeUnit]

    def games(self) -> dict[str, GameSoFar]:
        """Return the games that have begun, by the names of their probes. Raises UserError for what
        is no journal."""
        paths = {}
        for unit in self.units:
            if unit.journal and unit.journal.exists():
                paths[unit.name] = unit.journal
        return {name: GameSoFar.from_events(journal.read(path)) for name, path in paths.items()}

    def finished(self) -> set[str]:
        return {name for name, game in self.games().items() if game.result is not None}

    def begun(self) -> set[str]:
        names = set[str]()
        for name, game in self.games().items():
            if game.started is not None and game.result is None:
                names.add(name)
        return names

    def answered(self) -> bool:
        events = chain.from_iterable(game.events for game in self.games().values())
        calls = (event for event in events if isinstance(event, Call))
        return any(call.of_model and not call.fixed for call in calls)

    def remember(self, budget: Budget) -> None:
        for game in self.games().values():
            budget.remember(usage_by_turn(game.events))


def status(folder: Path) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data."""
    record = FOLDER.read(folder)
    probes = probes_of(folder)
    games = ProbeJournals(_units(folder, probes))
    events = chain.from_iterable(game.events for game in games.games().values())
    calls = (event for event in events if isinstance(event, Call))
    spent = sum((call.usage for call in calls), NO_USAGE)
    counts = {"games": len(probes), "finished": len(games.finished()), "begun": len(games.begun())}
    return run_status(f"probes of {record.seat.graph}", spent, **counts, things="probes")


def _units(folder: Path, probes: Iterable[Probe]) -> list[ProbeUnit]:
    units = list[ProbeUnit]()
    for probe in probes:
        units.append(ProbeUnit(arm=probe.pack, journal=path_of(folder, probe), probe=probe))
    return units


def run(
    probes: Sequence[Probe],
    player: PlayerSpec | Seat,
    folder: Path,
    *,
    seed: int,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Done:
    """Ask the probes, and go on where the folder's run stopped.

    Raises UserError for a folder with another run, or when a server refuses before it has answered
    anything.
    """
    if isinstance(player, PlayerSpec):
        seat = player.seat()
    else:
        seat = player
    every = begin(folder, describe(seat), seed, probes)
    units = _units(folder, every)
    runner = Runner(ProbeTask(player), units, ProbeJournals(units), folder, options, progress)
    return runner.run(f"probes of {describe(seat).graph}")


KIND = TaskKind(says="which conventions a player keeps", file=FOLDER.file, status=status)
