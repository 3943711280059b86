"""Room on a disk that is kept free while games are played: answers that are paid for still fit when the disk is full.

Each process holds it in a file without a name, which is gone with the process however that ends.
"""

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

SIZE = 4 * 2**20
"""Bytes; the answers in flight with their prompts are rarely more than a tenth of it."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SpareRoom:
    def __init__(self, folder: Path) -> None:
        """Raises OSError when the disk of the folder has not as much."""
        self.given_up = False
        self._open = ExitStack()
        try:
            with TemporaryFile(dir=folder) as nameless:
                file = os.dup(nameless.fileno())
                self._open.callback(os.close, file)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file, 0, SIZE)
        except OSError as error:
            self._open.close()
            if error.errno in FULL:
                raise
            # a file system that cannot keep room: games are played without it

    def give_up(self) -> None:
        """Free it: what is in flight is written, and after it nothing is asked any more."""
        self.given_up = True
        self._open.close()


_ROOMS: dict[tuple[int, int], SpareRoom] = {}
"""By process, for a forked one cannot free its parent's, and disk."""


def on_disk_of(folder: Path) -> SpareRoom:
    """Return the room on a folder's disk, one for all journals of this process. Raises OSError for a full disk."""
    disk = os.getpid(), folder.stat().st_dev
    if disk not in _ROOMS or _ROOMS[disk].given_up:
        _ROOMS[disk] = SpareRoom(folder)
    return _ROOMS[disk]
