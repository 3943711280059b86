"""One game of an experiment as plain data, and how it is played wherever it is sent."""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from experiments.design.job import Job, Outcome
from experiments.design.player_spec import PlayerSpec
from experiments.running.status import Status
from graphs.graph_seat import GraphSeat
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.journal.events import Event, GameStarted, Memory, Moved
from orchestrator.journal.file import public_record
from orchestrator.logs import log
from orchestrator.models.layer import ModelLayer, limit_of
from orchestrator.models.limiter import Limit
from orchestrator.table.game_loop import Gate, play_async, start
from orchestrator.table.seat import BEFORE, JournaledSeat, Seat


class SeatPool:
    """The sitters of an experiment as seats, each made once in a process."""

    def __init__(self, sitters: Mapping[str, PlayerSpec], layer: ModelLayer | None = None) -> None:
        self.sitters = sitters
        self.layer = layer or ModelLayer()
        self.status = Status()
        """What its games cost, those of earlier runs included when they go on."""
        self._seats: dict[str, Seat] = {}

    def seat(self, key: str) -> Seat:
        """Raises UserError."""
        if key not in self._seats:
            self._seats[key] = self.sitters[key].seat(self.layer)
        return self._seats[key]

    def start(self, job: Job) -> GameStarted:
        """The game that a job is. Raises UserError."""
        deal, seats = job.deal, [self.seat(key) for key in job.cast]
        given = memories(job)
        return start(seats, players=deal.players, seed=deal.seed, repeat=deal.repeat, memories=given)

    def limits(self, job: Job) -> set[Limit]:
        """What bounds the calls of the models that a game asks."""
        seats = [self.seat(key) for key in set(job.cast)]
        brains = [brain for seat in seats if isinstance(seat, GraphSeat) for brain in seat.brains.values()]
        return {limit for limit in map(limit_of, brains) if limit is not None}

    async def play(self, job: Job, gate: Gate | None = None) -> Outcome:
        """Whatever goes wrong in one game is said in its outcome."""
        try:
            return await self._play(job, gate)
        except Suspended as error:
            if error.refused and job.journal:
                job.journal.unlink()  # nothing was answered: there is nothing to go on with
            return Outcome(job, suspended=str(error), held=error.held, refused=error.refused)
        except (TurnError, UserError) as error:
            return Outcome(job, failed=str(error))
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            return self._broken(job, error)
        except (Exception, SystemExit) as error:
            return self._broken(job, error)

    def _broken(self, job: Job, error: BaseException) -> Outcome:
        """A seat that somebody brought raised this, or awaited what was cancelled, or would end the program."""
        log.info("a seat failed", game=job.name, exc_info=error)
        return Outcome(job, failed=f"{type(error).__name__}: {error}")

    async def _play(self, job: Job, gate: Gate | None) -> Outcome:
        told: list[Event] = []

        def sink(event: Event) -> None:
            self.status(event)
            if job.recorded and isinstance(event, GameStarted | Moved):
                told.append(event)

        result = await play_async(
            [self.seat(key) for key in job.cast],
            players=job.deal.players,
            seed=job.deal.seed,
            repeat=job.deal.repeat,
            journal=job.journal,
            memories=memories(job),
            lean=job.lean,
            sink=sink,
            gate=gate,
        )
        return Outcome(job, result, record=public_record(told) if told else None)

    async def aclose(self) -> None:
        for seat in self._seats.values():
            if isinstance(seat, JournaledSeat):
                await seat.aclose()
        self.layer.close()


def memories(job: Job) -> dict[int, Memory]:
    """What seats are given before a game."""
    return {seat: {BEFORE: [_past(given.path)[n] for n in given.games]} for seat, given in job.before if given.games}


@lru_cache(maxsize=64)
def _past(path: Path) -> list[dict[str, Any]]:
    """The records of a file, as plain data."""
    data = json.loads(path.read_text("utf-8"))
    return list(data["games"])
