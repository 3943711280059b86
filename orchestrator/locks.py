"""Locks on files and folders, which end with the process that holds them.

Windows has other locks than the systems with `fcntl`: they keep out readers as well, none is shared, and no folder is
opened. So there only files that nobody reads are locked, by the library filelock.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HELD = (errno.EWOULDBLOCK, errno.EAGAIN)
"""Another process holds a lock. Any other error says that a file system has none, which is no sign of another
process."""
LOCK_FILE = ".lock"
"""What is locked in a folder where folders cannot be."""


@contextmanager
def opened_folder(folder: Path) -> Iterator[int]:
    """Give the open descriptor whose lock is that of a folder. Raises OSError."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except PermissionError:
        if _has_flock() or not folder.is_dir():
            raise
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def take(
    descriptor: int, *, shared: bool = False, wait: bool = False, others_read: bool = False
) -> bool:
    """Take the lock of an open file or folder; return False only where another process holds it.

    `wait`: until it is free. `others_read`: they read the file meanwhile. Where a file system, or the operating system,
    has no such locks, nothing is locked.
    """
    try:
        import fcntl
    except ImportError:
        return shared or others_read or _take_without_fcntl(descriptor, wait=wait)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in HELD
    return True


def _take_without_fcntl(descriptor: int, *, wait: bool) -> bool:
    from filelock import lock_descriptor

    try:
        return lock_descriptor(descriptor, blocking=wait)
    except OSError:
        return True


def has_locks(descriptor: int) -> bool:
    """Return whether the file system of an open file has locks, of which this process holds none there."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except (ImportError, OSError):
        return False
    return True


def _has_flock() -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    return hasattr(fcntl, "flock")
