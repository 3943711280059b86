"""The seats of an experiment in one process, and how they play a job."""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from experiments.record.saved import moves
from experiments.running.status import Status
from experiments.study import note_banks
from experiments.study.job import Job, Outcome
from experiments.study.player_spec import PlayerSpec
from graphs.graph_seat import GraphSeat
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.journal.events import Event, GameStarted, Memory, Moved
from orchestrator.journal.file import public_record, read
from orchestrator.journal.move_origins import MoveOrigins
from orchestrator.logs import log
from orchestrator.models.layer import ModelLayer, limit_of
from orchestrator.models.limiter import Limit
from orchestrator.table.game_loop import Gate, play_async, start
from orchestrator.table.seat import BEFORE, JournaledSeat, Seat


class SeatPool:
    """The seats of an experiment, each built once per process."""

    def __init__(self, specs: Mapping[str, PlayerSpec], layer: ModelLayer | None = None) -> None:
        self.specs = specs
        self.layer = layer or ModelLayer()
        self.status = Status()
        """What its games cost, including the earlier calls of games that are continued."""
        self._seats: dict[str, Seat] = {}

    def seat(self, key: str) -> Seat:
        """The seat of a player spec's key. Raises UserError when it cannot be built."""
        if key not in self._seats:
            self._seats[key] = self.specs[key].seat(self.layer)
        return self._seats[key]

    def start(self, job: Job) -> GameStarted:
        """The first event of a job's game. Raises UserError."""
        deal, seats = job.deal, [self.seat(key) for key in job.lineup]
        return start(seats, players=deal.players, seed=deal.seed, repeat=deal.repeat, memories=memories(job))

    def limits(self, job: Job) -> set[Limit]:
        """The limits of the models that a game asks."""
        seats = [self.seat(key) for key in set(job.lineup)]
        brains = [brain for seat in seats if isinstance(seat, GraphSeat) for brain in seat.brains.values()]
        return {limit for limit in map(limit_of, brains) if limit is not None}

    async def play(self, job: Job, gate: Gate | None = None) -> Outcome:
        """Play a job's game. Whatever goes wrong in it is reported in the outcome; nothing is raised."""
        try:
            return await self._play(job, gate)
        except Suspended as error:
            if error.refused and job.journal:
                job.journal.unlink()  # no call was answered: there is nothing to continue
            return Outcome(
                job, suspended=str(error), stopped_by_run=error.held, unwritten=error.unwritten, refused=error.refused
            )
        except (TurnError, UserError) as error:
            return Outcome(job, failed=str(error))
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            return self._broken(job, error)
        except (Exception, SystemExit) as error:
            return self._broken(job, error)

    def _broken(self, job: Job, error: BaseException) -> Outcome:
        """A user's own seat raised this, awaited something that was cancelled, or tried to end the program."""
        log.info("a seat failed", game=job.name, exc_info=error)
        return Outcome(job, failed=f"{type(error).__name__}: {error}")

    async def _play(self, job: Job, gate: Gate | None) -> Outcome:
        public: list[Event] = []
        origin_of = MoveOrigins()
        there = job.journal is not None and job.journal.exists()
        if job.journal and there and not job.again:
            self.status.earlier += moves(job.journal)
        counted = iter(range(len(read(job.journal)) if job.journal and there and job.again else 0))

        def sink(event: Event) -> None:
            origin, new = origin_of(event), next(counted, None) is None
            if new:
                self.status(event)
            if new and origin is not None:
                self.status.moved(job.arm, origin)
            if job.recorded and isinstance(event, GameStarted | Moved):
                public.append(event)

        result = await play_async(
            [self.seat(key) for key in job.lineup],
            players=job.deal.players,
            seed=job.deal.seed,
            repeat=job.deal.repeat,
            journal=job.journal,
            memories=memories(job),
            lean=job.lean,
            sink=sink,
            gate=gate,
        )
        return Outcome(job, result, record=public_record(public) if public else None)

    async def aclose(self) -> None:
        for seat in self._seats.values():
            if isinstance(seat, JournaledSeat):
                await seat.aclose()
        self.layer.close()


def memories(job: Job) -> dict[int, Memory]:
    """By seat, what it is given before the game: public records of past games, and notes of another game."""
    found: dict[int, Memory] = {
        seat: {BEFORE: [_records(given.path)[n] for n in given.games]} for seat, given in job.records
    }
    for seat, notes in job.notes:
        found[seat] = {**found.get(seat, {}), **note_banks.memory(notes, seat)}
    return found


@lru_cache(maxsize=64)
def _records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, as plain data."""
    data = json.loads(path.read_text("utf-8"))
    return list(data["games"])
