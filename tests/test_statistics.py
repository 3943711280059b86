"""The figures of a run against scipy and against counting by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.results import Row
from experiments.statistics import compare, interval, paired, spread, standard_error, summarise

SCORES = st.lists(st.integers(0, 25), min_size=2, max_size=40)


def game(arm: str, seed: int, score: int, *, kept: int | None = None, repeat: int = 1, players: int = 3) -> Row:
    lives, whole = (0, kept) if kept is not None else (2, score)
    end = "lives_lost" if lives == 0 else "perfect" if score == 25 else "deck_exhausted"
    return Row(arm, "g", players, seed, repeat, score, whole, lives, 40 + seed, end, 0, 0, 0, 0, 0, None, "x")


@given(SCORES)
def test_spread_error_and_interval_are_scipys(scores: list[int]) -> None:
    assert spread(scores) == pytest.approx(np.std(scores, ddof=1))
    assert standard_error(scores) == pytest.approx(stats.sem(scores))
    low, high = interval(scores)
    if len(set(scores)) > 1:
        expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
        assert (low, high) == pytest.approx((expected.low, expected.high))
    else:
        assert low == high == scores[0]


@given(SCORES, st.data())
def test_a_comparison_with_the_baseline_is_the_paired_test(scores: list[int], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.integers(0, 25), min_size=len(scores), max_size=len(scores)))
    rows = [game("base", seed, score) for seed, score in enumerate(scores)]
    rows += [game("arm", seed, score) for seed, score in enumerate(others)]
    rows += [game("arm", 1000, 25), game("base", 2000, 0)]  # deals that only one of them played
    (found,) = compare(rows, "base")
    assert (found.arm, found.deals) == ("arm", len(scores))
    assert found.mean == pytest.approx(np.mean(others) - np.mean(scores))
    if len({a - b for a, b in zip(others, scores, strict=True)}) > 1:
        expected = stats.ttest_rel(others, scores).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_repeats_of_a_deal_are_one_pair() -> None:
    assert paired({1: [10, 20], 2: [5]}, {1: [14], 2: [1, 3], 3: [9]}) == [1, 3]
    rows = [game("a", 1, 10), game("a", 1, 20, repeat=2), game("b", 1, 12), game("a", 2, 5), game("b", 2, 2)]
    (found,) = compare(rows, "b")
    assert (found.deals, found.mean) == (2, 3)


def test_a_summary_counts_strikes_perfect_games_and_points_kept() -> None:
    rows = [game("a", 1, 25), game("a", 2, 0, kept=17), game("a", 3, 20), game("a", 4, 19), game("a", 1, 7, players=2)]
    three, two = summarise(rows)
    assert (three.n, three.strict, three.kept) == (4, 16, 20.25)
    assert (three.struck_out, three.perfect, three.turns) == (0.25, 0.25, 42.5)
    assert three.sd is not None and three.strict_se == pytest.approx(three.sd / 2)
    assert (two.players, two.n, two.strict, two.sd, two.strict_se) == (2, 1, 7, None, None)
    assert interval([3.0]) == (None, None)


def test_the_interval_covers_as_often_as_it_says() -> None:
    """1,000 samples of nine throws of a die, whose mean is 3.5."""
    chance = np.random.default_rng(1)
    ends = [interval(list(sample)) for sample in chance.integers(1, 7, (1000, 9)).astype(float)]
    covered = sum(low <= 3.5 <= high for low, high in ends if low is not None and high is not None)
    assert math.isclose(covered / 1000, 0.95, abs_tol=0.025)
    widths = [interval(list(map(float, [1, 6] * half))) for half in (2, 4, 8)]
    assert all(one[0] < other[0] for one, other in pairwise(widths) if one[0] and other[0])
