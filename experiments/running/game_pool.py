"""Many concurrent games in one event loop, as many as are needed to keep the models busy."""

import asyncio
import gc
import time
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from experiments.running import open_files
from experiments.running.changes import CANCELLED, CancelGame, Change, LimitCalls, PauseRun, ResumeRun, RetryGame
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Load, Status
from experiments.study.job import Job, Outcome
from orchestrator.models.limiter import Limit, Limiter, turn_to_call

AHEAD = 2
"""Games per concurrent call that the models allow: most nodes of a seat wait for other nodes."""
MOST = 256
"""Concurrent games, however many calls the models allow."""
SILENT_S = 60.0
"""Seconds after which a model that answered no game is taken to be down."""

INTERRUPTED = "interrupted"
LOOK_S = 0.2
"""Seconds between two looks at whether a game is to be tried again."""


class StopGate:
    """The gate that every turn passes: once it is closed, games stop at the end of their turns, and none starts.

    While the run is paused, turns wait here.
    """

    def __init__(self, seats: SeatPool) -> None:
        self.why: str | None = None
        self.cancelled: set[str] = set()
        """The games that were cancelled by hand."""
        self.pause = seats.layer.pause
        self._budget = seats.layer.budget

    def close(self, why: str) -> None:
        """Calls that wait for the end of a pause are given up, and the turns that need them stop in their middle."""
        self.why = self.why or why
        self.pause.stop(self.why)

    async def enter(self) -> str | None:
        while True:
            await self.pause.over()
            if self.why or self._budget is None:
                return self.why
            why = await self._budget.enter()
            if not self.why and (why or not self.pause.on):
                return why
            self._budget.leave()  # closed or paused while it waited for budget

    def leave(self) -> None:
        if self._budget:
            self._budget.leave()


@dataclass(frozen=True)
class GameGate:
    """The gate of one game, which can be cancelled."""

    name: str
    gate: StopGate

    async def enter(self) -> str | None:
        why = await self.gate.enter()
        if why is None and self.name in self.gate.cancelled:
            self.gate.leave()
            return CANCELLED
        return why

    def leave(self) -> None:
        self.gate.leave()


class GamePool:
    def __init__(self, seats: SeatPool, on_outcome: Callable[[Outcome], None]) -> None:
        """Builds every seat. `on_outcome` is called with what became of each game. Raises UserError."""
        self.seats = seats
        self.gate = StopGate(seats)
        self._on_outcome = on_outcome
        self._playing = 0
        self._silent: set[Limit] = set()
        self._resumed = -float("inf")
        self._again: deque[Job] = deque()
        for key in seats.specs:
            seats.seat(key)
        self.at_once = self._most_games()

    def _most_games(self) -> int:
        """Raises UserError when the process may not open enough files."""
        layer = self.seats.layer
        calls = sum(limit.most for limit in layer.limits.values())
        return min(MOST, AHEAD * calls, open_files.games(calls, cached=layer.cache is not None)) or 1

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

        def begin(job: Job, number: int) -> None:
            task = asyncio.create_task(self._one(number, job))
            going.add(task)
            task.add_done_callback(ended)

        async def room() -> None:
            """Wait for room for another game; games that are tried again go first."""
            while self._again or len(going) >= self.at_once:
                if self._again and len(going) < self.at_once:
                    begin(self._again.popleft(), 0)
                else:
                    await asyncio.wait(going, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)

        with _rarely_collecting():
            async for job in jobs:
                number += 1
                begin(job, number)
                await room()
            while going:
                await asyncio.wait(going, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                await room()
        if wrong:
            raise wrong[0]

    async def _one(self, number: int, job: Job) -> None:
        self._on_outcome(await self.one(number, job))

    async def one(self, number: int, job: Job) -> Outcome:
        """Play one game, unless the gate is closed, it was cancelled, or one of its models is down."""
        await self.gate.pause.over()
        if job.name in self.gate.cancelled:
            return Outcome(job, suspended=CANCELLED)
        if self.gate.why or self._silent & self.seats.limits(job):
            return Outcome(job)
        turn_to_call.set(number)
        self._playing += 1
        try:
            outcome = await self.seats.play(job, GameGate(job.name, self.gate))
        finally:
            self._playing -= 1
        if outcome.suspended == CANCELLED:
            return replace(outcome, stopped_by_run=False)
        if outcome.stopped_by_run:
            self.gate.close(str(outcome.suspended))
        elif outcome.suspended:
            self._silent |= {limit for limit in self.seats.limits(job) if self._is_silent(limit)}
        return outcome

    def _is_silent(self, limit: Limit) -> bool:
        return time.monotonic() - max(limit.last_answer, self._resumed) > SILENT_S

    def obey(self, change: Change) -> None:
        """Change how the games are played; called in their event loop."""
        match change:
            case PauseRun():
                self.gate.pause.begin()
            case ResumeRun():
                self._resumed = time.monotonic()
                self.gate.pause.end()
            case LimitCalls():
                self.seats.layer.limits[change.model].allow(change.most)
                self.at_once = self._most_games()
            case CancelGame():
                self.gate.cancelled.add(change.name)
            case RetryGame():
                self.gate.cancelled.discard(change.job.name)
                self._silent -= self.seats.limits(change.job)

    def again(self, job: Job) -> None:
        """Play a game that has ended already once more, as soon as there is room for it."""
        self._again.append(job)

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
