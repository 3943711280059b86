"""How a command reaches the process that plays a run: files in the run folder, which only their owner can read.

Each process that plays has a file of its own in `.control/`, which it locks as long as it lives. A command writes a
request beside it and waits for the response. Files, unlike sockets, work under any path and on shared file systems.
"""

import fcntl
import json
import os
import pwd
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from orchestrator.errors import UserError
from orchestrator.logs import log

CONTROL = ".control"
PLAYER, REQUEST, RESPONSE = ".player", ".request", ".response"
"""The ends of the names of files."""
PATIENCE_S = 10.0
"""Seconds for which a command waits for a response."""
POLL_S = 0.05
LARGEST = 64 * 1024
"""Bytes of a request that are read."""

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What a run does with a request; it raises UserError for one that it refuses."""


class Inbox:
    """The requests to one process that plays a run."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def poll(self, answer: Answer) -> None:
        """Answer the requests that have come, in their order. Raises nothing: a run never fails by its control."""
        for path in sorted(self._folder.glob(f"{self._name}.*{REQUEST}")):
            try:
                self._respond(path, answer)
            except OSError as error:
                log.info("a request to the run was lost", error=str(error))

    def _respond(self, path: Path, answer: Answer) -> None:
        try:
            asked = _request(path)
        finally:
            path.unlink()
        if asked is None:
            return
        try:
            said: Mapping[str, Any] = {"ok": True, **answer(asked)}
        except UserError as error:
            said = {"ok": False, "said": str(error)}
        except Exception as error:
            log.info("a request to the run failed", exc_info=error)
            said = {"ok": False, "said": f"{type(error).__name__}: {error}"}
        _write(path.with_suffix(RESPONSE), said)


def _request(path: Path) -> Mapping[str, Any] | None:
    """None for what is no request, or does not belong to the owner of the run. Raises OSError, for a link as well."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        if os.fstat(file.fileno()).st_uid != os.geteuid():
            return None
        try:
            found = json.loads(file.read(LARGEST))
        except ValueError:
            return None
    return found if isinstance(found, dict) else None


@contextmanager
def listening(folder: Path, about: Mapping[str, Any]) -> Iterator[Inbox | None]:
    """The inbox of this process while it plays a run; None where the folder cannot hold one, which stops no run.

    `about`: what commands are told of this process. Unless it plays a `shard`, no other plays the run, and files that
    others have left are removed.
    """
    name = f"{os.getpid()}-{uuid4().hex[:8]}"
    there = folder / CONTROL
    try:
        if not about.get("shard"):
            _clear(there, "*")
        descriptor = _announced(there, name, {**about, **_self()})
    except OSError as error:
        log.info("the run cannot be controlled while it plays", error=str(error))
        yield None
        return
    try:
        yield Inbox(there, name)
    finally:
        _clear(there, name)
        os.close(descriptor)


def _self() -> dict[str, Any]:
    return {"pid": os.getpid(), "host": socket.gethostname(), "user": _user(os.getuid()), "began": time.time()}


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _announced(there: Path, name: str, about: Mapping[str, Any]) -> int:
    """Write the file of a process under a lock that ends with the process; returns what holds the lock."""
    there.mkdir(mode=0o700, exist_ok=True)
    if there.is_symlink() or there.stat().st_uid != os.geteuid():
        raise PermissionError(f"{there} belongs to somebody else")
    there.chmod(0o700)
    new = there / f"{name}.new"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, json.dumps(about).encode())
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(there / f"{name}{PLAYER}")
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _clear(there: Path, name: str) -> None:
    """Remove the files of a process, and the folder with the last one."""
    with suppress(OSError):
        for path in there.glob(f"{name}.*"):
            path.unlink(missing_ok=True)
        there.rmdir()


@dataclass(frozen=True)
class Player:
    """A process that plays a run, as a command sees it."""

    folder: Path
    name: str
    about: Mapping[str, Any]

    @property
    def alive(self) -> bool:
        """Whether it still plays; true where that cannot be known, as on another machine."""
        if self.about.get("host") != socket.gethostname():
            return (self.folder / f"{self.name}{PLAYER}").exists()
        try:
            with (self.folder / f"{self.name}{PLAYER}").open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            return False
        except OSError:  # a file system without locks
            return _runs(int(self.about.get("pid", 0)))
        return False

    def ask(self, **request: Any) -> Mapping[str, Any]:
        """Its response. Raises TimeoutError when none comes, and UserError when it ends meanwhile."""
        path = self.folder / f"{self.name}.{time.time_ns()}-{uuid4().hex[:8]}{REQUEST}"
        _write(path, request)
        response, until, taken = path.with_suffix(RESPONSE), time.monotonic() + PATIENCE_S, False
        while (found := _taken(response)) is None:
            if not self.alive and not response.exists():
                raise UserError("the process that played the run has ended meanwhile")
            if time.monotonic() > until:
                if taken or not (taken := not _withdrawn(path)):
                    raise TimeoutError(self._silence(taken=taken))
                until += PATIENCE_S
            time.sleep(POLL_S)
        return found

    def _silence(self, *, taken: bool) -> str:
        who = f"process {self.about.get('pid')} on {self.about.get('host')}"
        if taken:
            return f"{who} has read the command and does not say what came of it; see `orchestrator experiment status`"
        return f"{who} plays the run and does not answer; it is busy or stopped. Nothing was changed, try again"


def _withdrawn(path: Path) -> bool:
    """Whether a request could be taken back: nobody has read it."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def players(folder: Path) -> list[Player]:
    """The processes that play the run in a folder; the files of those that were killed are removed.

    Raises UserError where another user plays it.
    """
    there = folder / CONTROL
    try:
        files = sorted(path for path in there.iterdir() if path.suffix == PLAYER)
    except FileNotFoundError:
        return []
    except PermissionError:
        owner = _user(there.stat().st_uid)
        raise UserError(f"the run in {str(folder)!r} is played by {owner}, and only they can control it") from None
    found = [Player(there, path.stem, json.loads(path.read_text("utf-8") or "{}")) for path in files]
    for one in found:
        if not one.alive:
            _clear(there, one.name)
    return [one for one in found if one.alive]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0


def _write(path: Path, data: Mapping[str, Any]) -> None:
    """Whole, and readable by the owner alone."""
    part = path.with_suffix(".part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(data, file)
    if os.geteuid() == 0:  # root may control any run, whose owner must be able to read this
        os.chown(part, path.parent.stat().st_uid, -1)
    part.rename(path)


def _taken(path: Path) -> Mapping[str, Any] | None:
    try:
        found: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    path.unlink(missing_ok=True)
    return found
