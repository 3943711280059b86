"""What so many paired differences can show: the power of Student's t test, read in both directions.

scipy is imported where it is used: it takes a second, and most commands need none of it.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

ALPHA = 0.05
"""Two-sided level of the test."""
POWER = 0.8
"""How often a difference is to be shown."""


def mde(sd: float, n: int, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """The smallest true mean of n differences with this SD that the test tells from 0, with its sign, so often.

    None for fewer than two.
    """
    return None if n < 2 else sd * shift(n - 1, power, alpha) / math.sqrt(n)


def needed(sd: float, effect: float, power: float = POWER, alpha: float = ALPHA) -> int:
    """How many differences show a true mean of `effect` so often; at least 2."""

    return least(lambda n: sd * shift(n - 1, power, alpha) / math.sqrt(n) <= effect)


def least(shows: Callable[[int], bool]) -> int:
    """The least n, 2 or more, that shows it; all larger ones do, too."""
    most = 2
    while not shows(most):
        most *= 2
    return bisect_left(range(most), True, lo=2, key=shows)


@cache
def shift(df: float, power: float = POWER, alpha: float = ALPHA) -> float:
    """How many standard errors a true mean must be."""
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    critical = float(t.ppf(1 - alpha / 2, df))

    def lacking(shift: float) -> float:
        return power - float(nct.sf(critical, df, shift))

    return float(brentq(lacking, 0, 10 * critical))
