"""Shares of answers, decisions or statements that come in clusters, such as deals, with their 95 % intervals."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.analysis.statistics.clusters import cluster_means, ratio_interval
from experiments.analysis.statistics.estimates import Bounds as Bounds
from experiments.analysis.statistics.estimates import clopper_pearson, coin_interval, wilson
from experiments.analysis.statistics.estimates import standard_error as standard_error


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval."""

    value: float
    interval: Bounds
    n: int
    """Number of values."""
    clusters: int


def mean_share(values: Iterable[tuple[Hashable, float]]) -> Share:
    """Return the mean of the clusters' shares, of (cluster, value), with Clopper and Pearson's interval over them."""
    values = list(values)
    means = list(cluster_means(values).values())
    value = fmean(means)
    return Share(value, clopper_pearson(value * len(means), len(means)), len(values), len(means))


def pooled_share(values: Iterable[tuple[Hashable, float]]) -> Share:
    """Return the share of all values, of (cluster, value), with an interval by Student's t of the ratio of sums."""
    clusters: dict[Hashable, list[float]] = {}
    for cluster, value in values:
        clusters.setdefault(cluster, []).append(value)
    n = sum(map(len, clusters.values()))
    return Share(sum(map(sum, clusters.values())) / n, ratio_interval(list(clusters.values())), n, len(clusters))


def plain_share(values: Iterable[float]) -> Share:
    """Return the share of independent values with Wilson's interval."""
    values = list(values)
    return Share(fmean(values), wilson(sum(values), len(values)), len(values), len(values))


def guessed_share(chances: Sequence[float]) -> Share:
    """Return the mean chance of being right, with the middle 95 % of the share that one guess each gives."""
    return Share(fmean(chances), coin_interval(chances), len(chances), len(chances))
