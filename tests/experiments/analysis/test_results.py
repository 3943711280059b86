"""Analyses of games that were played: the columns of their results, and two runs beside each other."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hanabi_orchestrator.experiments.analysis.analysis import analyse
from hanabi_orchestrator.experiments.report import score_tables
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import wasted_hints
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.models import list_prices
from tests.conftest import Run
from tests.experiments.analysis.rows import game
from tests.support.positions import partners_game, random_game


def told(view: View, seat: int) -> list[int]:
    """What a seat knows of its cards, as HLE says it."""
    known = (
        view.own
        if view.seat == seat
        else next(hand.known for hand in view.hands if hand.seat == seat)
    )
    return [card.mask for card in known]


@pytest.mark.parametrize("players", [2, 3, 5])
def test_wasted_hints_are_those_after_which_hle_says_the_same(players: int) -> None:
    found = 0
    for seed in range(2):
        for referees in (random_game(players, seed), partners_game(["random"] * players, seed)):
            before = None
            waste = 0
            for referee in referees:
                history = referee.history
                if before and isinstance(move := history[-1].move, HintColour | HintRank):
                    waste += told(before, move.to) == told(referee.view(before.seat), move.to)
                before = None if referee.over else referee.view()
            assert wasted_hints(players, history) == waste
            found += waste
    assert found


SMALL = {"name": "small", "graph": "partner:random", "players": [2], "seeds": [1, 2, 3, 4]}


def ran(run: Run, out: str, **changes: Any) -> None:
    Path("small.yaml").write_text(yaml.safe_dump({**SMALL, **changes}), "utf-8")
    assert run("experiment", "run", "small.yaml", "--out", out, "-q")[0] == 0


def test_results_say_models_misplays_and_wasted_hints(run: Run) -> None:
    ran(run, "here")
    for row in csv.DictReader(Path("here/results.csv").read_text("utf-8").splitlines()):
        assert row["model"] == "program" and int(row["misplays"]) == 3 - int(row["lives"])
        assert int(row["hints_wasted"]) >= 0


def scored(run: str) -> dict[int, int]:
    """By seed: arm `one` at two players."""
    rows = csv.DictReader(Path(run, "results.csv").read_text("utf-8").splitlines())
    return {
        int(r["seed"]): int(r["score_strict"])
        for r in rows
        if (r["arm"], r["players"]) == ("one", "2")
    }


def test_two_runs_are_compared_arm_by_arm_on_what_both_played(run: Run) -> None:
    ran(run, "a", arms={"one": {}, "gone": {}})
    ran(
        run,
        "b",
        arms={"one": {"graph": "partner:piers"}, "new": {}},
        seeds=[2, 3, 4, 5],
        players=[2, 3],
    )
    code, out, _ = run("diff", "a", "b", "--json")
    found = json.loads(out)["compared"]
    scores = {folder: scored(folder) for folder in "ab"}
    (one,) = found["differences"]
    assert (code, one["arm"], one["baseline"], one["n"]) == (1, "B: one", "A: one", 3)
    assert one["mean"] == pytest.approx(
        np.mean([scores["b"][seed] - scores["a"][seed] for seed in (2, 3, 4)])
    )
    assert found["pairs"][0]["differs"] == ["graph was 'partner:random', is 'partner:piers'"]
    assert found["only"] == ["A: gone", "B: new"]
    code, out, _ = run("diff", "a", "b", "--arm", "gone", "--arm", "new")
    assert code == 1 and "B: new differs from A: gone in: nothing that affects a game." in out
    assert "B: new and A: gone at 2 players: the same games in 3 of 3 deals, move by move" in out
    assert "no model was asked" in out


REFUSED = {
    ("a", "nowhere"): "there is no journal and no run folder at 'nowhere'",
    (
        "a",
        "b",
    ): "'a' (one) and 'b' (new) have no arm of the same name; name one of each: --arm A --arm B",
    ("a", "b", "--arm", "one"): "'b' has no games of arm 'one'; its arms are: new",
    ("a", "b", "--arm", "one", "--arm", "new"): "'a' and 'b' have no deal in common",
}


def test_what_cannot_be_compared_is_refused_in_one_sentence(run: Run) -> None:
    ran(run, "a", arms={"one": {}}, seeds=[1])
    ran(run, "b", arms={"new": {}}, seeds=[2])
    for arguments, said in REFUSED.items():
        code, out, err = run("diff", *arguments)
        assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_money_without_a_price_is_estimated_at_the_list_price_and_called_an_estimate() -> None:
    listed: dict[str, Any] = {
        "model": "openai:gpt-4.1-mini",
        "tokens_in": 1_000_000,
        "tokens_out": 500_000,
    }
    rows = [
        *(game("listed", seed, 10, **listed) for seed in (1, 2)),
        game("paid", 1, 10, **listed, usd=0.5),
        game("own", 1, 10, **{**listed, "model": "openai:gpt-4.1-mini@http://localhost:8000/v1"}),
    ]
    analysis = analyse(rows)
    found = analysis.summaries
    listed_price = list_prices.of_name("openai:gpt-4.1-mini")
    assert listed_price is not None
    price = listed_price.price
    by_arm = {one.arm: (one.means["usd"], one.usd_listed) for one in found if one.players == 3}
    estimate = pytest.approx(price.input + price.output / 2)
    assert by_arm == {"listed": (None, estimate), "paid": (0.5, None), "own": (None, None)}
    cells = {row[0]: row[-1] for row in score_tables.play(analysis).texts()}
    assert cells["listed"].startswith("~") and "estimate by list price" in cells["listed"]
    assert "estimate" not in cells["paid"] + cells["own"]
