"""Calibration: of the statements that were called so likely, how many came true, with intervals over deals."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.analysis.role_marks import MarkedGame
from experiments.statistics.clusters import pooled_shares
from experiments.values.mark_tally import Stated, StatedTally


@dataclass(frozen=True)
class Calibration:
    """Statements of a role in an arm that called something equally likely, in the same words or the same range."""

    stated: Stated
    statements: int
    likely: float | None
    """The mean stated probability; None for a category."""
    true: float
    """The share that came true."""
    low: float | None
    """The 95 % interval of that share, over deals: statements of one game are not independent. None for one deal."""
    high: float | None
    deals: int


def calibrations(games: Sequence[MarkedGame]) -> tuple[Calibration, ...]:
    """Return the calibrations of an arm: by role and kind, probabilities from the smallest."""
    by_deal: dict[Stated, dict[int, list[StatedTally]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for stated, tally in game.stated.items():
            by_deal[stated][game.row.seed].append(tally)
    results = [_calibration(stated, deals) for stated, deals in by_deal.items()]
    return tuple(sorted(results, key=lambda each: (each.stated.role, each.stated.kind, each.likely or 0.0)))


def _calibration(stated: Stated, deals: Mapping[int, Sequence[StatedTally]]) -> Calibration:
    counts = np.array([[sum(t.true for t in each), sum(t.statements for t in each)] for each in deals.values()], float)
    share, below, above = (float(end) for end in pooled_shares(counts[:, 0], counts[:, 1]))
    n = int(counts[:, 1].sum())
    likely = sum(tally.likely for each in deals.values() for tally in each) / n if stated.chance else None
    low, high = (None if math.isnan(end) else end for end in (below, above))
    return Calibration(stated, n, likely, share, low, high, len(deals))
