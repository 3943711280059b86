"""What the games of an experiment come to, and what they leave open: summaries, comparisons with the baseline.

docs/statistics.md says how each figure is computed.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from experiments.results.rows import Row
from experiments.statistics import pairing
from experiments.statistics.estimates import (
    ROUNDING,
    Bounds,
    Estimate,
    bootstrapped,
    holm,
    interquartile,
    means,
    of_one,
    spread,
)
from experiments.statistics.pairing import Pairs, Unit, arranged

Interval = Literal["t", "bootstrap"]
PERFECT = 25
FLAGGED = 0.05
"""The share of forced moves from which an arm is flagged."""


@dataclass(frozen=True)
class Summary:
    """The games of an arm at a player count, or over all of its player counts."""

    arm: str
    players: int | None
    """None: pooled over the arm's player counts, each of which counts alike: of the seeds that it played at all of
    them."""
    counts: tuple[int, ...]
    """The player counts: several when pooled."""
    n: int
    """Games."""
    deals: int
    """Seeds: one deck at every player count."""
    strict: float
    """Mean score; 0 for a game in which the third life was lost. Every deal counts alike: repeats are averaged."""
    low: float | None
    """The ends of the 95 % interval of that mean, over deals (over repeats, when there is one deal); None for a single
    game."""
    high: float | None
    strict_se: float | None
    """Standard error of that mean; None for a single deal and repeat. When pooled, it is over seeds: a seed's deals at
    several player counts are of one deck."""
    sd: float | None
    """Standard deviation of the strict scores of games."""
    kept: float
    """The same of the points on the table, also when the third life was lost."""
    iqm: float
    """Interquartile mean of the deals' strict scores, with its bootstrap interval."""
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]
    """Games with a strict score of 0, 1 ... 25."""
    turns: float
    """Mean per game, like all below that say nothing else."""
    perfect: float
    """Share of games with 25 points."""
    struck_out: float
    """Share of games in which the third life was lost."""
    ends: dict[str, int]
    """Games by how they ended."""
    misplays: float
    hints_wasted: float | None
    """Hints after which their receiver knew no more of any card; None when a journal is too old to say."""
    fallbacks: float
    forced_share: float
    """Of all moves, those that were forced."""
    calls: float
    tokens_in: float
    tokens_out: float
    usd: float | None
    """None when no price is known, or not of all games."""
    simulated: bool
    """Whether a simulated model sat in any of them."""
    program: bool
    """Whether no model was asked in any of them."""


@dataclass(frozen=True)
class Difference:
    """An arm less the baseline at a player count, or over all that both played."""

    arm: str
    baseline: str
    players: int | None
    """None: pooled over the player counts that both played, of the seeds that both played at all of them."""
    counts: tuple[int, ...]
    """The player counts: several when pooled."""
    unit: Unit
    """What was drawn at random: deals, paired, their repeats averaged first; the repeats of a single deal otherwise."""
    n: int
    """How many of them, in pairs that are complete. When pooled, a seed's deals at all player counts are one: they are
    of one deck."""
    left_out: int
    """Games of both at these player counts that are in no such pair."""
    mean: float
    """Of strict scores."""
    low: float | None
    """The ends of the 95 % interval of the mean; None for a single one."""
    high: float | None
    p: float | None
    """Two-sided, by sign flips (deals) or by permutation (repeats); None for a single one."""
    draws: int | None
    """Of that test; None when it went through all possibilities."""
    p_holm: float | None
    """The same, corrected for all arms that are compared at this player count."""
    wins: int
    """Of the n; repeats are compared by their numbers."""
    ties: int
    losses: int
    mde: float | None
    """The smallest true difference that so many would show at 5 % in four runs of five; None for a single one, and when
    all differences are the same, for then nothing is known of their spread."""
    for_one_point: int | None
    """How many would show a true difference of one point as surely; None as above."""


@dataclass(frozen=True)
class Analysis:
    baseline: str | None
    summaries: tuple[Summary, ...]
    """In the order of the arms; of each arm its player counts, then, when there are several, all of them pooled."""
    differences: tuple[Difference, ...] = ()
    """In the same order."""
    flagged: tuple[str, ...] = ()
    """Arms with so many forced moves that their score says more of the safe fallback than of them."""
    unforced: "Analysis | None" = None
    """The same without the games in which a move was forced, and without their partners in differences; None when no
    move was, and when nothing is left."""
    interval: Interval = "t"
    """How the intervals of means and differences were made; that of the interquartile mean is always a bootstrap's."""


def analyse(
    rows: Sequence[Row], baseline: str | None = None, order: Sequence[str] = (), *, interval: Interval = "t"
) -> Analysis:
    """Of the finished games; `order` is that of the arms, others come after them by name."""
    arms = arranged(rows, order)
    standard = arms.get(baseline or "", [])
    free = [row for row in rows if not row.forced]
    return Analysis(
        baseline=baseline,
        summaries=tuple(one for games in arms.values() for one in summaries(games, interval)),
        differences=differences([(games, standard) for arm, games in arms.items() if arm != baseline], interval),
        flagged=tuple(arm for arm, games in arms.items() if forced_share(games) > FLAGGED),
        unforced=analyse(free, baseline, order, interval=interval) if 0 < len(free) < len(rows) else None,
        interval=interval,
    )


def forced_share(games: Sequence[Row]) -> float:
    """Of all moves."""
    return sum(row.forced for row in games) / max(1, sum(row.turns for row in games))


def summaries(games: Sequence[Row], interval: Interval = "t") -> list[Summary]:
    """Of one arm: at each player count, then pooled."""
    counts = pairing.counts(games)
    found = [_summary([row for row in games if row.players == n], n, interval) for n in counts]
    pool = pairing.complete(games) if len(counts) > 1 else []
    return [*found, _summary(pool, None, interval)] if pool else found


def _summary(games: Sequence[Row], players: int | None, interval: Interval) -> Summary:
    scores = pairing.scores(games)
    estimate, strict = of_one(scores), [row.score_strict for row in games]
    low, high = _bounds(estimate, interval, scores)
    middle = bootstrapped(interquartile, scores) or (None, None)
    return Summary(
        arm=games[0].arm,
        players=players,
        counts=pairing.counts(games),
        n=len(games),
        deals=len({row.seed for row in games}),
        strict=fmean(scores),
        low=low,
        high=high,
        strict_se=estimate.error if estimate else None,
        sd=spread(strict),
        kept=fmean(pairing.scores(games, lambda row: row.score_kept)),
        iqm=float(interquartile(scores)),
        iqm_low=middle[0],
        iqm_high=middle[1],
        histogram=tuple(strict.count(score) for score in range(PERFECT + 1)),
        turns=_mean(games, lambda row: row.turns),
        perfect=_mean(games, lambda row: row.end == "perfect"),
        struck_out=_mean(games, lambda row: row.lives == 0),
        ends=dict(sorted(Counter(row.end for row in games).items())),
        misplays=_mean(games, lambda row: row.misplays),
        hints_wasted=_known(games, lambda row: row.hints_wasted),
        fallbacks=_mean(games, lambda row: row.fallbacks),
        forced_share=forced_share(games),
        calls=_mean(games, lambda row: row.calls),
        tokens_in=_mean(games, lambda row: row.tokens_in),
        tokens_out=_mean(games, lambda row: row.tokens_out),
        usd=_known(games, lambda row: row.usd),
        simulated=any(row.simulated for row in games),
        program=all(row.program for row in games),
    )


def _mean(games: Sequence[Row], figure: Callable[[Row], float]) -> float:
    return fmean(map(figure, games))


def _known(games: Sequence[Row], figure: Callable[[Row], float | None]) -> float | None:
    """The mean of what all games say; None when one does not."""
    said = [value for value in map(figure, games) if value is not None]
    return fmean(said) if len(said) == len(games) else None


def differences(
    pairs: Sequence[tuple[Sequence[Row], Sequence[Row]]], interval: Interval = "t"
) -> tuple[Difference, ...]:
    """Of the games of arms and of what each is compared with: at each player count that both played, then pooled.

    The p values are corrected for how many arms are compared at a player count.
    """
    found = []
    for ours, theirs in pairs:
        shared = sorted({*pairing.counts(ours)} & {*pairing.counts(theirs)})
        for at in [*([n] for n in shared), *([shared] if len(shared) > 1 else [])]:
            paired = Pairs.of(ours, theirs, at)
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
    )


def _corrected(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """With the p values of each player count, and of those that are pooled, corrected for their number."""
    corrected = dict[int, float]()
    for players in {one.players for one in found}:
        tested = {place: one.p for place, one in enumerate(found) if one.players == players and one.p is not None}
        corrected |= zip(tested, holm(list(tested.values())), strict=True)
    return tuple(replace(one, p_holm=corrected.get(place)) for place, one in enumerate(found))


def _bounds(estimate: Estimate | None, interval: Interval, *drawn: Sequence[float]) -> Bounds | tuple[None, None]:
    if estimate is None:
        return None, None
    return (bootstrapped(means, *drawn) if interval == "bootstrap" else None) or estimate.interval
