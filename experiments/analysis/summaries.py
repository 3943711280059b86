"""The summary of an arm's games at one player count, or pooled over all of them, and how deals and
repeats vary."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from math import sqrt
from operator import attrgetter
from statistics import correlation, fmean, variance
from typing import Any

import numpy as np

from hanabi_orchestrator.experiments.analysis.compare import compare
from hanabi_orchestrator.experiments.analysis.games import (
    Sampled,
    by_unit,
    complete,
    having,
    one_game,
    player_counts,
    repetitive,
    unit,
    unit_values,
)
from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    bootstrap_clusters,
    by_cluster,
    interquartile_mean,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ROUNDING,
    Bounded,
    Interval,
    bootstrap_interval,
    clopper_pearson,
    estimate_mean,
    standard_deviation,
)
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import MEASURES, Measure
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.record.rows import PERFECT, Metric, Row
from hanabi_orchestrator.orchestrator.models import list_prices

WITHHELD = 0.5
"""The share of own moves below which an arm is not compared with any other."""
COUNTED = (
    "turns",
    "misplays",
    "hints_wasted",
    "fallbacks",
    "reasked",
    "refused",
    "refused_by_rule",
    "refused_turns",
    "after_refusal",
    "copied",
    "copied_moves",
    "second_ask",
    "first_misplays",
    "first_points",
    "played_misplays",
    "played_points",
    "calls",
    "tokens_in",
    "tokens_out",
    "usd",
)
"""The measures whose means a summary has."""


@dataclass(frozen=True)
class Score(Bounded):
    """The figures of the strict or the kept score of an arm."""

    mean: float
    """Over deals, 0 to 25; repeats of a deal are averaged first, so that all deals have equal
    weight."""
    low: float | None
    """Lower end of the 95 % confidence interval of that mean, over deals (over repeats, when there
    is one deal), from 0 to 25; None for a single game."""
    high: float | None
    """Its upper end."""
    se: float | None
    """Standard error of that mean; None for a single game. When pooled, it is over seeds, since a
    seed is the same deck at all player counts."""
    sd: float | None
    """Standard deviation of the scores of games."""
    iqm: float
    """Interquartile mean of the scores of games, all player counts together when pooled, with its
    95 % bootstrap interval over deals."""
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]
    """Number of games with a score of 0, 1 ... 25."""


@dataclass(frozen=True)
class Summary:
    """The games of an arm at one player count, or pooled over all of them."""

    arm: str
    players: int | None
    """None: pooled over the arm's player counts with equal weights, of the seeds that it played at
    all of them."""
    counts: tuple[int, ...]
    """The player counts; several when pooled."""
    n: int
    """Number of games."""
    deals: int
    """Number of seeds; a seed is the same deck at every player count."""
    scores: Mapping[Metric, Score]
    means: Mapping[str, float | None]
    """Per game, by the key of the measure; None where it is not known for all games."""
    perfect: float
    """Share of games with 25 points, with its 95 % interval by Clopper and Pearson."""
    perfect_low: float
    perfect_high: float
    struck_out: float
    """Share of games in which the third life was lost, with such an interval."""
    struck_out_low: float
    struck_out_high: float
    struck_out_deals: int
    """Deals (repeats, when there is one deal) with such a game."""
    ends: dict[str, int]
    """Number of games by how they ended."""
    forced_share: float
    """Forced moves as a share of all moves."""
    model_moves: int
    """Moves of seats that ask a model, in all games."""
    own_share: float | None
    """The share of these that the seats chose: neither forced nor copied. None where no model is
    asked."""
    usd_listed: float | None
    """Dollars per game at list prices, where the price is not known; None unless every game asked
    one listed model."""
    provenance: Provenance
    """Who answered in the games."""
    cheats: bool
    """Whether a seat saw its own cards in any of the games."""
    replayed: bool
    """Whether every deal was repeated, and all repeats of a deal are the same game, move by
    move."""

    def of(self, metric: Metric) -> Score:
        """Return the figures of one of the two scores."""
        return self.scores[metric]

    def mean(self, key: str) -> float:
        """Return the mean of a measure per game; 0 where it is not known."""
        return self.means[key] or 0.0

    @property
    def unanswered(self) -> float:
        """The share of questions to models that got no usable answer, not even at the second
        ask."""
        return self.mean("fallbacks") / max(1.0, self.mean("calls") - self.mean("reasked"))

    @property
    def data(self) -> dict[str, Any]:
        """The summary as plain data: figures of the strict score stand beside those of the kept
        one."""
        plain = {}
        for name, value in asdict(self).items():
            if name not in ("scores", "means", "provenance"):
                plain[name] = value
        strict, kept = (asdict(self.scores[each]) for each in ("strict", "kept"))
        strict = {"strict": strict.pop("mean"), "strict_se": strict.pop("se"), **strict}
        kept = {"kept": kept.pop("mean"), **{f"kept_{name}": value for name, value in kept.items()}}
        answered = {
            "simulated": Provenance.SIMULATED in self.provenance,
            "fake": Provenance.FAKE_SERVER in self.provenance,
            "program": self.provenance.only_programs,
        }
        return {**plain, **strict, **kept, **self.means, **answered}


def forced_share(games: Sequence[Row]) -> float:
    """Return forced moves as a share of all moves."""
    return sum(row.forced for row in games) / max(1, sum(row.turns for row in games))


def own_share(games: Sequence[Sampled]) -> float | None:
    """Return the share of the moves of seats that ask a model which the seats chose; None without
    such moves."""
    moves, own = map(sum, zip(*(row.moves for row in games), strict=True))
    if moves:
        return own / moves
    return None


def too_few_own(games: Sequence[Sampled]) -> bool:
    """Return whether an arm is compared with no other, because a program chose most of its
    moves."""
    share = own_share(games) if games else None
    return share is not None and share < WITHHELD


def summaries(games: Sequence[Row], interval: Interval = "t") -> list[Summary]:
    """Return the summaries of one arm: at each player count, then pooled when there are several."""
    counts = player_counts(games)
    each = []
    for n in counts:
        each.append(_summary([row for row in games if row.players == n], n, interval))
    pool = complete(games) if len(counts) > 1 else []
    if pool:
        return [*each, _summary(pool, None, interval)]
    return each


def _summary(games: Sequence[Row], players: int | None, interval: Interval) -> Summary:
    struck_out_deals = []
    for rows in by_unit(games).values():
        struck_out_deals.append(any(row.lives == 0 for row in rows))
    return Summary(
        arm=games[0].arm,
        players=players,
        counts=player_counts(games),
        n=len(games),
        deals=len({row.seed for row in games}),
        scores={
            "strict": _score(games, "strict", interval),
            "kept": _score(games, "kept", interval),
        },
        means={key: _mean(games, MEASURES[key].of) for key in COUNTED},
        **_share("perfect", games, lambda row: row.end == "perfect"),
        **_share("struck_out", games, lambda row: row.lives == 0),
        struck_out_deals=sum(struck_out_deals),
        ends=dict(sorted(Counter(row.end for row in games).items())),
        forced_share=forced_share(games),
        model_moves=sum(row.moves[0] for row in games),
        own_share=own_share(games),
        usd_listed=None if all(row.usd is not None for row in games) else _mean(games, _listed_usd),
        provenance=Provenance.union(row.provenance for row in games),
        cheats=any(row.cheats for row in games),
        replayed=repetitive(games),
    )


def _score(games: Sequence[Row], name: Metric, interval: Interval) -> Score:
    units = unit_values(games, measures.metric(name).of)
    scores = [row.score(name) for row in games]
    estimate = None if one_game(games) else estimate_mean(units)
    clusters = []
    for rows in by_unit(games).values():
        clusters.append(np.array([[float(row.score(name))] for row in rows]))
    iqm = bootstrap_clusters(interquartile_mean, clusters)
    iqm_low, iqm_high = iqm.interval if estimate and iqm.interval else (None, None)
    bounds = estimate.within(0, PERFECT) if estimate else None
    if estimate and estimate.error and interval == "bootstrap":
        bounds = bootstrap_interval(units) or bounds
    low, high = bounds or (None, None)
    return Score(
        mean=fmean(units),
        low=low,
        high=high,
        se=estimate.error if estimate else None,
        sd=standard_deviation(scores) if estimate else None,
        iqm=iqm.value or 0.0,
        iqm_low=iqm_low,
        iqm_high=iqm_high,
        histogram=tuple(map(scores.count, range(PERFECT + 1))),
    )


def _share(name: str, games: Sequence[Row], counts: Callable[[Row], bool]) -> dict[str, Any]:
    """Return a share of games, and its interval. Repeats of a deal may be alike, so several deals
    count once each."""
    share = fmean(map(counts, games))
    deals = {(row.players, row.seed) for row in games}
    if unit(games) == "repeats" and not one_game(games):
        n = len(games)
    else:
        n = len(deals)
    low, high = clopper_pearson(round(share * n, 9), n)
    return {name: share, f"{name}_low": low, f"{name}_high": high}


def _mean(games: Sequence[Row], value: Callable[[Row], float | None]) -> float | None:
    """Return the mean over the games; None when the value of any game is unknown."""
    values = [number for number in map(value, games) if number is not None]
    if len(values) == len(games):
        return fmean(values)
    return None


def _listed_usd(row: Row) -> float | None:
    """Return the dollars of a game at the list price of its model, as if no prompt were cached at
    the provider."""
    listed = list_prices.of_name(row.model)
    if listed is None:
        return None
    return listed.price.usd(row.tokens_in, row.tokens_out)


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
    """Standard deviation of the deals' true means: what is left of `sd` without the share of the
    repeats."""
    correlation: float | None
    """With the baseline's scores of the same deals; None for the baseline, and where either always
    scores the same."""

    @property
    def share(self) -> float | None:
        """The share of the variance of games that lies between deals; None where it is not
        known."""
        if (
            self.within is None
            or self.between is None
            or not (total := self.within**2 + self.between**2)
        ):
            return None
        return self.between**2 / total


def deal_variance(
    games: Sequence[Row], baseline: Sequence[Row], players: int, metric: Metric = "strict"
) -> DealVariance:
    """Analyse the variance of an arm's games at a player count, one way; `baseline`: the games to
    correlate with."""
    ours, theirs = having((games, baseline), attrgetter("players"), (players,))
    deals = list(by_cluster((row.seed, row.score(metric)) for row in ours).values())
    means = list(map(fmean, deals))
    sizes = list(map(len, deals))
    n = len(ours)
    within = between = None
    if n > len(deals):
        squares = list[float]()
        for mean, scores_of_deal in zip(means, deals, strict=True):
            squares += [(score - mean) ** 2 for score in scores_of_deal]
        within = sum(squares) / (n - len(deals))
    if within is not None and len(deals) > 1:  # deals may have different numbers of repeats
        grand = fmean(chain.from_iterable(deals))
        df = len(deals) - 1
        of_means = (
            sum(size * (mean - grand) ** 2 for mean, size in zip(means, sizes, strict=True)) / df
        )
        repeats = (n - sum(size**2 for size in sizes) / n) / df
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
    """Return that of the scores of the deals that both played; None where either always scores the
    same."""
    if not theirs or theirs[0].arm == ours[0].arm or unit(ours) == "repeats":
        return None
    comparison = compare(ours, theirs, measure)
    values = comparison.values if comparison else ((), ())
    if len(values[0]) < 3 or any(max(scores) - min(scores) < ROUNDING for scores in values):
        return None
    return correlation(*values)
