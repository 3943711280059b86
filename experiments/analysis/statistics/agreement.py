"""How far raters agree: correlations and Krippendorff's alpha, for `clusters.bootstrap_clusters`.

Ratings are a matrix: a row for each unit, a column for each rater, NaN where a rater gave none;
each row of weights says how often each unit counts.

Krippendorff's alpha at interval level is 1 minus observed by expected disagreement, where the
disagreement of two ratings is their squared difference (Krippendorff, Content Analysis, 4th
edition, chapter 12). 1 is perfect agreement, 0 what chance gives, below 0 is worse than chance. The
well-kept library for it has a licence that this project cannot take on, so it is computed here;
tests hold it to the published example.
"""

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import Matrix

LEAST_UNITS = 3
"""Units that both rated, for a correlation."""
EQUAL = 1e-12
"""A variance below this is rounding error: the ratings are equal."""


def alpha(ratings: Matrix, weights: Matrix) -> Matrix:
    """Return Krippendorff's alpha at interval level; units with one rating are left out.

    NaN for fewer than two units, or when all ratings are equal.
    """
    rated = ~np.isnan(ratings)
    several = rated.sum(axis=1) > 1
    ratings = ratings[several]
    rated = rated[several]
    weights = weights[:, several]
    shifted = np.where(rated, ratings - (ratings[rated].mean() if rated.any() else 0), 0)
    counts = rated.sum(axis=1)
    sums = shifted.sum(axis=1)
    squares = (shifted**2).sum(axis=1)
    within = (squares - sums**2 / counts) * counts / (counts - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = weights @ counts
        spread = weights @ squares - (weights @ sums) ** 2 / number
        result = 1 - (weights @ within / number) / (spread / (number - 1))
    return np.where((weights.sum(axis=1) > 1) & (spread > EQUAL * number), result, np.nan)


def pearson(ratings: Matrix, weights: Matrix) -> Matrix:
    """Return the correlation of two raters; NaN for fewer than three units, or when one's ratings
    are all equal."""
    both = ~np.isnan(ratings).any(axis=1)
    first, second = (
        (ratings[both] - ratings[both].mean(axis=0)).T if both.any() else np.zeros((2, 0))
    )
    return _correlation(first[None], second[None], weights[:, both])


def spearman(ratings: Matrix, weights: Matrix) -> Matrix:
    """Return the correlation of ranks, ties with their mean rank; NaN as for `pearson`."""
    both = ~np.isnan(ratings).any(axis=1)
    first, second = (_ranks(side, weights[:, both]) for side in ratings[both].T)
    return _correlation(first, second, weights[:, both])


def _correlation(first: Matrix, second: Matrix, weights: Matrix) -> Matrix:
    """Correlate two sides, each with a row for all rows of weights, or with one for each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        number = weights.sum(axis=1)
        a, b = (side - ((weights * side).sum(axis=1) / number)[:, None] for side in (first, second))
        spreads = [(weights * side**2).sum(axis=1) / number for side in (a, b)]
        result = (weights * a * b).sum(axis=1) / number / np.sqrt(spreads[0] * spreads[1])
    return np.where((number >= LEAST_UNITS) & (np.minimum(*spreads) > EQUAL), result, np.nan)


def _ranks(side: Matrix, weights: Matrix) -> Matrix:
    """Return the mean rank of every unit, for each row of weights."""
    values, place = np.unique(side, return_inverse=True)
    counts = np.stack(
        [weights[:, place == index].sum(axis=1) for index in range(len(values))], axis=1
    )
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.asarray(ranks[:, place])


def mean(ratings: Matrix, weights: Matrix) -> Matrix:
    """Return the mean of all ratings; NaN where there are none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(
            weights @ np.nansum(ratings, axis=1) / (weights @ (~np.isnan(ratings)).sum(axis=1))
        )
