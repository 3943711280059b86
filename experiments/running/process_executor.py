"""An executor that plays the games of a run in several processes of this machine."""

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from uuid import uuid4

from experiments.running.changes import Change, LimitCalls, RetryGame, Standing
from experiments.running.executor import OnOutcome, OnTick
from experiments.running.model_options import ModelOptions
from experiments.running.process_worker import (
    AccountsRequest,
    AccountsResponse,
    StopWorker,
    WorkerFailed,
    WorkerReady,
    work,
)
from experiments.running.status import Status, together
from experiments.study import imports
from experiments.study.job import Job, Outcome
from experiments.study.player_spec import PlayerSpec
from orchestrator.errors import UserError
from orchestrator.models.budget import Accounts, Budget

AHEAD = 4
"""Jobs queued at a worker beyond the games that it plays concurrently."""
EVERY_S = 0.2
"""Seconds to wait for a message before progress is shown again."""


class WorkerHandle:
    """A worker process, as the main process sees it."""

    def __init__(self, specs: Mapping[str, PlayerSpec], options: ModelOptions, workers: int) -> None:
        context = process_context()
        self.name = uuid4().hex
        self.pipe, there = context.Pipe()
        given = there, self.name, dict(specs), options, workers, imports.brought()
        self.process: BaseProcess = context.Process(target=work, args=given)
        self.process.start()
        there.close()
        self.jobs: dict[str, Job] = {}
        """Jobs that it has and that have not ended, by name."""
        self.capacity = 0
        """How many jobs it takes; 0 until it is ready."""
        self.stopped = False
        """Whether it was told to stop its games."""
        self.status = Status()

    def send(self, message: object) -> None:
        """A worker that died meanwhile is noticed when the pipe is read."""
        with suppress(OSError):
            self.pipe.send(message)

    def give(self, jobs: deque[Job]) -> None:
        """As many as it has capacity for."""
        while jobs and len(self.jobs) < self.capacity:
            job = jobs.popleft()
            self.jobs[job.name] = job
            self.send(job)

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


class ProcessExecutor:
    """When a worker dies, each game that it may have been playing is played again alone: only the culprit fails."""

    def __init__(
        self, specs: Mapping[str, PlayerSpec], options: ModelOptions, budget: Budget | None, workers: int
    ) -> None:
        self._new: Callable[[], WorkerHandle] = lambda: WorkerHandle(specs, options, workers)
        self._accounts = budget.accounts if budget else Accounts()
        self._number = workers
        self._workers: list[WorkerHandle] = []
        self._gone = Status()
        """Of workers that died."""
        self._closed: str | None = None
        self._jobs: deque[Job] = deque()
        self._changes = Standing()

    def play(self, jobs: Iterable[Job], on_outcome: OnOutcome, on_tick: OnTick) -> None:
        """Raises what the callbacks raise, and UserError when the workers cannot play."""
        while len(self._workers) < self._number and not self._closed:
            self._workers.append(self._new())
        for job in self._play(deque(jobs), on_outcome, on_tick):
            if self._play(deque([job]), on_outcome, on_tick):
                on_outcome(Outcome(job, failed="the process that played it died"))

    def close(self, why: str) -> None:
        """Stop the games at the end of their turns, and start no others. Safe to call from a signal handler."""
        self._closed = self._closed or why

    @property
    def status(self) -> Status:
        return together((self._gone, *(worker.status for worker in self._workers)))

    def obey(self, change: Change) -> None:
        """The workers divide a limit among them, as they do from the start."""
        if isinstance(change, LimitCalls):
            change = replace(change, most=max(1, change.most // self._number))
        self._changes.add(change)
        if isinstance(change, RetryGame):
            self._jobs.appendleft(change.job)
        for worker in self._workers:
            worker.send(change)

    def end(self) -> None:
        """Stop at once; unfinished journals can be continued."""
        for worker in self._workers:
            worker.end()

    def _play(self, jobs: deque[Job], on_outcome: OnOutcome, on_tick: OnTick) -> list[Job]:
        """Returns the jobs of workers that died."""
        suspects: list[Job] = []
        self._jobs = jobs
        while (jobs and not self._closed) or any(worker.jobs for worker in self._workers):
            for worker in self._workers:
                self._supply(worker, jobs)
            ready = wait([worker.pipe for worker in self._workers], EVERY_S)
            for worker in [one for one in self._workers if one.pipe in ready]:
                try:
                    self._receive(worker, worker.pipe.recv(), on_outcome)
                except (EOFError, OSError):
                    suspects += self._replace(worker)
            on_tick()
        return suspects

    def _supply(self, worker: WorkerHandle, jobs: deque[Job]) -> None:
        if not self._closed:
            worker.give(jobs)
        elif not worker.stopped:
            worker.stopped = True
            worker.send(StopWorker(self._closed))

    def _receive(self, worker: WorkerHandle, message: object, on_outcome: OnOutcome) -> None:
        match message:
            case Outcome():
                del worker.jobs[message.job.name]
                if message.stopped_by_run:
                    self.close(str(message.suspended))
                on_outcome(message)
            case WorkerReady():
                worker.capacity = message.at_once + AHEAD
            case WorkerFailed():
                raise UserError(message.why)
            case Status():
                worker.status = message
            case AccountsRequest():
                result = getattr(self._accounts, message.method)(*message.arguments)
                if message.number is not None:
                    worker.send(AccountsResponse(message.number, result))

    def _replace(self, worker: WorkerHandle) -> list[Job]:
        """Start another worker in place of one that died; returns the jobs that it had."""
        worker.end()
        self._accounts.gone(worker.name)
        if not worker.capacity:
            raise UserError(f"a worker process ended before it could start: exit code {worker.process.exitcode}")
        self._gone += worker.status
        new = self._workers[self._workers.index(worker)] = self._new()
        for change in self._changes:
            new.send(change)
        return list(worker.jobs.values())


def process_context() -> ForkContext | SpawnContext:
    """Forking is quick, and safe only on Linux while no other thread runs."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")
