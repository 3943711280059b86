"""The lines of a journal: the short ones as events, and where the calls lie, which are nearly all of its bytes.

A game of a real model can have hundreds of megabytes of prompts. The head and the tail of a call's line say who was
asked, what became of it and what it cost.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar, get_args

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Moved
from hanabi_orchestrator.orchestrator.models.request import FAKE, Outcome
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.regular_files import reading

SHORT = ("game_started", "verdict", "decided", "moved", "suspended", "game_ended")
"""Tags of the lines that are parsed at once."""
TAIL = 400
"""Bytes of a line that are kept, to recognize it."""

E = TypeVar("E", bound=Event)


USABLE = ("ok", "repaired")
"""Outcomes of calls whose reply was used."""


class CallBrief(NamedTuple):
    """A call without its texts."""

    node: str
    role: str
    model: str
    of_model: bool
    """Whether it asked a model."""
    ask: int
    outcome: Outcome
    tokens_in: int
    tokens_out: int
    cached_tokens: int
    reasoning_tokens: int
    usd: float | None
    cached: bool
    fixed: str | None
    """How the answer was given without asking, such as `placebo`."""
    latency_s: float
    constraint: str | None
    """What the server was asked to hold the answer to."""
    served_by: str | None
    """The model id that the provider returned."""
    fake: bool
    """Whether the package's fake server answered."""

    @classmethod
    def of(cls, call: Call) -> "CallBrief":
        return cls(**{name: getattr(call, name) for name in cls._fields})

    @property
    def usable(self) -> bool:
        return self.outcome in USABLE

    @property
    def paid(self) -> bool:
        """Whether a model answered, no cache and no simulated model."""
        given = self.cached or self.fixed or is_simulated(self.model)
        return self.of_model and self.outcome != "failed" and not given


class Line(NamedTuple):
    """A line of a journal."""

    tag: str
    turn: int
    """0 before the first turn."""
    start: int = 0
    """In bytes."""
    size: int = 0
    stamp: bytes = b""
    """When it was written, in ISO format; empty where it does not say."""
    event: Event | None = None
    """Of a short line, and of events that come from no file."""
    call: CallBrief | None = None
    """A call without its texts; None for other lines."""

    @property
    def at(self) -> float:
        """When it was written, in seconds since 1970; 0 where it does not say."""
        moment = _moment(self.stamp)
        return moment.timestamp() if moment else 0.0


@dataclass
class Lines:
    """The lines of a journal that may still grow; `refresh` reads what is new."""

    path: Path | None = None
    """None for events that come from no file."""
    first: tuple[bytes, Event] | None = None
    """The first line with its event, where that is parsed already."""
    title: str = ""
    """The file's name in messages."""
    lines: list[Line] = field(default_factory=list)
    end: int = 0
    """Up to where the file has been read, in bytes."""
    _file: tuple[int, int] = (0, 0)
    _number: int = 0
    _restarts: int = 0
    _last: bytes = b""
    """The last line that was read, or its end, by which a file that was written anew is recognized."""
    _moves: list[Move] | None = None
    """Those of a file that was read without keeping its lines."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Lines":
        """Return the lines of events in memory."""
        lines = list[Line]()
        turn = 0
        for event in events:
            turn = _turn(event, turn)
            call = CallBrief.of(event) if isinstance(event, Call) else None
            lines.append(Line(event.event, turn, event=event, call=call))
        return cls(lines=lines)

    @property
    def version(self) -> tuple[int, int]:
        """A mark that differs when more of the file was read, or another file."""
        return self._restarts, self.end

    def refresh(self) -> None:
        """Read what was written since. Raises UserError for what is no journal, and OSError when the file is gone."""
        if self.path is None:
            return
        with reading(self.path, 2**20) as opened:
            stat = os.fstat(opened.fileno())
            opened.seek(self.end - len(self._last))
            has_last = (
                opened.read(len(self._last)) == self._last
            )  # a copy over a file keeps its inode
            if (stat.st_dev, stat.st_ino) != self._file or not has_last:
                self.lines = []
                self.end = 0
                self._number = 0
                self._last = b""
                self._restarts += 1
                self._file = stat.st_dev, stat.st_ino
            if stat.st_size == self.end:
                return
            opened.seek(self.end)
            for line, _ in self._read(opened):
                self.lines.append(line)

    def _read(self, opened: BinaryIO) -> Iterator[tuple[Line, bytes]]:
        """Yield the lines from where the file stands, each with its bytes. Raises UserError for what is no journal."""
        before = self.lines[-1] if self.lines else None
        for data in file.whole_lines(opened):
            if not data.isspace():
                before = self._line(data, before)
                yield before, data
            self._number += 1
            self.end += len(data)
            self._last = data[-TAIL:]

    def _line(self, data: bytes, before: Line | None) -> Line:
        try:
            if before is None and self.first and self.first[0] == data:
                return Line("game_started", 0, 0, len(data), _stamp(data), self.first[1])
            line = _line(data, self.end, before.turn if before else 0)
        except UnicodeDecodeError:
            raise UserError(f"{self.title}, line {self._number + 1}: {file.NOT_TEXT}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.title}, line {self._number + 1}: {error}") from None
        if before is None and line.tag != "game_started":
            raise UserError(NO_GAME)
        return line

    def moves(self) -> list[Move]:
        """Return all moves that were made; of a file not read yet, from their lines alone. Raises UserError."""
        if self.path is None or self.lines:
            return [event.past.move for event in self.of_kind(Moved)]
        if self._moves is not None:
            return self._moves
        moves = list[Move]()
        number = 0
        try:
            for line in file.lines(self.path):
                number += 1
                if not line.isspace() and file.tag(line) == "moved":
                    moves.append(parse(file.data(line)["past"]["move"]))
        except UnicodeDecodeError:
            raise UserError(f"{self.title}, line {number}: {file.NOT_TEXT}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.title}, line {number}: {error}") from None
        return moves

    def of_kind(self, kind: type[E]) -> Iterator[E]:
        """Yield the events of short lines of a kind."""
        return (line.event for line in self.lines if isinstance(line.event, kind))

    def parse(self, lines: Sequence[Line]) -> Iterator[Event]:
        """Yield the events of some lines, one by one. Raises UserError."""
        if self.path is None or all(line.event for line in lines):
            yield from (line.event for line in lines if line.event)
            return
        with reading(self.path) as opened:
            for line in lines:
                if line.event is None:
                    opened.seek(line.start)
                yield line.event or self._event(line, opened.read(line.size))

    def events(self, wanted: Callable[[CallBrief], bool]) -> Iterator[Event]:
        """Yield the events of short lines and of the calls that are wanted, oldest first; of a file that was not read
        yet, line by line, without keeping any. Raises UserError."""
        if self.path is None or self.lines:
            yield from self.parse(
                [line for line in self.lines if (wanted(line.call) if line.call else line.event)]
            )
            return
        moves = list[Move]()
        with reading(self.path, 2**20) as opened:
            for line, data in Lines(self.path, self.first, self.title)._read(opened):
                if line.event and line.event.event == "moved":
                    moves.append(line.event.past.move)
                if wanted(line.call) if line.call else line.event:
                    yield line.event or self._event(line, data)
        self._moves = moves

    def _event(self, line: Line, data: bytes) -> Event:
        try:
            return file.parsed(data)
        except ValueError as error:
            raise UserError(f"{self.title}, turn {line.turn}: {error}") from None


NO_GAME = "this journal does not start with a game_started line, so it is not a game"


def _turn(event: Event, before: int) -> int:
    """Return the turn that an event belongs to; those of whole games stay at the turn before them."""
    return event.past.turn if event.event == "moved" else getattr(event, "turn", before)


_HEAD = re.compile(rb'\{"v": 2, "event": "(\w+)", "t": "([^"]*)"(?:, "turn": (\d+))?')
_CALL = re.compile(
    rb', "seat": \d+, "node": "([^"\\]*)", "role": "([^"\\]*)", "sample": \d+, "ask": (\d+), '
    rb'"model": "([^"\\]*)", "prompt_hash": (null|"\w*")'
)
_OUTCOMES: dict[bytes, Outcome] = {outcome.encode(): outcome for outcome in get_args(Outcome)}
_TAIL = re.compile(
    rb'"outcome": "(ok|repaired|reasked|fallback|failed)"(?:.*"constraint": "([^"\\]*)")?'
    rb'.*"cached": (true|false)(?:, "fixed": "(\w+)")?.*"usd": (null|[\d.e-]+), "estimated": [^,]*'
    rb', "tokens_in": (\d+), "tokens_out": (\d+)'
    rb', "cached_tokens": (\d+), "reasoning_tokens": (\d+)'
    rb'.*"served_by": (?:null|"([^"\\]*)"), "fingerprint": (?:null|"([^"\\]*)").*"latency_s": ([\d.e-]+)',
    re.DOTALL,
)


def _line(line: bytes, start: int, turn: int) -> Line:
    """Raises ValueError, KeyError or TypeError for a line that is no event."""
    head = _HEAD.match(line)
    if head and head[3]:
        if head[1] == b"turn_started":
            return Line("turn_started", int(head[3]), start, len(line), head[2])
        if head[1] == b"call" and (brief := _brief(line, head.end())):
            return Line("call", int(head[3]), start, len(line), head[2], call=brief)
    event = file.parsed(line)
    call = CallBrief.of(event) if event.event == "call" else None
    short = event if event.event in SHORT else None
    return Line(
        event.event,
        _turn(event, turn),
        start,
        len(line),
        head[2] if head else _stamp(line),
        short,
        call,
    )


def written_at(line: bytes) -> datetime | None:
    """Return when a line was written; None where it does not say, or was cut off before it could."""
    head = _HEAD.match(line)
    return _moment(head[2]) if head else None


def _moment(stamp: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp.decode())
    except ValueError:
        return None


def _stamp(line: bytes) -> bytes:
    head = _HEAD.match(line)
    return head[2] if head else str(json.loads(line).get("t") or "").encode()


def _brief(line: bytes, start: int) -> CallBrief | None:
    """Return a call without its texts, from both ends of its line; None where that is not as this version writes it.

    A quotation mark inside a text is escaped, so a name in quotation marks that is looked for from the end is a key.
    """
    head = _CALL.match(line, start)
    outcome, reasoning, rest = (
        line.rfind(key) for key in (b'"outcome": ', b'"reasoning": ', b'"latency_s": ')
    )
    tail = (
        _TAIL.match(line[outcome:reasoning] + line[rest:])
        if head and 0 <= outcome < reasoning < rest
        else None
    )
    if not (head and tail):
        return None
    node, role, ask, model, prompt_hash = head.groups()
    kind, constraint, cached, fixed, usd, *tokens, served_by, fingerprint, latency = tail.groups()
    tokens_in, tokens_out, cached_tokens, reasoning_tokens = map(int, tokens)
    return CallBrief(
        node=node.decode(),
        role=role.decode(),
        model=model.decode(),
        of_model=prompt_hash != b"null",
        ask=int(ask),
        outcome=_OUTCOMES[kind],
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cached_tokens=cached_tokens,
        reasoning_tokens=reasoning_tokens,
        usd=None if usd == b"null" else float(usd),
        cached=cached == b"true",
        fixed=_text(fixed),
        latency_s=float(latency),
        constraint=_text(constraint),
        served_by=_text(served_by),
        fake=fingerprint == FAKE.encode(),
    )


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
