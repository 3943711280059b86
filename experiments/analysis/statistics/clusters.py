"""Values that come in clusters, such as turns of games: a cluster is one draw, however many values
it has."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Bounds,
    Matrix,
    clip,
    clopper_pearson,
    coin_interval,
    wilson,
)

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Values = Iterable[tuple[str, float]]
"""An arm's figure on deals: those of a deal are averaged first."""
Weighted = Callable[[Matrix, Matrix], Matrix]
"""(values, weights) -> a number for each row of weights, which say how often each row of values
counts; NaN where it is not defined."""


def groups(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items by their key, in the order of the first of each."""
    by_key: dict[K, list[T]] = {}
    for item in items:
        by_key.setdefault(key(item), []).append(item)
    return by_key


def by_cluster(values: Iterable[tuple[K, float]]) -> dict[K, list[float]]:
    """Return the values of each cluster of (cluster, value)."""
    clusters: dict[K, list[float]] = {}
    for cluster, value in values:
        clusters.setdefault(cluster, []).append(value)
    return clusters


def cluster_means(values: Iterable[tuple[K, float]]) -> dict[K, float]:
    """Return the mean of each cluster of (cluster, value), in the order of their first values."""
    return {cluster: fmean(each) for cluster, each in by_cluster(values).items()}


def pooled_shares(successes: Matrix, sizes: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return the pooled share along the first axis, the clusters, with the ends of its 95 %
    interval.

    `successes` of `sizes` in each cluster; the shapes are equal, and further axes are shares of
    their own. NaN where there is nothing, and for the interval where a single cluster has
    something. The interval is that of Korn and Graubard: Clopper and Pearson's, with the number of
    values cut down to as many independent ones as say the same, by the variance between clusters
    and its degrees of freedom.
    """
    from scipy.special import betaincinv, stdtrit

    tail = (1 - CONFIDENCE) / 2
    total = sizes.sum(axis=0)
    clusters = (sizes > 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = successes.sum(axis=0) / total
        squares = ((successes - share * sizes) ** 2).sum(axis=0)
        variance = clusters / (clusters - 1) * squares / total**2
        narrower = (stdtrit(total - 1, tail) / stdtrit(clusters - 1, tail)) ** 2
        effective = np.where(variance > 0, share * (1 - share) / variance, total)
        effective = np.minimum(effective * narrower, total)
        low = np.where(
            share > 0, betaincinv(share * effective, (1 - share) * effective + 1, tail), 0.0
        )
        high = np.where(
            share < 1, betaincinv(share * effective + 1, (1 - share) * effective, 1 - tail), 1.0
        )
    single = clusters < 2
    return share, np.where(single, np.nan, low), np.where(single, np.nan, high)


def ratio_interval(clusters: Sequence[Sequence[float]]) -> Bounds:
    """Return the 95 % interval of a pooled share by Student's t of the ratio of sums.

    Where all clusters agree, or there is one, that of Wilson's score for as many values as there
    are clusters.
    """
    from scipy.special import stdtrit

    number = len(clusters)
    total = sum(map(len, clusters))
    share = sum(map(sum, clusters)) / total
    residuals = [sum(cluster) - share * len(cluster) for cluster in clusters]
    if number < 2 or not any(residuals):
        return wilson(share * number, number)
    error = math.sqrt(number / (number - 1) * sum(size * size for size in residuals)) / total
    half = float(stdtrit(number - 1, (1 + CONFIDENCE) / 2)) * error
    return clip((share - half, share + half), 0.0, 1.0)


@dataclass(frozen=True)
class Clustered:
    """A statistic of values in clusters, with an interval over clusters."""

    value: float | None
    """None where it is not defined: too few values, or no differences."""
    interval: Bounds | None
    """95 %, by a bootstrap that draws whole clusters; None for fewer than two clusters, or where
    half of the draws or more define nothing."""
    units: int
    groups: int


def over_all(statistic: Weighted, values: Matrix) -> float | None:
    """Return a statistic of all values; None where it is not defined."""
    if not len(values):
        return None
    (value,) = statistic(values, np.ones((1, len(values))))
    if np.isnan(value):
        return None
    return float(value)


def bootstrap_clusters(statistic: Weighted, clusters: Sequence[Matrix]) -> Clustered:
    """Return a statistic of all values, with a percentile bootstrap over clusters, such as the
    turns of a game.

    Draws for which the statistic is not defined are left out, as long as they are at most half.
    """
    filled = [cluster for cluster in clusters if len(cluster)]
    number = len(filled)
    if filled:
        values = np.concatenate(filled)
    else:
        values = np.zeros((0, 2))
    value = over_all(statistic, values)
    interval = None
    if value is not None and number > 1:
        draws = np.random.default_rng(SEED).multinomial(
            number, np.full(number, 1 / number), RESAMPLES
        )
        results = statistic(
            values, np.repeat(draws, [len(cluster) for cluster in filled], axis=1).astype(float)
        )
        interval = _middle(results)
    return Clustered(value, interval, len(values), number)


def _middle(results: Matrix) -> Bounds | None:
    """Return the bounds of 95 % of the resamples that define a number; None where fewer than half
    do."""
    defined = results[~np.isnan(results)]
    if len(defined) < len(results) / 2:
        return None
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def interquartile_mean(values: Matrix, weights: Matrix) -> Matrix:
    """Return the mean of the middle half of all values, a `Weighted`: a quarter of their number,
    rounded down, is cut off at each end."""
    levels, places = np.unique(values, return_inverse=True)
    counts = weights @ np.eye(len(levels))[places.ravel()]
    number = counts.sum(axis=1, keepdims=True)
    cut = number // 4
    middle = np.diff(np.clip(counts.cumsum(axis=1), cut, number - cut), axis=1, prepend=cut)
    return np.asarray(middle @ levels / middle.sum(axis=1))


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval."""

    value: float
    interval: Bounds
    n: int
    """Number of values."""
    clusters: int


def mean_share(values: Iterable[tuple[Hashable, float]]) -> Share:
    """Return the mean of the clusters' shares, of (cluster, value), with Clopper and Pearson's
    interval over them."""
    values = list(values)
    means = list(cluster_means(values).values())
    value = fmean(means)
    return Share(value, clopper_pearson(value * len(means), len(means)), len(values), len(means))


def pooled_share(values: Iterable[tuple[Hashable, float]]) -> Share:
    """Return the share of all values, of (cluster, value), with an interval by Student's t of the
    ratio of sums."""
    clusters = list(by_cluster(values).values())
    n = sum(map(len, clusters))
    return Share(sum(map(sum, clusters)) / n, ratio_interval(clusters), n, len(clusters))


def plain_share(values: Iterable[float]) -> Share:
    """Return the share of independent values with Wilson's interval."""
    values = list(values)
    return Share(fmean(values), wilson(sum(values), len(values)), len(values), len(values))


def guessed_share(chances: Sequence[float]) -> Share:
    """Return the mean chance of being right, with the middle 95 % of the share that one guess each
    gives."""
    return Share(fmean(chances), coin_interval(chances), len(chances), len(chances))
