"""Means of samples with confidence intervals. Nothing here knows about games.

scipy is imported where it is used: importing it takes a second, and most commands do not need it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

from experiments.statistics.power import ALPHA, least, shift

CONFIDENCE = 0.95
RESAMPLES = 1_999
"""Resamples of a bootstrap."""
SEED = 1
"""Of all random draws, so that the same sample always gives the same numbers."""
ROUNDING = 1e-9
"""Rounding error: means of whole numbers that differ by less are equal."""

Bounds = tuple[float, float]
Interval = Literal["t", "bootstrap"]
"""The method of the intervals of means."""
Matrix = np.ndarray[Any, np.dtype[Any]]
Statistic = Callable[..., Any]
"""Of one sample or several, along an `axis`."""


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
        half = self.error and _t(self.df, (1 + CONFIDENCE) / 2) * self.error
        return self.mean - half, self.mean + half

    def detectable(self, tests: int = 1) -> float | None:
        """The smallest true mean that a t test of such a sample detects with 80 % power, one of this number of tests
        under Holm's correction; None when all values are equal."""
        return self.error * shift(self.df, alpha=ALPHA / tests) if self.error else None

    def enough(self, effect: float, tests: int = 1) -> int | None:
        """The sample size that detects a true mean of `effect` in the same way; None when all values are equal."""
        if not self.error:
            return None

        def shows(n: int) -> bool:
            df = self.df * (n - 1) / (self.n - 1)
            return effect >= self.error * math.sqrt(self.n / n) * shift(df, alpha=ALPHA / tests)

        return least(shows)


def of_one(values: Sequence[float]) -> Estimate | None:
    """The mean of a sample; None for fewer than two values."""
    error = standard_error(values)
    return None if error is None else Estimate(fmean(values), error, len(values) - 1, len(values))


def of_two(one: Sequence[float], other: Sequence[float]) -> Estimate | None:
    """The difference of the means of two samples, by Welch; None for fewer than two values in either."""
    a, b = standard_error(one), standard_error(other)
    if a is None or b is None:
        return None
    error = math.hypot(a, b)
    df = error**4 / (a**4 / (len(one) - 1) + b**4 / (len(other) - 1)) if error else math.inf
    return Estimate(fmean(one) - fmean(other), error, df, min(len(one), len(other)))


def spread(values: Sequence[float]) -> float | None:
    """Standard deviation of a sample (n - 1); None for fewer than two values."""
    if len(values) < 2:
        return None
    return 0.0 if max(values) - min(values) < ROUNDING else stdev(values)


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean; None for fewer than two values."""
    sd = spread(values)
    return None if sd is None else sd / math.sqrt(len(values))


@cache
def _t(df: float, quantile: float) -> float:
    from scipy.stats import t

    return float(t.ppf(quantile, df))


def binomial(successes: float, n: int) -> Bounds:
    """The 95 % interval of a share by Clopper and Pearson; `successes` may be the sum of shares."""
    from scipy.stats import beta

    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, successes, n - successes + 1)) if successes else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, n - successes)) if successes < n else 1.0
    return low, high


def unseen(n: int) -> float:
    """The 95 % upper bound on the share of units that differ when n of n were equal."""
    return 1 - math.pow(1 - CONFIDENCE, 1 / n)


def within(bounds: Bounds, least: float, most: float) -> Bounds:
    """The part of an interval that lies inside the range of what is estimated, so that its coverage stays the same."""
    low, high = (min(max(one, least), most) for one in bounds)
    return low, high


def bootstrapped(statistic: Statistic, *samples: Sequence[float]) -> Bounds | None:
    """The 95 % percentile bootstrap interval of a statistic; None when a sample has fewer than two values."""
    if min(map(len, samples)) < 2:
        return None
    from scipy.stats import bootstrap

    drawn = bootstrap(
        samples,
        statistic,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = drawn.confidence_interval
    return float(low), float(high)


def means(*samples: Matrix, axis: int = -1) -> Matrix:
    """The mean of one sample, or the difference of the means of two: for `bootstrapped`."""
    first, *rest = (np.mean(sample, axis=axis) for sample in samples)
    return np.asarray(first - rest[0] if rest else first)


def interquartile(values: Sequence[float] | Matrix, axis: int = -1) -> Any:
    """The interquartile mean: a quarter of the values, rounded down, is cut off at each end."""
    from scipy.stats import trim_mean

    return trim_mean(values, 0.25, axis=axis)
