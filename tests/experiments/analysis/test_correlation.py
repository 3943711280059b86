"""Correlations over arms: their permutation test by brute force, and where there is none."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hanabi_orchestrator.experiments.analysis.statistics.correlation import correlate


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=5))
def test_both_correlations_and_their_exact_tests_try_every_order(
    pairs: list[tuple[int, int]],
) -> None:
    ours, theirs = map(list, zip(*pairs, strict=True))
    found = correlate("loss", ours, theirs)
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        assert found.spearman is found.spearman_p is found.pearson is found.pearson_p is None
        return
    for statistic, value, p in (
        (stats.pearsonr, found.pearson, found.pearson_p),
        (stats.spearmanr, found.spearman, found.spearman_p),
    ):
        assert value == pytest.approx(statistic(ours, theirs).statistic, abs=1e-9)
        sides = (
            (ours, theirs)
            if statistic is stats.pearsonr
            else (stats.rankdata(ours), stats.rankdata(theirs))
        )
        sizes = [abs(np.corrcoef(sides[0], order)[0, 1]) for order in permutations(sides[1])]
        assert p == pytest.approx(np.mean(np.array(sizes) > sizes[0] - 1e-9), abs=1e-9)


def test_arms_are_the_sample_however_well_each_is_measured() -> None:
    """Without a relation five in a hundred are shown, though the arms' own effects differ without doubt."""
    chance = np.random.default_rng(1)
    ps = [
        correlate("loss", chance.normal(size=9).tolist(), chance.normal(size=9).tolist())
        for _ in range(200)
    ]
    assert np.mean([(each.spearman_p or 1) < 0.05 for each in ps]) < 0.05 + 3 * 0.0154
    assert np.mean([(each.pearson_p or 1) < 0.05 for each in ps]) < 0.05 + 3 * 0.0154
    assert (correlate("loss", [1, 2, 3], [1, 2, 3]).spearman_p or 0) == pytest.approx(2 / 6)
