"""A room: many games at once in one event loop, as many as its models have calls for."""

import asyncio
import gc
import time
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from experiments.design.job import Job, Outcome
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Load, Status
from orchestrator.models.limiter import Limit, Limiter, turn_to_call

AHEAD = 2
"""Games for each call that the models bear: most of a seat's nodes wait for others."""
MOST = 256
"""Games at once, whatever the models bear."""
SILENT_S = 60.0
"""A model that gave no game an answer for so long is taken to be down."""

INTERRUPTED = "interrupted"


class StopGate:
    """The gate of a room's games: closed, they stop at their turn's end, and no other begins."""

    def __init__(self, players: SeatPool) -> None:
        self.why: str | None = None
        self._budget = players.layer.budget

    def close(self, why: str) -> None:
        self.why = self.why or why

    async def enter(self) -> str | None:
        if self.why or self._budget is None:
            return self.why
        why = await self._budget.enter()
        if self.why:  # closed while it waited for room
            self._budget.leave()
        return self.why or why

    def leave(self) -> None:
        if self._budget:
            self._budget.leave()


class GamePool:
    def __init__(self, players: SeatPool, heard: Callable[[Outcome], None]) -> None:
        """Makes every seat. `heard` is told what became of each game. Raises UserError."""
        self.players = players
        self.door = StopGate(players)
        self._heard = heard
        self._playing = 0
        self._silent: set[Limit] = set()
        for key in players.sitters:
            players.seat(key)
        self.at_once = max(1, min(MOST, AHEAD * sum(limit.most for limit in players.layer.limits.values())))

    async def play(self, jobs: AsyncIterable[Job]) -> None:
        """Games that came earlier go first where calls have to wait. Those that are not begun have an empty outcome.

        Raises what `heard` raises, after the games in play.
        """
        number, going, wrong = 0, set[asyncio.Task[None]](), list[BaseException]()

        def ended(task: asyncio.Task[None]) -> None:
            going.discard(task)
            if not task.cancelled() and (error := task.exception()):
                wrong.append(error)
                self.door.close(str(error))

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
        self._heard(await self.one(number, job))

    async def one(self, number: int, job: Job) -> Outcome:
        """Play one game, unless the door is closed or nobody would answer."""
        if self.door.why or self._silent & self.players.limits(job):
            return Outcome(job)
        turn_to_call.set(number)
        self._playing += 1
        try:
            outcome = await self.players.play(job, self.door)
        finally:
            self._playing -= 1
        if outcome.held:
            self.door.close(str(outcome.suspended))
        elif outcome.suspended:
            self._silent |= {limit for limit in self.players.limits(job) if _silent(limit)}
        return outcome

    @property
    def status(self) -> Status:
        return replace(self.players.status, loads=dict(self._loads()), playing=self._playing)

    def _loads(self) -> Iterator[tuple[str, Load]]:
        for (_, model), limit in self.players.layer.limits.items():
            if isinstance(limit, Limiter):
                yield model, Load(limit.busy, int(limit.limit), limit.refused)


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Many games are many objects that live long: looking through them again and again takes a third of the time."""
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
