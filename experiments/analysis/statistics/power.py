"""What a test of differences can see: its detectable effect, and how many values an effect needs.

A test is at the level that Holm's correction leaves to it: .05 divided by the number of tests. With
so few pairs that a t test is another test, the sign-flip test itself is simulated on normal
differences.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA, Estimate, Matrix
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    least_p,
    low_at,
    sign_flip_lows,
)

POWER = 0.8
"""Probability with which an effect is to be detected."""
SIMULATED = 13
"""The most pairs for which the test is simulated. With more, Student's t has the same power up to 2
points."""
TRIALS = 4_000
"""Simulated samples; the standard error of their power is 0.6 points."""


def detectable(
    sd: float, n: int, power: float = POWER, tests: int = 1, step: float = 0.0
) -> float | None:
    """Return the smallest true mean of n differences with this SD that a sign-flip test detects
    with the right sign.

    `tests`: how many tests Holm corrects for, all others of arms without an effect. `step`: what
    differences are multiples of; sums that tie with the observed one count against it, which costs
    half a step of the sum. None for a design in which no p can be small enough.
    """
    if least_p(n) * tests >= ALPHA:
        return None
    level = ALPHA / tests
    ties = step / n
    if n > SIMULATED:
        return sd * noncentrality(n - 1, power, level) / math.sqrt(n) + ties
    return sd * float(np.quantile(_needed_shifts(n, level), power)) + ties


def pairs_needed(
    sd: float, effect: float, power: float = POWER, tests: int = 1, step: float = 0.0
) -> int:
    """Return how many differences are needed to detect a true mean of `effect` with this power."""

    def enough(n: int) -> bool:
        seen = detectable(sd, n, power, tests, step)
        return seen is not None and seen <= effect

    return _least(enough)


def detectable_by_t(estimate: Estimate, tests: int = 1) -> float | None:
    """Return the smallest true mean that a t test of such a sample detects; None when all values
    are equal."""
    if estimate.error:
        return estimate.error * noncentrality(estimate.df, alpha=ALPHA / tests)
    return None


def needed_by_t(estimate: Estimate, effect: float, tests: int = 1) -> int | None:
    """Return the sample size that detects a true mean of `effect` by a t test; None when all values
    are equal."""
    if not estimate.error:
        return None

    def enough(n: int) -> bool:
        df = estimate.df * (n - 1) / (estimate.n - 1)
        return effect >= estimate.error * math.sqrt(estimate.n / n) * noncentrality(
            df, alpha=ALPHA / tests
        )

    return _least(enough)


def _least(enough: Callable[[int], bool]) -> int:
    """Return the least n, from 2, that is enough; so must be all larger ones."""
    most = 2
    while not enough(most):
        most *= 2
    return bisect_left(range(most), True, lo=2, key=enough)


@cache
def noncentrality(df: float, power: float = POWER, alpha: float = ALPHA) -> float:
    """Return the true mean, in standard errors, at which a t test has this power."""
    from scipy.special import nctdtrinc, stdtrit

    return float(nctdtrinc(df, 1 - power, stdtrit(df, 1 - alpha / 2)))


@cache
def _needed_shifts(n: int, level: float) -> Matrix:
    """Return by how much each of many standard normal samples must be shifted until the test
    rejects no difference."""
    return -low_at(_trial_lows(n, max(level, ALPHA)), n, level)


@cache
def _trial_lows(n: int, level: float) -> Matrix:
    """Return the lower ends of many standard normal samples at this level and all smaller ones."""
    samples = np.random.default_rng([n, TRIALS]).normal(size=(TRIALS, n))
    return sign_flip_lows(samples, level)
