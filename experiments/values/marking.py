"""The marks of many games, computed in one process or several, and kept as they are finished."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from experiments.record.parallel import mapped
from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import marks_of

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


def _marks(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
