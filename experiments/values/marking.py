"""The marks of many games, computed in one process or several, and kept as they are finished."""

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from multiprocessing.context import ForkContext, SpawnContext
from pathlib import Path
from typing import TypeVar

from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import marks_of
from graphs import named
from orchestrator.logs import log

T = TypeVar("T")
R = TypeVar("R")
Done = Callable[[int, int], None]
"""Called with how many games of how many are finished."""


def missing(paths: Sequence[Path], rollouts: int = 0) -> list[Path]:
    """Return the games whose marks are not kept."""
    return [path for path in paths if not marks_of(path, rollouts).has(path)]


def marked(paths: Sequence[Path], workers: int = 1, done: Done | None = None, rollouts: int = 0) -> Iterator[GameMarks]:
    """Give the marks of journals, in their order. Marks are kept at once, so a killed command goes on from there.

    `rollouts`: as in `game_marks`. Where a worker dies, the games that are left are marked in this process. Raises
    UserError for what is no journal.
    """
    new = missing(paths, rollouts)
    absent, computed = set(new), mapped(partial(_marks, rollouts=rollouts), new, workers)
    for number, path in enumerate(paths, 1):
        yield next(computed) if path in absent else _marks(path, rollouts)
        if done and absent:
            done(number, len(paths))


def mapped(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Give what is made of each item, in their order, by one process or several; of the next few items in advance.

    Where a worker dies, the items that are left are worked on in this process.
    """
    finished = 0
    if workers > 1 and len(items) > 1:
        context = _context()
        with ProcessPoolExecutor(workers, context, named.bring_again, (named.brought(),)) as pool:
            try:
                rest = iter(items)
                waiting = deque(pool.submit(work, item) for item in islice(rest, 2 * workers))
                while waiting:
                    result = waiting.popleft().result()
                    waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
                    finished += 1
                    yield result
            except BrokenProcessPool:
                log.warning("a worker process died; this one goes on", left=len(items) - finished)
    yield from map(work, items[finished:])


def _context() -> ForkContext | SpawnContext:
    """Return how processes start: see `running.processes.process_context`."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")


def _marks(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
