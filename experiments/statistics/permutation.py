"""Permutation tests: p-values of paired and of independent differences, and Holm's correction for several of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from experiments.statistics.estimates import ROUNDING, SEED, Matrix

EXACT = 2**16
"""Largest number of relabellings for which a permutation test is exact."""
DRAWS = 9_999
"""Random relabellings when there are more."""


# scipy.stats.permutation_test agrees where it is exact, but takes 4 to 400 times as long, and doubles the smaller tail
# of random draws.
@dataclass(frozen=True)
class Permuted:
    """A permutation test of no difference."""

    p: float
    """Two-sided."""
    draws: int | None = None
    """Random relabellings; None for an exact test."""


def by_signs(deltas: Sequence[float]) -> Permuted:
    """The sign-flip test of paired differences, each of which has either sign with equal chance without an effect.

    Differences of 0 do not matter and are left out. When b of m random draws have a sum at least as large, p is
    (b + 1) / (m + 1).
    """
    sizes = np.array([delta for delta in deltas if abs(delta) > ROUNDING], dtype=float)
    if exact := 2 ** len(sizes) <= EXACT:
        flipped = (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1) @ sizes
    else:
        flipped = _drawn_flips(sizes)
    return _permuted(sizes.sum() - 2 * flipped, sizes.sum(), exact=exact)


def _drawn_flips(sizes: Matrix) -> Matrix:
    """The sum of the flipped values in each draw: a random bit for each flip, in batches to save memory."""
    wide = -(-len(sizes) // 8)
    bits = np.frombuffer(np.random.default_rng(SEED).bytes(DRAWS * wide), np.uint8).reshape(DRAWS, wide)
    parts = (np.unpackbits(part, axis=1, count=len(sizes)) for part in np.array_split(bits, 20))
    return np.concatenate([part.astype(float) @ sizes for part in parts])


def by_groups(one: Sequence[float], other: Sequence[float]) -> Permuted:
    """The permutation test of two samples, whose values are exchangeable without an effect."""
    both, n = np.array([*one, *other], dtype=float), len(one)
    if exact := math.comb(len(both), n) <= EXACT:
        firsts = both[np.array(list(combinations(range(len(both)), n)))].mean(axis=1)
    else:
        shuffled = np.random.default_rng(SEED).permuted(np.tile(both, (DRAWS, 1)), axis=1)
        firsts = shuffled[:, :n].mean(axis=1)
    rests = (both.sum() - n * firsts) / len(other)
    return _permuted(firsts - rests, fmean(one) - fmean(other), exact=exact)


def _permuted(relabelled: Matrix, seen: float, *, exact: bool) -> Permuted:
    as_large = int(np.sum(np.abs(relabelled) >= abs(seen) - ROUNDING))
    if exact:
        return Permuted(as_large / len(relabelled))
    return Permuted((as_large + 1) / (DRAWS + 1), DRAWS)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values with Holm's correction for their number, in the given order."""
    corrected, least = [0.0] * len(ps), 0.0
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = corrected[place] = max(least, min(1.0, (len(ps) - done) * ps[place]))
    return corrected
