"""A worker process: it receives jobs over a pipe, plays them, and sends the outcomes back.

Messages to a worker: Job, AccountsResponse, StopWorker, and changes of the run (changes.py). Messages from it:
WorkerReady, WorkerFailed, Outcome, Status, AccountsRequest.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from experiments.running.changes import Change
from experiments.running.game_pool import GamePool
from experiments.running.model_options import ModelOptions
from experiments.running.seat_pool import SeatPool
from experiments.study import imports
from experiments.study.job import Job, Outcome
from experiments.study.player_spec import PlayerSpec
from orchestrator.errors import UserError
from orchestrator.models.budget import Budget
from orchestrator.plugins import OwnCode

EVERY_S = 0.5
"""Seconds between two status messages."""


@dataclass(frozen=True)
class WorkerReady:
    """The worker has built its seats, or obeyed a change."""

    at_once: int
    """Games that it plays concurrently."""


@dataclass(frozen=True)
class WorkerFailed:
    """The worker cannot build its seats."""

    why: str


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


@dataclass(frozen=True)
class StopWorker:
    """Stop the games at the end of their turns."""

    why: str


class MainProcess:
    """The worker's end of the pipe: the process that started it sends jobs, keeps the accounts, takes outcomes."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._loop = asyncio.get_running_loop()
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()

    def send(self, message: object) -> None:
        self._pipe.send(message)

    async def ask(self, what: str, *given: Any) -> Any:
        number = next(self._numbers)
        self._pending[number] = self._loop.create_future()
        self.send(AccountsRequest(number, what, given))
        try:
            return await self._pending[number]
        finally:
            del self._pending[number]

    def tell(self, what: str, *given: Any) -> None:
        self.send(AccountsRequest(None, what, given))

    async def jobs(self) -> AsyncIterator[Job]:
        while True:
            yield await self._jobs.get()

    def listen(self, pool: GamePool) -> None:
        """Receive messages until the process ends, in a thread of its own."""
        while True:
            self._loop.call_soon_threadsafe(self._receive, pool, self._pipe.recv())

    def _receive(self, pool: GamePool, message: object) -> None:
        if isinstance(message, AccountsResponse):
            if (pending := self._pending.get(message.number)) is not None and not pending.done():
                pending.set_result(message.result)
        elif isinstance(message, StopWorker):
            pool.gate.close(message.why)
        elif isinstance(message, Job):
            self._jobs.put_nowait(message)
        elif isinstance(message, Change):
            pool.obey(message)
            self.send(WorkerReady(pool.at_once))


def work(
    pipe: Connection,
    name: str,
    specs: Mapping[str, PlayerSpec],
    options: ModelOptions,
    workers: int,
    codes: tuple[OwnCode, ...] = (),
) -> None:
    """Play until the process is ended; its entry point. Interrupts are handled by the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        imports.bring_again(codes)
        asyncio.run(_work(pipe, name, specs, options, workers))
    except UserError as error:
        pipe.send(WorkerFailed(str(error)))


def _exit_with_parent() -> None:
    """End when the main process ends; otherwise the worker would go on playing with nobody to take the outcomes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


async def _work(
    pipe: Connection, name: str, specs: Mapping[str, PlayerSpec], options: ModelOptions, workers: int
) -> None:
    main = MainProcess(pipe)
    budget = Budget(teller=main, who=name) if options.limited else None
    seats = SeatPool(specs, options.layer(budget, workers))

    def ended(outcome: Outcome) -> None:
        main.send(pool.status)  # first, so that the main process knows everything when the last game has ended
        main.send(outcome)

    pool = GamePool(seats, ended)
    threading.Thread(target=main.listen, args=(pool,), daemon=True).start()
    main.send(WorkerReady(pool.at_once))
    reporting = asyncio.create_task(_report_status(main, pool))
    try:
        await pool.play(main.jobs())
    finally:
        reporting.cancel()
        await seats.aclose()


async def _report_status(main: MainProcess, pool: GamePool) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        main.send(pool.status)
