"""Scores of rollouts kept on disk by position, so that they are played once.

A file's name is a hash of all that its rollouts depend on: the position, the protocol of seeds and
the source text of the code that plays them, so that changed code finds no old file. A file is
written whole; where two processes write the same one, both hold true scores, and the longer ones
are kept.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.logs import log

FOLDER = "values"
"""In a run folder, or beside journals."""

Scores = dict[str, str]
"""By the text of a move: a letter for each deal, see `rollouts`."""

CODE = (
    "experiments.values.rollouts",
    "orchestrator.hanabi.belief",
    "orchestrator.hanabi.cards",
    "orchestrator.hanabi.convention.hint_convention",
    "orchestrator.hanabi.convention.policy",
    "orchestrator.hanabi.convention.rollout",
    "orchestrator.hanabi.convention.rollout_play",
    "orchestrator.hanabi.convention.rollout_table",
    "orchestrator.hanabi.convention.search",
    "orchestrator.hanabi.rollout_game",
    "orchestrator.hanabi.rollout_rules",
    "orchestrator.hanabi.search",
)
"""The modules that decide how a rollout of a given position ends."""


def code_hash(paths: Iterable[Path], settings: str = "") -> str:
    """Return a hash of source files."""
    digest = sha256(settings.encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def version() -> str:
    """Return a hash of the code that plays rollouts."""
    return code_hash(
        Path(str(import_module(f"hanabi_orchestrator.{name}").__file__)) for name in CODE
    )


def key(state: str) -> str:
    """Return the name of a position, by which its deals are drawn: the same whatever the code that
    plays them."""
    return sha256(state.encode()).hexdigest()[:32]


class Store:
    """The files of one folder; without a folder nothing is kept."""

    what = "values"

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def _keep(self, file: Path, text: str) -> None:
        """Write a file. What cannot be written is computed again another time."""
        try:
            write_atomically(file, text)
        except OSError as error:
            log.warning(f"{self.what} are not kept", folder=str(self._folder), error=str(error))
            self._folder = None


class RolloutStore(Store):
    """The scores of one folder; without a folder nothing is kept."""

    def read(self, name: str) -> Scores:
        """Return the scores of a position; empty where there are none, or where the file cannot be
        read."""
        if self._folder is None:
            return {}
        try:
            scores_by_move = json.loads(regular_files.text(self._path(self._folder, name)))
        except (OSError, ValueError, RecursionError):
            return {}
        right = isinstance(scores_by_move, dict) and all(
            isinstance(scores, str) and re.fullmatch("[A-Za-z]*", scores)
            for scores in scores_by_move.values()
        )
        return scores_by_move if right else {}

    def write(self, name: str, scores: Mapping[str, str]) -> None:
        """Keep the scores of a position. What cannot be written is played again another time."""
        if self._folder is None:
            return
        stored = self.read(name)
        merged = {}
        for move in sorted({*stored, *scores}):
            merged[move] = max(stored.get(move, ""), scores.get(move, ""), key=len)
        self._keep(self._path(self._folder, name), json.dumps(merged))

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        """Return the file of a position: another one after a change of the code that plays
        rollouts."""
        file = key(f"{version()}\n{name}")
        return folder / file[:2] / f"{file}.json"


def folder_of(path: Path) -> Path | None:
    """Return the folder of values of a run folder, or of the run to which a journal belongs; of
    others, None."""
    run = next((parent for parent in (path, *path.parents) if (parent / RUN).is_file()), None)
    if run:
        return run / FOLDER
    return None


def store_of(path: Path) -> RolloutStore:
    """Return the store of a run folder, or of the run to which a journal belongs; of a journal
    elsewhere, none."""
    return RolloutStore(folder_of(path))
