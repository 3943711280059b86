"""Correlation over arms of two figures, each measured on deals of its own, with a bootstrap over the deals of both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.analysis.statistics.clusters import cluster_means
from experiments.analysis.statistics.estimates import CONFIDENCE, RESAMPLES, ROUNDING, SEED, Bounds, Matrix

Values = Iterable[tuple[str, float]]
"""An arm's figure on deals: those of a deal are averaged first."""


@dataclass(frozen=True)
class Correlation:
    figure: str
    arms: int
    spearman: float | None
    """Rank correlation over arms; None where one side has no ranks, all arms being equal."""
    spearman_between: Bounds | None
    pearson: float | None
    pearson_between: Bounds | None
    undefined: int
    """Resamples of the bootstrap in which there was no rank correlation."""


def correlate(figure: str, ours: Sequence[Values], theirs: Sequence[Values]) -> Correlation:
    """Return the correlation over arms, which are in the same order on both sides; each resample draws the deals of
    both anew, for all arms together."""
    rng, samples, means = np.random.default_rng(SEED), [], []
    for arms in (list(map(cluster_means, side)) for side in (ours, theirs)):
        deals = sorted({deal for arm in arms for deal in arm})
        matrix = np.array([[arm.get(deal, np.nan) for arm in arms] for deal in deals])  # a row for each deal
        draws = rng.integers(0, len(matrix), (RESAMPLES, len(matrix)))
        samples.append(_means(matrix[None]))
        means.append(np.concatenate([_means(matrix[part]) for part in np.array_split(draws, 20)]))
    straight, ranked = _pearson(*means), _pearson(*map(_ranks, means))
    values = (_pearson(*samples)[0], _pearson(*map(_ranks, samples))[0])
    pearson, spearman = (None if np.isnan(value) else float(value) for value in values)
    undefined = int(np.isnan(ranked).sum())
    return Correlation(figure, len(ours), spearman, _between(ranked), pearson, _between(straight), undefined)


def _means(matrices: Matrix) -> Matrix:
    """Return the arms' means in each of several matrices, over the deals that they have."""
    have = ~np.isnan(matrices)
    sums: Matrix = np.where(have, matrices, 0.0).sum(axis=1) / np.maximum(have.sum(axis=1), 1)
    return sums


def _ranks(rows: Matrix) -> Matrix:
    from scipy.stats import rankdata

    ranks: Matrix = rankdata(np.round(rows, 9), axis=1)
    return ranks


def _pearson(a: Matrix, b: Matrix) -> Matrix:
    """Return the correlation row by row; nan where one side has no spread."""
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    spread: Matrix = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Matrix = np.where(spread > ROUNDING**2, (a * b).sum(axis=1) / spread, np.nan)
    return values


def _between(values: Matrix) -> Bounds | None:
    """Return the bounds of 95 % of the resamples that have a correlation; None where fewer than half have one."""
    defined = values[~np.isnan(values)]
    if len(defined) < len(values) / 2:
        return None
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
