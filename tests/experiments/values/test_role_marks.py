"""The marks of a whole game: the same whenever and from whichever copy they are computed, beside their baselines."""

import shutil
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import RoleMark, calibration, mark_infos, role_marks
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.roles.marks import infos
from hanabi_orchestrator.roles.registry import get

HOUSE = ("history_analyst", "tom_interpreter", "discard_strategist", "aggregator")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of simulated models in a whole journal and a lean one."""
    folder = tmp_path_factory.mktemp("games")
    for name, lean in (("whole", False), ("lean", True)):
        seat = graphs.seat("house", {"model": "sim:average", "malformed": 0.3})
        play(seat, players=2, seed=3, journal=folder / f"{name}.jsonl", lean=lean, max_turns=14)
    return folder


def story(path: Path) -> Game:
    return Game.open(path)


def test_marks_are_the_same_twice_and_of_a_copy_and_of_a_lean_journal(
    games: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(games / "whole.jsonl", tmp_path / "copy.jsonl"))
    first, again, copied, lean = (
        (role_marks(one), calibration(one))
        for one in map(
            story, (games / "whole.jsonl", games / "whole.jsonl", copy, games / "lean.jsonl")
        )
    )
    assert first == again == copied == lean
    assert len(first[0]) > 150 and len(first[1]) > 60
    assert [RoleMark.model_validate_json(one.model_dump_json()) for one in first[0]] == list(
        first[0]
    )


def test_marks_look_back_over_the_whole_game_however_little_of_it_a_turn_shows(games: Path) -> None:
    """`marks_at` of a turn gives what the marks of the game give there."""
    events = journal.read(games / "whole.jsonl")
    of_game = [one for one in role_marks(Game.of(events)) if one.name in infos(get(one.role).mark)]
    for turn in (1, 8, 14):
        here = [(one.node, one.name, one.value) for one in of_game if one.turn == turn]
        at = graphs.marks_at(events, turn)
        again = [
            (node, name, value)
            for node, samples in at.items()
            for one in samples
            for name, value in (one or {}).items()
        ]
        assert sorted(here) == sorted(again) and here


def test_every_mark_is_explained_and_has_its_baselines(games: Path) -> None:
    found = role_marks(story(games / "whole.jsonl"))
    assert {one.role for one in found} == {*HOUSE, "safety"}
    assert {one.model for one in found if one.role != "safety"} == {"sim:average"}
    for one in found:
        own = infos(get(one.role).mark).get(one.name)
        assert mark_infos(one.role)[one.name].says and (
            own is None or ("uniform" in one.baselines) <= bool(own.uniform)
        )
    forecasts = [one for one in found if one.name == "next_log"]
    assert forecasts and all(
        set(one.baselines) == {"program", "uniform", "previous"} for one in forecasts
    )


def test_what_was_stated_is_compared_with_what_came_true(games: Path) -> None:
    """The pairs give the marks again."""
    one = story(games / "whole.jsonl")
    pairs = [pair for pair in calibration(one) if pair.kind == "card can be spared"]
    brier = {
        (mark.turn, mark.node): mark.value
        for mark in role_marks(one)
        if mark.name == "safety_brier"
    }
    assert len(brier) > 8
    for (turn, node), value in brier.items():
        here = [p for p in pairs if (p.turn, p.node) == (turn, node)]
        squares = [((p.probability or 0.0) - p.true) ** 2 for p in here]
        assert value == pytest.approx(sum(squares) / len(squares))
    words = {
        pair.category for pair in calibration(one) if pair.kind == "card is critical, in words"
    }
    assert {"low", "medium"} <= words
