"""How two games differ: the deal, the seats, the first turn, what the roles said; and two runs, deal by deal."""

import json
import shutil
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.show import two_games
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.journal.events import Moved
from hanabi_orchestrator.orchestrator.players.partners import get
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.conftest import Run


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of one deal that part in turn 4 at the latest, and one of another."""
    folder = tmp_path_factory.mktemp("games")
    for name, seats, seed in (("a", "house", 2), ("b", "watson", 2), ("other", "house", 3)):
        play(
            graphs.seat(seats), players=2, seed=seed, journal=folder / f"{name}.jsonl", max_turns=4
        )
    play(
        [graphs.seat("house"), get("smart")],
        players=2,
        seed=2,
        journal=folder / "c.jsonl",
        max_turns=4,
    )
    play(graphs.seat("house"), players=2, seed=2, journal=folder / "longer.jsonl", max_turns=6)
    return folder


def test_a_game_is_itself_whenever_it_was_played(games: Path, run: Run, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    play(graphs.seat("house"), players=2, seed=2, journal=again, max_turns=4)
    code, said, _ = run("diff", str(games / "a.jsonl"), str(again))
    assert code == 0 and "The same game: nothing differs but times." in said


def test_the_first_turn_that_differs_and_what_the_roles_said_there(games: Path, run: Run) -> None:
    code, said, _ = run("diff", str(games / "a.jsonl"), str(games / "b.jsonl"), "--json")
    found = json.loads(said)
    assert code == 1 and found["same_deal"] and not found["same"]
    moves = [
        [
            str(event.past.move)
            for event in journal.read(games / f"{name}.jsonl")
            if isinstance(event, Moved)
        ]
        for name in "ab"
    ]
    assert found["first_turn"] == next(
        n for n, (a, b) in enumerate(zip(*moves, strict=True), 1) if a != b
    )
    assert [sorted(turn["notes"]) for turn in found["turns"]][1] == ["proposer"]
    assert "P0 was house on program, is watson on program" in found["differences"]
    shown = run("diff", str(games / "a.jsonl"), str(games / "b.jsonl"))[1]
    assert f"differ in turn {found['first_turn']}" in shown or "differ from turn 1 on" in shown


def test_only_the_seat_that_differs_is_named(games: Path) -> None:
    found = two_games.compare(games / "a.jsonl", games / "c.jsonl")
    assert found.settings == ("P1 was house on program, is partner:smart on program",)


def test_different_deals_say_so(games: Path, run: Run) -> None:
    code, said, _ = run("diff", str(games / "a.jsonl"), str(games / "other.jsonl"))
    assert code == 1 and "Two different deals" in said and "the deal was seed 2, is seed 3" in said
    assert "score kept" in said and "turn 1," not in said


def test_a_game_that_goes_on_differs_where_the_other_ends(games: Path, run: Run) -> None:
    found = two_games.compare(games / "a.jsonl", games / "longer.jsonl")
    assert (found.first_move, found.same) == (5, False)
    assert (
        "Only B goes on here: the other has 4 turns."
        in run("diff", str(games / "a.jsonl"), str(games / "longer.jsonl"))[1]
    )


def test_one_of_each_cannot_be_compared(games: Path, run: Run) -> None:
    code, _, error = run("diff", str(games), str(games / "a.jsonl"))
    assert (code, error.count("\n")) == (2, 1) and "not one of each" in error
    code, _, error = run("diff", str(games / "none.jsonl"), str(games / "a.jsonl"))
    assert (code, error.count("\n")) == (
        2,
        1,
    ) and "there is no journal and no run folder at" in error


def test_two_runs_are_compared_deal_by_deal(run: Run, tmp_path: Path) -> None:
    for run_name, graph in (("a", "watson"), ("b", "house")):
        for arm, seat in (("full", graph), ("plain", "watson")):
            for seed in (1, 2):
                file = tmp_path / run_name / "games" / arm / f"2p-s{seed}-r1.jsonl"
                play(graphs.seat(seat), players=2, seed=seed, journal=file, max_turns=4)
    a = str(tmp_path / "a")
    b = str(tmp_path / "b")
    code, said, _ = run("diff", a, b, "--json")
    found = json.loads(said)
    assert code == 1 and [game["arm"] for game in found["games"]] == [
        "full",
        "full",
        "plain",
        "plain",
    ]
    scores = {(row.arm, row.seed): row.score_kept for row in rows.rows(tmp_path / "b")}
    for game in found["games"]:
        assert game["b"] == scores[game["arm"], game["seed"]]
        assert game["arm"] == "full" or game["first_turn"] is None
        assert game["difference"] == game["b"] - game["a"]
    assert {one["arm"] for one in found["compared"]["differences"]} == {"B: full", "B: plain"}
    assert run("diff", a, a, "--json")[0] == 0
    shutil.rmtree(tmp_path / "b" / "games" / "plain")
    assert json.loads(run("diff", a, b, "--json")[1])["same"] is False
