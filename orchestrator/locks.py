"""Locks on files and folders, which end with the process that holds them."""

import errno

HELD = (errno.EWOULDBLOCK, errno.EAGAIN)
"""Another process holds a lock. Any other error says that a file system has none, which is no sign of another
process."""


def take(descriptor: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Take the lock of an open file or folder; return False only where another process holds it.

    `wait`: until it is free. Where a file system, or the operating system, has no such locks, nothing is locked.
    """
    try:
        import fcntl
    except ImportError:
        return True
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in HELD
    return True


def has_locks(descriptor: int) -> bool:
    """Return whether the file system of an open file has locks, of which this process holds none there."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except (ImportError, OSError):
        return False
    return True
