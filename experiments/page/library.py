"""The journals of an opened path: a run folder, a folder of journals, or one journal."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game, NotBegun
from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.orchestrator.errors import UserError, nearby

Kind = Literal["run", "games", "game"]
SUFFIX = ".jsonl"
PERSONS = "persons"
"""The folder of games that persons play on the page, in the opened folder; it is no arm of a
run."""
MORE = 12
"""How many files are looked at to tell a folder of journals from any other folder."""


class NotThereError(Exception):
    """An address names nothing of the opened path; the message is for a person."""


class OutsideError(Exception):
    """An address leads out of the opened path."""


@dataclass(frozen=True)
class JournalFile:
    """A journal's file, as a look into its folder told it."""

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
        """Return the library of a path. Raises UserError, in a sentence, where it holds no game."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            advice = "name a run folder, a folder of journals, or a journal"
            raise UserError(f"there is nothing at {str(path)!r}; {advice}{nearby(path)}") from None
        if real.is_dir():
            games = real / GAMES
            has_games = games.is_dir() and ((real / RUN).exists() or any(_walk(games)))
            if has_games and games.resolve() != games:
                leads = f"{str(path / GAMES)!r} leads out of the run folder"
                raise UserError(f"{leads}; open {str(games.resolve())!r} itself")
            if has_games or (real / RUN).exists():
                return cls(real, "run")
            for journal, _ in zip(_walk(real), range(MORE), strict=False):
                with suppress(UserError):  # a bad file hides no good one
                    Game.open(journal.path)
                    return cls(real, "games")
            raise UserError(
                f"{str(path)!r} holds neither a run ({RUN}) nor journals of games (*{SUFFIX})"
            )
        if real.suffix != SUFFIX:
            raise UserError(f"{str(path)!r} is no journal: those end in {SUFFIX}")
        try:
            Game.open(real)
        except NotBegun:
            raise UserError(f"{str(path)!r} holds no game yet") from None
        return cls(real.parent, "game", real)

    @property
    def base(self) -> Path:
        """The folder to which ids are relative."""
        if self.kind == "run":
            return self.root / GAMES
        return self.root

    @property
    def name(self) -> str:
        if self.only:
            return self.only.stem
        return self.root.name

    def run(self) -> dict[str, Any]:
        """Return the contents of run.yaml; empty where there is none. Raises UserError when it is
        no mapping."""
        if self.kind == "run":
            return run_folder.run(self.root)
        return {}

    @property
    def fragment(self) -> str:
        """What follows the page's address: the game, where one journal was opened."""
        if self.only:
            return f"#/game?id={quote(self.only.stem)}"
        return ""

    def journals(self) -> list[JournalFile]:
        """Return all journals, sorted by id; files that lie elsewhere, behind a symbolic link, are
        left out."""
        if self.only is not None:
            return [journal for journal in _walk(self.root) if journal.path == self.only]
        return sorted(_walk(self.base), key=lambda journal: journal.id)

    def find(self, id: str) -> Path:
        """Return the file of a game. Raises OutsideError for what is no id of this folder,
        NotThereError for no game."""
        parts = PurePosixPath(id).parts
        if (
            not id
            or "\0" in id
            or "\\" in id
            or id.startswith("/")
            or ".." in parts
            or "/".join(parts) != id
        ):
            raise OutsideError(f"{id[:200]!r} is no game's id; ids read like 'full/3p-s1-r1'")
        if parts[0] == PERSONS and not (self.base / f"{id}{SUFFIX}").exists():
            base = self.root
        else:
            base = self.base
        try:
            path = (base / f"{id}{SUFFIX}").resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise NotThereError(f"there is no game {id[:200]!r} here") from None
        if not path.is_relative_to(base):
            raise OutsideError(f"{id!r} leads out of the opened folder")
        if (
            not path.is_file()
            or path.suffix != SUFFIX
            or (self.only and path != self.only and parts[0] != PERSONS)
        ):
            raise NotThereError(f"there is no game {id!r} here")
        return path


def _walk(base: Path) -> Iterator[JournalFile]:
    """Yield the journals below a folder, without building a path for each: there may be ten
    thousand."""
    folders = [(str(base), "")]
    for folder, prefix in folders:
        try:
            with os.scandir(folder) as entries:
                names = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError:
            continue
        for entry in names:
            # gone since; or no address can hold its name
            with suppress(OSError, RuntimeError, UnicodeEncodeError):
                entry.name.encode()
                if entry.name.endswith(SUFFIX):
                    if not entry.is_symlink() or Path(entry.path).resolve().is_relative_to(base):
                        stat = entry.stat()
                        id = f"{prefix}{entry.name.removesuffix(SUFFIX)}"
                        yield JournalFile(id, entry.path, stat.st_size, stat.st_mtime_ns)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{prefix}{entry.name}/"))
