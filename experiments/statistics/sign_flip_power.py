"""What a sign-flip test of paired differences can see: its detectable effect, and how many pairs an effect needs.

The test is compared at a level that Holm's correction leaves to it: .05 divided by the number of tests. With so few
pairs that a t test is another test, the test itself is simulated on normal differences.
"""

import math
from functools import cache

import numpy as np

from experiments.statistics.permutation import least_p, sign_limits
from experiments.statistics.power import ALPHA, POWER, least, shift

SIMULATED = 13
"""The most pairs for which the test is simulated. With more, Student's t has the same power up to 2 points."""
TRIALS = 4_000
"""Simulated samples; the standard error of their power is 0.6 points."""


def detectable(sd: float, n: int, power: float = POWER, tests: int = 1, step: float = 0.0) -> float | None:
    """The smallest true mean of n differences with this SD that is detected with this power and the right sign.

    `tests`: how many tests Holm corrects for, all others of arms without an effect. `step`: what differences are
    multiples of; sums that tie with the observed one count against it, which costs half a step of the sum. None for a
    design in which no p can be small enough.
    """
    if least_p(n) * tests >= ALPHA:
        return None
    level, ties = ALPHA / tests, step / n
    if n > SIMULATED:
        return sd * shift(n - 1, power, level) / math.sqrt(n) + ties
    return sd * float(np.quantile(_needed_shifts(n, level), power)) + ties


def needed(sd: float, effect: float, power: float = POWER, tests: int = 1, step: float = 0.0) -> int:
    """How many differences are needed to detect a true mean of `effect` with this power."""

    def shows(n: int) -> bool:
        seen = detectable(sd, n, power, tests, step)
        return seen is not None and seen <= effect

    return least(shows)


@cache
def _needed_shifts(n: int, level: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """By how much each of many standard normal samples must be shifted until the test rejects no difference."""
    samples = np.random.default_rng([n, TRIALS]).normal(size=(TRIALS, n))
    return -sign_limits(samples, level)
