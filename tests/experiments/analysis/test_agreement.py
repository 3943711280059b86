"""Agreement: against the published example, brute force, and what clustering must do."""

from itertools import permutations
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.experiments.analysis.statistics import agreement
from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    bootstrap_clusters,
    over_all,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Matrix

A = [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan]
B = [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3]
C = [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan]
D = [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan]
PUBLISHED = np.asarray([A, B, C, D]).T
"""Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example D: four observers, twelve units."""


def test_alpha_is_that_of_the_published_example() -> None:
    found = over_all(agreement.alpha, PUBLISHED)
    assert found is not None and round(found, 3) == 0.849


def by_brute_force(ratings: Matrix) -> float | None:
    """Observed by expected disagreement, over all ordered pairs of ratings."""
    units = [[one for one in row if one == one] for row in ratings.tolist()]
    kept = [unit for unit in units if len(unit) > 1]
    every = [one for unit in kept for one in unit]
    if len(kept) < 2 or len(set(every)) == 1:
        return None
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1) for unit in kept for a, b in permutations(unit, 2)
    ) / len(every)
    expected = sum((a - b) ** 2 for a, b in permutations(every, 2)) / (
        len(every) * (len(every) - 1)
    )
    return float(1 - observed / expected)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([nan, 0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_alpha_is_that_of_brute_force(rows: list[list[float]]) -> None:
    ratings = np.asarray(rows)
    found = over_all(agreement.alpha, ratings)
    wanted = by_brute_force(ratings)
    assert (found is None) == (wanted is None) and (found is None or found == pytest.approx(wanted))


def test_correlations_are_those_of_scipy_and_not_defined_without_differences() -> None:
    from scipy.stats import pearsonr, spearmanr

    pairs = np.asarray([[0.1, 0.3], [0.2, 0.1], [0.2, 0.5], [0.9, 0.6], [nan, 1.0]])
    one, other = pairs[:4].T
    same = np.asarray([[0.5, 0.3], [0.5, 0.1], [0.5, 0.5]])
    for ours, theirs in ((agreement.pearson, pearsonr), (agreement.spearman, spearmanr)):
        assert over_all(ours, pairs) == pytest.approx(theirs(one, other).statistic)
        assert over_all(ours, same) is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.integers(0, 99))
def test_a_weight_is_a_unit_that_often(weights: list[int], seed: int) -> None:
    """The bootstrap weighs units; that is the same as to write them down so often."""
    ratings = np.random.default_rng(seed).integers(0, 4, (8, 2)) / 4
    for statistic in (agreement.alpha, agreement.pearson, agreement.spearman, agreement.mean):
        (weighed,) = statistic(ratings, np.asarray([weights], dtype=float))
        written = over_all(statistic, np.repeat(ratings, weights, axis=0))
        assert np.isnan(weighed) if written is None else weighed == pytest.approx(written)


def test_an_interval_over_games_is_wider_than_one_over_their_turns() -> None:
    """Turns of a game that are alike say little more than one turn; a single game gives no interval."""
    dice = np.random.default_rng(3)
    rated = [
        np.column_stack([one + dice.normal(0, 0.01, (20, 1))]) for one in dice.uniform(0, 1, 12)
    ]
    by_game = bootstrap_clusters(agreement.mean, rated)
    by_turn = bootstrap_clusters(agreement.mean, [row[None] for game in rated for row in game])
    assert by_game.interval and by_turn.interval and by_game.value == pytest.approx(by_turn.value)
    width, other = (high - low for low, high in (by_game.interval, by_turn.interval))
    assert width > 3 * other and (by_game.groups, by_game.units) == (12, 240)
    assert bootstrap_clusters(agreement.mean, rated[:1]).interval is None
