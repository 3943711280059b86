"""Workers that are processes of this machine: both ends of the pipe through which units and
outcomes go."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic

from hanabi_orchestrator.experiments.record import parallel
from hanabi_orchestrator.experiments.running.control import CHANGES
from hanabi_orchestrator.experiments.running.executors import (
    Transport,
    Worker,
    WorkerDied,
    WorkerFailed,
    WorkerReady,
)
from hanabi_orchestrator.experiments.running.model_options import ModelOptions
from hanabi_orchestrator.experiments.running.task import Task
from hanabi_orchestrator.experiments.running.unit_pool import UnitPool
from hanabi_orchestrator.experiments.study.job import Outcome, U
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.budget import Accounts, Budget
from hanabi_orchestrator.orchestrator.plugins import OwnCode

AHEAD = 4
"""Units queued at a worker beyond those that it asks concurrently."""
STATUS_S = 0.5
"""Seconds between two status messages."""


@dataclass(frozen=True)
class AccountsRequest:
    """A call of a method of the run's budget accounts, which the main process keeps."""

    number: int | None
    """None when no response is awaited."""
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class AccountsResponse:
    number: int
    result: Any


# The main process


class PipeWorker(Worker[U]):
    """A worker process, as the main process sees it."""

    def __init__(self, task: Task[U], options: ModelOptions, workers: int) -> None:
        super().__init__()
        context = parallel.process_context()
        self.pipe, end = context.Pipe()
        arguments = end, self.name, task, options, workers, named.brought()
        self.process: BaseProcess = context.Process(target=work, args=arguments)
        self.process.start()
        end.close()

    def send(self, message: object) -> None:
        with suppress(OSError):
            self.pipe.send(message)

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


class Processes(Transport[U]):
    """Worker processes; they divide the limits of models among them, and the main process keeps the
    accounts."""

    def __init__(
        self, task: Task[U], options: ModelOptions, budget: Budget | None, workers: int
    ) -> None:
        self._task = task
        self._options = options
        self._workers = workers
        self._accounts = budget.accounts if budget else Accounts()

    def start(self) -> PipeWorker[U]:
        return PipeWorker(self._task, self._options, self._workers)

    def receive(
        self, workers: Sequence[Worker[U]], seconds: float
    ) -> Iterator[tuple[Worker[U], object]]:
        by_pipe = {worker.pipe: worker for worker in workers if isinstance(worker, PipeWorker)}
        for pipe in wait(list(by_pipe), seconds):
            worker = by_pipe[pipe]  # type: ignore[index]  # only connections were waited for
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                worker.process.join()
                yield worker, WorkerDied(f"exit code {worker.process.exitcode}")
                continue
            if not isinstance(message, AccountsRequest):
                yield worker, message
                continue
            result = getattr(self._accounts, message.method)(*message.arguments)
            if message.number is not None:
                worker.send(AccountsResponse(message.number, result))

    def lost(self, worker: Worker[U]) -> None:
        self._accounts.process_ended(worker.name)


# The worker


class MainProcess(Generic[U]):
    """The worker's end of the pipe: the process that started it sends units, keeps the accounts,
    takes outcomes."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._loop = asyncio.get_running_loop()
        self._units: asyncio.Queue[U] = asyncio.Queue()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()

    def send(self, message: object) -> None:
        self._pipe.send(message)

    async def ask(self, method: str, *arguments: Any) -> Any:
        number = next(self._numbers)
        self._pending[number] = self._loop.create_future()
        self.send(AccountsRequest(number, method, arguments))
        try:
            return await self._pending[number]
        finally:
            del self._pending[number]

    def tell(self, method: str, *arguments: Any) -> None:
        self.send(AccountsRequest(None, method, arguments))

    async def units(self) -> AsyncIterator[U]:
        while True:
            yield await self._units.get()

    def listen(self, pool: UnitPool[U]) -> None:
        """Receive messages until the process ends, in a thread of its own."""
        while True:
            self._loop.call_soon_threadsafe(self._receive, pool, self._pipe.recv())

    def _receive(self, pool: UnitPool[U], message: Any) -> None:
        if isinstance(message, AccountsResponse):
            if (pending := self._pending.get(message.number)) is not None and not pending.done():
                pending.set_result(message.result)
        elif isinstance(message, CHANGES):
            pool.obey(message)
            self.send(WorkerReady(pool.at_once + AHEAD))
        else:
            self._units.put_nowait(message)


def work(
    pipe: Connection,
    name: str,
    task: Task[U],
    options: ModelOptions,
    workers: int,
    codes: tuple[OwnCode, ...] = (),
) -> None:
    """Ask until the process is ended; its entry point. Interrupts are handled by the main
    process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        named.bring_again(codes)
        asyncio.run(_work(pipe, name, task, options, workers))
    except UserError as error:
        pipe.send(WorkerFailed(str(error)))


def _exit_with_parent() -> None:
    """End when the main process ends; otherwise the worker would go on with nobody to take the
    outcomes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


async def _work(
    pipe: Connection, name: str, task: Task[U], options: ModelOptions, workers: int
) -> None:
    main = MainProcess[U](pipe)

    def ended(outcome: Outcome[U]) -> None:
        # first, so that the main process knows everything when the last unit has ended
        main.send(pool.status)
        main.send(outcome)

    async def report_status() -> None:
        while True:
            await asyncio.sleep(STATUS_S)
            main.send(pool.status)

    pool = UnitPool(
        task,
        options.layer(Budget(teller=main, process=name) if options.limited else None, workers),
        ended,
    )
    threading.Thread(target=main.listen, args=(pool,), daemon=True).start()
    main.send(WorkerReady(pool.at_once + AHEAD))
    reporting = asyncio.create_task(report_status())
    try:
        await pool.play(main.units())
    finally:
        reporting.cancel()
        await pool.aclose()
