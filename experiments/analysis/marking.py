"""The marks of many games, computed in one process or several, and kept as they are finished."""

import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import ForkContext, SpawnContext
from pathlib import Path

from experiments.study import imports
from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import marks_of
from orchestrator.logs import log

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
    absent, computed = set(new), _computed(new, workers, rollouts)
    for number, path in enumerate(paths, 1):
        yield next(computed) if path in absent else _marks(path, rollouts)
        if done and absent:
            done(number, len(paths))


def _computed(paths: Sequence[Path], workers: int, rollouts: int) -> Iterator[GameMarks]:
    work, finished = partial(_marks, rollouts=rollouts), 0
    if workers > 1 and len(paths) > 1:
        context = _context()
        with ProcessPoolExecutor(workers, context, imports.bring_again, (imports.brought(),)) as pool:
            try:
                for marks in pool.map(work, paths):
                    finished += 1
                    yield marks
            except BrokenProcessPool:
                log.warning("a process that computed marks died; this one goes on", left=len(paths) - finished)
    yield from map(work, paths[finished:])


def _context() -> ForkContext | SpawnContext:
    """Return how processes start: see `running.processes.process_context`."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")


def _marks(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
