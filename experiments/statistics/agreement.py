"""How far raters agree: correlations and Krippendorff's alpha, with intervals that draw whole groups of units.

Ratings are a matrix: a row for each unit, a column for each rater, NaN where a rater gave none.

Krippendorff's alpha at interval level is 1 minus observed by expected disagreement, where the disagreement of two
ratings is their squared difference (Krippendorff, Content Analysis, 4th edition, chapter 12). 1 is perfect agreement, 0
what chance gives, below 0 is worse than chance. The well-kept library for it has a licence that this project cannot
take on, so it is reckoned here; tests hold it to the published example.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.statistics.estimates import CONFIDENCE, RESAMPLES, SEED, Bounds, Matrix

Statistic = Callable[[Matrix, Matrix], Matrix]
"""(ratings, weights) -> a value for each row of weights, which say how often each unit is there; NaN where it is not
defined."""

LEAST_UNITS = 3
"""Units that both rated, for a correlation."""
EQUAL = 1e-12
"""A variance below this is rounding error: the ratings are equal."""


@dataclass(frozen=True)
class Clustered:
    """A statistic of ratings, with an interval over groups of units."""

    value: float | None
    """None where it is not defined: too few units, or no differences."""
    interval: Bounds | None
    """95 %, by a bootstrap that draws whole groups; None for fewer than two groups, or where half of the draws or more
    define nothing."""
    units: int
    groups: int


def alpha(ratings: Matrix, weights: Matrix) -> Matrix:
    """Krippendorff's alpha at interval level; units with one rating are left out.

    Not defined for fewer than two units, or when all ratings are equal.
    """
    there = ~np.isnan(ratings)
    kept = there.sum(axis=1) > 1
    several, there, often = ratings[kept], there[kept], weights[:, kept]
    shifted = np.where(there, several - (several[there].mean() if there.any() else 0), 0)
    counts, sums, squares = there.sum(axis=1), shifted.sum(axis=1), (shifted**2).sum(axis=1)
    within = (squares - sums**2 / counts) * counts / (counts - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = often @ counts
        spread = often @ squares - (often @ sums) ** 2 / number
        found = 1 - (often @ within / number) / (spread / (number - 1))
    return np.where((often.sum(axis=1) > 1) & (spread > EQUAL * number), found, np.nan)


def pearson(ratings: Matrix, weights: Matrix) -> Matrix:
    """Of two raters; not defined for fewer than three units, or when the ratings of one are all equal."""
    kept = ~np.isnan(ratings).any(axis=1)
    one, other = (ratings[kept] - ratings[kept].mean(axis=0)).T if kept.any() else np.zeros((2, 0))
    return _weighted(one[None], other[None], weights[:, kept])


def spearman(ratings: Matrix, weights: Matrix) -> Matrix:
    """The correlation of ranks, ties with their mean rank; not defined as for `pearson`."""
    kept = ~np.isnan(ratings).any(axis=1)
    often = weights[:, kept]
    one, other = (_ranks(side, often) for side in ratings[kept].T)
    return _weighted(one, other, often)


def _weighted(one: Matrix, other: Matrix, often: Matrix) -> Matrix:
    """The correlation of two sides, each with a row for all rows of weights, or with one of its own for each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        number = often.sum(axis=1)
        a, b = (side - ((often * side).sum(axis=1) / number)[:, None] for side in (one, other))
        spreads = [(often * side**2).sum(axis=1) / number for side in (a, b)]
        found = (often * a * b).sum(axis=1) / number / np.sqrt(spreads[0] * spreads[1])
    return np.where((number >= LEAST_UNITS) & (np.minimum(*spreads) > EQUAL), found, np.nan)


def _ranks(side: Matrix, often: Matrix) -> Matrix:
    """The mean rank of every unit, for each row of weights."""
    values, place = np.unique(side, return_inverse=True)
    counts = np.stack([often[:, place == index].sum(axis=1) for index in range(len(values))], axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.asarray(ranks[:, place])


def mean(ratings: Matrix, weights: Matrix) -> Matrix:
    """The mean of all ratings; not defined where there are none."""
    there = ~np.isnan(ratings)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(weights @ np.nansum(ratings, axis=1) / (weights @ there.sum(axis=1)))


def of_all(statistic: Statistic, ratings: Matrix) -> float | None:
    """A statistic of all units; None where it is not defined."""
    if not len(ratings):
        return None
    (value,) = statistic(ratings, np.ones((1, len(ratings))))
    return None if np.isnan(value) else float(value)


def clustered(statistic: Statistic, groups: Sequence[Matrix]) -> Clustered:
    """A statistic of all units, with a percentile bootstrap over groups of them, such as the turns of a game.

    Draws for which the statistic is not defined are left out, as long as they are fewer than half.
    """
    there = [group for group in groups if len(group)]
    every = np.concatenate(there) if there else np.zeros((0, 2))
    value = of_all(statistic, every)
    if value is None or len(there) < 2:
        return Clustered(value, None, len(every), len(there))
    shares = np.full(len(there), 1 / len(there))
    drawn = np.random.default_rng(SEED).multinomial(len(there), shares, RESAMPLES)
    found = statistic(every, np.repeat(drawn, [len(group) for group in there], axis=1).astype(float))
    kept = found[~np.isnan(found)]
    if 2 * len(kept) <= RESAMPLES:
        return Clustered(value, None, len(every), len(there))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(kept, (tail, 1 - tail))
    return Clustered(value, (float(low), float(high)), len(every), len(there))
