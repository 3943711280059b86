"""Whether somebody plays the games of an opened path right now, and a mark that changes when anything of it does."""

import hashlib
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from experiments.page.library import JournalFile, Library
from experiments.record.failures import FAILED
from experiments.record.rows import RESULTS
from experiments.record.run_folder import RUN

LOCKS = Path("/proc/locks")
RECENT_S = 30.0
"""A journal that grew so lately is being played, even if its lock cannot be seen: in another container, or on another
machine of the run."""

BESIDE = (RUN, RESULTS, FAILED, "report.html")
"""Files of a run folder whose change the page shows."""


@dataclass(frozen=True)
class Activity:
    """What plays now."""

    locked: frozenset[int]
    """Inodes of files and folders that some process holds locked."""
    now: float

    @classmethod
    def look(cls) -> "Activity":
        """Return what plays now. Taking a lock to see whether it is free would disturb who needs it; the system's list
        does not. Where there is no such list, only recent changes tell."""
        locked = set[int]()
        with suppress(OSError):
            for line in LOCKS.read_text("ascii").splitlines():
                inode = line.split()[5].rpartition(":")[2] if " FLOCK " in line and len(line.split()) > 5 else ""
                locked |= {int(inode)} if inode.isdigit() else set()
        return cls(frozenset(locked), time.time())

    def plays(self, journal: JournalFile) -> bool:
        """Return whether a game that is not finished is being played."""
        try:
            locked = journal.path.stat().st_ino in self.locked
        except OSError:
            return False
        return locked or self.now - journal.mtime / 1e9 < RECENT_S

    def plays_run(self, library: Library) -> bool:
        """Return whether a command holds the run folder, also between two games."""
        try:
            return library.kind == "run" and library.base.stat().st_ino in self.locked
        except OSError:
            return False


def version(library: Library, journals: Iterable[JournalFile], *, going: bool) -> str:
    """Return an opaque mark that differs when anything of the opened path changed."""
    mark = hashlib.sha256(repr((going, None)).encode())
    for journal in journals:
        mark.update(f"{journal.id} {journal.size} {journal.mtime}\n".encode())
    for name in BESIDE if library.kind == "run" else ():
        with suppress(OSError):
            stat = (library.root / name).stat()
            mark.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return mark.hexdigest()[:16]
