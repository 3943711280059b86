"""The journal file of a game: JSON lines, one event each, in the order in which things happened.

It is the only record of a game. A line is `{"v": 2, "event": tag, "t": iso time, ...}`. It is written before `__call__`
returns, so that a killed program loses nothing that it knew; `flush` waits until the responses of models are on the
disk, so that a power failure loses none of them either. Times are stored in the file alone, not in events.

`whole_lines`, `lines`, `ends`, `tag`, `data` and `parsed` are the one reader of the format, from raw bytes to typed
events. `whole_lines` alone knows what half a last line is; whoever reads a journal reads it through that.
"""

import errno
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError

from hanabi_orchestrator.orchestrator import locks
from hanabi_orchestrator.orchestrator.errors import Unwritten, UserError, did_you_mean, nearby
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.journal import fingerprint, fsync, spare_room
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Event,
    GameStarted,
    Moved,
    StoredEvent,
    TurnStarted,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.printable import writable
from hanabi_orchestrator.orchestrator.regular_files import appending, reading
from hanabi_orchestrator.orchestrator.replies.values import models_in

VERSION = 2

HEAD = b'{"v": 2, "event": '
"""How every line begins."""

TAIL = 16384
"""Bytes; the last lines of a finished game are shorter."""

LONGEST = 64 * 2**20
"""Bytes of a line; the longest prompt that any model takes has less."""

_START = re.compile(rb'\{"v": 2, "event": ("\w+"), "t": "[\w.:+-]*"')
"""The beginning of a line as this version writes it."""

NOT_TEXT = "not UTF-8 text"

SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may stand for half a character, which this program never writes."""

_EVENT: TypeAdapter[Event] = TypeAdapter(StoredEvent)


class InUse(UserError):  # noqa: N818  # the state of a file
    """A journal that another program writes."""


class Journal:
    """A journal file, new or to be continued, as a sink of events.

    `lean`: leave out what can be computed again from the deck and the moves: views and the replies of programs, nine
    tenths of the journal when programs play; the game can be resumed and replayed like any other. Half a last line,
    left by a killed program, is cut off. Raises UserError when the file cannot be written, is not a journal, or is
    being written by another program, and Unwritten when its disk is full.
    """

    def __init__(self, path: Path, *, lean: bool = False) -> None:
        self.path = path
        self.lean = lean
        self._fresh = False
        """True if a response was written that may not be on the disk yet."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._room = spare_room.on_disk_of(path.parent)
            self._file = appending(path)
        except OSError as error:
            if error.errno in spare_room.FULL:
                raise self._unwritten(error) from None
            raise UserError(f"cannot write the journal {str(path)!r}: {error.strerror}") from None
        try:
            if not locks.take(self._file.fileno(), others_read=True):
                raise InUse(f"another program is playing the game of {str(path)!r}")
            kept = [*lines(path)]
            if not kept and not may_begin(path):
                raise UserError(f"{str(path)!r} is not a journal; it stays as it is")
            self.events = _events(kept, path)
            self._file.truncate(sum(map(len, kept)))
            if kept and not kept[-1].endswith(b"\n"):
                self._file.write(b"\n")
        except BaseException:
            self._file.close()
            raise

    def __call__(self, event: Event) -> None:
        """Raises Unwritten when the disk is full; the event may have been written all the same."""
        view_or_program = isinstance(event, TurnStarted) or (
            isinstance(event, Call) and not event.of_model
        )
        if self.lean and view_or_program:
            return
        head = {
            "v": VERSION,
            "event": event.event,
            "t": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        line = head | event.model_dump(mode="json", exclude={"event"})
        self._append(f"{json.dumps(line, ensure_ascii=False)}\n".encode())
        self._fresh |= isinstance(event, Call) and event.of_model and not event.simulated
        if self._room.given_up:
            raise self._unwritten(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def begin_with(self, started: GameStarted) -> None:
        """Write the first line anew: of a game that somebody else deals, the deck is seen card by card.

        Only the deck and its hash may differ, so that the line keeps its length. Raises Unwritten.
        """
        with self.path.open("r+b", buffering=0) as file:
            old = file.readline()
            line = json.loads(old) | started.model_dump(mode="json", exclude={"event"})
            new = f"{json.dumps(line, ensure_ascii=False)}\n".encode()
            assert len(new) == len(old), "the same line with another deck"
            try:
                file.seek(0)
                file.write(new)
            except OSError as error:
                raise self._unwritten(error) from None

    def _append(self, line: bytes) -> None:
        """Raises Unwritten when there is no room, not even that which was kept free."""
        try:
            self._write(line)
        except OSError as error:
            if error.errno not in spare_room.FULL or self._room.given_up:
                raise self._unwritten(error) from None
            self._room.give_up()
            self._append(line)

    def _write(self, line: bytes) -> None:
        """Write a line whole or not at all. Raises OSError."""
        before = os.fstat(self._file.fileno()).st_size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(before)
            raise

    def _unwritten(self, error: OSError) -> Unwritten:
        return Unwritten(f"the journal {str(self.path)!r}", error)

    async def flush(self) -> None:
        """Wait until the responses that were written are on the disk. Raises Unwritten."""
        if self._fresh:
            self._fresh = False
            try:
                await fsync.sync(self._file.fileno())
            except OSError as error:
                raise self._unwritten(error) from None

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


# Reading


def read(path: Path) -> list[Event]:
    """Return the events of a journal. Raises UserError, which names the line, when it is not one."""
    return _events(lines(path), path)


def _events(lines: Iterable[bytes], path: Path) -> list[Event]:
    events = []
    for number, line in enumerate(lines, 1):
        try:
            events += [parsed(line)] if line.strip() else []
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
    return events


class Foreign(ValueError):  # noqa: N818  # named for what a line is
    """A line that some other program wrote: a JSON object without a version of ours."""


class Changed(ValueError):  # noqa: N818  # named for what happened to the file
    """A journal says something else than when it was written."""


def whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines from where a file stands, not parsed. Half a last line, left by a killed program or a power
    failure, is no line; a last line without a line break is one where it was written to its end. Raises OSError."""
    while line := file.readline(LONGEST):
        if not line.endswith(b"\n"):
            if len(line) == LONGEST:
                raise OSError(errno.EFBIG, f"it has a line of more than {LONGEST // 2**20} MB")
            if not _is_whole(line):
                return
        yield line


def lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a journal one by one. Raises UserError when the file cannot be read."""
    try:
        with reading(path) as file:
            yield from whole_lines(file)
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> UserError:
    """Return the sentence on a file that cannot be read as a journal."""
    if isinstance(error, IsADirectoryError):
        return UserError(
            f"{path} is a folder, not a journal; `orchestrator list games {path}` lists its games"
        )
    return UserError(f"cannot read {path} as a journal: {error.strerror}{nearby(path)}")


def ends(path: Path) -> tuple[bytes, list[bytes]]:
    """Return the first line of a journal and its last two, not parsed; what lies between is read only where the last
    ones are long. A first line that was never finished is empty. Raises OSError."""
    with reading(path) as file:
        first = next(whole_lines(file), b"")
        start = size = file.seek(0, os.SEEK_END)
        last = list[bytes]()
        tail = TAIL
        while first and start and len(last) < 2:
            start = file.seek(max(0, size - tail))
            if start:
                file.readline(LONGEST)  # the line in which the tail begins
            last = [line for line in whole_lines(file) if not line.isspace()]
            tail *= 8
    return first, last[-2:]


def may_begin(path: Path) -> bool:
    """Return whether a file without a whole line is a journal that was cut off in its first one: a power failure can
    leave zeros where nothing was written yet. Raises OSError."""
    with reading(path) as file:
        return HEAD.startswith(file.read(len(HEAD)).rstrip(b"\0"))


def tag(line: bytes) -> str:
    """Return which event a line holds. Raises ValueError when it holds none."""
    if line.startswith(HEAD):  # without parsing: most lines of a long journal are not wanted
        return line[len(HEAD) + 1 : line.find(b'"', len(HEAD) + 1)].decode()
    return str(data(line)["event"])


def data(line: bytes) -> dict[str, Any]:
    """Return the event of a line as plain data. Raises ValueError, in a sentence, when it holds none, Foreign
    when it is another program's."""
    try:
        event = json.loads(line.decode("utf-8"))
        if SURROGATE.search(line):
            event = json.loads(writable(json.dumps(event, ensure_ascii=False)))
    except UnicodeDecodeError:
        raise ValueError(NOT_TEXT) from None
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise ValueError("not a journal line; each is one JSON object")
    version = event.pop("v", None)
    if version != VERSION:
        kind = Foreign if version is None else ValueError
        older = isinstance(version, int) and version < VERSION
        remedy = "; an older release wrote it, and reads it" if older else ""
        raise kind(f"journal version {version!r}; this program reads {VERSION}{remedy}")
    event.pop("t", None)
    if event.get("event") == "game_started" and not fingerprint.holds(event):
        raise Changed("its config_hash is not that of its deck and its seats")
    return event


def parsed(line: bytes) -> Event:
    """Return the event of a line. Raises ValueError, in a sentence, when it holds none."""
    start = _START.match(line)
    if start and start[1] != b'"game_started"':  # whose hash is checked
        try:  # in one step, twice as fast; whatever does not fit is read again below, in two
            return _EVENT.validate_json(b'{"event": %b%b' % (start[1], line[start.end() :]))
        except ValidationError:
            pass
    try:
        return _EVENT.validate_python(data(line))
    except ValidationError as error:
        raise ValueError(_complaint(error)) from None


def _complaint(error: ValidationError) -> str:
    """Return the first thing that is wrong with an event; an unknown key comes before what else is wrong beside it."""
    problems = error.errors()
    where: Sequence[int | str] = problems[0]["loc"]
    message = problems[0]["msg"]
    unknown = [problem["loc"] for problem in problems if problem["type"] == "extra_forbidden"]
    if around := [place for place in unknown if place[:-1] == where[: len(place) - 1]]:
        *where, key = min(around, key=len)
        message = f"Value error, unknown key {key!r}; {did_you_mean(key, _keys(where))}"
    return f"{'.'.join(map(str, where))}: {message}"


def _keys(place: Sequence[int | str]) -> Iterable[str]:
    """Return the keys of the value at a place in an event, which begins with its tag."""
    kinds: tuple[type[BaseModel], ...] = get_args(Event)
    fields = next(
        kind.model_fields for kind in kinds if kind.model_fields["event"].default == place[0]
    )
    for part in place[1:]:
        if part in fields:
            model = next(models_in(fields[part].annotation), None)
            of_game: type[BaseModel] = getattr(get(DEFAULT), str(part), None) or BaseModel
            fields = (model or of_game).model_fields
    return fields


def _is_whole(line: bytes) -> bool:
    """Return whether a last line without a line break was written to its end."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


# Whole games


def public_record(events: Iterable[Event]) -> Any:
    """Return the record of a game that was played, in Hanabi a `Record`. Raises UserError for events that do not begin
    a game, and for a game without such records."""
    first, *rest = events
    if not isinstance(first, GameStarted):
        raise UserError("these events do not begin with game_started, so they are not a game")
    moves = tuple(event.past.move for event in rest if isinstance(event, Moved))
    return get(first.kind).public_record(first.players, first.deck, moves)


def plain(event: Event) -> dict[str, Any]:
    """Return an event as plain data, without latencies."""
    data = event.model_dump(mode="json", exclude={"latency_s"})
    for attempt in data.get("attempts", ()):
        del attempt["latency_s"], attempt["waited_s"]
    return data


def comparable(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events as plain data that can be compared: two games are the same when these are equal.

    Latencies are left out. The calls of a turn are sorted by their keys, the verdicts follow them, because nodes that
    run at the same time finish in any order.
    """
    places = list[tuple[tuple[int, int, str, int, int], Event]]()
    steps = 0
    for event in events:
        if isinstance(event, Call):
            place = (steps, 0, event.node, event.sample, event.ask)
        elif isinstance(event, VerdictGiven):
            place = (steps, 1, event.node, 0, 0)
        else:
            place = (steps, 2, "", 0, 0)
            steps = steps + 1
        places.append((place, event))
    return [plain(event) for _, event in sorted(places, key=lambda item: item[0])]
