"""The marks of many games, computed in one process or several, and kept as they are finished."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from experiments.running import process_executor
from experiments.study import imports
from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import marks_of
from orchestrator.logs import log

Done = Callable[[int, int], None]
"""Told how many games of how many are finished."""


def missing(paths: Sequence[Path], rollouts: int = 0) -> list[Path]:
    """The games whose marks are not kept."""
    return [path for path in paths if not marks_of(path, rollouts).has(path)]


def marked(paths: Sequence[Path], workers: int = 1, done: Done | None = None, rollouts: int = 0) -> Iterator[GameMarks]:
    """The marks of journals, in their order. What is finished is kept at once, so a killed command goes on from there.

    `rollouts`: as in `game_marks`. Where a worker dies, the games that are left are marked in this process. Raises
    UserError for what is no journal.
    """
    new = missing(paths, rollouts)
    absent, made = set(new), _computed(new, workers, rollouts)
    for number, path in enumerate(paths, 1):
        yield next(made) if path in absent else _one(path, rollouts)
        if done and absent:
            done(number, len(paths))


def _computed(paths: Sequence[Path], workers: int, rollouts: int) -> Iterator[GameMarks]:
    work, finished = partial(_one, rollouts=rollouts), 0
    if workers > 1 and len(paths) > 1:
        context = process_executor.process_context()
        with ProcessPoolExecutor(workers, context, imports.bring_again, (imports.brought(),)) as pool:
            try:
                for marks in pool.map(work, paths):
                    finished += 1
                    yield marks
            except BrokenProcessPool:
                log.warning("a process that computed marks died; this one goes on", left=len(paths) - finished)
    yield from map(work, paths[finished:])


def _one(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
