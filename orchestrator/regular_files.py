"""Files that people name or that lie in their folders, opened for reading only where they are files.

A pipe would make everybody wait for who writes it, and a device such as /dev/zero has no end.
"""

import os
import stat
from functools import cache
from io import BufferedReader, FileIO, StringIO
from pathlib import Path

from hanabi_orchestrator.orchestrator.logs import log

KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


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


def reading(path: Path, buffering: int = 2**17) -> BufferedReader:
    """Open a file for reading. Raises OSError, NotRegular for what is no file."""
    return BufferedReader(open(path, "rb", 0, opener=regular), buffering)


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
    return StringIO(content(path).decode(encoding), newline=None).read()


def not_text(error: UnicodeDecodeError) -> str:
    """Return why bytes are no text, and what to do, to follow the name of their file."""
    line = error.object.count(b"\n", 0, error.start) + 1
    byte = error.object[error.start]
    return f"it is not UTF-8 text (byte 0x{byte:02x} in line {line}); save it as UTF-8"


def below(folder: Path, pattern: str, *, deep: bool = False) -> list[Path]:
    """Return the files of a folder that fit a pattern, `deep`: of those within it, too; sorted.

    What is no file is left out, and so is a link that leads out of the folder; a warning names each once.
    """
    real = folder.resolve()
    paths = []
    homes: dict[Path, bool] = {}
    """By folder, whether it lies in this one."""
    for path in sorted(folder.rglob(pattern) if deep else folder.glob(pattern)):
        home = path.parent
        if home not in homes:
            homes[home] = home.resolve().is_relative_to(real)
        try:
            mode = path.stat().st_mode
            inside = homes[home] and (not path.is_symlink() or path.resolve().is_relative_to(real))
        except (OSError, RuntimeError) as error:  # gone, or a link to nowhere or to itself
            _leave_out(path, getattr(error, "strerror", "") or "a link to itself")
            continue
        if not inside:
            _leave_out(path, f"it is a link that leads out of {str(folder)!r}")
        elif stat.S_ISREG(mode):
            paths.append(path)
        else:
            _leave_out(path, f"it is {KINDS.get(stat.S_IFMT(mode), 'a folder')}, not a file")
    return paths


@cache
def _leave_out(path: Path, why: str) -> None:
    log.warning("left out", file=str(path), why=why)
