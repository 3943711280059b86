"""Executors ask the units of a run: what they all do, and the one that asks in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Generic, Protocol, TypeVar

from experiments.running.control import Change, RetryUnit
from experiments.running.status import Status
from experiments.running.task import Task
from experiments.running.unit_pool import UnitPool
from experiments.study.job import Outcome, Unit
from orchestrator.models.layer import ModelLayer

U = TypeVar("U", bound=Unit)

OnOutcome = Callable[[Outcome[U]], None]
"""Called with what became of each unit."""
OnTick = Callable[[], None]
"""Called every now and then, to show progress."""

EVERY_S = 0.2
"""Seconds after which progress is shown again."""


class Executor(Protocol[U]):
    """Asks the units of a run. The results do not depend on which executor is used."""

    def play(self, units: Iterable[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> None:
        """Ask all units, begun in their order, and return. Raises UserError when they cannot be asked."""

    def close(self, why: str) -> None:
        """Stop the units at the end of their turns, and begin no others. Safe to call from a signal handler."""

    @property
    def status(self) -> Status:
        """How the units stand now."""

    def obey(self, change: Change[U]) -> None:
        """Change how the units are asked, from the next call, turn and unit on; called by `on_tick`."""

    def end(self) -> None:
        """Stop at once; unfinished journals can be continued."""


class LocalExecutor(Generic[U]):
    """Asks all units in the event loop of this process."""

    def __init__(self, task: Task[U], layer: ModelLayer) -> None:
        self._task = task
        self._layer = layer
        self._pool: UnitPool[U] | None = None
        self._closed: str | None = None

    def play(self, units: Iterable[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> None:
        asyncio.run(self._play(units, on_outcome, on_tick))

    async def _play(self, units: Iterable[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> None:
        async def tick() -> None:
            while True:
                await asyncio.sleep(EVERY_S)
                on_tick()

        self._pool = pool = UnitPool(self._task, self._layer, on_outcome)
        if self._closed:  # while the task was opened
            pool.gate.close(self._closed)
        ticking = asyncio.create_task(tick())
        try:
            await pool.play(stream(units))
        finally:
            ticking.cancel()
            await pool.aclose()

    def close(self, why: str) -> None:
        self._closed = why
        if self._pool:
            self._pool.gate.close(why)

    @property
    def status(self) -> Status:
        return self._pool.status if self._pool else Status()

    def obey(self, change: Change[U]) -> None:
        if self._pool:
            self._pool.obey(change)
            if isinstance(change, RetryUnit):
                self._pool.retry(change.unit)

    def end(self) -> None:
        """Nothing to do: the units ended with the event loop."""


async def stream(units: Iterable[U]) -> AsyncIterator[U]:
    """Give one unit after the other, each when the one before has begun."""
    for unit in units:
        yield unit
        await asyncio.sleep(0)
