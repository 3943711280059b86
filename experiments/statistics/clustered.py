"""Shares of things that come in clusters, such as turns of games: their intervals know that a cluster is one draw.

The interval is that of Korn and Graubard: Clopper and Pearson's, with the number of things cut down to as many
independent ones as say the same, by the variance between clusters and its degrees of freedom.
"""

import numpy as np

from experiments.statistics.estimates import CONFIDENCE, Matrix


def shares(successes: Matrix, sizes: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """The pooled share along the first axis, the clusters, with the ends of its 95 % interval.

    `successes` of `sizes` in each cluster; the shapes are equal, and further axes are shares of their own. NaN where
    there is nothing, and for the interval where a single cluster has something.
    """
    from scipy.stats import beta, t  # a second to import

    tail = (1 - CONFIDENCE) / 2
    whole, there = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = successes.sum(axis=0) / whole
        apart = ((successes - share * sizes) ** 2).sum(axis=0)
        variance = there / (there - 1) * apart / whole**2
        narrower = (t.ppf(tail, whole - 1) / t.ppf(tail, there - 1)) ** 2
        alike = np.where(variance > 0, share * (1 - share) / variance, whole)
        worth = np.minimum(alike * narrower, whole)
        low = np.where(share > 0, beta.ppf(tail, share * worth, (1 - share) * worth + 1), 0.0)
        high = np.where(share < 1, beta.ppf(1 - tail, share * worth + 1, (1 - share) * worth), 1.0)
    unknown = there < 2
    return share, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)
