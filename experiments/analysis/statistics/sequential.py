"""The sign-flip test of paired differences that stays valid when a run looks at its results several
times, and stops as soon as it has seen enough.

A group-sequential test spends its level over the looks (Lan and DeMets 1983, Discrete sequential
boundaries for clinical trials, Biometrika 70), here by their function of the O'Brien-Fleming type.
What a look may reject is found by flipping signs, not by a normal approximation: without an effect
every pattern of signs is as likely as the one that was seen, so its path of sums over the looks is
one of many that are equally likely, and among these the share that crosses a limit is counted. So
the test keeps its level with few deals, as the test of one look does.

The interval of a look holds each difference that the look would not reject if it were taken off all
differences: a repeated confidence interval (Jennison and Turnbull 1989, Interim analyses: the
repeated confidence interval approach, Journal of the Royal Statistical Society B 51). All looks
together miss the true difference as seldom as the level says, whatever made the run stop.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ALPHA,
    ROUNDING,
    SEED,
    Bounds,
    Matrix,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import EXACT

DRAWS = 19_999
"""Random patterns of signs where there are too many to try all of them."""
WIDE = 1000
"""Deals beyond which signs are kept in half the memory."""
STEPS = 40
"""Halvings until a limit is found."""


def spent_level(share: float, level: float) -> float:
    """Return the part of the level that is spent when this share of the deals has been played, as
    O'Brien-Fleming."""
    normal = NormalDist()
    return 2 - 2 * normal.cdf(normal.inv_cdf(1 - level / 2) / math.sqrt(share))


def limits(paths: Matrix, shares: Sequence[float], level: float) -> list[float]:
    """Return for each look the size beyond which it rejects; infinite where it can reject nothing.

    `paths`: a row for each look, a column for each equally likely path, sizes without sign. A path
    that crosses the limit of a look is gone for later ones. Fewer paths are gone after a look than
    the level that is spent until then.
    """
    ends = list[float]()
    number = paths.shape[1]
    alive = np.arange(number)
    crossed = 0
    for sizes, share in zip(paths, shares, strict=True):
        sizes = sizes[alive] if crossed else sizes
        room = math.ceil(spent_level(share, level) * number - ROUNDING) - 1 - crossed
        limit = -math.inf if room >= len(sizes) else math.inf
        if 0 < room < len(sizes):
            place = len(sizes) - 1 - room
            limit = float(np.partition(sizes, place)[place]) + ROUNDING
        ends.append(limit)
        if limit < math.inf:
            alive = alive[np.flatnonzero(sizes <= limit)]
            crossed = number - len(alive)
    return ends


@dataclass(frozen=True)
class SequentialTest:
    """The test at a look at paired differences, in the order of their deals."""

    deltas: tuple[float, ...]
    """The differences of the deals so far."""
    looks: tuple[int, ...]
    """The deals of the looks so far, the last of which is all of `deltas`."""
    most: int
    """The deals at which all of the level is spent."""

    @property
    def draws(self) -> int | None:
        """Random patterns; None where all were tried."""
        if 2 ** (self.most - 1) <= EXACT:
            return None
        return DRAWS

    @cached_property
    def _sums(self) -> Matrix:
        """The sum of the flipped differences, for each look and pattern of signs."""
        signs = _signs(self.most)
        deltas = np.array(self.deltas)
        parts = [deltas[a:b] @ signs[a:b] for a, b in pairwise((0, *self.looks))]
        return np.cumsum(parts, axis=0)

    def rejects(self, difference: float = 0.0, level: float = ALPHA) -> bool:
        """Return whether the last look rejects that this is the true difference."""
        if difference:
            paths = np.abs(self._sums - difference * _sign_sums(self.most, self.looks))
        else:
            paths = np.abs(self._sums)
        return bool(
            paths[-1, 0] > limits(paths, [look / self.most for look in self.looks], level)[-1]
        )

    @cached_property
    def p(self) -> float:
        """The smallest level at which the last look would reject no difference: valid at every
        look."""
        low = math.log(1e-6)
        high = 0.0
        for _ in range(STEPS // 2):
            middle = (low + high) / 2
            low, high = (low, middle) if self.rejects(level=math.exp(middle)) else (middle, high)
        return math.exp(high)

    def interval(self, level: float = ALPHA) -> Bounds | None:
        """Return all differences that the last look does not reject at this level; None when it can
        reject none."""
        mean = sum(self.deltas) / len(self.deltas)
        low, high = (self._end(mean, side, level) for side in (-1, 1))
        if low is None or high is None:
            return None
        # ends that are found by halving may lie on the other side of 0 by a hair
        if self.rejects(0.0, level):
            if mean > 0:
                return (max(low, 0.0), high)
            return (low, min(high, 0.0))
        return min(low, 0.0), max(high, 0.0)

    def _end(self, mean: float, side: int, level: float) -> float | None:
        """Return where differences on one side of the mean begin to be rejected."""
        outside = max(1.0, 2 * max(abs(delta - mean) for delta in self.deltas)) * len(self.deltas)
        if not self.rejects(mean + side * outside, level):
            return None
        inside = 0.0
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            inside, outside = (
                (inside, middle) if self.rejects(mean + side * middle, level) else (middle, outside)
            )
        return mean + side * inside


@lru_cache(maxsize=4)
def _signs(n: int) -> Matrix:
    """Return a column of signs for each pattern, the first without a flip: all up to mirror images,
    or random ones.

    A look takes the first rows, so that later looks see the same patterns again.
    """
    if 2 ** (n - 1) <= EXACT:
        flips = np.arange(2 ** (n - 1))[:, None] >> np.arange(n) & 1
    else:
        random = np.random.default_rng([SEED, n]).bytes(DRAWS * -(-n // 8))
        bits = np.frombuffer(random, np.uint8).reshape(DRAWS, -1)
        flips = np.concatenate([np.zeros((1, n), np.uint8), np.unpackbits(bits, axis=1, count=n)])
    return np.ascontiguousarray((1 - 2.0 * flips).T.astype(np.float32 if n > WIDE else float))


@lru_cache(maxsize=16)
def _sign_sums(n: int, looks: tuple[int, ...]) -> Matrix:
    """Return for each look and pattern the sum of its signs."""
    return np.cumsum([_signs(n)[a:b].sum(axis=0) for a, b in pairwise((0, *looks))], axis=0)
