"""Where each line of a journal lies, without parsing the calls, which are nearly all of it.

A game of a real model can have hundreds of megabytes of prompts. What a page shows of the whole game is in the short
lines; of a call, its head and its tail say who was asked, what became of it and what it cost.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from orchestrator.errors import UserError
from orchestrator.journal import file
from orchestrator.journal.events import Event
from orchestrator.models.fake_server import FINGERPRINT

SHORT = ("game_started", "verdict", "decided", "moved", "suspended", "game_ended")
"""The lines that are parsed at once."""


@dataclass(frozen=True)
class CallBrief:
    """What a game page tells of a call."""

    node: str
    asked: bool
    """Whether it asked a model."""
    outcome: str
    tokens_in: int
    tokens_out: int
    usd: float | None
    cached: bool
    seconds: float
    fake: bool


@dataclass(frozen=True)
class Line:
    """A line of a journal."""

    tag: str
    start: int
    """In bytes."""
    size: int
    turn: int
    """0 before the first turn."""
    at: float
    """When it was written, in seconds since 1970; 0 where it does not say."""
    data: Mapping[str, Any] | None = None
    """Of short lines."""
    call: CallBrief | None = None


@dataclass
class LineIndex:
    """The lines of a journal that may still grow; `refresh` reads what is new."""

    path: Path
    lines: list[Line] = field(default_factory=list)
    end: int = 0
    """Up to where the file has been read, in bytes."""
    _file: tuple[int, int] = (0, 0)
    _number: int = 0

    def refresh(self) -> None:
        """Read what was written since. Raises UserError for what is no journal, and OSError when the file is gone."""
        with self.path.open("rb", buffering=2**20) as opened:
            stat = os.fstat(opened.fileno())
            if (stat.st_dev, stat.st_ino) != self._file or stat.st_size < self.end:
                self.lines, self.end, self._number = [], 0, 0
                self._file = stat.st_dev, stat.st_ino
            if stat.st_size == self.end:
                return
            opened.seek(self.end)
            for line in opened:
                if not line.endswith(b"\n") and not file.is_whole(line):
                    break
                self._add(line)
                self.end += len(line)

    def _add(self, line: bytes) -> None:
        self._number += 1
        if line.isspace():
            return
        try:
            self.lines.append(_line(line, self.end, self.lines[-1].turn if self.lines else 0))
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.path.name}, line {self._number}: {error}") from None
        if self.lines[0].tag != "game_started":
            raise UserError(f"{self.path.name} does not start with a game_started line, so it is not a game")

    def of(self, tag: str) -> Iterator[Line]:
        return (line for line in self.lines if line.tag == tag)

    def data(self, tag: str) -> Iterator[Mapping[str, Any]]:
        """The short lines of a tag."""
        return (line.data for line in self.of(tag) if line.data is not None)

    def events(self, turn: int) -> list[tuple[Line, Event]]:
        """All events of a turn, parsed. Raises UserError."""
        found = []
        with self.path.open("rb") as opened:
            for line in self.lines:
                if line.turn == turn and line.tag != "game_started":
                    opened.seek(line.start)
                    found.append((line, self._parsed(opened.read(line.size), turn)))
        return found

    def _parsed(self, line: bytes, turn: int) -> Event:
        try:
            return file.parsed(line)
        except ValueError as error:
            raise UserError(f"{self.path.name}, turn {turn}: {error}") from None


_HEAD = re.compile(rb'\{"v": 1, "event": "(\w+)", "t": "([^"]*)"(?:, "turn": (\d+))?')
_CALL = re.compile(
    rb', "seat": \d+, "node": "([^"\\]*)", "role": "[^"\\]*", "sample": \d+, "ask": \d+, '
    rb'"model": "(?:[^"\\]|\\.)*", "prompt_hash": (null|")'
)


def _line(line: bytes, start: int, turn: int) -> Line:
    """Raises ValueError, KeyError or TypeError for a line that is no event."""
    found = _HEAD.match(line)
    tag = found[1].decode() if found else file.tag(line)
    at = _time(found[2].decode()) if found else 0.0
    data, call = None, None
    if tag in SHORT:
        data = file.data(line)
    elif tag == "call":
        call = (_brief(line, found) if found else None) or _from_data(file.data(line))
    if found and found[3]:
        turn = int(found[3])
    elif data is not None:
        turn = int(data["past"]["turn"] if tag == "moved" else data.get("turn", turn))
    elif not found:
        turn = int(file.data(line).get("turn", turn))
    return Line(tag, start, len(line), turn, at, data, call)


def _time(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _brief(line: bytes, head: re.Match[bytes]) -> CallBrief | None:
    """From the head and the tail of a line; None where they are not as this version writes them.

    A quotation mark inside a text is escaped, so what is found from the end is a key.
    """
    who = _CALL.match(line, head.end())
    told = {key: _last(line, key) for key in ("outcome", "tokens_in", "tokens_out", "usd", "cached", "latency_s")}
    if who is None or any(told[key] is None for key in ("outcome", "tokens_in", "tokens_out", "latency_s")):
        return None
    return CallBrief(
        node=who[1].decode(),
        asked=who[2] != b"null",
        outcome=(told["outcome"] or b"").strip(b'"').decode(),
        tokens_in=int(told["tokens_in"] or 0),
        tokens_out=int(told["tokens_out"] or 0),
        usd=None if told["usd"] in (None, b"null") else float(told["usd"] or 0),
        cached=told["cached"] == b"true",
        seconds=float(told["latency_s"] or 0),
        fake=_last(line, "fingerprint") == f'"{FINGERPRINT}"'.encode(),
    )


_VALUE = re.compile(rb'"[^"\\]*"|[\w.+-]+')


def _last(line: bytes, key: str) -> bytes | None:
    mark = f'"{key}": '.encode()
    place = line.rfind(mark)
    found = _VALUE.match(line, place + len(mark)) if place >= 0 else None
    return found[0] if found else None


def _from_data(call: Mapping[str, Any]) -> CallBrief:
    return CallBrief(
        node=str(call["node"]),
        asked=call.get("prompt_hash") is not None,
        outcome=str(call.get("outcome", "ok")),
        tokens_in=int(call.get("tokens_in") or 0),
        tokens_out=int(call.get("tokens_out") or 0),
        usd=call.get("usd"),
        cached=bool(call.get("cached")),
        seconds=float(call.get("latency_s") or 0),
        fake=call.get("fingerprint") == FINGERPRINT,
    )
