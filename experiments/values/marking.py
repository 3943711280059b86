"""The marks of games, computed in one process or several, and kept on disk beside the rollouts of a
run.

A file's name is a hash of the journal and of the code that computes marks, so a game that went on
and a changed program find no old marks. A file is written whole: a killed process leaves none or a
whole one, and several may work at once.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from hashlib import file_digest, sha256
from importlib import import_module
from pathlib import Path

from pydantic import ValidationError

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.parallel import mapped
from hanabi_orchestrator.experiments.values.game_marks import GameMarks, game_marks
from hanabi_orchestrator.experiments.values.rollout_store import (
    RolloutStore,
    Store,
    code_hash,
    folder_of,
    store_of,
)
from hanabi_orchestrator.orchestrator import regular_files

MARKS = "marks"
"""In the folder of values: a file for each game."""

CODE = (
    "roles",
    "graphs",
    "orchestrator.hanabi",
    "orchestrator.journal",
    "experiments.values",
    "experiments.record.game",
    "experiments.record.lines",
)
"""The packages and modules that decide the marks of a journal."""


@cache
def version(names: tuple[str, ...]) -> str:
    """Return a hash of the code that computes marks, and of the modules of these roles."""
    paths = set[Path]()
    for package in CODE:
        path = Path(str(import_module(f"hanabi_orchestrator.{package}").__file__))
        paths |= {*path.parent.rglob("*.py")} if path.stem == "__init__" else {path}
    for name in names:  # a role may be somebody's own
        role = roles.get(name)
        for part in (role.reply, role.solve, getattr(role.mark, "score", role.mark)):
            module = sys.modules.get(getattr(part, "__module__", ""))
            if module and module.__file__:
                paths.add(Path(module.__file__))
    return code_hash(sorted(paths), "\n".join(names))


@lru_cache(maxsize=20_000)
def _digest(path: Path, size: int, changed: int) -> str:
    """Return a hash of a journal as it was at that size and time."""
    with regular_files.reading(path) as file:
        return file_digest(file, "sha256").hexdigest()


class MarkStore(Store):
    """The marks of the games of one folder; without a folder nothing is kept."""

    what = "marks"

    def __init__(
        self, folder: Path | None = None, rollouts: int = 0, played: RolloutStore | None = None
    ) -> None:
        super().__init__(folder)
        self._rollouts = rollouts
        self._played = played

    def has(self, path: Path) -> bool:
        """Tell whether the marks of a journal are kept. Raises OSError where the journal cannot be
        read."""
        return (
            self._folder is not None
            and self._folder.is_dir()
            and self._file(self._folder, path).is_file()
        )

    def of(self, path: Path) -> GameMarks:
        """Return the marks of a journal, computed unless they are kept. Raises UserError for what
        is no journal."""
        file = self._file(self._folder, path) if self._folder else None
        if file:
            # there is no such file, or one that is not whole
            with suppress(OSError, ValidationError):
                return GameMarks.model_validate_json(regular_files.content(file))
        marks = game_marks(Game.open(path), self._rollouts, self._played)
        if file:
            self._keep(file, marks.model_dump_json())
        return marks

    def _file(self, folder: Path, path: Path) -> Path:
        """Return the file of the marks of a journal as it is now."""
        content = _digest(path, path.stat().st_size, path.stat().st_mtime_ns)
        name = sha256(
            f"{version(tuple(roles.names()))}\n{self._rollouts}\n{content}".encode()
        ).hexdigest()[:32]
        return folder / f"{name}.json"


def marks_of(path: Path, rollouts: int = 0) -> MarkStore:
    """Return the store of a run folder, or of a journal's run; elsewhere nothing is kept.
    `rollouts`: as in `game_marks`."""
    folder = folder_of(path)
    return MarkStore(folder / MARKS if folder else None, rollouts, store_of(path))


# The marks of many games


Done = Callable[[int, int], None]
"""Called with how many games of how many are finished."""


def missing(paths: Sequence[Path], rollouts: int = 0) -> list[Path]:
    """Return the games whose marks are not kept."""
    return [path for path in paths if not marks_of(path, rollouts).has(path)]


def marked(
    paths: Sequence[Path], workers: int = 1, done: Done | None = None, rollouts: int = 0
) -> Iterator[GameMarks]:
    """Give the marks of journals, in their order. Marks are kept at once, so a killed command goes
    on from there.

    `rollouts`: as in `game_marks`. Where a worker dies, the games that are left are marked in this
    process. Raises UserError for what is no journal.
    """
    new = missing(paths, rollouts)
    absent = set(new)
    computed = mapped(partial(_marks, rollouts=rollouts), new, workers)
    for number, path in enumerate(paths, 1):
        if path in absent:
            yield next(computed)
        else:
            yield _marks(path, rollouts)
        if done and absent:
            done(number, len(paths))


def _marks(path: Path, rollouts: int) -> GameMarks:
    return marks_of(path, rollouts).of(path)
