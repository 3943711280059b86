"""Means and shares of samples with confidence intervals.

scipy is imported where it is used, since most commands do not need it; `scipy.special` has the same
distributions as `scipy.stats`, which takes a second to import.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

ALPHA = 0.05
"""Two-sided level of tests."""
CONFIDENCE = 0.95
RESAMPLES = 1_999
"""Resamples of a bootstrap."""
SEED = 1
"""Seed of all random draws, so that the same sample always gives the same numbers."""
ROUNDING = 1e-9
"""Rounding error: means of whole numbers that differ by less are equal."""

Bounds = tuple[float, float]
Interval = Literal["t", "bootstrap"]
"""The method of the intervals of means."""
Matrix = np.ndarray[Any, np.dtype[Any]]


class Bounded:
    """A figure with the ends of its 95 % interval."""

    low: float | None
    high: float | None

    @property
    def bounds(self) -> Bounds | None:
        """The interval; None where an end is not known."""
        if self.low is None or self.high is None:
            return None
        return (self.low, self.high)


@dataclass(frozen=True)
class Estimate:
    """A mean, or a difference of means, with its standard error."""

    mean: float
    error: float
    """Standard error; 0 when all values are equal."""
    df: float
    """Degrees of freedom of the standard error."""
    n: int
    """Size of the sample; of the smaller one, when there are two."""

    @property
    def interval(self) -> Bounds:
        """The 95 % confidence interval by Student's t."""
        half = self.error and _quantile(self.df, (1 + CONFIDENCE) / 2) * self.error
        return self.mean - half, self.mean + half

    def within(self, least: float, most: float) -> Bounds | None:
        """Return the interval inside the range of what is estimated.

        Equal values do not show how far others lie, but in how many another went unseen; None for
        them where the range has no end.
        """
        if self.error:
            return clip(self.interval, least, most)
        if math.isinf(most - least):
            return None
        share = unseen_share(self.n)
        return self.mean - share * (self.mean - least), self.mean + share * (most - self.mean)


@cache
def _quantile(df: float, share: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, share))


def estimate_mean(values: Sequence[float]) -> Estimate | None:
    """Return the mean of a sample; None for fewer than two values."""
    error = standard_error(values)
    if error is None:
        return None
    return Estimate(fmean(values), error, len(values) - 1, len(values))


def estimate_difference(first: Sequence[float], second: Sequence[float]) -> Estimate | None:
    """Return the difference of the means of two samples, by Welch; None for fewer than two values
    in either."""
    a = standard_error(first)
    b = standard_error(second)
    if a is None or b is None:
        return None
    error = math.hypot(a, b)
    if error:
        df = error**4 / (a**4 / (len(first) - 1) + b**4 / (len(second) - 1))
    else:
        df = math.inf
    return Estimate(fmean(first) - fmean(second), error, df, min(len(first), len(second)))


def standard_deviation(values: Sequence[float]) -> float | None:
    """Return the standard deviation of a sample (n - 1); None for fewer than two values."""
    if len(values) < 2:
        return None
    if max(values) - min(values) < ROUNDING:
        return 0.0
    return stdev(values)


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean; None for fewer than two values."""
    sd = standard_deviation(values)
    if sd is None:
        return None
    return sd / math.sqrt(len(values))


def clopper_pearson(successes: float, n: int) -> Bounds:
    """Return the 95 % interval of a share, which covers at least that; `successes` may be a sum of
    shares."""
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    if successes:
        low = float(betaincinv(successes, n - successes + 1, tail))
    else:
        low = 0.0
    if successes < n:
        high = float(betaincinv(successes + 1, n - successes, 1 - tail))
    else:
        high = 1.0
    return low, high


def wilson(successes: float, n: int) -> Bounds:
    """Return the 95 % interval of a share by Wilson's score; `successes` may be a sum of shares,
    unlike in scipy."""
    from scipy.special import ndtri

    z = float(ndtri((1 + CONFIDENCE) / 2))
    share = successes / n
    weight = z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return clip((middle - half, middle + half), 0.0, 1.0)


def unseen_share(n: int) -> float:
    """Return the 95 % upper bound on the share of units that differ when n of n were equal."""
    return 1 - math.pow(1 - CONFIDENCE, 1 / n)


def clip(bounds: Bounds, least: float, most: float) -> Bounds:
    """Return the part of an interval inside the range of what is estimated, so that its coverage
    stays the same."""
    low, high = (min(max(end, least), most) for end in bounds)
    return low, high


def bootstrap_interval(*samples: Sequence[float]) -> Bounds | None:
    """Return the 95 % percentile interval of a mean, or of the difference of the means of two
    samples.

    None when a sample has fewer than two values.
    """
    if min(map(len, samples)) < 2:
        return None
    from scipy.stats import bootstrap

    draws = bootstrap(
        samples,
        lambda first, *rest, axis: (
            np.mean(first, axis=axis) - (np.mean(rest[0], axis=axis) if rest else 0.0)
        ),
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = draws.confidence_interval
    return float(low), float(high)


def coin_interval(chances: Sequence[float]) -> Bounds:
    """Return the middle 95 % of the share of coins that fall well, each with its own chance:
    exact."""
    tail = (1 - CONFIDENCE) / 2
    number = len(chances)
    weights = reduce(np.convolve, ([1 - chance, chance] for chance in chances), np.ones(1))
    below = np.cumsum(weights)
    low = np.searchsorted(below, tail, side="right")
    high = np.searchsorted(below, 1 - tail)
    return float(low / number), float(high / number)
