"""Correlations over arms or models, which are the sample: how exactly each is measured does not
make them more."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import ROUNDING, SEED, Matrix
from hanabi_orchestrator.experiments.analysis.statistics.permutation import DRAWS, EXACT

LEAST = 3
"""Arms, for a correlation over them."""


@dataclass(frozen=True)
class Correlation:
    """Over arms or models, of two figures of each."""

    figure: str
    n: int
    """Arms or models."""
    spearman: float | None
    """Rank correlation; None where all are equal in one of the two."""
    spearman_p: float | None
    """Two-sided, by permutation of the arms: without a relation every order of them is equally
    likely."""
    pearson: float | None
    pearson_p: float | None


def correlate(figure: str, ours: Sequence[float], theirs: Sequence[float]) -> Correlation:
    """Return the correlations of two figures of the same arms, in the same order, with their
    permutation tests."""
    spearman, spearman_p = _tested(_ranks(ours), _ranks(theirs))
    pearson, pearson_p = _tested(np.array(ours, float), np.array(theirs, float))
    return Correlation(figure, len(ours), spearman, spearman_p, pearson, pearson_p)


def _ranks(values: Sequence[float]) -> Matrix:
    from scipy.stats import rankdata

    ranks: Matrix = rankdata(np.round(values, 9))
    return ranks


def _tested(ours: Matrix, theirs: Matrix) -> tuple[float | None, float | None]:
    """Return the product-moment correlation and its p; None where either side has no spread."""
    ours = ours - ours.mean()
    theirs = theirs - theirs.mean()
    spread = math.sqrt(float(ours @ ours) * float(theirs @ theirs))
    if spread <= ROUNDING**2:
        return None, None
    values = theirs[_orders(len(ours))] @ ours / spread
    extreme = np.abs(values) >= abs(values[0]) - ROUNDING
    return float(values[0]), float(extreme.mean())


@cache
def _orders(n: int) -> Matrix:
    """Return orders of n arms, the given one first: all of them, or random ones."""
    if math.factorial(n) <= EXACT:
        return np.array(list(permutations(range(n))))
    places = np.tile(np.arange(n), (DRAWS, 1))
    return np.concatenate(
        [np.arange(n)[None], np.random.default_rng(SEED).permuted(places, axis=1)]
    )
