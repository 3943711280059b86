"""The journals of an opened path: a run folder, a folder of journals, or one journal."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from experiments.record import run_folder
from experiments.record.game import Game, NotAJournal, NotBegun
from experiments.record.rows import GAMES
from experiments.record.run_folder import RUN
from orchestrator.errors import UserError

Kind = Literal["run", "games", "game"]
SUFFIX = ".jsonl"
PERSONS = "persons"
"""The folder of games that persons play on the page, in the opened folder; it is no arm of a run."""
MORE = 12
"""How many files are looked at to tell a folder of journals from any other folder."""


class NotThereError(Exception):
    """An address names nothing of the opened path; the message is for a person."""


class OutsideError(Exception):
    """An address leads out of the opened path."""


@dataclass(frozen=True)
class Found:
    """A journal's file, as it was listed."""

    id: str
    """Its path in the folder, without .jsonl: `full/3p-s1-r1`."""
    file: str
    """Its whole path."""
    size: int
    mtime: int
    """In nanoseconds."""

    @property
    def path(self) -> Path:
        return Path(self.file)

    @property
    def arm(self) -> str:
        """The folder that it lies in; empty beside no other."""
        return self.id.rpartition("/")[0]


@dataclass(frozen=True)
class Library:
    """Everything that a page may read."""

    root: Path
    """The run folder, or the folder of journals."""
    kind: Kind
    only: Path | None = None
    """The one journal that was opened."""

    @classmethod
    def open(cls, path: Path) -> "Library":
        """Raises UserError, in a sentence, for a path that holds no game."""
        try:
            whole = path.resolve(strict=True)
        except (OSError, RuntimeError):
            said = f"there is nothing at {str(path)!r}; name a run folder, a folder of journals, or a journal"
            raise UserError(said) from None
        if whole.is_dir():
            return _folder(whole, path)
        if whole.suffix != SUFFIX:
            raise UserError(f"{str(path)!r} is no journal: those end in {SUFFIX}")
        try:
            Game.open(whole)
        except NotBegun:
            raise UserError(f"{str(path)!r} holds no game yet") from None
        return cls(whole.parent, "game", whole)

    @property
    def base(self) -> Path:
        """The folder to which ids are relative."""
        return self.root / GAMES if self.kind == "run" else self.root

    @property
    def name(self) -> str:
        return self.only.stem if self.only else self.root.name

    def run(self) -> dict[str, Any]:
        """The contents of run.yaml; empty where there is none. Raises UserError when it is no mapping."""
        return run_folder.run(self.root) if self.kind == "run" else {}

    def journals(self) -> list[Found]:
        """All journals, sorted by id; files that lie elsewhere, behind a symbolic link, are left out."""
        if self.only is not None:
            return [found for found in _walk(self.root) if found.path == self.only]
        return sorted(_walk(self.base), key=lambda one: one.id)

    def find(self, id: str) -> Path:
        """The file of a game. Raises OutsideError for what is no id of this folder, NotThereError for no game."""
        parts = PurePosixPath(id).parts
        if not id or "\0" in id or "\\" in id or id.startswith("/") or ".." in parts or "/".join(parts) != id:
            raise OutsideError(f"{id[:200]!r} is no game's id; ids read like 'full/3p-s1-r1'")
        base = self.root if parts[0] == PERSONS and not (self.base / f"{id}{SUFFIX}").exists() else self.base
        try:
            path = (base / f"{id}{SUFFIX}").resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise NotThereError(f"there is no game {id[:200]!r} here") from None
        if not path.is_relative_to(base):
            raise OutsideError(f"{id!r} leads out of the opened folder")
        if not path.is_file() or path.suffix != SUFFIX or (self.only and path != self.only and parts[0] != PERSONS):
            raise NotThereError(f"there is no game {id!r} here")
        return path


def _folder(whole: Path, said: Path) -> Library:
    games = whole / GAMES
    if games.is_dir() and ((whole / RUN).exists() or any(_walk(games))):
        if games.resolve() != games:
            raise UserError(f"{str(said / GAMES)!r} leads out of the run folder; open {str(games.resolve())!r} itself")
        return Library(whole, "run")
    if (whole / RUN).exists():
        return Library(whole, "run")
    if not any(_is_game(found.path) for found, _ in zip(_walk(whole), range(MORE), strict=False)):
        raise UserError(f"{str(said)!r} holds neither a run ({RUN}) nor journals of games (*{SUFFIX})")
    return Library(whole, "games")


def _is_game(path: Path) -> bool:
    try:
        Game.open(path)
    except (NotAJournal, NotBegun):
        return False
    return True


def _walk(base: Path) -> Iterator[Found]:
    return _inside(str(base), "", str(base))


def _inside(folder: str, before: str, base: str) -> Iterator[Found]:
    """The journals of a folder and those in it, without building a path for each: there may be ten thousand."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.name.startswith(".") or not _is_text(entry.name):
            continue
        if entry.name.endswith(SUFFIX):
            if one := _found(entry, before, base):
                yield one
        elif entry.is_dir(follow_symlinks=False):
            yield from _inside(entry.path, f"{before}{entry.name}/", base)


def _is_text(name: str) -> bool:
    """Whether an address can hold a name; on Linux a file's name may be any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _found(entry: "os.DirEntry[str]", before: str, base: str) -> Found | None:
    """None for a file that is gone since, or lies elsewhere."""
    try:
        if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(base):
            return None
        stat = entry.stat()
    except (OSError, RuntimeError):
        return None
    return Found(f"{before}{entry.name.removesuffix(SUFFIX)}", entry.path, stat.st_size, stat.st_mtime_ns)
