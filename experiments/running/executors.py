"""Executors ask the units of a run: one in this process, one in several. The latter has one loop
for processes of this machine (`processes`) and for Ray actors (`ray_actors`).

Messages to a worker: a unit, and changes of the run. Messages from it: WorkerReady, WorkerFailed,
WorkerDied, Outcome, Status.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic
from uuid import uuid4

from hanabi_orchestrator.experiments.running.control import (
    CancelUnit,
    Change,
    LimitCalls,
    PauseRun,
    ResumeRun,
    RetryUnit,
    StopRun,
)
from hanabi_orchestrator.experiments.running.progress import Status
from hanabi_orchestrator.experiments.running.task import Task
from hanabi_orchestrator.experiments.running.unit_pool import UnitPool
from hanabi_orchestrator.experiments.study.job import Outcome, U
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer

OnOutcome = Callable[[Outcome[U]], None]
"""Called with what became of each unit."""
OnTick = Callable[[], None]
"""Called every now and then, to show progress."""

EVERY_S = 0.2
"""Seconds after which progress is shown again."""


class LocalExecutor(Generic[U]):
    """Asks all units in the event loop of this process. The results do not depend on which executor
    is used."""

    def __init__(self, task: Task[U], layer: ModelLayer) -> None:
        self._task = task
        self._layer = layer
        self._pool: UnitPool[U] | None = None
        self._closed: str | None = None

    def play(self, units: Iterable[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> None:
        """Ask all units, begun in their order, and return. Raises UserError when they cannot be
        asked."""
        event_loop.run_anywhere(self._play(units, on_outcome, on_tick))

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
        """Stop the units at the end of their turns, and begin no others. Safe to call from a signal
        handler."""
        self._closed = why
        if self._pool:
            self._pool.gate.close(why)

    @property
    def status(self) -> Status:
        """How the units stand now."""
        if self._pool:
            return self._pool.status
        return Status()

    def obey(self, change: Change[U]) -> None:
        """Change how the units are asked, from the next call, turn and unit on; called by
        `on_tick`."""
        if self._pool:
            self._pool.obey(change)
            if isinstance(change, RetryUnit):
                self._pool.retry(change.unit)

    def end(self) -> None:
        """Stop at once; unfinished journals can be continued. Here the units ended with the event
        loop."""


async def stream(units: Iterable[U]) -> AsyncIterator[U]:
    """Give one unit after the other, each when the one before has begun."""
    for unit in units:
        yield unit
        await asyncio.sleep(0)


@dataclass(frozen=True)
class WorkerReady:
    """The worker has opened the task, or obeyed a change."""

    capacity: int
    """Units that it takes at a time."""


@dataclass(frozen=True)
class WorkerFailed:
    """The worker cannot open the task."""

    why: str


@dataclass(frozen=True)
class WorkerDied:
    """The worker's process has ended."""

    why: str


class Worker(ABC, Generic[U]):
    """A process that asks units, as the main process sees it."""

    def __init__(self) -> None:
        self.name = uuid4().hex
        self.units: dict[str, U] = {}
        """Units that it has and that have not ended, by name."""
        self.capacity = 0
        """How many units it takes; 0 until it is ready."""
        self.stopped = False
        """Whether it was told to stop its units."""
        self.status = Status()

    @property
    def room(self) -> int:
        return self.capacity - len(self.units)

    @abstractmethod
    def send(self, message: object) -> None:
        """Send a message; a worker that has died is noticed when its messages are read."""

    @abstractmethod
    def end(self) -> None:
        """End its process."""


class Transport(ABC, Generic[U]):
    """How workers are started and their messages come."""

    @abstractmethod
    def start(self) -> Worker[U]:
        """Start a worker. Raises UserError."""

    @abstractmethod
    def receive(
        self, workers: Sequence[Worker[U]], seconds: float
    ) -> Iterator[tuple[Worker[U], object]]:
        """Give the messages of workers, waiting so many seconds for the first one."""

    def lost(self, worker: Worker[U]) -> None:
        """Give back what a worker that has died held of the budget."""

    def end(self) -> None:
        """End what the workers share."""


class WorkerPool(Generic[U]):
    """When a worker dies, each unit that it may have been asking is asked again alone: only the
    culprit fails."""

    def __init__(self, transport: Transport[U], workers: int) -> None:
        self._transport = transport
        self._number = workers
        self._workers: list[Worker[U]] = []
        self._ended = Status()
        """The status of workers that died."""
        self._closed: str | None = None
        self._units: deque[U] = deque()
        self._changes: dict[object, Change[U]] = {}
        """The last change of each thing, which a worker that takes the place of another is told."""

    def play(self, units: Iterable[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> None:
        """Ask all units. Raises what the callbacks raise, and UserError when the workers cannot
        ask."""
        while len(self._workers) < self._number and not self._closed:
            self._workers.append(self._transport.start())
        for unit in self._play(deque(units), on_outcome, on_tick):
            if self._play(deque([unit]), on_outcome, on_tick):
                on_outcome(Outcome(unit, failed="the process that played it died"))

    def close(self, why: str) -> None:
        self._closed = self._closed or why

    @property
    def status(self) -> Status:
        return sum((worker.status for worker in self._workers), self._ended)

    def obey(self, change: Change[U]) -> None:
        match change:
            case PauseRun():
                self._changes[PauseRun] = change
            case ResumeRun():
                self._changes.pop(PauseRun, None)
            case LimitCalls():  # the workers divide it among them
                self._changes[change.model] = change = replace(
                    change, most=max(1, change.most // self._number)
                )
            case CancelUnit():
                self._changes[change.name] = change
            case RetryUnit():
                self._changes[change.unit.name] = change
                self._units.appendleft(change.unit)
        for worker in self._workers:
            worker.send(change)

    def end(self) -> None:
        for worker in self._workers:
            worker.end()
        self._transport.end()

    def _play(self, units: deque[U], on_outcome: OnOutcome[U], on_tick: OnTick) -> list[U]:
        """Ask these units; returns those of workers that died."""
        suspects: list[U] = []
        self._units = units
        while (units and not self._closed) or any(worker.units for worker in self._workers):
            self._supply(units)
            for worker, message in self._transport.receive(self._workers, EVERY_S):
                match message:
                    case Outcome():
                        del worker.units[message.unit.name]
                        if message.stopped_by_run:
                            self.close(str(message.suspended))
                        on_outcome(message)
                    case WorkerReady():
                        worker.capacity = message.capacity
                    case Status():
                        worker.status = message
                    case WorkerFailed():
                        raise UserError(message.why)
                    case WorkerDied():
                        suspects += self._replace(worker, message.why)
            on_tick()
        return suspects

    def _supply(self, units: deque[U]) -> None:
        """Give each unit to the worker with the most room; or tell all workers that the run
        stops."""
        while units and not self._closed:
            worker = max(self._workers, key=lambda worker: worker.room)
            if worker.room <= 0:
                return
            unit = units.popleft()
            worker.units[unit.name] = unit
            worker.send(unit)
        for worker in self._workers if self._closed else ():
            if not worker.stopped:
                worker.stopped = True
                worker.send(StopRun(str(self._closed)))

    def _replace(self, worker: Worker[U], why: str) -> list[U]:
        """Start another worker in place of one that died; returns the units that it had."""
        worker.end()
        self._transport.lost(worker)
        if not worker.capacity:
            raise UserError(f"a worker process ended before it could start: {why}")
        self._ended += worker.status
        new = self._workers[self._workers.index(worker)] = self._transport.start()
        for change in self._changes.values():
            new.send(change)
        return list(worker.units.values())


Executor = LocalExecutor[U] | WorkerPool[U]
