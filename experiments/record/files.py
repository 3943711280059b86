"""Files that are written whole or not at all."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import StringIO
from pathlib import Path
from uuid import uuid4

from hanabi_orchestrator.orchestrator import locks, regular_files
from hanabi_orchestrator.orchestrator.cells import defused
from hanabi_orchestrator.orchestrator.printable import writable

LONGEST_NAME = 40
"""Characters of a part of a file's name that is made of settings."""


def short_name(name: str) -> str:
    """Return a name as it is, or, where it is longer than LONGEST_NAME, its first words and a hash of all of it."""
    if len(name) <= LONGEST_NAME:
        return name
    digest = sha256(name.encode()).hexdigest()[:6]
    words = name[: LONGEST_NAME - len(digest)]  # with the dash after them
    return f"{words.rpartition('-')[0] or words[:-1]}-{digest}"


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that no reader sees and no killed process leaves half of it. One that holds this text
    already is left alone, so that it may lie on a disk that cannot be written. Raises OSError, which names the file."""
    with suppress(OSError):
        if regular_files.content(path) == writable(text).encode():
            return
    part = path.with_name(
        f".{path.name}.{uuid4().hex[:8]}.part"
    )  # others may write it at the same time
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(writable(text), "utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table as CSV, None as an empty cell, no text as a formula; raises as `write_atomically`."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(defused, row) for row in rows)
    write_atomically(path, out.getvalue())


def write_all(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by the names of their files; returns the files. Raises OSError."""
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give the name under which to write a file, which gets its own name once it is complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a run folder for a moment, since its shards share its files. It cannot be taken twice."""
    with locks.opened_folder(folder) as descriptor:
        locks.take(
            descriptor, wait=True
        )  # where there are none, shards of one run write nearly the same
        yield
