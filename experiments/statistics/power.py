"""The power of Student's t test on paired differences.

scipy is imported where it is used: importing it takes a second, and most commands do not need it.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import cache

ALPHA = 0.05
"""Two-sided level of the test."""
POWER = 0.8
"""Probability with which an effect is to be detected."""


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
