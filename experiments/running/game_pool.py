"""Many concurrent games in one event loop, as many as are needed to keep the models busy."""

import asyncio
import gc
import time
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from experiments.design.job import Job, Outcome
from experiments.running import open_files
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Load, Status
from orchestrator.models.limiter import Limit, Limiter, turn_to_call

AHEAD = 2
"""Games per concurrent call that the models allow: most nodes of a seat wait for other nodes."""
MOST = 256
"""Concurrent games, however many calls the models allow."""
SILENT_S = 60.0
"""Seconds after which a model that answered no game is taken to be down."""

INTERRUPTED = "interrupted"


class StopGate:
    """The gate that every turn passes: once it is closed, games stop at the end of their turns, and none starts."""

    def __init__(self, seats: SeatPool) -> None:
        self.why: str | None = None
        self._budget = seats.layer.budget

    def close(self, why: str) -> None:
        self.why = self.why or why

    async def enter(self) -> str | None:
        if self.why or self._budget is None:
            return self.why
        why = await self._budget.enter()
        if self.why:  # closed while it waited for budget
            self._budget.leave()
        return self.why or why

    def leave(self) -> None:
        if self._budget:
            self._budget.leave()


class GamePool:
    def __init__(self, seats: SeatPool, on_outcome: Callable[[Outcome], None]) -> None:
        """Builds every seat. `on_outcome` is called with what became of each game. Raises UserError."""
        self.seats = seats
        self.gate = StopGate(seats)
        self._on_outcome = on_outcome
        self._playing = 0
        self._silent: set[Limit] = set()
        for key in seats.specs:
            seats.seat(key)
        calls = sum(limit.most for limit in seats.layer.limits.values())
        self.at_once = min(MOST, AHEAD * calls, open_files.games(calls, cached=seats.layer.cache is not None)) or 1

    async def play(self, jobs: AsyncIterable[Job]) -> None:
        """Play the games; calls of earlier games go first where calls have to wait.

        A game that is not started has an empty outcome. Raises what `on_outcome` raises, after the games in play.
        """
        number, going, wrong = 0, set[asyncio.Task[None]](), list[BaseException]()

        def ended(task: asyncio.Task[None]) -> None:
            going.discard(task)
            if not task.cancelled() and (error := task.exception()):
                wrong.append(error)
                self.gate.close(str(error))

        with _rarely_collecting():
            async for job in jobs:
                number += 1
                task = asyncio.create_task(self._one(number, job))
                going.add(task)
                task.add_done_callback(ended)
                while len(going) >= self.at_once:
                    await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
            while going:
                await asyncio.wait(going)
        if wrong:
            raise wrong[0]

    async def _one(self, number: int, job: Job) -> None:
        self._on_outcome(await self.one(number, job))

    async def one(self, number: int, job: Job) -> Outcome:
        """Play one game, unless the gate is closed or one of its models is down."""
        if self.gate.why or self._silent & self.seats.limits(job):
            return Outcome(job)
        turn_to_call.set(number)
        self._playing += 1
        try:
            outcome = await self.seats.play(job, self.gate)
        finally:
            self._playing -= 1
        if outcome.stopped_by_run:
            self.gate.close(str(outcome.suspended))
        elif outcome.suspended:
            self._silent |= {limit for limit in self.seats.limits(job) if _silent(limit)}
        return outcome

    @property
    def status(self) -> Status:
        return replace(self.seats.status, loads=dict(self._loads()), playing=self._playing)

    def _loads(self) -> Iterator[tuple[str, Load]]:
        for (_, model), limit in self.seats.layer.limits.items():
            if isinstance(limit, Limiter):
                yield model, Load(limit.busy, int(limit.limit), limit.refused)


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Collect garbage rarely: the many long-lived objects of many games would take a third of the time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _silent(limit: Limit) -> bool:
    return time.monotonic() - limit.last_answer > SILENT_S
