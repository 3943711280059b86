"""A run folder while a run asks: the lock that keeps other runs out, and how commands reach the
processes that ask.

Each process that asks has a file of its own in `.control/`, which only its owner can read, and
which it locks as long as it lives. A command writes a request beside it and waits for the response.
Files, unlike sockets, work under any path and on shared file systems.
"""

import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from hanabi_orchestrator.experiments.record.rows import GAMES
from hanabi_orchestrator.orchestrator import locks, regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.logs import log

CONTROL = ".control"
PLAYER = ".player"
REQUEST = ".request"
RESPONSE = ".response"
"""The ends of the names of files."""
PATIENCE_S = 10.0
"""Seconds for which a command waits for a response."""
POLL_S = 0.05
CAN_CONTROL = hasattr(os, "geteuid")
"""Whether files have owners that can be told; Windows' cannot, and its processes cannot be asked
whether they live."""
LARGEST = 64 * 1024
"""Bytes of a request that are read."""

# One run in a folder

LOCK_PATIENCE_S = 3.0
"""Seconds for which the workers of a run that was killed may hold its lock until they notice."""


@contextmanager
def alone(folder: Path, *, shared: bool = False, below: str = "") -> Iterator[None]:
    """Keep other runs out of a folder; shards (`shared`) keep out only runs of the whole. Raises
    UserError.

    `below`: the folder within it that is locked, where `record.files.locked` locks the run folder
    itself. The lock ends with the process. A file system without locks locks nothing; each journal
    is then guarded by its own lock alone.
    """
    (folder / below).mkdir(parents=True, exist_ok=True)
    with locks.opened_folder(folder / below) as descriptor:
        until = time.monotonic() + LOCK_PATIENCE_S
        while not locks.take(descriptor, shared=shared):
            if time.monotonic() > until:
                raise UserError(
                    f"another program is playing the run in {str(folder)!r}; wait until it has "
                    "ended, or give another --out"
                )
            time.sleep(0.1)
        yield


def is_playing(folder: Path) -> bool:
    """Return whether a run is played in a folder; false where the file system has no locks."""
    for path in (folder, folder / GAMES):
        try:
            with locks.opened_folder(path) as descriptor:
                if not locks.take(descriptor):
                    return True
        except OSError:
            continue
    return False


# The process that asks

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What a run does with a request; it raises UserError for one that it refuses."""


@dataclass(frozen=True)
class Inbox:
    """The requests to one process that asks."""

    folder: Path
    name: str

    def poll(self, answer: Answer) -> None:
        """Answer the requests that have come, in their order. Raises nothing: a run never fails by
        its control."""
        for path in sorted(self.folder.glob(f"{self.name}.*{REQUEST}")):
            try:
                try:
                    request = _object(path, owner=os.geteuid())
                finally:
                    path.unlink()
                if request is not None:
                    _write(path.with_suffix(RESPONSE), _response(request, answer))
            except OSError as error:
                log.info("a request to the run was lost", error=str(error))


def _response(request: Mapping[str, Any], answer: Answer) -> Mapping[str, Any]:
    try:
        return {"ok": True, **answer(request)}
    except UserError as error:
        return {"ok": False, "said": str(error)}
    except Exception as error:
        log.info("a request to the run failed", exc_info=error)
        return {"ok": False, "said": f"{type(error).__name__}: {error}"}


def _object(path: Path, owner: int | None = None) -> Mapping[str, Any] | None:
    """Return the JSON object in a file (of this user, if one is given); None for anything else,
    which makes nobody wait. Raises OSError, for a link as well."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or owner not in (None, facts.st_uid):
            return None
        data = json.loads(os.read(descriptor, LARGEST))
    except (ValueError, RecursionError):
        return None
    finally:
        os.close(descriptor)
    if isinstance(data, dict):
        return data
    return None


@contextmanager
def listening(folder: Path, about: Mapping[str, Any]) -> Iterator[Inbox | None]:
    """Give the inbox of this process while it asks; None where the folder cannot hold one, which
    stops no run.

    `about`: what commands are told of this process. Unless it plays a `shard`, no other plays the
    run, and files that others have left are removed.
    """
    if not CAN_CONTROL:
        yield None
        return
    name = f"{os.getpid()}-{uuid4().hex[:8]}"
    control = folder / CONTROL
    process = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "user": _user(os.getuid()),
        "began": time.time(),
    }
    try:
        if not about.get("shard"):
            _clear(control, "*")
        descriptor = _announced(control, name, {**about, **process})
    except OSError as error:
        log.info("the run cannot be controlled while it plays", error=str(error))
        yield None
        return
    try:
        yield Inbox(control, name)
    finally:
        _clear(control, name)
        os.close(descriptor)


def _user(number: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return f"user {number}"


def _announced(control: Path, name: str, about: Mapping[str, Any]) -> int:
    """Write the file of a process under a lock that ends with the process; returns what holds the
    lock."""
    control.mkdir(mode=0o700, exist_ok=True)
    if control.is_symlink() or control.stat().st_uid != os.geteuid():
        raise PermissionError(f"{control} belongs to somebody else")
    control.chmod(0o700)
    new = control / f"{name}.new"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, json.dumps(about).encode())
        locks.take(descriptor)
        new.rename(control / f"{name}{PLAYER}")
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _clear(control: Path, name: str) -> None:
    """Remove the files of a process, and the folder with the last one."""
    with suppress(OSError):
        for path in control.glob(f"{name}.*"):
            path.unlink(missing_ok=True)
        control.rmdir()


# A command


@dataclass(frozen=True)
class Player:
    """A process that asks, as a command sees it."""

    folder: Path
    name: str
    about: Mapping[str, Any]

    @property
    def alive(self) -> bool:
        """Whether it still asks; true where that cannot be known, as on another machine."""
        if self.about.get("host") != socket.gethostname():
            return (self.folder / f"{self.name}{PLAYER}").exists()
        try:
            with (self.folder / f"{self.name}{PLAYER}").open("rb") as file:
                if not locks.take(file.fileno(), shared=True):
                    return True
                if locks.has_locks(file.fileno()):
                    return False
        except FileNotFoundError:
            return False
        except OSError:  # a file that cannot be read
            pass
        return _runs(self.about["pid"])

    def ask(self, **request: Any) -> Mapping[str, Any]:
        """Return its response. Raises TimeoutError when none comes, and UserError when it ends
        meanwhile."""
        path = self.folder / f"{self.name}.{time.time_ns()}-{uuid4().hex[:8]}{REQUEST}"
        process = f"process {self.about.get('pid')} on {self.about.get('host')}"
        _write(path, request)
        if (response := self._response(path.with_suffix(RESPONSE))) is not None:
            return response
        with suppress(FileNotFoundError):
            path.unlink()  # nobody has read it
            raise TimeoutError(
                f"{process} plays the run and does not answer; it is busy or stopped. Nothing "
                "was changed, try again"
            )
        if (response := self._response(path.with_suffix(RESPONSE))) is not None:
            return response
        raise TimeoutError(
            f"{process} has read the command and does not say what came of it; see "
            "`orchestrator experiment status`"
        )

    def _response(self, path: Path) -> Mapping[str, Any] | None:
        """Wait for a response; None if none comes in time."""
        until = time.monotonic() + PATIENCE_S
        while not path.exists():
            if time.monotonic() > until:
                return None
            if not self.alive and not path.exists():
                raise UserError("the process that played the run has ended meanwhile")
            time.sleep(POLL_S)
        response: Mapping[str, Any] = json.loads(regular_files.text(path))
        path.unlink(missing_ok=True)
        return response


def players(folder: Path) -> list[Player]:
    """Return the processes that ask the run in a folder; the files of those that were killed are
    removed.

    Raises UserError where another user plays it.
    """
    control = folder / CONTROL
    try:
        files = sorted(path for path in control.iterdir() if path.suffix == PLAYER)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError:
        owner = _user(control.stat().st_uid)
        raise UserError(
            f"the run in {str(folder)!r} is played by {owner}, and only they can control it"
        ) from None
    living = []
    for path in files:
        about: Mapping[str, Any] = {}
        with suppress(OSError):  # a file that is gone
            about = _object(path) or {}
        if not isinstance(about.get("pid"), int) or not isinstance(about.get("host"), str):
            continue  # no process wrote it
        player = Player(control, path.stem, about)
        if player.alive:
            living.append(player)
        else:
            _clear(control, player.name)
    return living


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0


def _write(path: Path, data: Mapping[str, Any]) -> None:
    """Write a file in one go, readable by the owner alone."""
    part = path.with_suffix(".part")
    with os.fdopen(
        os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(data, file)
    if os.geteuid() == 0:  # root may control any run, whose owner must be able to read this
        os.chown(part, path.parent.stat().st_uid, -1)
    part.rename(path)


DEAF = "it is about to begin or to end, or it cannot write to its folder"
"""Why a run that is played may take no commands."""


def command(folder: Path, name: str, **arguments: Any) -> dict[str, Any]:
    """Have every process that asks in a run folder do something: several do if they are shards.

    Returns what each said. Raises UserError for a run that is not running, or when all refuse.
    """
    processes = players(folder)
    if not CAN_CONTROL:
        raise UserError(
            "on this system a run takes no commands while it plays; stop it with Ctrl-C"
        )
    if not processes:
        if is_playing(folder):
            raise UserError(f"the run in {str(folder)!r} takes no commands: {DEAF}")
        onward = {
            "retry": "; the command that started it plays failed and suspended games again",
            "resume": "; repeat the command that started it",
        }
        raise UserError(f"the run in {str(folder)!r} is not running{onward.get(name, '')}")
    answers = [(player, player.ask(command=name, **arguments)) for player in processes]
    if not any(answer.get("ok") for _, answer in answers):
        raise UserError("; ".join(dict.fromkeys(str(answer.get("said")) for _, answer in answers)))
    sentences = []
    for player, answer in answers:
        if answer.get("ok"):
            shard = player.about.get("shard") if len(answers) > 1 else None
            sentences.append(f"shard {shard}: {answer['said']}" if shard else str(answer["said"]))
    return {"ok": True, "said": sentences}


def live_status(folder: Path) -> dict[str, Any]:
    """Return what the processes that ask in a run folder say, and sentences on those that say
    nothing."""
    answers: list[dict[str, Any]] = []
    silent: list[str] = []
    try:
        processes = players(folder)
    except UserError as error:
        processes = []
        silent = [str(error)]
    for player in processes:
        try:
            answers.append({**player.about, **player.ask(command="status")})
        except (UserError, TimeoutError) as error:
            silent.append(str(error))
    if not processes and not silent and is_playing(folder):
        silent.append(f"a process that takes no commands: {DEAF}")
    failed = {}
    for answer in answers:
        for unit, why in answer["failed"].items():
            failed[unit] = why
    suspended = {}
    for answer in answers:
        for unit, why in answer["suspended"].items():
            suspended[unit] = why
    return {
        "playing": sum(answer["playing"] for answer in answers),
        "failed": failed,
        "suspended": suspended,
        "players": answers,
        "silent": silent,
    }
