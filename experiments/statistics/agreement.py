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

Statistic = Callable[[Matrix], float | None]

LEAST_UNITS = 3
"""Units that both rated, for a correlation."""


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


def alpha(ratings: Matrix) -> float | None:
    """Krippendorff's alpha at interval level; units with one rating are left out.

    None when fewer than two units are left, or when all ratings are equal.
    """
    counts = (~np.isnan(ratings)).sum(axis=1)
    kept, counts = ratings[counts > 1], counts[counts > 1]
    if len(kept) < 2:
        return None
    every = kept[~np.isnan(kept)]
    expected = 2 * float(((every - every.mean()) ** 2).sum()) / (len(every) - 1)
    if np.ptp(every) == 0 or expected == 0:
        return None
    within = np.nansum((kept - np.nanmean(kept, axis=1, keepdims=True)) ** 2, axis=1)
    observed = 2 * float((within * counts / (counts - 1)).sum()) / len(every)
    return 1 - observed / expected


def pearson(ratings: Matrix) -> float | None:
    """Of two raters; None for fewer than three units, or when the ratings of one are all equal."""
    one, other = ratings[~np.isnan(ratings).any(axis=1)].T
    if len(one) < LEAST_UNITS or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def spearman(ratings: Matrix) -> float | None:
    """The correlation of ranks, ties with their mean rank; None as for `pearson`."""
    from scipy.stats import rankdata

    kept = ratings[~np.isnan(ratings).any(axis=1)]
    return pearson(rankdata(kept, axis=0)) if len(kept) else None


def mean(ratings: Matrix) -> float | None:
    """The mean of all ratings; None when there are none."""
    found = ratings[~np.isnan(ratings)]
    return float(found.mean()) if len(found) else None


def clustered(statistic: Statistic, groups: Sequence[Matrix]) -> Clustered:
    """A statistic of all units, with a percentile bootstrap over groups of them, such as the turns of a game.

    Draws for which the statistic is not defined are left out, as long as they are fewer than half.
    """
    there = [group for group in groups if len(group)]
    if not there:
        return Clustered(None, None, 0, 0)
    every = np.concatenate(there)
    value = statistic(every)
    if value is None or len(there) < 2:
        return Clustered(value, None, len(every), len(there))
    drawn = np.random.default_rng(SEED).integers(0, len(there), (RESAMPLES, len(there)))
    found = (statistic(np.concatenate([there[index] for index in draw])) for draw in drawn)
    kept = [one for one in found if one is not None]
    if 2 * len(kept) <= RESAMPLES:
        return Clustered(value, None, len(every), len(there))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(kept, (tail, 1 - tail))
    return Clustered(value, (float(low), float(high)), len(every), len(there))
