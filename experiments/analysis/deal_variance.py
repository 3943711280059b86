"""How much scores vary from deal to deal, and between the repeats of one deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import correlation, fmean, variance

from experiments.analysis.compare import compare
from experiments.analysis.games import unit
from experiments.analysis.statistics.estimates import ROUNDING
from experiments.record import measures
from experiments.record.measures import Measure
from experiments.record.rows import Metric, Row


@dataclass(frozen=True)
class DealVariance:
    """Of an arm at one player count."""

    arm: str
    players: int
    deals: int
    games: int
    sd: float | None
    """Standard deviation of the scores of deals, repeats averaged; None for one deal."""
    within: float | None
    """Standard deviation of the repeats of a deal, pooled over deals; None without repeats."""
    between: float | None
    """Standard deviation of the deals' true means: what is left of `sd` without the share of the repeats."""
    correlation: float | None
    """With the baseline's scores of the same deals; None for the baseline, and where either always scores the same."""

    @property
    def share(self) -> float | None:
        """The share of the variance of games that lies between deals; None where it is not known."""
        if self.within is None or self.between is None or not (total := self.within**2 + self.between**2):
            return None
        return self.between**2 / total


def deal_variance(
    games: Sequence[Row], baseline: Sequence[Row], players: int, metric: Metric = "strict"
) -> DealVariance:
    """Analyse the variance of an arm's games at a player count, one way; `baseline`: the games to correlate with."""
    ours, theirs = ([row for row in rows if row.players == players] for rows in (games, baseline))
    deals: dict[int, list[float]] = {}
    for row in ours:
        deals.setdefault(row.seed, []).append(row.score(metric))
    scores = list(deals.values())
    means = [fmean(repeats) for repeats in scores]
    df, n = len(ours) - len(deals), len(ours)
    within = (
        sum((score - mean) ** 2 for mean, each in zip(means, scores, strict=True) for score in each) / df
        if df
        else None
    )
    between = None
    if within is not None and len(means) > 1:  # deals may have different numbers of repeats
        grand, sizes = fmean(score for each in scores for score in each), list(map(len, scores))
        of_means = sum(size * (mean - grand) ** 2 for mean, size in zip(means, sizes, strict=True)) / (len(deals) - 1)
        repeats = (n - sum(size**2 for size in sizes) / n) / (len(deals) - 1)
        between = sqrt(max(0.0, (of_means - within) / repeats))
    return DealVariance(
        arm=ours[0].arm,
        players=players,
        deals=len(deals),
        games=n,
        sd=sqrt(variance(means)) if len(means) > 1 else None,
        within=None if within is None else sqrt(within),
        between=between,
        correlation=_correlation(ours, theirs, measures.metric(metric)),
    )


def _correlation(ours: Sequence[Row], theirs: Sequence[Row], measure: Measure) -> float | None:
    """Return that of the scores of the deals that both played; None where either always scores the same."""
    if not theirs or theirs[0].arm == ours[0].arm or unit(ours) == "repeats":
        return None
    comparison = compare(ours, theirs, measure)
    values = comparison.values if comparison else ((), ())
    if len(values[0]) < 3 or any(max(scores) - min(scores) < ROUNDING for scores in values):
        return None
    return correlation(*values)
