"""A full disk stops a game with a sentence: what was answered is kept, and nothing is asked while it is full."""

import asyncio
import errno
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import Suspended, Unwritten
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard
from hanabi_orchestrator.orchestrator.journal import file, fsync, spare_room
from hanabi_orchestrator.orchestrator.journal.events import Call, Result
from hanabi_orchestrator.orchestrator.models.cache import Cache, Cached
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    Scripted,
)
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.roles.reply_types import Choice
from tests.support.small_graph import scripted

FULL = OSError(errno.ENOSPC, "No space left on device")


@dataclass
class Disk:
    """A disk that is full after this many lines, until the room that was kept free on it is given up."""

    lines: int


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    state = Disk(10_000)
    write = file.Journal._write

    def line(self: file.Journal, data: bytes) -> None:
        if state.lines <= 0 and not self._room.given_up:
            raise FULL
        state.lines -= 1
        write(self, data)

    def room(self: spare_room.SpareRoom, folder: Path) -> None:
        self.given_up = False
        self._open = ExitStack()
        if state.lines <= 0:
            raise FULL

    monkeypatch.setattr(file.Journal, "_write", line)
    monkeypatch.setattr(spare_room.SpareRoom, "__init__", room)
    monkeypatch.setattr(spare_room, "_ROOMS", {})
    yield state


class Waiting(Scripted):
    """Answers of nodes that are asked at the same time are under way at the same time."""

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        await asyncio.sleep(0.001)
        return await super().__call__(request, messages)


def brain() -> Waiting:
    return Waiting(scripted().answers)


def game(path: Path, brain: Scripted, **more: Any) -> Result:
    return play(
        graphs.seat("moa_watson", brain), players=3, seed=4, journal=path, max_turns=4, **more
    )


@pytest.mark.parametrize("lines", (3, 4, 6, 7, 9, 14))
def test_a_full_disk_loses_no_answer_and_pays_for_none_again(
    lines: int, disk: Disk, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    whole = brain()
    first = brain()
    game(tmp_path / "whole.jsonl", whole)
    disk.lines = lines
    with pytest.raises(Suspended) as stop:
        game(path, first)
    assert stop.value.held and stop.value.unwritten
    said = f"cannot write the journal {str(path)!r}: No space left on device; make room on its disk"
    assert str(stop.value).startswith(said)
    assert sum(isinstance(event, Call) and event.of_model for event in journal.read(path)) == len(
        first.asked
    )
    again = brain()
    before = path.read_bytes()
    with pytest.raises(Suspended, match="No space left"):  # the disk is still full
        game(path, again)
    assert not again.asked and path.read_bytes() == before
    disk.lines = 10_000
    game(path, again)
    assert len(first.asked) + len(again.asked) == len(whole.asked)
    assert journal.comparable(journal.read(path)) == journal.comparable(
        journal.read(tmp_path / "whole.jsonl")
    )


def test_half_a_line_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        """A file that takes ten bytes of a line before its disk is full."""

        def __init__(self, made: Any) -> None:
            self._made = made
            self._taken = False

        def __getattr__(self, name: str) -> Any:
            return getattr(self._made, name)

        def write(self, data: bytes) -> int:
            if self._taken:
                raise FULL
            self._taken = True
            return int(self._made.write(data[:10]))

    with file.Journal(tmp_path / "x.jsonl") as written:
        written._write(b"whole\n")
        monkeypatch.setattr(written, "_file", Half(written._file))
        with pytest.raises(OSError, match="No space"):
            written._write(b"0123456789 and more\n")
        assert (tmp_path / "x.jsonl").read_bytes() == b"whole\n"


def test_a_disk_that_fails_later_stops_the_game_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(number: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fsync, "sync", broken)
    with pytest.raises(Suspended, match=r"cannot write the journal .*: Input/output error") as stop:
        game(tmp_path / "x.jsonl", brain())
    assert stop.value.unwritten


def test_room_is_kept_without_a_name_and_given_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spare_room, "_ROOMS", {})
    room = spare_room.on_disk_of(tmp_path)
    assert spare_room.on_disk_of(tmp_path) is room and not list(tmp_path.iterdir())
    room.give_up()
    assert spare_room.on_disk_of(tmp_path) is not room


async def test_a_cache_that_cannot_be_written_stops_before_the_next_request(tmp_path: Path) -> None:
    inner = scripted(proposer="x" * 20_000)
    cache = Cache(tmp_path)
    shared = Cached(inner, cache, settings("openai:m@http://127.0.0.1:9/v1"))
    cache._answers.execute("PRAGMA max_page_count = 1")  # SQLite's own full disk
    question = ModelRequest(
        node="a", role="proposer", sample=0, parts=(), reply=Choice, moves={"0": Discard(slot=0)}
    )
    assert (await shared(question, ())).text
    with pytest.raises(
        Unwritten,
        match=rf"cannot write the cache '{tmp_path}': database or disk is full; make room",
    ):
        await shared(replace(question, node="b"), ())
    assert len(inner.asked) == 1


def test_a_cache_that_others_write_to_is_used_all_the_same(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    other = sqlite3.connect(tmp_path / "answers.sqlite", isolation_level=None)
    cache._answers.execute("PRAGMA busy_timeout = 1")
    other.execute("BEGIN IMMEDIATE")
    cache.put("key", ModelResponse(text="x", finish="stop"))
    cache.check()
    other.execute("COMMIT")
