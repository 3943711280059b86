"""What a run's games come to: small functions of scores, and nothing else."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from experiments.results import Row

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Summary:
    """The games of an arm at a player count."""

    arm: str
    players: int
    n: int
    strict: float
    """Mean score; 0 for a game in which the third life was lost."""
    strict_se: float | None
    """Standard error of that mean; None for a single game."""
    kept: float
    """Mean of the points on the table, also when the third life was lost."""
    sd: float | None
    """Standard deviation of the strict scores of games; None for a single game."""
    struck_out: float
    """Share of games in which the third life was lost."""
    perfect: float
    """Share of games with 25 points."""
    turns: float
    """Mean per game."""
    simulated: bool
    """Whether a simulated model sat in any of them."""


def summarise(rows: Iterable[Row]) -> list[Summary]:
    """A summary for each arm and player count, in the order in which they first appear."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.arm, row.players), []).append(row)
    return [_summary(arm, players, found) for (arm, players), found in groups.items()]


def _summary(arm: str, players: int, rows: Sequence[Row]) -> Summary:
    strict = [row.score_strict for row in rows]
    sd = spread(strict)
    return Summary(
        arm=arm,
        players=players,
        n=len(rows),
        strict=fmean(strict),
        strict_se=standard_error(strict),
        kept=fmean(row.score_kept for row in rows),
        sd=sd,
        struck_out=fmean(row.lives == 0 for row in rows),
        perfect=fmean(row.end == "perfect" for row in rows),
        turns=fmean(row.turns for row in rows),
        simulated=any(row.simulated for row in rows),
    )


def spread(values: Sequence[float]) -> float | None:
    """Standard deviation of a sample (n - 1); None for fewer than two values."""
    return stdev(values) if len(values) > 1 else None


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean; None for fewer than two values."""
    sd = spread(values)
    return None if sd is None else sd / math.sqrt(len(values))


@dataclass(frozen=True)
class Difference:
    """An arm less the baseline at a player count, deal by deal: repeats of a deal count as one, by their mean."""

    arm: str
    baseline: str
    players: int
    deals: int
    """That both have played."""
    mean: float
    """Of strict scores."""
    low: float | None
    """The ends of the 95 % t interval of the mean; None for a single deal."""
    high: float | None


def compare(rows: Sequence[Row], baseline: str) -> list[Difference]:
    """Every other arm with the baseline, at every player count at which both played a deal."""
    scores: dict[tuple[str, int], dict[int, list[int]]] = {}
    for row in rows:
        scores.setdefault((row.arm, row.players), {}).setdefault(row.seed, []).append(row.score_strict)
    found = []
    for (arm, players), by_seed in scores.items():
        deltas = paired(by_seed, scores.get((baseline, players), {}))
        if arm != baseline and deltas:
            low, high = interval(deltas)
            found.append(Difference(arm, baseline, players, len(deltas), fmean(deltas), low, high))
    return found


def paired(one: Mapping[int, Sequence[float]], other: Mapping[int, Sequence[float]]) -> list[float]:
    """The differences of the means of the deals that both have."""
    return [fmean(one[seed]) - fmean(other[seed]) for seed in sorted(one.keys() & other.keys())]


def interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
    """The t interval of the mean; both None for fewer than two values."""
    error = standard_error(values)
    if error is None:
        return None, None
    from scipy.stats import t  # takes a second to import, and most commands need none

    mean, half = fmean(values), float(t.ppf((1 + confidence) / 2, len(values) - 1)) * error
    return mean - half, mean + half
