"""The journal of a game: JSON lines, one event each, in the order in which things happened.

It is the only record. A line is `{"v": 1, "event": tag, "t": iso time, ...}` and is on disk before `write` returns.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from orchestrator.errors import UserError
from orchestrator.events import Call, Event, Ruled, StoredEvent

VERSION = 1

_EVENT: TypeAdapter[Event] = TypeAdapter(StoredEvent)


class Journal:
    """A new journal file; a sink of events.

    Raises UserError when it cannot be written, and rather than write over a game.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("x", encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write the journal {str(path)!r}: {error.strerror}") from None
        self.path = path

    def __call__(self, event: Event) -> None:
        head = {"v": VERSION, "event": event.event, "t": datetime.now(UTC).isoformat(timespec="milliseconds")}
        line = head | event.model_dump(mode="json", exclude={"event"})
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()


def read(path: Path) -> list[Event]:
    """The events of a journal. Raises UserError when it is not one."""
    return [_event(path, number, line) for number, line in _lines(path)]


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path} as a journal: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path} as a journal: it is not text") from None
    *lines, last = text.split("\n")  # not splitlines: a reply may hold other line separators
    if last.strip() and _whole(last):  # a killed game may have left half a line
        lines.append(last)
    return [(number, _parsed(path, number, line)) for number, line in enumerate(lines, 1) if line.strip()]


def _whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise UserError(f"{path}, line {number}: not a journal line; each is one JSON object")
    if data.get("v") != VERSION:
        raise UserError(f"{path}, line {number}: journal version {data.get('v')!r}; this program reads {VERSION}")
    return data


def _event(path: Path, number: int, data: dict[str, Any]) -> Event:
    try:
        return _EVENT.validate_python({key: value for key, value in data.items() if key not in ("v", "t")})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}, line {number}: {where}: {first['msg']}") from None


def comparable(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events without latencies, a turn's calls in the order of their keys and its verdicts after them.

    Two games are the same when these are equal: nodes that run at the same time finish in any order.
    """
    plain: list[dict[str, Any]] = []
    waiting: list[Call | Ruled] = []
    for event in events:
        if isinstance(event, Call | Ruled):
            waiting.append(event)
            continue
        plain += [one.model_dump(mode="json", exclude={"latency_s"}) for one in sorted(waiting, key=_place)]
        waiting = []
        plain.append(event.model_dump(mode="json"))
    return plain


def _place(event: Call | Ruled) -> tuple[bool, str, int, int]:
    if isinstance(event, Ruled):
        return True, event.node, 0, 0
    return False, event.node, event.sample, event.ask
