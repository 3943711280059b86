"""The power of Student's t test on paired differences: the detectable effect of a sample size, and the reverse.

scipy is imported where it is used: importing it takes a second, and most commands do not need it.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

ALPHA = 0.05
"""Two-sided level of the test."""
POWER = 0.8
"""Probability with which an effect is to be detected."""


def mde(sd: float, n: int, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """Minimum detectable effect: the smallest true mean of n differences with this SD that the test detects.

    It is detected with probability `power`, and with the right sign. None for fewer than two differences.
    """
    return None if n < 2 else sd * shift(n - 1, power, alpha) / math.sqrt(n)


def needed(sd: float, effect: float, power: float = POWER, alpha: float = ALPHA) -> int:
    """How many differences are needed to detect a true mean of `effect` with this power; at least 2."""

    return least(lambda n: sd * shift(n - 1, power, alpha) / math.sqrt(n) <= effect)


def least(shows: Callable[[int], bool]) -> int:
    """The least n, from 2, for which `shows(n)` is true; it must stay true for larger n."""
    most = 2
    while not shows(most):
        most *= 2
    return bisect_left(range(most), True, lo=2, key=shows)


@cache
def shift(df: float, power: float = POWER, alpha: float = ALPHA) -> float:
    """The detectable true mean in standard errors: the noncentrality at which a t test has this power."""
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    critical = float(t.ppf(1 - alpha / 2, df))

    def shortfall(shift: float) -> float:
        return power - float(nct.sf(critical, df, shift))

    return float(brentq(shortfall, 0, 10 * critical))
