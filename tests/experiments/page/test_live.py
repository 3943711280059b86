"""A run that still goes: half lines, journals that grow, games that end, fail, or vanish."""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator.experiments.page import games
from hanabi_orchestrator.experiments.record import run_folder
from tests.experiments.page.conftest import client
from tests.experiments.page.test_api import GAME, got


@pytest.fixture
def going(
    run_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[TestClient, Path, list[bytes]]]:
    """A run whose game GAME has played ten moves: its page, its journal, and the lines that are still to come."""
    monkeypatch.setattr(games, "RECENT_S", 0.0)
    journal = run_copy / "games" / f"{GAME}.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    tenth = [number for number, line in enumerate(lines) if b'"event": "moved"' in line[:40]][9] + 1
    journal.write_bytes(b"".join(lines[:tenth]))
    (run_copy / "results.csv").unlink()
    with journal.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield client(run_copy), journal, lines[tenth:]


def append(journal: Path, more: bytes) -> None:
    with journal.open("ab") as file:
        file.write(more)


def state(page: TestClient) -> dict[str, Any]:
    table = got(page, "games")
    rows = (dict(zip(table["keys"], row, strict=True)) for row in table["rows"])
    return next(row for row in rows if row["id"] == GAME)


def test_a_game_that_is_played_shows_how_far_it_is(
    going: tuple[TestClient, Path, list[bytes]],
) -> None:
    page, _, _ = going
    row = state(page)
    assert (row["state"], row["turns"], row["score_strict"]) == ("going", 10, None)
    game = got(page, "game", id=GAME)
    assert game["state"] == "going" and game["result"] is None
    assert len(game["turns"]) == 11 and game["turns"][-1]["move"] is None
    assert got(page, "version")["going"] and got(page, "run")["going"]


def test_new_lines_appear_and_half_a_line_does_not(
    going: tuple[TestClient, Path, list[bytes]],
) -> None:
    page, journal, rest = going
    before = got(page, "version")["version"]
    assert len(got(page, "game", id=GAME)["turns"]) == 11
    turn = next(number for number, line in enumerate(rest) if b'"event": "moved"' in line[:40]) + 1
    whole = b"".join(rest[:turn])
    half = rest[turn][:60]
    append(journal, whole + half)
    assert got(page, "version")["version"] != before
    assert len(got(page, "game", id=GAME)["turns"]) == 12 and state(page)["turns"] == 11
    append(journal, rest[turn][60:] + b"".join(rest[turn + 1 :]))
    game = got(page, "game", id=GAME)
    assert game["state"] == "finished" and game["result"]["turns"] == len(game["turns"])
    assert state(page)["state"] == "finished"


def test_arms_are_reckoned_again_when_a_game_ends(
    going: tuple[TestClient, Path, list[bytes]],
) -> None:
    page, journal, rest = going

    def games() -> dict[str, int]:
        return {arm["name"]: arm["games"] for arm in got(page, "run")["arms"]}

    assert games() == {"iggi": 2, "piers": 1}
    append(journal, b"".join(rest))
    assert games() == {"iggi": 2, "piers": 2}


def test_a_version_stays_while_nothing_changes(page: TestClient) -> None:
    assert got(page, "version") == got(page, "version")
    assert not got(page, "version")["going"]


def test_a_game_that_nobody_plays_is_suspended_and_says_why(
    run_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "RECENT_S", 0.0)
    journal = run_copy / "games" / f"{GAME}.jsonl"
    first = journal.read_bytes().splitlines(keepends=True)[:2]
    journal.write_bytes(b"".join(first))
    page = client(run_copy)
    assert (
        state(page)["state"] == "suspended" and "interrupted" in got(page, "game", id=GAME)["why"]
    )
    said = b'{"v": 2, "event": "suspended", "t": "2026-01-01T00:00:00+00:00", "turn": 1, "why": "no more money"}\n'
    journal.write_bytes(b"".join(first) + said)
    game = got(page, "game", id=GAME)
    assert (game["state"], game["why"]) == ("suspended", "no more money")
    assert game["turns"][-1]["suspended"] == ["no more money"]


def test_a_game_that_failed_says_why(run_copy: Path) -> None:
    journal = run_copy / "games" / f"{GAME}.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    run_folder.write_failures(run_copy, {GAME: "turn 1: the player raised an error"}, ())
    page = client(run_copy)
    assert state(page)["state"] == "failed"
    assert got(page, "game", id=GAME)["why"] == "turn 1: the player raised an error"


def test_a_game_that_vanished_is_not_there_any_more(run_copy: Path) -> None:
    page = client(run_copy)
    assert len(got(page, "games")["rows"]) == 4 and got(page, "game", id=GAME)
    (run_copy / "games" / f"{GAME}.jsonl").unlink()
    assert len(got(page, "games")["rows"]) == 3
    answer = page.get("/api/game", params={"id": GAME})
    assert answer.status_code == 404 and "there is no game" in answer.json()["error"]


def test_a_journal_that_was_replaced_is_read_anew(run_copy: Path) -> None:
    page = client(run_copy)
    journal = run_copy / "games" / f"{GAME}.jsonl"
    turns = len(got(page, "game", id=GAME)["turns"])
    other = (run_copy / "games/iggi/2p-s1-r1.jsonl").read_bytes()
    journal.unlink()
    journal.write_bytes(other)
    again = got(page, "game", id=GAME)
    assert (
        again["result"]["graph"] == "partner:iggi"
        and len(again["turns"]) == again["result"]["turns"] != turns
    )


def test_a_journal_that_another_was_copied_over_is_read_anew(run_copy: Path) -> None:
    """`cp` keeps the inode, and the other game may be longer."""
    page = client(run_copy)
    journal = run_copy / "games" / f"{GAME}.jsonl"
    assert got(page, "game", id=GAME)["result"]["graph"] == "partner:piers"
    other = (run_copy / "games/iggi/2p-s1-r1.jsonl").read_bytes()
    journal.write_bytes(other.ljust(journal.stat().st_size + 10, b"\n"))
    assert got(page, "game", id=GAME)["result"]["graph"] == "partner:iggi"


def test_a_journal_that_breaks_off_in_the_middle_is_named(run_copy: Path) -> None:
    journal = run_copy / "games" / f"{GAME}.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(
        b"".join([*lines[:3], b'{"v": 2, "event": "decided", nonsense\n', *lines[3:]])
    )
    answer = client(run_copy).get("/api/game", params={"id": GAME})
    assert answer.status_code == 400 and "line 4" in answer.json()["error"]
