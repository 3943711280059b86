"""Whether somebody plays the games of an opened path right now, and a mark that changes when anything of it does."""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments.page.library import Found, Library
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
        return cls(_locked(), time.time())

    def plays(self, found: Found) -> bool:
        """Whether a game that is not finished is being played."""
        try:
            held = found.path.stat().st_ino in self.locked
        except OSError:
            return False
        return held or self.now - found.mtime / 1e9 < RECENT_S

    def plays_run(self, library: Library) -> bool:
        """Whether a command holds the run folder, also between two games."""
        try:
            return library.kind == "run" and library.base.stat().st_ino in self.locked
        except OSError:
            return False


def _locked() -> frozenset[int]:
    """Taking a lock to see whether it is free would disturb who wants it; the system's list does not. Where there is no
    such list, only recent changes tell."""
    try:
        lines = LOCKS.read_text("ascii").splitlines()
    except OSError:
        return frozenset()
    places = (line.split()[5] for line in lines if " FLOCK " in line and len(line.split()) > 5)
    return frozenset(int(inode) for inode in (place.rpartition(":")[2] for place in places) if inode.isdigit())


def version(library: Library, journals: Iterable[Found], *, going: bool, more: object = None) -> str:
    """An opaque mark that differs when anything of the opened path changed."""
    made = hashlib.sha256(repr((going, more)).encode())
    for found in journals:
        made.update(f"{found.id} {found.size} {found.mtime}\n".encode())
    for name in BESIDE if library.kind == "run" else ():
        try:
            stat = (library.root / name).stat()
        except OSError:
            continue
        made.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return made.hexdigest()[:16]
