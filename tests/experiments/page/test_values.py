"""Values of moves and expected scores on the page: computed when asked, kept, and not in the server's way."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator.experiments.page import values
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import Api
from hanabi_orchestrator.experiments.page.strips import Strips
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import score_strip, turn_values
from tests.experiments.page.conftest import client
from tests.experiments.page.test_api import GAME, got

LAST = 2
"""Turns of the game that is looked at: enough for a strip, few enough for a test."""


@pytest.fixture
def short(run_copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run in which GAME has played its first turns only; few rollouts."""
    path = run_copy / "games" / f"{GAME}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if b'"event": "moved"' in line[:40]]
    path.write_bytes(b"".join(lines[: ends[LAST - 1] + 1]))
    few = lambda story, turn, **more: turn_values(story, turn, rollouts=50, **more)  # noqa: E731
    monkeypatch.setattr(values, "turn_values", few)
    return run_copy


def awaited(page: TestClient) -> Any:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        found = got(page, "strip", id=GAME)
        if found["ready"]:
            return found
        assert found["expected"] == [None] * LAST and found["done"] <= LAST
        time.sleep(0.2)
    raise AssertionError("no strip came")


def test_the_values_of_a_turn_name_the_best_and_the_played_move(short: Path) -> None:
    page = client(short)
    found = got(page, "values", id=GAME, turn=2)
    game = got(page, "game", id=GAME)
    assert (
        found["played"] == game["turns"][1]["move"] and found["moves"][0]["move"] == found["best"]
    )
    assert [one["rank"] for one in found["moves"]] == list(range(1, len(found["moves"]) + 1))
    view = Game.open(short / "games" / f"{GAME}.jsonl").turn(2).view
    assert {one["move"]["text"] for one in found["moves"]} == set(map(str, view.legal))
    assert "expected final score" in found["basis"]


def test_expected_scores_are_computed_beside_the_server_and_kept_in_the_run(short: Path) -> None:
    page = client(short)
    strip = awaited(page)
    assert len(strip["expected"]) == len(strip["error"]) == len(strip["swings"]) == LAST
    story = Game.open(short / "games" / f"{GAME}.jsonl")
    assert strip["expected"][:-1] == list(score_strip.strip(story, mistakes=False).expected)
    table = got(page, "games")
    row = next(
        dict(zip(table["keys"], row, strict=True)) for row in table["rows"] if row[0] == GAME
    )
    assert row["swing"] == max(strip["swings"], key=abs)
    assert got(client(short), "strip", id=GAME) == strip, (
        "another server finds it in the run's folder"
    )


def test_a_strip_of_other_moves_is_not_shown(short: Path) -> None:
    kept = short / "values/games" / f"{GAME}.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(
        json.dumps({"mark": "x", "swings": [9], "expected": [9], "mistakes": []}), "utf-8"
    )
    api = Api(Library.open(short))
    try:
        assert api.ask("strip", id=GAME)["ready"] is False
    finally:
        api.close()


def test_a_computation_that_fails_says_so(
    short: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    api = Api(Library.open(short))
    game = api.games.game(GAME)
    strips = Strips(tmp_path, "strict")
    monkeypatch.setattr(
        "hanabi_orchestrator.experiments.page.strips.StripJob.outcome",
        lambda job: {"failed": "out of memory"},
    )
    strips.of(game)
    found = strips.of(game)
    assert found["ready"] and found["failed"] == "out of memory"
    strips.close()
