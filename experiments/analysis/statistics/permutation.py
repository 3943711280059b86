"""Permutation tests of paired and of independent differences, the intervals that they give, and
Holm's correction.

A test's interval holds every difference that the test does not reject, so a test and its interval
never disagree. scipy.stats.permutation_test agrees where it is exact, but takes 4 to 400 times as
long, doubles the smaller tail of random draws, and gives no interval.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ALPHA,
    ROUNDING,
    SEED,
    Bounds,
    Matrix,
)

EXACT = 2**16
"""Largest number of relabellings for which a permutation test is exact."""
DRAWS = 9_999
"""Random relabellings when there are more."""
DRAWS_FOR_EACH = 40
"""Random relabellings for each of many tests, so that a small p is still small after Holm's
correction."""
BATCH = 2**20
CACHED = 2**23
"""Numbers of a batch of relabellings, to save memory, and how many are cached for the next test of
as many values."""


@dataclass(frozen=True)
class PermutationTest:
    """A permutation test of no difference."""

    p: float
    """Two-sided."""
    draws: int | None = None
    """Random relabellings; None for an exact test."""
    lows: Matrix = field(default_factory=lambda: np.empty(0), compare=False)
    """The smallest differences at which a relabelling is as extreme as the sample, sorted."""
    highs: Matrix = field(default_factory=lambda: np.empty(0), compare=False)
    """The largest ones, from the largest down."""
    relabellings: int = 1
    """The sample's own labels included; mirror images count once."""

    @classmethod
    def with_limits(
        cls, p: float, draws: int | None, first: Matrix, second: Matrix
    ) -> "PermutationTest":
        """Return the test with the limits of its intervals.

        `first`, `second`: the differences at which each relabelling, and its mirror image, begins
        to be as extreme; not finite for one that moves nothing, which is as extreme at any
        difference.
        """
        number = min(len(first), math.ceil(ALPHA * len(first)) + 1)
        below = [np.where(np.isfinite(limits), limits, -np.inf) for limits in (first, second)]
        above = [np.where(np.isfinite(limits), limits, np.inf) for limits in (first, second)]
        lows = np.sort(np.partition(np.minimum(*below), number - 1)[:number])
        highs = -np.sort(np.partition(-np.maximum(*above), number - 1)[:number])
        return cls(p, draws, lows, highs, len(first))

    def interval(self, level: float = ALPHA) -> Bounds | None:
        """Return all differences that the test does not reject at this level; None when it cannot
        reject any."""
        place = _place(level, self.relabellings)
        if place < 1:
            return None
        low = float(self.lows[place])
        high = float(self.highs[place])
        if self.p < level:  # random draws may move an end past 0 against the test
            if low + high > 0:
                return (max(low, 0.0), high)
            return (low, min(high, 0.0))
        return min(low, 0.0), max(high, 0.0)


def draws_for(tests: int) -> int:
    """Return how many random relabellings a test takes that is corrected for this number of
    tests."""
    return max(DRAWS, DRAWS_FOR_EACH * tests - 1)


def sign_flip_test(deltas: Sequence[float], draws: int = DRAWS) -> PermutationTest:
    """Test paired differences, each of which has either sign with equal chance without an effect.

    Differences of 0 do not matter to p and are left out. When b of m random draws have a sum at
    least as large, p is (b + 1) / (m + 1).

    The test of a difference d flips the signs of the values less d. A flip is as extreme as the
    sample when the mean of the flipped values is not above d, or that of the others, when d is
    below the sample's mean; the mirror image when it is above. A flip and its mirror image, which
    flips the others, say the same, so only one of them is tried.
    """
    sample = np.array(deltas, dtype=float)
    n = len(sample)
    total = sample.sum()
    random = 2**n > EXACT
    whole = not random or draws * n <= CACHED  # all flips, or random ones in batches
    flips: Iterable[Matrix] = _random_flips(n, draws)
    if whole:
        flips = [_flip_matrix(n, draws if random else None)]
    parts = [part @ np.column_stack([sample, np.ones(n)]) for part in flips]
    flipped, number = np.concatenate(parts).T
    sizes = sample[np.abs(sample) > ROUNDING]
    few = random and 2 ** len(sizes) <= EXACT
    if few:
        p = sign_flip_test(list(sizes)).p
    else:
        p = float(np.mean(np.abs(total - 2 * flipped) >= abs(total) - ROUNDING))
    with np.errstate(divide="ignore", invalid="ignore"):
        first = flipped / number
        second = (total - flipped) / (n - number)
    return PermutationTest.with_limits(p, draws if random and not few else None, first, second)


def sign_flip_lows(samples: Matrix, level: float) -> Matrix:
    """Return for each row, of at most 16 values, the lower ends of the exact test's intervals.

    They are sorted: the last is that at `level`, those before it at smaller levels; `low_at` picks one.
    """
    flips = _flip_matrix(samples.shape[1], None)
    place = _place(level, len(flips))
    number = flips[1:].sum(axis=1)
    lows = []
    for part in np.array_split(samples, -(-len(samples) * len(flips) // BATCH)):
        # the first flips nothing, and is as extreme as the sample at any difference
        sums = part @ flips[1:].T
        smaller = np.minimum(
            sums / number, (part.sum(axis=1)[:, None] - sums) / (part.shape[1] - number)
        )
        smaller.partition(place - 1, axis=1)
        lows.append(np.sort(smaller[:, :place], axis=1))
    return np.concatenate(lows)


def low_at(lows: Matrix, n: int, level: float) -> Matrix:
    """Return the lower end at this level for each row of `sign_flip_lows` of n values."""
    return lows[:, _place(level, 2 ** max(0, n - 1)) - 1]


def _place(level: float, number: int) -> int:
    """Return which of the sorted limits is the end of the interval at this level; the first, 0, is
    none."""
    return math.ceil(level * number - ROUNDING) - 1


@lru_cache(maxsize=4)
def _flip_matrix(n: int, draws: int | None) -> Matrix:
    """Return rows of 1 for each flipped value, the first row without any: all flips, or random
    ones."""
    if draws is not None:
        return np.concatenate(list(_random_flips(n, draws)))
    # the last value stays
    return (np.arange(2 ** max(0, n - 1))[:, None] >> np.arange(n) & 1).astype(float)


def _random_flips(n: int, draws: int) -> Iterator[Matrix]:
    yield np.zeros((1, n))
    width = -(-n // 8)
    bits = np.frombuffer(np.random.default_rng(SEED).bytes(draws * width), np.uint8).reshape(
        draws, width
    )
    for part in np.array_split(bits, -(-draws * n // BATCH)):
        yield np.unpackbits(part, axis=1, count=n).astype(float)


def regrouping_test(
    first: Sequence[float], second: Sequence[float], draws: int = DRAWS
) -> PermutationTest:
    """Test two samples of the same size, whose values are exchangeable without an effect."""
    both = np.array([*first, *second], dtype=float)
    n = len(first)
    if len(second) != n:
        raise ValueError(f"samples of {n} and {len(second)} values; they must have the same size")
    exact = math.comb(2 * n, n) <= EXACT
    if exact:
        groups = _all_groups(n)
    else:
        places = np.tile(np.arange(2 * n), (draws, 1))
        shuffled = np.random.default_rng(SEED).permuted(places, axis=1)[:, :n]
        groups = np.concatenate([np.arange(n)[None, :], shuffled])
    sums = both[groups].sum(axis=1)
    moved = (groups >= n).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = (sum(first) - sums) / moved, (sums - sum(second)) / (n - moved)
    extreme = np.abs(2 * sums - both.sum()) >= abs(sum(first) - sum(second)) - n * ROUNDING
    return PermutationTest.with_limits(float(np.mean(extreme)), None if exact else draws, *limits)


@cache
def _all_groups(n: int) -> Matrix:
    """Return the places of the values that come first, a row for each choice of n of 2n; mirror
    images once."""
    return np.array([(0, *rest) for rest in combinations(range(1, 2 * n), n - 1)])


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values with Holm's correction for their number, in the given order."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = corrected[place] = max(least, min(1.0, (len(ps) - rank) * ps[place]))
    return corrected


def holm_levels(ps: Sequence[float]) -> list[float]:
    """Return the level at which Holm's procedure tests each p: those that it rejects in turn, all
    others at the last.

    A p-value is below its level exactly when its corrected value is below ALPHA.
    """
    rejected = sum(p < ALPHA for p in holm(ps))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    ranks = {place: min(rank, rejected) for rank, place in enumerate(order)}
    return [ALPHA / (len(ps) - ranks[place]) for place in range(len(ps))]


def least_p(n: int, *, groups: bool = False) -> float:
    """Return the smallest p that n pairs, or two groups of n, can have: when all of them favour the
    same side."""
    return min(1.0, 2 / (math.comb(2 * n, n) if groups else 2**n))


def fewest_pairs(tests: int) -> int:
    """Return the fewest pairs that can have a p below ALPHA after Holm's correction for this number
    of tests."""
    return next(n for n in range(1, 1000) if least_p(n) * tests < ALPHA)
