"""Intervals of shares of clustered things: coverage by simulation, and where clusters say nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    bootstrap_clusters,
    interquartile_mean,
    over_all,
    pooled_shares,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import clopper_pearson
from tests.support.prove import FULL


@pytest.mark.parametrize(("truth", "clusters"), [(0.05, 10), (0.3, 10), (0.3, 40), (0.9, 20)])
def test_the_interval_covers_the_truth_though_turns_of_a_game_are_alike(
    truth: float, clusters: int
) -> None:
    """A game's own share is drawn from a beta distribution (correlation within games 0.2); games differ in length."""
    draw = np.random.default_rng(1)
    samples = 4000 if FULL else 1000
    sizes = draw.integers(3, 20, (clusters, samples)).astype(float)
    own = draw.beta(truth * 4, (1 - truth) * 4, (clusters, samples))
    share, low, high = pooled_shares(draw.binomial(sizes.astype(int), own).astype(float), sizes)
    assert abs(share.mean() - truth) < 0.01
    assert ((low <= truth) & (truth <= high)).mean() > (0.9 if clusters == 10 else 0.93)
    plain = np.array(
        [clopper_pearson(share[i] * sizes[:, i].sum(), int(sizes[:, i].sum())) for i in range(100)]
    )
    assert ((high - low)[:100] > plain[:, 1] - plain[:, 0]).mean() > 0.9, (
        "wider than turns alone would have it"
    )


def test_clusters_of_one_thing_have_the_interval_of_clopper_and_pearson() -> None:
    successes = np.array([[1.0, 0.0, 1.0]] * 12 + [[0.0, 0.0, 1.0]] * 28)
    share, low, high = pooled_shares(successes, np.ones((40, 3)))
    assert share.tolist() == [0.3, 0.0, 1.0]
    for number, (count, near) in enumerate([(12, 0.005), (0, 1e-9), (40, 1e-9)]):
        assert (low[number], high[number]) == pytest.approx(clopper_pearson(count, 40), abs=near)


def test_one_cluster_has_no_interval_and_no_cluster_no_share() -> None:
    share, low, high = pooled_shares(
        np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([[5.0, 0.0], [0.0, 0.0]])
    )
    assert share[0] == 0.6 and np.isnan([share[1], *low, *high]).all()


@given(st.lists(st.integers(0, 25), min_size=1, max_size=60))
def test_the_interquartile_mean_is_that_of_rliable(scores: list[int]) -> None:
    """Its definition there: scipy's trimmed mean of all runs and tasks together, a quarter cut off at each end."""
    assert over_all(interquartile_mean, np.array(scores)[:, None]) == pytest.approx(
        trim_mean(scores, 0.25)
    )


def test_the_interval_of_an_interquartile_mean_covers_it_and_is_over_deals() -> None:
    """The truth is the mean of the middle half of all scores; each deal has four games that are alike."""
    draw = np.random.default_rng(4)
    covered = 0
    truth = 12.5
    runs = 100 if FULL else 40
    for _ in range(runs):
        deals = draw.uniform(0, 25, 40)
        games = [
            np.clip(np.full(4, deal) + draw.normal(0, 0.5, 4), 0, 25)[:, None] for deal in deals
        ]
        found = bootstrap_clusters(interquartile_mean, games)
        assert (
            found.interval is not None
            and found.interval[0] <= (found.value or 0) <= found.interval[1]
        )
        covered += found.interval[0] <= truth <= found.interval[1]
    assert covered > 0.88 * runs
    assert bootstrap_clusters(interquartile_mean, [np.full((2, 1), 7.0)] * 3).interval == (7, 7)
    assert bootstrap_clusters(interquartile_mean, [np.array([[1.0], [9.0]])]).interval is None
