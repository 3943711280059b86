"""What a design of coalitions can see: its terms vary as derived, few deals show none, and pilots say it better."""

import json
import math

import numpy as np
import pytest

from hanabi_orchestrator.experiments.analysis.coalitions import weights
from hanabi_orchestrator.experiments.forecast import coalition_sizes
from hanabi_orchestrator.experiments.forecast.spread import CORRELATION, SD, Spread, assumed_spread
from hanabi_orchestrator.experiments.study.coalitions import Coalitions
from tests.conftest import Run


def design(parts: str = "abc", **settings: object) -> Coalitions:
    return Coalitions.model_validate({"parts": list(parts), **settings})


def test_the_spread_of_each_kind_of_term_is_that_of_simulated_games() -> None:
    whole = design()
    chance = np.random.default_rng(1)
    deal = chance.normal(size=(40_000, 1)) * math.sqrt(CORRELATION)
    scores = SD * (deal + chance.normal(size=(40_000, 8)) * math.sqrt(1 - CORRELATION))
    for term, spread in coalition_sizes.term_spreads(whole, assumed_spread("kept")).items():
        parts = {"interaction": ("a", "b"), "highest_order": ("a", "b", "c")}.get(term, ("a",))
        of_coalitions = weights(whole, term, parts)
        assert of_coalitions is not None
        combined = scores @ [of_coalitions.get(present, 0.0) for present in whole.every]
        assert spread.spread.sd == pytest.approx(float(np.std(combined)), rel=0.02), term
        assert spread.tests == (1 if term == "highest_order" else 3)


@pytest.mark.parametrize("parts", ["ab", "abc", "abcde"])
def test_the_step_of_a_term_is_the_finest_difference_of_two_sums_of_whole_scores(
    parts: str,
) -> None:
    whole = design(parts)
    scores = np.random.default_rng(2).integers(0, 26, size=(4_000, 2 ** len(parts)))
    for term, spread in coalition_sizes.term_spreads(whole, assumed_spread("kept")).items():
        subject = {"interaction": ("a", "b"), "highest_order": tuple(parts)}.get(term, ("a",))
        of_coalitions = weights(whole, term, subject)
        assert of_coalitions is not None
        sums = scores @ [of_coalitions.get(present, 0.0) for present in whole.every]
        multiples = sums / spread.step
        assert np.allclose(multiples, np.rint(multiples), atol=1e-6), term
        assert np.gcd.reduce(np.rint(multiples).astype(int)) == 1, term


def test_a_pair_is_measured_on_the_deals_in_which_it_is_a_pair_of_neighbours() -> None:
    spreads = coalition_sizes.term_spreads(design("abcdgh"), Spread(5.0, "given"))
    assert spreads["interaction"].share == pytest.approx(2 / 5) and spreads["shapley"].share == 1
    assert "highest_order" not in spreads
    said = list(coalition_sizes.sentences(spreads, design("abcdgh"), 20, 1))
    assert "given" in said[0] and said[1].startswith(
        "the draw of the circles makes terms vary more"
    )


def test_too_few_deals_are_said_to_show_nothing() -> None:
    spreads = coalition_sizes.term_spreads(design(), assumed_spread("kept"))
    said = list(coalition_sizes.sentences(spreads, design(), 6, 1))
    assert said[0].startswith(
        "this experiment cannot show a Shapley value, however large: with 6 deals and 3 to compare"
    )
    assert "a Shapley value none (SD 2.8, Holm for 3, the primary one)" in said[1]
    assert "single deal" in next(coalition_sizes.sentences(spreads, design(), 1, 1))


@pytest.mark.parametrize(("primary", "deals"), [("shapley", 13), ("interaction", 37)])
def test_plan_proposes_the_deals_for_the_primary_kind_of_term(
    run: Run, primary: str, deals: int
) -> None:
    settings = ["--set", "metric=kept", "--set", f"coalitions.primary={primary}"]
    code, out, err = run(
        "experiment", "plan", "role-coalitions", "--effect", "3", *settings, "--json"
    )
    assert code == 0, err
    told = json.loads(out)
    assert told["proposed"]["deals"] == deals and told["proposed"]["games"] == 8 * deals
    assert told["command"].endswith(f"{' '.join(settings)} --set seeds.count={deals}")
