"""Many concurrent units in one event loop, as many as are needed to keep the models busy; one set
of rules for what becomes of each."""

import asyncio
import gc
import time
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic

from hanabi_orchestrator.experiments.running import open_files
from hanabi_orchestrator.experiments.running.control import (
    CANCELLED,
    CancelUnit,
    Change,
    LimitCalls,
    PauseRun,
    ResumeRun,
    RetryUnit,
    StopRun,
)
from hanabi_orchestrator.experiments.running.progress import Load, Status
from hanabi_orchestrator.experiments.running.task import Task
from hanabi_orchestrator.experiments.study.job import Outcome, U
from hanabi_orchestrator.orchestrator.errors import (
    Held,
    ModelError,
    Suspended,
    TurnError,
    Unwritten,
    UserError,
)
from hanabi_orchestrator.orchestrator.journal.events import Event, Sink
from hanabi_orchestrator.orchestrator.journal.file import lines, read, tag
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigins
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limit, Limiter, turn_to_call

AHEAD = 2
"""Units per concurrent call that the models allow: most nodes of a seat wait for other nodes."""
MOST = 256
"""Concurrent units, however many calls the models allow."""
SILENT_S = 60.0
"""Seconds after which a model that answered no unit is taken to be down."""

INTERRUPTED = "interrupted"
LOOK_S = 0.2
"""Seconds between two looks at whether a unit is to be tried again."""


class StopGate:
    """The gate that every turn passes: once it is closed, units stop at the end of their turns, and
    none begins.

    While the run is paused, turns wait here.
    """

    def __init__(self, layer: ModelLayer) -> None:
        self.why: str | None = None
        self.cancelled: set[str] = set()
        """The units that were cancelled by hand."""
        self.pause = layer.pause
        self._budget = layer.budget

    def close(self, why: str) -> None:
        """Give up calls that wait for the end of a pause; the turns that need them stop in their
        middle."""
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
class UnitGate:
    """The gate of one unit, which can be cancelled."""

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


class UnitPool(Generic[U]):
    """The units of a task that this process asks."""

    def __init__(
        self, task: Task[U], layer: ModelLayer, on_outcome: Callable[[Outcome[U]], None]
    ) -> None:
        """Open the task. `on_outcome` is called with what became of each unit. Raises UserError."""
        self.layer = layer
        self.asker = task.open(layer)
        self.gate = StopGate(layer)
        self._on_outcome = on_outcome
        self._status = Status()
        self._playing = 0
        self._silent: set[Limit] = set()
        self._resumed = -float("inf")
        self._retries: deque[U] = deque()
        self.at_once = self._most_units()

    def _most_units(self) -> int:
        """Return how many units are asked at a time. Raises UserError when the process may not open
        enough files."""
        calls = sum(limit.most for limit in self.layer.limits.values())
        return (
            min(MOST, AHEAD * calls, open_files.units(calls, cached=self.layer.cache is not None))
            or 1
        )

    async def play(self, units: AsyncIterable[U]) -> None:
        """Ask the units; calls of earlier units go first where calls have to wait.

        A unit that is not begun has an empty outcome. Raises what `on_outcome` raises, after the
        units in play.
        """
        number = 0
        tasks = set[asyncio.Task[None]]()
        errors = list[Exception]()

        async def report(unit: U, number: int) -> None:
            try:
                self._on_outcome(await self.outcome(number, unit))
            except Exception as error:
                errors.append(error)
                self.gate.close(str(error))

        def begin(unit: U, number: int) -> None:
            task = asyncio.create_task(report(unit, number))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        async def room() -> None:
            """Wait for room for another unit; units that are tried again go first."""
            while self._retries or len(tasks) >= self.at_once:
                if self._retries and len(tasks) < self.at_once:
                    begin(self._retries.popleft(), 0)
                else:
                    await asyncio.wait(tasks, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)

        with _rarely_collecting():
            async for unit in units:
                number += 1
                begin(unit, number)
                await room()
            while tasks:
                await asyncio.wait(tasks, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                await room()
        if errors:
            raise errors[0]

    async def outcome(self, number: int, unit: U) -> Outcome[U]:
        """Ask a unit, unless the gate is closed, it was cancelled, or one of its models is down."""
        await self.gate.pause.over()
        if unit.name in self.gate.cancelled:
            return Outcome(unit, suspended=CANCELLED)
        limits = set(self.asker.limits(unit))
        if self.gate.why or self._silent & limits:
            return Outcome(unit)
        turn_to_call.set(number)
        self._playing += 1
        try:
            outcome = await self._asked(unit)
        finally:
            self._playing -= 1
        if outcome.suspended == CANCELLED:
            return replace(outcome, stopped_by_run=False)
        if outcome.stopped_by_run:
            self.gate.close(str(outcome.suspended))
        elif outcome.refused and len(limits) == 1:
            self._silent |= limits  # it refuses for good
        elif outcome.suspended:
            now = time.monotonic()
            self._silent |= {
                limit for limit in limits if now - max(limit.last_answer, self._resumed) > SILENT_S
            }
        return outcome

    async def _asked(self, unit: U) -> Outcome[U]:
        """Ask a unit. Whatever goes wrong in it is said in the outcome; nothing is raised."""
        gate = UnitGate(unit.name, self.gate)
        try:
            return Outcome(unit, await self.asker.ask(unit, gate, self._counting(unit)))
        except Suspended as error:
            if error.refused and unit.journal:
                unit.journal.unlink()  # no call was answered: there is nothing to continue
            return Outcome(
                unit,
                suspended=str(error),
                stopped_by_run=error.held,
                unwritten=error.unwritten,
                refused=error.refused,
            )
        except Unwritten as error:
            return Outcome(unit, suspended=str(error), stopped_by_run=True, unwritten=True)
        except ModelError as error:
            return Outcome(
                unit,
                suspended=str(error),
                stopped_by_run=isinstance(error, Held),
                refused=error.final,
            )
        except (TurnError, UserError) as error:
            return Outcome(unit, failed=str(error))
        except (asyncio.CancelledError, Exception, SystemExit) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise
            # code of others raised this, awaited something that was cancelled, or tried to end the
            # program
            log.info("a unit failed", unit=unit.name, exc_info=error)
            return Outcome(unit, failed=f"{type(error).__name__}: {error}")

    def _counting(self, unit: U) -> Sink:
        """Return a sink that counts the events of a unit, without those that were counted
        before."""
        journal = unit.journal if unit.journal and unit.journal.exists() else None
        if journal and not unit.again:
            self._status.earlier += sum(tag(line) == "moved" for line in lines(journal))
        counted = iter(range(len(read(journal)) if journal and unit.again else 0))
        origin_of = MoveOrigins()

        def sink(event: Event) -> None:
            origin = origin_of(event)
            new = next(counted, None) is None
            if new:
                self._status(event)
            if new and origin is not None:
                self._status.moved(unit.arm, origin)

        return sink

    def obey(self, change: Change[U]) -> None:
        """Change how the units are asked; called in their event loop."""
        match change:
            case PauseRun():
                self.gate.pause.begin()
            case StopRun():
                self.gate.close(change.why)
            case ResumeRun():
                self._resumed = time.monotonic()
                self.gate.pause.end()
            case LimitCalls():
                self.layer.limits[change.model].allow(change.most)
                self.at_once = self._most_units()
            case CancelUnit():
                self.gate.cancelled.add(change.name)
            case RetryUnit():
                self.gate.cancelled.discard(change.unit.name)
                self._silent -= set(self.asker.limits(change.unit))

    def retry(self, unit: U) -> None:
        """Ask a unit that has ended already once more, as soon as there is room for it."""
        self._retries.append(unit)

    async def aclose(self) -> None:
        await self.asker.aclose()
        self.layer.close()

    @property
    def status(self) -> Status:
        limiters = {
            model: limit
            for (_, model), limit in self.layer.limits.items()
            if isinstance(limit, Limiter)
        }
        loads = {
            name: Load(limit.busy, int(limit.limit), limit.refused)
            for name, limit in limiters.items()
        }
        return replace(self._status, loads=loads, playing=self._playing)


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Collect garbage rarely: the many long-lived objects of many games would take a third of the
    time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
