"""Files that people name or that lie in their folders, opened for reading only where they are files.

A pipe would make everybody wait for who writes it, and a device such as /dev/zero has no end.
"""

import os
import stat
from io import FileIO
from pathlib import Path
from typing import BinaryIO

KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


class NotRegular(OSError):  # noqa: N818  # named for what a path is
    """A path that is a pipe, a device or a socket."""


def regular(path: str, flags: int) -> int:
    """Open a file as the `opener` of `open`, without waiting for anybody. Raises OSError, NotRegular for what is no
    file; folders are for `open` to refuse."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind in KINDS:
        os.close(descriptor)
        raise NotRegular(0, f"it is {KINDS[kind]}, not a file", path)
    return descriptor


def reading(path: Path, buffering: int = -1) -> BinaryIO:
    """Open a file for reading. Raises OSError, NotRegular for what is no file."""
    return open(path, "rb", buffering, opener=regular)


def appending(path: Path) -> FileIO:
    """Open a file, new or not, for reading and for writing at its end. Raises OSError, NotRegular for what is no
    file."""
    return open(path, "a+b", 0, opener=regular)


def content(path: Path) -> bytes:
    """Return what a file holds. Raises OSError, NotRegular for what is no file."""
    with reading(path) as file:
        return file.read()


def text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file. Raises UnicodeDecodeError, and OSError, NotRegular for what is no file."""
    with open(path, encoding=encoding, opener=regular) as file:
        return file.read()
