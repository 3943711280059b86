"""The marks of many games, computed in one process or several, and kept as they are finished."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from experiments.design import imports
from experiments.marks.game_marks import GameMarks
from experiments.marks.mark_store import marks_of
from experiments.running import process_executor
from orchestrator.logs import log

Done = Callable[[int, int], None]
"""Told how many games of how many are finished."""


def kept(paths: Iterable[Path]) -> dict[Path, GameMarks]:
    """The marks of those games for which they are kept, as the journals are now."""
    found = ((path, marks_of(path).ready(path)) for path in paths)
    return {path: marks for path, marks in found if marks}


def marked(paths: Sequence[Path], workers: int = 1, done: Done | None = None) -> dict[Path, GameMarks]:
    """The marks of journals, in their order. What is finished is kept at once, so a killed command goes on from there.

    Where a worker dies, the games that are left are marked in this process. Raises UserError for what is no journal.
    """
    found = kept(paths)
    for path, marks in _computed([path for path in paths if path not in found], workers):
        found[path] = marks
        if done:
            done(len(found), len(paths))
    return {path: found[path] for path in paths}


def _computed(paths: Sequence[Path], workers: int) -> Iterator[tuple[Path, GameMarks]]:
    left = list(paths)
    if workers > 1 and len(left) > 1:
        context = process_executor.process_context()
        with ProcessPoolExecutor(workers, context, imports.bring_again, (imports.brought(),)) as pool:
            try:
                for path, marks in zip(paths, pool.map(_one, paths), strict=True):
                    left.remove(path)
                    yield path, marks
            except BrokenProcessPool:
                log.warning("a process that computed marks died; this one goes on", left=len(left))
    for path in left:
        yield path, _one(path)


def _one(path: Path) -> GameMarks:
    return marks_of(path).of(path)
