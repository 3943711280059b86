"""The games of an experiment as a task: who plays them, and how a game is played from where its journal ends."""

from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from experiments.record.rows import Metric
from experiments.running.task import Measured, limits_of
from experiments.study.job import Job, Played
from experiments.study.seat_spec import PlayerSpec
from experiments.study.seats import Seats
from graphs import named
from graphs.graph_seat import GraphSeat
from graphs.state_graph_seat import StateGraphSeat
from orchestrator.journal.events import Event, GameStarted, Moved, Sink
from orchestrator.journal.file import public_record
from orchestrator.models.layer import ModelLayer
from orchestrator.models.limiter import Limit
from orchestrator.players import python_agent
from orchestrator.table.game_loop import Gate, play_started
from orchestrator.table.seat import JournaledSeat


@dataclass(frozen=True)
class GameTask:
    """The games of these players."""

    specs: Mapping[str, PlayerSpec]
    measure: Metric = "strict"
    things: str = "games"

    @property
    def may_end_process(self) -> bool:
        seats = self.specs.values()
        return bool(named.brought()) or any(spec.spec.startswith(python_agent.PREFIX) for spec in seats)

    def open(self, layer: ModelLayer) -> "GameAsker":
        return GameAsker(Seats(self.specs, layer))

    def measured(self, unit: Job, result: Played) -> Measured:
        game = result.result
        return Measured(game.score_strict if self.measure == "strict" else game.score_kept, game.turns)


@dataclass(frozen=True)
class GameAsker:
    """The players in one process."""

    seats: Seats

    def limits(self, unit: Job) -> set[Limit]:
        graphs = [seat for seat in self.seats.lineup(unit) if isinstance(seat, GraphSeat | StateGraphSeat)]
        return limits_of(brain for seat in graphs for brain in seat.brains.values())

    async def ask(self, unit: Job, gate: Gate, sink: Sink) -> Played:
        public: list[Event] = []

        def emit(event: Event) -> None:
            sink(event)
            if unit.recorded and isinstance(event, GameStarted | Moved):
                public.append(event)

        started = self.seats.start(unit)
        with structlog.contextvars.bound_contextvars(arm=unit.arm):
            result = await play_started(
                self.seats.lineup(unit), started, journal=unit.journal, lean=unit.lean, sink=emit, gate=gate
            )
        return Played(result, public_record(public) if public else None)

    async def aclose(self) -> None:
        for seat in self.seats.by_key.values():
            if isinstance(seat, JournaledSeat):
                await seat.aclose()
