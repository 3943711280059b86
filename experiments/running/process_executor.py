"""Several processes that play for one run on this machine."""

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from uuid import uuid4

from experiments.design.job import Job, Outcome
from experiments.design.player_spec import PlayerSpec
from experiments.running.executor import Heard, Tick
from experiments.running.model_options import ModelOptions
from experiments.running.process_worker import Answer, Close, Ready, Unfit, Wish, work
from experiments.running.status import Status, together
from orchestrator.errors import UserError
from orchestrator.models.budget import Accounts, Budget

AHEAD = 4
"""Games handed to a process beside those that it plays."""
EVERY_S = 0.2
"""Seconds after which a silent crew is looked at."""


class Worker:
    """One process, seen from outside."""

    def __init__(self, sitters: Mapping[str, PlayerSpec], options: ModelOptions, share: int) -> None:
        context = _context()
        self.name = uuid4().hex
        self.pipe, there = context.Pipe()
        self.process: BaseProcess = context.Process(target=work, args=(there, self.name, dict(sitters), options, share))
        self.process.start()
        there.close()
        self.jobs: dict[str, Job] = {}
        """Those that it has and that did not end, by name."""
        self.room = 0
        """How many it takes; none until it is ready."""
        self.closed = False
        """Whether it was told to stop at the turns' end."""
        self.status = Status()

    def send(self, message: object) -> None:
        """To a process that may have died, which is found out when it is heard."""
        with suppress(OSError):
            self.pipe.send(message)

    def give(self, jobs: deque[Job]) -> None:
        """As many as it takes."""
        while jobs and len(self.jobs) < self.room:
            job = jobs.popleft()
            self.jobs[job.name] = job
            self.send(job)

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


class ProcessExecutor:
    """When a process dies, what it may have been playing is played again alone, so that only the culprit fails."""

    def __init__(
        self, sitters: Mapping[str, PlayerSpec], options: ModelOptions, budget: Budget | None, workers: int
    ) -> None:
        self._new: Callable[[], Worker] = lambda: Worker(sitters, options, workers)
        self._accounts = budget.accounts if budget else Accounts()
        self._number = workers
        self._workers: list[Worker] = []
        self._gone = Status()
        self._closed: str | None = None

    def play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        """`heard` is told what became of each game, `tick` is called now and then. Raises what they raise.

        Raises UserError when processes cannot play.
        """
        while len(self._workers) < self._number and not self._closed:
            self._workers.append(self._new())
        for job in self._play(deque(jobs), heard, tick):
            if self._play(deque([job]), heard, tick):
                heard(Outcome(job, failed="the process that played it died"))

    def close(self, why: str) -> None:
        """Games stop at their turns' end, and no other begins. Safe in the middle of a message to a process."""
        self._closed = self._closed or why

    @property
    def status(self) -> Status:
        return together((self._gone, *(worker.status for worker in self._workers)))

    def end(self) -> None:
        """At once; journals can go on."""
        for worker in self._workers:
            worker.end()

    def _play(self, jobs: deque[Job], heard: Heard, tick: Tick) -> list[Job]:
        """Returns the games that were with processes that died."""
        suspects: list[Job] = []
        while (jobs and not self._closed) or any(worker.jobs for worker in self._workers):
            for worker in self._workers:
                self._supply(worker, jobs)
            ready = wait([worker.pipe for worker in self._workers], EVERY_S)
            for worker in [one for one in self._workers if one.pipe in ready]:
                try:
                    self._hear(worker, worker.pipe.recv(), heard)
                except (EOFError, OSError):
                    suspects += self._replaced(worker)
            tick()
        return suspects

    def _supply(self, worker: Worker, jobs: deque[Job]) -> None:
        if not self._closed:
            worker.give(jobs)
        elif not worker.closed:
            worker.closed = True
            worker.send(Close(self._closed))

    def _hear(self, worker: Worker, message: object, heard: Heard) -> None:
        match message:
            case Outcome():
                del worker.jobs[message.job.name]
                if message.held:
                    self.close(str(message.suspended))
                heard(message)
            case Ready():
                worker.room = message.at_once + AHEAD
            case Unfit():
                raise UserError(message.why)
            case Status():
                worker.status = message
            case Wish():
                result = getattr(self._accounts, message.what)(*message.given)
                if message.number is not None:
                    worker.send(Answer(message.number, result))

    def _replaced(self, worker: Worker) -> list[Job]:
        """The games of a process that died; another takes its place."""
        worker.end()
        self._accounts.gone(worker.name)
        if not worker.room:
            raise UserError(f"a process that plays ended before it could begin: exit code {worker.process.exitcode}")
        self._gone += worker.status
        self._workers[self._workers.index(worker)] = self._new()
        return list(worker.jobs.values())


def _context() -> ForkContext | SpawnContext:
    """A fork is quick, and safe only where no other thread runs and the system's libraries allow it."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")
