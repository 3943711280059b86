"""Calibration: of the statements that were called so likely, how many came true, with intervals over deals."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.marks.stated_tally import Stated, StatedTally
from experiments.statistics.estimates import Bounds, Estimate, binomial, within
from experiments.statistics.role_marks import MarkedGame


@dataclass(frozen=True)
class Calibration:
    """Statements of a role in an arm that called something equally likely, in the same words or the same range."""

    stated: Stated
    statements: int
    likely: float | None
    """The mean stated probability; None for a category."""
    true: float
    """The share that came true."""
    low: float
    """The 95 % interval of that share, over deals: statements of one game are not independent."""
    high: float
    deals: int


def calibrations(games: Sequence[MarkedGame]) -> tuple[Calibration, ...]:
    """Of the games of an arm: by role and kind, probabilities from the smallest."""
    return tuple(sorted(_found(games), key=lambda one: (one.stated.role, one.stated.kind, one.likely or 0.0)))


def _found(games: Iterable[MarkedGame]) -> Iterator[Calibration]:
    by_deal: dict[Stated, dict[int, list[StatedTally]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for stated, tally in game.stated.items():
            by_deal[stated][game.row.seed].append(tally)
    for stated, deals in by_deal.items():
        yield _calibration(stated, deals)


def _calibration(stated: Stated, deals: Mapping[int, Sequence[StatedTally]]) -> Calibration:
    counts = [(sum(one.true for one in each), sum(one.statements for one in each)) for each in deals.values()]
    true, n = (sum(column) for column in zip(*counts, strict=True))
    likely = sum(one.likely for each in deals.values() for one in each) / n
    low, high = _interval(counts)
    return Calibration(stated, n, likely if stated.chance else None, true / n, low, high, len(deals))


def _interval(counts: Sequence[tuple[int, int]]) -> Bounds:
    """Of a share whose statements come in deals, of which each may have another number: by the ratio's standard error
    over deals; by Clopper and Pearson with deals as the sample where that is 0, or there is one deal."""
    true, n = (sum(column) for column in zip(*counts, strict=True))
    share, deals = true / n, len(counts)
    squares = sum((one - share * many) ** 2 for one, many in counts)
    if deals < 2 or not squares:
        return binomial(share * deals, deals)
    error = math.sqrt(squares * deals / (deals - 1)) / n
    return within(Estimate(share, error, deals - 1, deals).interval, 0, 1)
