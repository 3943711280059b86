"""Several processes that play for one run on this machine."""

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from multiprocessing.connection import wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess

from experiments.job import Job, Outcome
from experiments.local import Heard, Tick
from experiments.means import Means
from experiments.sitter import Sitter
from experiments.status import Status, together
from experiments.worker import Answer, Close, Ready, Wish, work
from orchestrator.budget import Accounts, Budget

AHEAD = 4
"""Games handed to a process beside those that it plays."""
EVERY_S = 0.2
"""Seconds after which a silent crew is looked at."""


class Worker:
    """One process, seen from outside."""

    def __init__(self, sitters: Mapping[str, Sitter], means: Means, share: int) -> None:
        context = _context()
        self.pipe, there = context.Pipe()
        self.process: BaseProcess = context.Process(target=work, args=(there, dict(sitters), means, share))
        self.process.start()
        there.close()
        self.jobs: dict[str, Job] = {}
        """Those that it has and that did not end, by name."""
        self.room = 0
        """How many it takes; none until it is ready."""
        self.status = Status()

    def send(self, message: object) -> None:
        """To a process that may have died, which is found out when it is heard."""
        try:
            self.pipe.send(message)
        except OSError:
            self.room = 0

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


class Crew:
    """When a process dies, what it may have been playing is played again alone, so that only the culprit fails."""

    def __init__(self, sitters: Mapping[str, Sitter], means: Means, budget: Budget | None, workers: int) -> None:
        self._new: Callable[[], Worker] = lambda: Worker(sitters, means, workers)
        self._accounts = budget.accounts if budget else Accounts()
        self._workers = [self._new() for _ in range(workers)]
        self._gone = Status()
        self._closed: str | None = None

    def play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        """`heard` is told what became of each game, `tick` is called now and then. Raises what they raise."""
        for job in self._play(deque(jobs), heard, tick):
            if self._play(deque([job]), heard, tick):
                heard(Outcome(job, failed="the process that played it died"))

    def close(self, why: str) -> None:
        """Games stop at their turns' end, and no other begins."""
        self._closed = why
        for worker in self._workers:
            worker.send(Close(why))

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
            for worker in () if self._closed else self._workers:
                worker.give(jobs)
            ready = wait([worker.pipe for worker in self._workers], EVERY_S)
            for worker in [one for one in self._workers if one.pipe in ready]:
                try:
                    self._hear(worker, worker.pipe.recv(), heard)
                except (EOFError, OSError):
                    suspects += self._replaced(worker)
            tick()
        return suspects

    def _hear(self, worker: Worker, message: object, heard: Heard) -> None:
        match message:
            case Outcome():
                del worker.jobs[message.job.name]
                if message.held:
                    self.close(str(message.suspended))
                heard(message)
            case Ready():
                worker.room = message.at_once + AHEAD
            case Status():
                worker.status = message
            case Wish():
                result = getattr(self._accounts, message.what)(*message.given)
                if message.number is not None:
                    worker.send(Answer(message.number, result))

    def _replaced(self, worker: Worker) -> list[Job]:
        """The games of a process that died; another takes its place."""
        worker.end()
        if not worker.room:
            raise RuntimeError(f"a process that plays could not begin: exit code {worker.process.exitcode}")
        self._gone += worker.status
        self._workers[self._workers.index(worker)] = self._new()
        return list(worker.jobs.values())


def _context() -> ForkContext | SpawnContext:
    """A fork is quick, and safe only where no other thread runs and the system's libraries allow it."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")
