"""The statistics of an experiment's games: a summary of every arm, and its difference from the baseline.

docs/statistics.md says how each number is computed.
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
    interquartile,
    means,
    of_one,
    spread,
)
from experiments.statistics.pairing import Pairs, Unit, arranged
from experiments.statistics.permutation import holm
from orchestrator.models import list_prices

Interval = Literal["t", "bootstrap"]
PERFECT = 25
FLAGGED = 0.05
"""The share of forced moves above which an arm is flagged."""
DOUBTFUL = 0.9
"""The share of own moves below which a report begins by saying so."""
WITHHELD = 0.5
"""The share of own moves below which an arm is not compared with any other."""


@dataclass(frozen=True)
class Summary:
    """The games of an arm at one player count, or pooled over all of them."""

    arm: str
    players: int | None
    """None: pooled over the arm's player counts with equal weights, of the seeds that it played at all of them."""
    counts: tuple[int, ...]
    """The player counts; several when pooled."""
    n: int
    """Number of games."""
    deals: int
    """Number of seeds; a seed is the same deck at every player count."""
    strict: float
    """Mean strict score, 0 to 25; a game in which the third life was lost scores 0. Repeats of a deal are averaged
    first, so that all deals have equal weight."""
    low: float | None
    """Lower end of the 95 % confidence interval of that mean, over deals (over repeats, when there is one deal); None
    for a single game."""
    high: float | None
    """Its upper end."""
    strict_se: float | None
    """Standard error of that mean; None for a single game. When pooled, it is over seeds, since a seed is the same deck
    at all player counts."""
    sd: float | None
    """Standard deviation of the strict scores of games."""
    kept: float
    """Mean kept score, 0 to 25: the points on the table, even when the third life was lost."""
    iqm: float
    """Interquartile mean of the deals' strict scores, with its 95 % bootstrap interval."""
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]
    """Number of games with a strict score of 0, 1 ... 25."""
    turns: float
    """Mean per game, as everything below unless stated otherwise."""
    perfect: float
    """Share of games with 25 points."""
    struck_out: float
    """Share of games in which the third life was lost."""
    ends: dict[str, int]
    """Number of games by how they ended."""
    misplays: float
    hints_wasted: float | None
    """Hints that told their receiver nothing new about any card; None when a journal is too old to say."""
    fallbacks: float
    forced_share: float
    """Forced moves as a share of all moves."""
    model_moves: int
    """Moves of seats that ask a model, in all games."""
    own_share: float | None
    """The share of these that the seats chose: neither forced nor copied. None where no model is asked."""
    reasked: float
    refused: float | None
    """Choices that the safety rule or a judge refused. This and what follows is None with a journal too old to say."""
    refused_by_rule: float | None
    """Of these: by the safety rule."""
    refused_turns: float | None
    """Turns with a refusal."""
    after_refusal: float | None
    """Of these: turns in which the seat's next choice was accepted."""
    copied: float | None
    """Answers that repeat the example of their prompt."""
    copied_moves: float | None
    """Moves read from such answers, which are not the model's own."""
    second_ask: float | None
    """Moves read from the deciding node's second answer."""
    first_misplays: float | None
    """First choices, among those refused, that would have cost a life at once."""
    first_points: float | None
    """The same: that would have scored at once."""
    played_misplays: float | None
    """Moves played instead of refused first choices that cost a life."""
    played_points: float | None
    """The same: that scored."""
    calls: float
    tokens_in: float
    tokens_out: float
    usd: float | None
    """None unless the price of all games is known."""
    usd_listed: float | None
    """An estimate at list prices where `usd` is None; None unless every game asked one model, and it is listed."""
    simulated: bool
    """Whether a simulated model played in any of the games."""
    fake: bool
    """Whether the package's fake server answered in any of the games."""
    program: bool
    """Whether no model was asked in any of the games."""

    @property
    def unanswered(self) -> float:
        """The share of questions to models that got no usable answer, not even at the second ask."""
        return self.fallbacks / max(1.0, self.calls - self.reasked)


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
    """Mean difference of strict scores; positive when the arm scores more."""
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


@dataclass(frozen=True)
class Analysis:
    baseline: str | None
    summaries: tuple[Summary, ...]
    """By arm, in their order: its player counts, then, when there are several, all of them pooled."""
    differences: tuple[Difference, ...] = ()
    """In the same order as the summaries."""
    flagged: tuple[str, ...] = ()
    """Arms with so many forced moves that their score reflects the safe fallback rather than the arm."""
    unforced: "Analysis | None" = None
    """The same analysis without the games with forced moves, and without their counterparts in differences; None when
    no move was forced, and when no game is left."""
    withheld: tuple[str, ...] = ()
    """Arms with so few own moves that they are compared with no other."""
    interval: Interval = "t"
    """The method of the intervals of means and differences; that of the interquartile mean is always a bootstrap."""


def analyse(
    rows: Sequence[Row], baseline: str | None = None, order: Sequence[str] = (), *, interval: Interval = "t"
) -> Analysis:
    """The statistics of finished games.

    `order`: the order of the arms; other arms follow by name. `interval`: Student's t or bootstrap intervals.
    """
    arms = arranged(rows, order)
    standard = arms.get(baseline or "", [])
    free = [row for row in rows if not row.forced]
    withheld = tuple(arm for arm, games in arms.items() if too_few_own(games))
    tested = [(games, standard) for arm, games in arms.items() if arm != baseline]
    return Analysis(
        baseline=baseline,
        summaries=tuple(one for games in arms.values() for one in summaries(games, interval)),
        differences=differences(tested, interval),
        flagged=tuple(arm for arm, games in arms.items() if forced_share(games) > FLAGGED),
        unforced=_without(withheld, analyse(free, baseline, order, interval=interval))
        if 0 < len(free) < len(rows)
        else None,
        withheld=withheld,
        interval=interval,
    )


def _without(withheld: Sequence[str], analysis: Analysis) -> Analysis:
    """Without the differences of these arms: the few games in which none of their moves was forced are no sample."""
    kept = [one for one in analysis.differences if one.arm not in withheld and one.baseline not in withheld]
    return replace(analysis, differences=tuple(kept))


def forced_share(games: Sequence[Row]) -> float:
    """Forced moves as a share of all moves."""
    return sum(row.forced for row in games) / max(1, sum(row.turns for row in games))


def own_share(games: Sequence[Row]) -> float | None:
    """Of the moves of seats that ask a model, the share that the seats chose; None without such moves."""
    moves, own = (sum(counts) for counts in zip(*(row.moves for row in games), strict=True))
    return own / moves if moves else None


def too_few_own(games: Sequence[Row]) -> bool:
    """Whether an arm is compared with no other, because a program chose most of its moves."""
    share = own_share(games) if games else None
    return share is not None and share < WITHHELD


def summaries(games: Sequence[Row], interval: Interval = "t") -> list[Summary]:
    """Summaries of one arm: at each player count, then pooled when there are several."""
    counts = pairing.counts(games)
    found = [_summary([row for row in games if row.players == n], n, interval) for n in counts]
    pool = pairing.complete(games) if len(counts) > 1 else []
    return [*found, _summary(pool, None, interval)] if pool else found


def _summary(games: Sequence[Row], players: int | None, interval: Interval) -> Summary:
    scores = pairing.scores(games)
    estimate, strict = of_one(scores), [row.score_strict for row in games]
    low, high = _bounds(estimate, interval, scores)
    iqm = bootstrapped(interquartile, scores) or (None, None)
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
        iqm_low=iqm[0],
        iqm_high=iqm[1],
        histogram=tuple(strict.count(score) for score in range(PERFECT + 1)),
        turns=_mean(games, lambda row: row.turns),
        perfect=_mean(games, lambda row: row.end == "perfect"),
        struck_out=_mean(games, lambda row: row.lives == 0),
        ends=dict(sorted(Counter(row.end for row in games).items())),
        misplays=_mean(games, lambda row: row.misplays),
        hints_wasted=_known(games, lambda row: row.hints_wasted),
        fallbacks=_mean(games, lambda row: row.fallbacks),
        forced_share=forced_share(games),
        model_moves=sum(row.moves[0] for row in games),
        own_share=own_share(games),
        reasked=_mean(games, lambda row: row.reasked),
        refused=_known(games, lambda row: row.refused),
        refused_by_rule=_known(games, lambda row: row.refused_by_rule),
        refused_turns=_known(games, lambda row: row.refused_turns),
        after_refusal=_known(games, lambda row: row.after_refusal),
        copied=_known(games, lambda row: row.copied),
        copied_moves=_known(games, lambda row: row.copied_moves),
        second_ask=_known(games, lambda row: row.second_ask),
        first_misplays=_known(games, lambda row: row.first_misplays),
        first_points=_known(games, lambda row: row.first_points),
        played_misplays=_known(games, lambda row: row.played_misplays),
        played_points=_known(games, lambda row: row.played_points),
        calls=_mean(games, lambda row: row.calls),
        tokens_in=_mean(games, lambda row: row.tokens_in),
        tokens_out=_mean(games, lambda row: row.tokens_out),
        usd=_known(games, lambda row: row.usd),
        usd_listed=None if all(row.usd is not None for row in games) else _known(games, _listed_usd),
        simulated=any(row.simulated for row in games),
        fake=any(row.faked for row in games),
        program=all(row.program for row in games),
    )


def _mean(games: Sequence[Row], figure: Callable[[Row], float]) -> float:
    return fmean(map(figure, games))


def _listed_usd(row: Row) -> float | None:
    """Dollars of a game at the list price of its model, as if no prompt were cached at the provider."""
    found = list_prices.of_name(row.model)
    return None if found is None else found.price.of(row.tokens_in, row.tokens_out)


def _known(games: Sequence[Row], figure: Callable[[Row], float | None]) -> float | None:
    """The mean over the games; None when the value of any game is unknown."""
    known = [value for value in map(figure, games) if value is not None]
    return fmean(known) if len(known) == len(games) else None


def differences(
    pairs: Sequence[tuple[Sequence[Row], Sequence[Row]]], interval: Interval = "t"
) -> tuple[Difference, ...]:
    """For each pair (games of an arm, games of its baseline): at each shared player count, then pooled.

    None for a pair in which too few moves are the seats' own.
    The p-values are corrected for the number of arms that are compared at a player count.
    """
    found = []
    for ours, theirs in [pair for pair in pairs if not any(map(too_few_own, pair))]:
        shared = sorted({*pairing.counts(ours)} & {*pairing.counts(theirs)})
        for at in [*([n] for n in shared), *([shared] if len(shared) > 1 else [])]:
            paired = Pairs.match(ours, theirs, at)
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
