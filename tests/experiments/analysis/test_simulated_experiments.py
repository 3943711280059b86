"""Whole experiments, simulated: what the analysis claims, contradicts and sees, as benchmarks/README.md says."""

import math
import re

import numpy as np
import pytest

from benchmarks import interval_coverage, simulated_experiments
from benchmarks.interval_coverage import Arms
from benchmarks.simulated_experiments import Design
from hanabi_orchestrator.experiments.analysis.statistics.estimates import estimate_mean
from tests.support.folders import ROOT
from tests.support.prove import FULL

PAGE = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
SOME_NULLS = (
    Design(1, 1, 10),
    Design(5, 2, 10),
    Design(1, 1, 1, repeats=10),
    Design(2, 1, 8, replayed=True),
)
SOME_POWERED = (Design(1, 1, 12), Design(5, 2, 9), Design(2, 4, 8))


def test_experiments_without_an_effect_claim_one_as_seldom_as_promised_and_never_contradict_themselves() -> (
    None
):
    trials = simulated_experiments.NULLS if FULL else 15
    designs = simulated_experiments.NULL_DESIGNS if FULL else SOME_NULLS
    for found in simulated_experiments.nulls(trials, designs):
        assert found.misleading == 0, found
        near = 3.5 * math.sqrt(0.05 * 0.95 / trials)
        assert found.claims <= 0.05 + (0.03 if FULL else near), found
        assert found.covered is None or found.covered >= (0.92 if FULL else 0.95 - near), found
        assert (
            found.covered_holm is None
            or found.covered_holm >= (0.97 if FULL else 1 - near) - found.level
        ), found


def test_an_effect_is_seen_as_often_as_a_plan_says() -> None:
    trials = simulated_experiments.POWERED if FULL else 30
    designs = simulated_experiments.POWER_DESIGNS if FULL else SOME_POWERED
    for found in simulated_experiments.powered(trials, designs):
        near = 0.05 + 1 / trials if FULL else 0.05 + 2.5 * math.sqrt(0.16 / trials)
        assert found.found == pytest.approx(found.planned, abs=near), found


def test_both_arms_play_the_same_deals() -> None:
    """Drawn apart, the arms would not share what makes a deal hard, and pairing would show nothing."""
    arms = Arms(0.3, 0.3, 0.8)
    ours, theirs = interval_coverage.drawn(np.random.default_rng(1), arms, (1, 4000))
    assert (
        np.mean(ours == 0)
        == pytest.approx(0.3, abs=0.03)
        == pytest.approx(np.mean(theirs == 0), abs=0.03)
    )
    assert np.mean((ours == 0) & (theirs == 0)) > 0.2, "apart, both would lose 9 % of the deals"
    both = ((ours > 0) & (theirs > 0))[0]
    assert np.corrcoef(ours[0][both], theirs[0][both])[0, 1] > 0.6
    assert np.mean(ours[0][both]) == pytest.approx(interval_coverage.MEAN, abs=0.15)
    deltas = estimate_mean(list((ours - theirs)[0]))
    alone = estimate_mean(list(ours[0]))
    assert deltas and alone and deltas.error < alone.error * math.sqrt(2) * 0.7


def test_intervals_of_skewed_scores_cover_as_often_as_the_page_says() -> None:
    """In full the page's very figures; else those of fewer trials, which chance keeps near them."""
    lines = (line for line in PAGE.splitlines() if re.match(r"\| \d+% \| \d+% \| 0\.\d \|", line))
    rows = {
        tuple(cells[:4]): cells[4:8] for cells in (line.strip("| ").split(" | ") for line in lines)
    }
    assert len(rows) == 12
    trials = interval_coverage.TRIALS if FULL else 40
    tried = (
        trials,
        min(trials, interval_coverage.RESAMPLED),
        min(trials, interval_coverage.TESTED),
        trials,
    )
    for found in interval_coverage.measure(trials):
        arms = found.arms
        row = rows.pop(
            (f"{arms.lost:.0%}", f"{arms.baseline:.0%}", f"{arms.correlation:g}", str(found.deals)),
            None,
        )
        if row is None:
            continue
        said = [float(share.rstrip("%")) / 100 for share in row]
        shares = found.mean_t, found.mean_bootstrap, found.difference_test, found.difference_t
        for share, expected, number in zip(shares, said, tried, strict=True):
            near = 0.006 if FULL else 4.5 * math.sqrt(max(expected * (1 - expected), 0.02) / number)
            assert share == pytest.approx(expected, abs=near), (arms, found.deals)
    assert not rows, "rows of no design"
