"""The difference of an arm from its baseline, deal by deal, with its interval and test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from experiments.results.rows import Metric, Row
from experiments.statistics import pairing
from experiments.statistics.estimates import ROUNDING, Bounds, Estimate, Interval, bootstrapped, means, spread
from experiments.statistics.pairing import Pairs, Unit
from experiments.statistics.permutation import holm
from experiments.statistics.summaries import too_few_own


@dataclass(frozen=True)
class Difference:
    """The difference of an arm from the baseline at one player count, or pooled over all that both played."""

    arm: str
    baseline: str
    players: int | None
    """None: pooled over the player counts that both played, of the seeds that both played at all of them."""
    counts: tuple[int, ...]
    """The player counts; several when pooled."""
    unit: Unit
    """The unit of sampling: deals, paired, with repeats averaged first; the repeats, when there is a single deal."""
    n: int
    """Number of units in complete pairs. When pooled, a seed at all player counts is one unit: it is one deck."""
    left_out: int
    """Number of games of both arms at these player counts that are in no complete pair."""
    mean: float
    """Mean difference of the scores of `metric`; positive when the arm scores more."""
    low: float | None
    """Lower end of the 95 % confidence interval of the mean; None for a single unit."""
    high: float | None
    """Its upper end."""
    p: float | None
    """Two-sided p-value of a permutation test: sign flips of pairs (deals), or regrouping (repeats); None for a single
    unit."""
    draws: int | None
    """Random relabellings in that test; None when it was exact."""
    p_holm: float | None
    """p with Holm's correction for all arms that are compared at this player count."""
    wins: int
    """Units in which the arm scores more; repeats are matched by number."""
    ties: int
    losses: int
    mde: float | None
    """Minimum detectable effect: the smallest effect detectable with 80 % power at alpha .05, in points. None for a
    single unit, and when all differences are equal, since their spread is then unknown."""
    for_one_point: int | None
    """Units needed to detect an effect of one point with the same power; None as above."""
    metric: Metric = "strict"
    """The score that is compared."""
    se: float | None = None
    """Standard error of the mean; None for a single unit."""
    sd: float | None = None
    """Standard deviation of the paired differences; None for a single unit, and for repeats, which are not paired."""


def differences(
    pairs: Sequence[tuple[Sequence[Row], Sequence[Row]]], interval: Interval = "t", metric: Metric = "strict"
) -> tuple[Difference, ...]:
    """For each pair (games of an arm, games of its baseline): at each shared player count, then pooled.

    None for a pair in which too few moves are the seats' own.
    The p-values are corrected for the number of arms that are compared at a player count.
    """
    found = []
    for ours, theirs in [pair for pair in pairs if not any(map(too_few_own, pair))]:
        shared = sorted({*pairing.counts(ours)} & {*pairing.counts(theirs)})
        for at in [*([n] for n in shared), *([shared] if len(shared) > 1 else [])]:
            paired = Pairs.match(ours, theirs, at, metric)
            if paired.deltas:
                found.append(_difference(paired, at, interval))
    return _corrected(found)


def _difference(pairs: Pairs, players: Sequence[int], interval: Interval) -> Difference:
    estimate, test = pairs.estimate, pairs.test
    low, high = _bounds(estimate, interval, *pairs.samples)
    wins, losses = sum(d > ROUNDING for d in pairs.deltas), sum(d < -ROUNDING for d in pairs.deltas)
    return Difference(
        arm=pairs.games[0][0].arm,
        baseline=pairs.games[1][0].arm,
        players=players[0] if len(players) == 1 else None,
        counts=pairing.counts(pairs.games[0]),
        unit=pairs.unit,
        n=len(pairs.deltas),
        left_out=pairs.left_out,
        mean=fmean(pairs.deltas),
        low=low,
        high=high,
        p=test.p if test else None,
        draws=test.draws if test else None,
        p_holm=None,
        wins=wins,
        ties=len(pairs.deltas) - wins - losses,
        losses=losses,
        mde=estimate.detectable if estimate else None,
        for_one_point=estimate.enough(1.0) if estimate else None,
        metric=pairs.metric,
        se=estimate.error if estimate else None,
        sd=spread(pairs.deltas) if pairs.unit == "deals" else None,
    )


def _corrected(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """With Holm's correction within each player count, and within the pooled differences."""
    corrected = dict[int, float]()
    for players in {one.players for one in found}:
        tested = {place: one.p for place, one in enumerate(found) if one.players == players and one.p is not None}
        corrected |= zip(tested, holm(list(tested.values())), strict=True)
    return tuple(replace(one, p_holm=corrected.get(place)) for place, one in enumerate(found))


def _bounds(estimate: Estimate | None, interval: Interval, *drawn: Sequence[float]) -> Bounds | tuple[None, None]:
    if estimate is None:
        return None, None
    return (bootstrapped(means, *drawn) if interval == "bootstrap" else None) or estimate.interval
