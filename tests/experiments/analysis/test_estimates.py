"""Intervals, tests and what they could have shown, against scipy, enumeration and simulation."""

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    Estimate,
    bootstrap_interval,
    estimate_difference,
    estimate_mean,
    standard_deviation,
    standard_error,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    DRAWS,
    holm,
    holm_levels,
    least_p,
    regrouping_test,
    sign_flip_test,
)
from hanabi_orchestrator.experiments.analysis.statistics.power import detectable_by_t, needed_by_t
from tests.support.prove import FULL

SCORES = st.lists(st.integers(0, 25), min_size=2, max_size=40)
FEW = st.lists(st.integers(-4, 4), max_size=9)


@settings(deadline=None)
@given(SCORES)
def test_spread_error_and_interval_are_scipys(scores: list[int]) -> None:
    assert standard_deviation(scores) == pytest.approx(np.std(scores, ddof=1))
    assert standard_error(scores) == pytest.approx(stats.sem(scores))
    found = estimate_mean(scores)
    assert found is not None
    if len(set(scores)) > 1:
        expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
        assert found.interval == pytest.approx((expected.low, expected.high))
    else:
        assert (
            found.interval == (scores[0], scores[0])
            and detectable_by_t(found) is None
            and needed_by_t(found, 1) is None
        )


@settings(max_examples=30, deadline=None)
@given(SCORES, st.data())
def test_two_samples_are_compared_as_scipy_does_by_welch(
    one: list[int], data: st.DataObject
) -> None:
    other = data.draw(st.lists(st.integers(0, 25), min_size=len(one), max_size=len(one)))
    found = estimate_difference(one, other)
    assert found is not None and found.mean == pytest.approx(np.mean(one) - np.mean(other))
    if len(set(one)) > 1 and len(set(other)) > 1:  # scipy warns of others
        test = stats.ttest_ind(one, other, equal_var=False)
        expected = test.confidence_interval(0.95)
        assert found.df == pytest.approx(test.df)
        assert found.interval == pytest.approx((expected.low, expected.high))


def test_a_single_value_says_nothing_of_its_spread() -> None:
    assert (
        standard_deviation([3]) is None
        and standard_error([3]) is None
        and bootstrap_interval([3]) is None
    )
    assert estimate_mean([3]) is None and estimate_difference([3], [4]) is None


def test_means_that_differ_by_rounding_alone_do_not_vary() -> None:
    assert standard_deviation([0.1 + 0.2, 0.3]) == 0.0


@settings(deadline=None)
@given(FEW)
def test_the_sign_test_goes_through_all_signs(deltas: list[int]) -> None:
    sums = [
        sum(d * s for d, s in zip(deltas, signs, strict=True))
        for signs in product((1, -1), repeat=len(deltas))
    ]
    found = sign_flip_test(deltas)
    assert found.draws is None
    assert found.p == pytest.approx(sum(abs(one) >= abs(sum(deltas)) for one in sums) / len(sums))


@settings(max_examples=30, deadline=None)
@given(FEW.filter(bool), FEW.filter(bool))
def test_the_test_of_groups_goes_through_all_groups(one: list[int], other: list[int]) -> None:
    one, other = (sample[: min(len(one), len(other), 5)] for sample in (one, other))
    both = [*one, *other]
    sums = [sum(chosen) for chosen in combinations(both, len(one))]
    apart = [abs(first / len(one) - (sum(both) - first) / len(other)) for first in sums]
    seen = abs(sum(one) / len(one) - sum(other) / len(other))
    assert regrouping_test(one, other).p == pytest.approx(
        sum(one >= seen - 1e-9 for one in apart) / len(apart)
    )


def test_both_tests_are_scipys() -> None:
    one = [3, 1, 4, 1, 5, 9, 2, 6]
    other = [2, 1, 1, 0, 4, 2, 1, 3]
    paired = stats.permutation_test(
        (one, other), _difference, permutation_type="samples", n_resamples=np.inf
    )
    groups = stats.permutation_test((one, other), _difference, n_resamples=np.inf)
    assert sign_flip_test([a - b for a, b in zip(one, other, strict=True)]).p == pytest.approx(
        paired.pvalue
    )
    assert regrouping_test(one, other).p == pytest.approx(groups.pvalue)


def _difference(one: Sequence[float], other: Sequence[float], axis: int = 0) -> float:
    return np.mean(one, axis=axis) - np.mean(other, axis=axis)  # type: ignore[no-any-return]


def exact(deltas: Sequence[int]) -> float:
    """The p of the sign test for whole numbers, by the distribution of their sum, difference after difference."""
    chances = {0: 1.0}
    for size in deltas:
        after: dict[int, float] = {}
        for total, chance in chances.items():
            for signed in (size, -size):
                after[total + signed] = after.get(total + signed, 0.0) + chance / 2
        chances = after
    return sum(chance for total, chance in chances.items() if abs(total) >= abs(sum(deltas)))


@pytest.mark.parametrize("effect", [0.0, 0.4, 1.5])
def test_drawn_signs_come_as_near_as_their_number_allows(effect: float) -> None:
    chance = np.random.default_rng(3)
    deltas = [round(one) for one in chance.normal(effect, 3, 60)]
    found = sign_flip_test(deltas)
    p = exact(deltas)
    assert found.draws == DRAWS and found == sign_flip_test(deltas)
    assert found.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / DRAWS) + 1 / DRAWS)


def test_drawn_groups_come_as_near_as_their_number_allows() -> None:
    chance = np.random.default_rng(4)
    one = chance.normal(0, 1, 30)
    other = chance.normal(0.5, 1, 30)
    found = regrouping_test(list(one), list(other))
    p = stats.permutation_test((one, other), _difference, n_resamples=9_999, rng=5).pvalue
    assert found.draws == DRAWS and found.p == pytest.approx(
        p, abs=6 * math.sqrt(p * (1 - p) / DRAWS)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-4, 4), min_size=6, max_size=9),
    st.sampled_from([0.05, 0.02]),
    st.integers(-40, 40),
)
def test_the_interval_of_the_sign_test_holds_what_it_does_not_reject(
    deltas: list[int], level: float, at: int
) -> None:
    found = sign_flip_test(deltas).interval(level)
    difference = at / 8 + 0.01
    accepted = sign_flip_test([delta - difference for delta in deltas]).p >= level
    assert accepted == (found is None or found[0] <= difference <= found[1])


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(4, 5), st.integers(-40, 40))
def test_the_interval_of_the_test_of_groups_holds_what_it_does_not_reject(
    data: st.DataObject, n: int, at: int
) -> None:
    one, other = (data.draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)) for _ in range(2))
    found = regrouping_test(one, other).interval()
    difference = at / 8 + 0.01
    accepted = regrouping_test([value - difference for value in one], other).p >= 0.05
    assert accepted == (found is None or found[0] <= difference <= found[1])


def test_an_interval_from_drawn_signs_is_near_students_where_nothing_is_skewed() -> None:
    values = list(np.random.default_rng(7).normal(1, 3, 80))
    found = sign_flip_test(values).interval()
    student = estimate_mean(values)
    assert found and student and found == pytest.approx(student.interval, abs=0.06)
    few = sign_flip_test(
        [3, 4, 2, *[0] * 40]
    )  # p is exact, and the interval drawn: they agree all the same
    assert (
        few.p == 0.25
        and few.draws is None
        and (bounds := few.interval())
        and bounds[0] <= 0 <= bounds[1]
    )


def test_up_to_five_pairs_reject_nothing() -> None:
    assert sign_flip_test([9, 8, 9, 9, 9]).interval() is None and sign_flip_test(
        [9, 8, 9, 9, 9, 8]
    ).interval() == (
        8,
        9,
    )
    assert least_p(5) > 0.05 > least_p(6) and least_p(4, groups=True) < 0.05 < least_p(
        3, groups=True
    )


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=8))
def test_the_levels_of_holm_are_those_at_which_its_steps_reject(ps: list[float]) -> None:
    levels = holm_levels(ps)
    assert [p < level for p, level in zip(ps, levels, strict=True)] == [p < 0.05 for p in holm(ps)]
    assert all(0.05 / len(ps) <= level <= 0.05 for level in levels)


def test_a_difference_without_bounds_is_never_a_p_of_nought() -> None:
    assert sign_flip_test([5] * 200).p == 1 / (DRAWS + 1)
    assert sign_flip_test([0] * 200).p == sign_flip_test([]).p == 1.0


def test_holm_is_the_known_table() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.04, 0.001, 0.9]) == pytest.approx([0.08, 0.003, 0.9])
    assert holm([0.6, 0.7]) == [1.0, 1.0] and holm([0.03]) == [0.03] and holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_what_its_steps_reject(ps: list[float]) -> None:
    level = 0.05
    rejected = set[float]()
    for place, p in enumerate(sorted(ps)):
        if p * (len(ps) - place) >= level:
            break
        rejected.add(p)
    assert {p for p, corrected in zip(ps, holm(ps), strict=True) if corrected < level} == rejected


@pytest.mark.parametrize("n", [4, 12, 60])
def test_the_detectable_effect_is_seen_four_times_in_five(n: int) -> None:
    trials = 200_000 if FULL else 10_000
    sd = 3.0
    effect = detectable_by_t(Estimate(0, sd / math.sqrt(n), n - 1, n))
    assert effect is not None
    samples = np.random.default_rng(n).normal(effect, sd, (trials, n))
    errors = samples.std(axis=1, ddof=1) / math.sqrt(n)
    seen = samples.mean(axis=1) / errors > stats.t.ppf(0.975, n - 1)
    assert seen.mean() == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / trials))


@settings(deadline=None)
@given(st.floats(0.05, 20), st.integers(2, 300), st.sampled_from([0.5, 1.0, 3.0]))
def test_enough_is_the_least_sample_that_detects_as_much(sd: float, n: int, effect: float) -> None:
    def detectable(many: int) -> float:
        return detectable_by_t(Estimate(0, sd / math.sqrt(many), many - 1, many)) or 0.0

    enough = needed_by_t(Estimate(0, sd / math.sqrt(n), n - 1, n), effect)
    assert enough is not None and detectable(enough) <= effect * (1 + 1e-9)
    assert enough == 2 or detectable(enough - 1) > effect * (1 - 1e-9)


def test_a_bootstrap_is_the_same_each_time_and_close_to_t_where_nothing_is_skewed() -> None:
    values = list(np.random.default_rng(1).normal(20, 3, 400))
    found = bootstrap_interval(values)
    student = estimate_mean(values)
    assert found == bootstrap_interval(values) and student is not None
    assert found == pytest.approx(student.interval, abs=0.05)
    one = values[:200]
    other = values[200:]
    welch = estimate_difference(one, other)
    assert welch is not None and bootstrap_interval(one, other) == pytest.approx(
        welch.interval, abs=0.08
    )
    assert bootstrap_interval([7, 7, 7]) == (7, 7)
