"""The games of an opened path, each read only when it changed: 10,000 finished games are not read
again."""

import hashlib
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from typing import Any

from hanabi_orchestrator.experiments.page.library import (
    SUFFIX,
    JournalFile,
    Library,
    NotThereError,
    OutsideError,
)
from hanabi_orchestrator.experiments.record import rows, run_folder
from hanabi_orchestrator.experiments.record.game import Game, NotBegun
from hanabi_orchestrator.experiments.record.rows import GAMES, RESULTS, Row
from hanabi_orchestrator.experiments.record.run_folder import FAILED, RUN
from hanabi_orchestrator.experiments.record.stated_result import stated_result
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_LIVES
from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    GameSuspended,
    Moved,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.models.settings import PERSON

LOCKS = Path("/proc/locks")
RECENT_S = 30.0
"""A journal that grew so lately is being played, even if its lock cannot be seen: in another
container, or on another machine of the run."""

BESIDE = (RUN, RESULTS, FAILED, "report.html")
"""Files of a run folder whose change the page shows."""


def locked_inodes() -> set[int]:
    """Return the inodes of files and folders that some process holds locked, as what plays now
    does.

    Taking a lock to see whether it is free would disturb who needs it; the system's list does not.
    Where there is no such list, only recent changes tell.
    """
    inodes = set[int]()
    with suppress(OSError):
        for line in LOCKS.read_text("ascii").splitlines():
            if " FLOCK " in line and len(line.split()) > 5:
                inode = line.split()[5].rpartition(":")[2]
            else:
                inode = ""
            inodes |= {int(inode)} if inode.isdigit() else set()
    return inodes


def inode_of(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_ino
    return None


def plays(journal: JournalFile, inodes: set[int]) -> bool:
    """Return whether a game that is not finished is being played."""
    inode = inode_of(journal.path)
    return inode in inodes or (inode is not None and time.time() - journal.mtime / 1e9 < RECENT_S)


def version(library: Library, journals: Iterable[JournalFile], *, going: bool) -> str:
    """Return an opaque mark that differs when anything of the opened path changed."""
    mark = hashlib.sha256(str(going).encode())
    for journal in journals:
        mark.update(f"{journal.id} {journal.size} {journal.mtime}\n".encode())
    for name in BESIDE if library.kind == "run" else ():
        with suppress(OSError):
            stat = (library.root / name).stat()
            mark.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return mark.hexdigest()[:16]


MOST = 24
"""Games whose lines are kept in memory."""

_REPEAT = re.compile(rb'"repeat": (\d{1,18})\b')
"""The first is that of the game: what comes before it are numbers."""


@dataclass(frozen=True)
class Standing:
    """Where a game stands."""

    state: str
    """finished, going, suspended or failed."""
    why: str | None = None


@dataclass(frozen=True)
class Entry:
    """A game as it was last read."""

    journal: JournalFile
    row: Row | None
    """None for a game that is not finished."""
    progress: Mapping[str, Any] = field(default_factory=dict)
    """Of a game that is not finished: its columns so far."""
    stop: str | None = None
    """Why it was suspended, if the journal ends with that."""

    @property
    def cells(self) -> Mapping[str, Any]:
        if self.row:
            return vars(self.row)
        return self.progress


@dataclass(frozen=True)
class Shelf:
    """All games, as they were at one moment."""

    entries: tuple[Entry, ...]
    version: str
    going: bool
    failed: Mapping[str, str]
    """Why games failed, by id."""
    playing: frozenset[str]
    """The ids of games that are being played."""

    def standing(self, entry: Entry) -> Standing:
        if entry.row:
            return Standing("finished")
        if error := self.failed.get(entry.journal.id):
            return Standing("failed", error)
        if entry.journal.id in self.playing:
            return Standing("going")
        turn = entry.progress.get("turns", 0)
        return Standing(
            "suspended",
            entry.stop or f"the game was interrupted after turn {turn}; it can be continued",
        )

    @cached_property
    def rows(self) -> list[Row]:
        """The finished games."""
        return [entry.row for entry in self.entries if entry.row]

    @property
    def finished(self) -> int:
        return hash(tuple(entry.journal.id for entry in self.entries if entry.row))


class Games:
    """Reads the games of a library, and keeps what it read."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._lock = RLock()
        self._entries: dict[str, Entry] = {}
        self._opened = lru_cache(MOST)(Game.open)

    def shelf(self) -> Shelf:
        """Return the games as they are now; files that cannot be read as games are left out."""
        is_run = self.library.kind == "run"
        with self._lock:
            if not self._entries and is_run:
                self._entries = self._from_table()
            entries = dict[str, Entry]()
            for journal in self.library.journals():
                entry = self._entries.get(journal.id)
                if not entry or (entry.journal.size, entry.journal.mtime) != (
                    journal.size,
                    journal.mtime,
                ):
                    entry = self._entry(journal)
                if entry:
                    entries[journal.id] = entry
            self._entries = entries
            failed = run_folder.failures(self.library.root) if is_run else {}
            inodes = locked_inodes()
            run_plays = is_run and inode_of(self.library.base) in inodes  # also between two games
            unfinished = (
                entry
                for entry in entries.values()
                if entry.row is None and (run_plays or not entry.stop)
            )
            playing = frozenset(
                entry.journal.id for entry in unfinished if plays(entry.journal, inodes)
            )
            going = run_plays or bool(playing)
            mark = version(self.library, (entry.journal for entry in entries.values()), going=going)
            return Shelf(tuple(entries.values()), mark, going, failed, playing)

    def game(self, id: str) -> Game:
        """Return a game with its newest lines. Raises UserError, and what Library.find raises."""
        path = self.library.find(id)
        with self._lock:
            try:
                game = self._opened(path, id)
            except NotBegun:
                raise UserError(f"the game {id!r} has not begun yet") from None
        game.refresh()
        # no reasons of others
        if game.result is None and any(seat.graph == PERSON for seat in game.started.seats):
            raise OutsideError(
                f"a person is still playing {id!r}; it can be looked at when it has ended"
            )
        return game

    def standing(self, game: Game) -> Standing:
        shelf = self.shelf()
        # a game of a person beside a run
        alone = Standing("finished" if game.result else "suspended")
        return next(
            (shelf.standing(entry) for entry in shelf.entries if entry.journal.id == game.name),
            alone,
        )

    def _entry(self, journal: JournalFile) -> Entry | None:
        """Return a game of the list; None for another program's file, and for one that is gone
        since."""
        try:
            first, last = file.ends(journal.path)
            if not first or file.tag(first) != "game_started":
                return None
            result = stated_result(last)
            if result is None:
                return self._unfinished(journal)
            repeat = _REPEAT.search(first)
            folder = f"{GAMES}/" if self.library.kind == "run" else ""
            row = rows.row(
                journal.arm,
                int(repeat[1]) if repeat else 1,
                f"{folder}{journal.id}{SUFFIX}",
                result,
            )
            return Entry(journal, replace(row, arm=self._arm(journal, row.graph, row.model)))
        except (ValueError, KeyError, UserError, OSError, NotThereError, OutsideError):
            return None

    def _unfinished(self, journal: JournalFile) -> Entry:
        game = self.game(journal.id)
        started = game.started
        lines = game.lines
        last = game.last
        moved = [*lines.of_kind(Moved)]
        progress = {
            "arm": self._arm(journal, started.graph, started.model),
            **{
                name: getattr(started, name)
                for name in ("players", "seed", "repeat", "graph", "model")
            },
            "lives": moved[-1].past.lives if moved else MAX_LIVES,
            "turns": len(moved),
            "forced": sum(decided.forced for decided in lines.of_kind(Decided)),
            "refused": sum(not verdict.accepted for verdict in lines.of_kind(VerdictGiven)),
            "fallbacks": sum(call.outcome == "fallback" for call in game.briefs),
        }
        return Entry(journal, None, progress, last.why if isinstance(last, GameSuspended) else None)

    def _arm(self, journal: JournalFile, graph: str, model: str) -> str:
        """Return the arm of a game: of a run, that of its folder; else who played."""
        if self.library.kind == "run" and journal.arm:
            return journal.arm
        return rows.who_played(graph, model)

    def _from_table(self) -> dict[str, Entry]:
        """Return the finished games by results.csv: only journals that were written since need be
        read."""
        try:
            table = {row.journal: row for row in run_folder.written(self.library.root)}
            since = (self.library.root / RESULTS).stat().st_mtime_ns
        except (UserError, OSError):
            return {}
        journals = (
            (journal, table.get(f"{GAMES}/{journal.id}{SUFFIX}"))
            for journal in self.library.journals()
        )
        entries = dict[str, Entry]()
        for journal, row in journals:
            if row and journal.mtime <= since:
                entries[journal.id] = Entry(journal, row)
        return entries
