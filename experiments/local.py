"""Games played on this machine: one after the other, or in several processes. What comes of them is the same."""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from experiments.job import Job, Outcome, Players
from experiments.sitter import Sitter

AHEAD = 4
"""Games handed to each process before it asks for them."""


def play(jobs: Iterable[Job], sitters: Mapping[str, Sitter], workers: int = 1) -> Iterator[Outcome]:
    """The outcomes, in the order in which games end. After a suspended game no other is begun."""
    return _several(jobs, sitters, workers) if workers > 1 else _one(jobs, sitters)


def _one(jobs: Iterable[Job], sitters: Mapping[str, Sitter]) -> Iterator[Outcome]:
    players = Players(sitters)
    with asyncio.Runner() as runner:
        try:
            for job in jobs:
                outcome = runner.run(players.play(job))
                yield outcome
                if outcome.suspended:
                    return
        finally:
            runner.run(players.aclose())


def _several(jobs: Iterable[Job], sitters: Mapping[str, Sitter], workers: int) -> Iterator[Outcome]:
    """When a process dies, what it may have played is tried again alone, so that only the culprit fails."""
    waiting = iter(jobs)
    while suspects := (yield from _pool(waiting, sitters, workers)):
        for job in suspects:
            if (yield from _pool(iter([job]), sitters, 1)):
                yield Outcome(job, failed="the process that played it died")


def _pool(jobs: Iterator[Job], sitters: Mapping[str, Sitter], workers: int) -> Generator[Outcome, None, list[Job]]:
    """Returns the games that were in play when a process died; then other processes are needed."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context(_method()), _begin, (dict(sitters),))
    going: dict[Future[Outcome], Job] = {}
    died: list[Job] = []
    over = False
    try:
        while True:
            for job in [] if over or died else islice(jobs, workers * AHEAD - len(going)):
                try:
                    going[pool.submit(_play, job)] = job
                except BrokenProcessPool:
                    died.append(job)
                    break
            if not going:
                return died
            for done in wait(going, return_when=FIRST_COMPLETED).done:
                job, error = going.pop(done), done.exception()
                if isinstance(error, BrokenProcessPool):
                    died.append(job)
                    continue
                outcome = Outcome(job, failed=f"{type(error).__name__}: {error}") if error else done.result()
                over |= outcome.suspended is not None
                yield outcome
    finally:
        pool.shutdown(wait=not going, cancel_futures=True)
        ours = set(multiprocessing.active_children()) - others if going else ()
        for child in ours:
            child.terminate()  # interrupted: its journals can go on
        for child in ours:
            child.join()


def _method() -> str:
    """A fork is quick, and safe only where no other thread runs and the system's libraries allow it."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


# In a process that plays

_players: Players
_runner: asyncio.Runner


def _begin(sitters: Mapping[str, Sitter]) -> None:
    """An interrupt is its parent's business; without a parent it ends."""
    global _players, _runner
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_until_orphaned, daemon=True).start()
    _players, _runner = Players(sitters), asyncio.Runner()


def _until_orphaned() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # the games that it was still to be given would be played behind everybody's back


def _play(job: Job) -> Outcome:
    return _runner.run(_players.play(job))
