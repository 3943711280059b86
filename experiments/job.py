"""One game of an experiment as plain data, and how it is played wherever it is sent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import structlog

from experiments.arms import Before, Deal
from experiments.sitter import Sitter
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.events import Event, GameStarted, Moved, Result
from orchestrator.models import ModelLayer
from orchestrator.record import Record
from orchestrator.seat import BEFORE, Memory, Seat, Telling
from orchestrator.table import play_async, start

log = structlog.get_logger()


@dataclass(frozen=True)
class Job:
    arm: str
    deal: Deal
    cast: tuple[str, ...]
    """The keys of the sitters, by seat."""
    journal: Path | None
    """None for a game that need not be kept."""
    before: tuple[tuple[int, Before], ...] = ()
    lean: bool = False
    recorded: bool = False
    """Whether its public record is wanted."""

    @property
    def name(self) -> str:
        return f"{self.arm}/{Path(self.deal.file).stem}"


@dataclass(frozen=True)
class Outcome:
    """What became of a game: one of the three, and its record when it was wanted."""

    job: Job
    result: Result | None = None
    failed: str | None = None
    """Why it could not be finished."""
    suspended: str | None = None
    """Why it stopped; the same command goes on with it."""
    record: Record | None = None


class Players:
    """The sitters of an experiment as seats, each made once in a process."""

    def __init__(self, sitters: Mapping[str, Sitter], layer: ModelLayer | None = None) -> None:
        self.sitters = sitters
        self.layer = layer or ModelLayer()
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

    async def play(self, job: Job) -> Outcome:
        """Whatever goes wrong in one game is said in its outcome."""
        try:
            return await self._play(job)
        except Suspended as error:
            return Outcome(job, suspended=str(error))
        except (TurnError, UserError) as error:
            return Outcome(job, failed=str(error))
        except Exception as error:  # of a seat that somebody brought
            log.info("a seat failed", game=job.name, exc_info=True)
            return Outcome(job, failed=f"{type(error).__name__}: {error}")

    async def _play(self, job: Job) -> Outcome:
        told: list[Event] = []

        def sink(event: Event) -> None:
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
        )
        return Outcome(job, result, record=Record.of(told) if told else None)

    async def aclose(self) -> None:
        for seat in self._seats.values():
            if isinstance(seat, Telling):
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
