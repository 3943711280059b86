"""The marks of many games, computed in one process or several, and kept as they are finished."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from experiments.design import imports
from experiments.marks.game_marks import GameMarks
from experiments.marks.mark_store import marks_of
from experiments.running import process_executor
from orchestrator.logs import log

Done = Callable[[int, int], None]
"""Told how many games of how many are finished."""


def kept(paths: Iterable[Path], rollouts: int = 0) -> dict[Path, GameMarks]:
    """The marks of those games for which they are kept, as the journals are now."""
    found = ((path, marks_of(path, rollouts).ready(path)) for path in paths)
    return {path: marks for path, marks in found if marks}


def marked(
    paths: Sequence[Path], workers: int = 1, done: Done | None = None, rollouts: int = 0
) -> dict[Path, GameMarks]:
    """The marks of journals, in their order. What is finished is kept at once, so a killed command goes on from there.

    `rollouts`: as in `game_marks`.
    Where a worker dies, the games that are left are marked in this process. Raises UserError for what is no journal.
    """
    found = kept(paths, rollouts)
    for path, marks in _computed([path for path in paths if path not in found], workers, rollouts):
        found[path] = marks
        if done:
            done(len(found), len(paths))
    return {path: found[path] for path in paths}


def _computed(paths: Sequence[Path], workers: int, rollouts: int) -> Iterator[tuple[Path, GameMarks]]:
    left, work = list(paths), partial(_one, rollouts=rollouts)
    if workers > 1 and len(left) > 1:
        context = process_executor.process_context()
        with ProcessPoolExecutor(workers, context, imports.bring_again, (imports.brought(),)) as pool:
            try:
                for path, marks in zip(paths, pool.map(work, paths), strict=True):
                    left.remove(path)
                    yield path, marks
            except BrokenProcessPool:
                log.warning("a process that computed marks died; this one goes on", left=len(left))
    for path in left:
        yield path, work(path)


def _one(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
