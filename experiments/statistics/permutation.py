"""Permutation tests of paired and of independent differences, the intervals that they give, and Holm's correction.

A test's interval holds every difference that the test does not reject, so a test and its interval never disagree.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import combinations

import numpy as np

from experiments.statistics.estimates import ROUNDING, SEED, Bounds, Matrix
from experiments.statistics.power import ALPHA

EXACT = 2**16
"""Largest number of relabellings for which a permutation test is exact."""
DRAWS = 9_999
"""Random relabellings when there are more."""
DRAWS_FOR_EACH = 40
"""Random relabellings for each of many tests, so that a small p is still small after Holm's correction."""
BATCH, KEPT = 2**20, 2**23
"""Numbers of a batch of relabellings, to save memory, and how many are kept for the next test of as many values."""


# scipy.stats.permutation_test agrees where it is exact, but takes 4 to 400 times as long, doubles the smaller tail of
# random draws, and gives no interval.
@dataclass(frozen=True)
class Permuted:
    """A permutation test of no difference."""

    p: float
    """Two-sided."""
    draws: int | None = None
    """Random relabellings; None for an exact test."""
    lows: Matrix = field(default_factory=lambda: np.empty(0), compare=False)
    """The smallest differences at which a relabelling is as extreme as the sample, sorted."""
    highs: Matrix = field(default_factory=lambda: np.empty(0), compare=False)
    """The largest ones, from the largest down."""
    many: int = 1
    """Relabellings, the sample's own included; mirror images count once."""

    def interval(self, level: float = ALPHA) -> Bounds | None:
        """All differences that the test does not reject at this level; None when it cannot reject any."""
        place = _place(level, self.many)
        if place < 1:
            return None
        low, high = float(self.lows[place]), float(self.highs[place])
        if self.p < level:  # random draws may move an end past 0 against the test
            return (max(low, 0.0), high) if low + high > 0 else (low, min(high, 0.0))
        return min(low, 0.0), max(high, 0.0)


def draws_for(tests: int) -> int:
    """How many random relabellings a test takes that is corrected for this number of tests."""
    return max(DRAWS, DRAWS_FOR_EACH * tests - 1)


def by_signs(deltas: Sequence[float], draws: int = DRAWS) -> Permuted:
    """The sign-flip test of paired differences, each of which has either sign with equal chance without an effect.

    Differences of 0 do not matter to p and are left out. When b of m random draws have a sum at least as large, p is
    (b + 1) / (m + 1).

    The test of a difference d flips the signs of the values less d. A flip is as extreme as the sample when the mean of
    the flipped values is not above d, or that of the others, when d is below the sample's mean; the mirror image when
    it is above. A flip and its mirror image, which flips the others, say the same, so only one of them is tried.
    """
    sample = np.array(deltas, dtype=float)
    n, total = len(sample), sample.sum()
    drawn = 2**n > EXACT
    parts = [part @ np.column_stack([sample, np.ones(n)]) for part in _flips(n, draws if drawn else None)]
    flipped, many = np.concatenate(parts).T
    sizes = sample[np.abs(sample) > ROUNDING]
    few = drawn and 2 ** len(sizes) <= EXACT
    p = by_signs(list(sizes)).p if few else float(np.mean(np.abs(total - 2 * flipped) >= abs(total) - ROUNDING))
    with np.errstate(divide="ignore", invalid="ignore"):
        firsts, seconds = flipped / many, (total - flipped) / (n - many)
    return _permuted(Permuted(p, draws if drawn and not few else None), firsts, seconds)


def sign_limits(samples: Matrix, level: float) -> Matrix:
    """The lower end of the exact test's interval for each row; at most 16 columns."""
    flips = _few_flips(samples.shape[1], None)
    place, many = _place(level, len(flips)), flips[1:].sum(axis=1)
    found = []
    for part in np.array_split(samples, -(-len(samples) * len(flips) // BATCH)):
        sums = part @ flips[1:].T  # the first flips nothing, and is as extreme as the sample at any difference
        smaller = np.minimum(sums / many, (part.sum(axis=1)[:, None] - sums) / (part.shape[1] - many))
        found.append(np.partition(smaller, place - 1, axis=1)[:, place - 1])
    return np.concatenate(found)


def _place(level: float, many: int) -> int:
    """Which of the sorted limits is the end of the interval at this level; the first, 0, is none."""
    return math.ceil(level * many - ROUNDING) - 1


def _flips(n: int, draws: int | None) -> Iterable[Matrix]:
    """Rows of 1 for each value that is flipped, the first row without any: all flips, or random ones in batches."""
    if draws is None or draws * n <= KEPT:
        return [_few_flips(n, draws)]
    return _drawn_flips(n, draws)


@lru_cache(maxsize=4)
def _few_flips(n: int, draws: int | None) -> Matrix:
    if draws is not None:
        return np.concatenate(list(_drawn_flips(n, draws)))
    return (np.arange(2 ** max(0, n - 1))[:, None] >> np.arange(n) & 1).astype(float)  # the last value stays


def _drawn_flips(n: int, draws: int) -> Iterator[Matrix]:
    yield np.zeros((1, n))
    wide = -(-n // 8)
    bits = np.frombuffer(np.random.default_rng(SEED).bytes(draws * wide), np.uint8).reshape(draws, wide)
    for part in np.array_split(bits, -(-draws * n // BATCH)):
        yield np.unpackbits(part, axis=1, count=n).astype(float)


def by_groups(one: Sequence[float], other: Sequence[float], draws: int = DRAWS) -> Permuted:
    """The permutation test of two samples of the same size, whose values are exchangeable without an effect."""
    both, n = np.array([*one, *other], dtype=float), len(one)
    if len(other) != n:
        raise ValueError(f"samples of {n} and {len(other)} values; they must have the same size")
    exact = math.comb(2 * n, n) <= EXACT
    chosen = _all_groups(n) if exact else _drawn_groups(n, draws)
    sums, moved = both[chosen].sum(axis=1), (chosen >= n).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        firsts = (sum(one) - sums) / moved
        seconds = (sums - sum(other)) / (n - moved)
    apart = np.abs(2 * sums - both.sum()) >= abs(sum(one) - sum(other)) - n * ROUNDING
    return _permuted(Permuted(float(np.mean(apart)), None if exact else draws), firsts, seconds)


@cache
def _all_groups(n: int) -> Matrix:
    """The places of the values that come first, a row for each choice of n of 2n; mirror images once."""
    return np.array([(0, *rest) for rest in combinations(range(1, 2 * n), n - 1)])


def _drawn_groups(n: int, draws: int) -> Matrix:
    places = np.tile(np.arange(2 * n), (draws, 1))
    shuffled = np.random.default_rng(SEED).permuted(places, axis=1)[:, :n]
    return np.concatenate([np.arange(n)[None, :], shuffled])


def _permuted(test: Permuted, firsts: Matrix, seconds: Matrix) -> Permuted:
    """With the limits of intervals: each relabelling, or its mirror image, is the first to be as extreme."""
    many = len(firsts)
    kept = min(many, math.ceil(ALPHA * many) + 1)
    smaller = np.minimum(_or(firsts, -np.inf), _or(seconds, -np.inf))
    larger = np.maximum(_or(firsts, np.inf), _or(seconds, np.inf))
    lows = np.sort(np.partition(smaller, kept - 1)[:kept])
    highs = -np.sort(np.partition(-larger, kept - 1)[:kept])
    return replace(test, lows=lows, highs=highs, many=many)


def _or(values: Matrix, unmoved: float) -> Matrix:
    """A relabelling that moves nothing is as extreme as the sample at any difference."""
    return np.where(np.isfinite(values), values, unmoved)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values with Holm's correction for their number, in the given order."""
    corrected, least = [0.0] * len(ps), 0.0
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = corrected[place] = max(least, min(1.0, (len(ps) - done) * ps[place]))
    return corrected


def holm_levels(ps: Sequence[float]) -> list[float]:
    """The level at which Holm's procedure tests each p-value: those that it rejects in turn, all others at the last.

    A p-value is below its level exactly when its corrected value is below ALPHA.
    """
    rejected = sum(p < ALPHA for p in holm(ps))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    ranks = {place: min(rank, rejected) for rank, place in enumerate(order)}
    return [ALPHA / (len(ps) - ranks[place]) for place in range(len(ps))]


def least_p(n: int, *, groups: bool = False) -> float:
    """The smallest p that n pairs, or two groups of n, can have: when all of them favour the same side."""
    return min(1.0, 2 / (math.comb(2 * n, n) if groups else 2**n))


def fewest(tests: int) -> int:
    """The fewest pairs that can have a p below ALPHA after Holm's correction for this number of tests."""
    return next(n for n in range(1, 1000) if least_p(n) * tests < ALPHA)
