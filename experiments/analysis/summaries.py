"""The summary of an arm's games at one player count, or pooled over all of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.analysis.games import complete, player_counts, repetitive, unit, unit_values
from experiments.record import measures
from experiments.record.rows import PERFECT, Metric, Row
from experiments.statistics.estimates import (
    Bounds,
    Estimate,
    Interval,
    bootstrap_interval,
    clip,
    clopper_pearson,
    estimate_mean,
    interquartile_mean,
    mean_difference,
    standard_deviation,
    unseen_share,
)
from orchestrator.models import list_prices

WITHHELD = 0.5
"""The share of own moves below which an arm is not compared with any other."""


@dataclass(frozen=True)
class Score:
    """The figures of an arm's strict or kept score; `Summary` says what each of them is."""

    mean: float
    low: float | None
    high: float | None
    se: float | None
    sd: float | None
    iqm: float
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]


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
    """Lower end of the 95 % confidence interval of that mean, over deals (over repeats, when there is one deal), from
    0 to 25; None for a single game."""
    high: float | None
    """Its upper end."""
    strict_se: float | None
    """Standard error of that mean; None for a single game. When pooled, it is over seeds, since a seed is the same deck
    at all player counts."""
    sd: float | None
    """Standard deviation of the strict scores of games."""
    kept: float
    """Mean kept score, 0 to 25: the points on the table, even when the third life was lost. Its figures are computed as
    those of the strict score."""
    kept_low: float | None
    kept_high: float | None
    kept_se: float | None
    kept_sd: float | None
    kept_iqm: float
    kept_iqm_low: float | None
    kept_iqm_high: float | None
    kept_histogram: tuple[int, ...]
    iqm: float
    """Interquartile mean of the deals' strict scores, with its 95 % bootstrap interval."""
    iqm_low: float | None
    iqm_high: float | None
    histogram: tuple[int, ...]
    """Number of games with a strict score of 0, 1 ... 25."""
    turns: float
    """Mean per game, as everything below unless stated otherwise."""
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
    cheats: bool = False
    """Whether a seat saw its own cards in any of the games."""
    replayed: bool = False
    """Whether every deal was repeated, and all repeats of a deal are the same game, move by move."""

    def of(self, metric: Metric) -> Score:
        """The figures of one of the two scores."""
        if metric == "strict":
            mean, se, iqm = (self.strict, self.low, self.high), self.strict_se, (self.iqm_low, self.iqm_high)
            return Score(*mean, se, self.sd, self.iqm, *iqm, self.histogram)
        mean, iqm = (self.kept, self.kept_low, self.kept_high), (self.kept_iqm_low, self.kept_iqm_high)
        return Score(*mean, self.kept_se, self.kept_sd, self.kept_iqm, *iqm, self.kept_histogram)

    @property
    def unanswered(self) -> float:
        """The share of questions to models that got no usable answer, not even at the second ask."""
        return self.fallbacks / max(1.0, self.calls - self.reasked)


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
    counts = player_counts(games)
    found = [_summary([row for row in games if row.players == n], n, interval) for n in counts]
    pool = complete(games) if len(counts) > 1 else []
    return [*found, _summary(pool, None, interval)] if pool else found


def _summary(games: Sequence[Row], players: int | None, interval: Interval) -> Summary:
    strict, kept = (_score(games, metric, interval) for metric in ("strict", "kept"))
    perfect, struck_out = _share(games, lambda row: row.end == "perfect"), _share(games, lambda row: row.lives == 0)
    return Summary(
        arm=games[0].arm,
        players=players,
        counts=player_counts(games),
        n=len(games),
        deals=len({row.seed for row in games}),
        strict=strict.mean,
        low=strict.low,
        high=strict.high,
        strict_se=strict.se,
        sd=strict.sd,
        kept=kept.mean,
        kept_low=kept.low,
        kept_high=kept.high,
        kept_se=kept.se,
        kept_sd=kept.sd,
        kept_iqm=kept.iqm,
        kept_iqm_low=kept.iqm_low,
        kept_iqm_high=kept.iqm_high,
        kept_histogram=kept.histogram,
        iqm=strict.iqm,
        iqm_low=strict.iqm_low,
        iqm_high=strict.iqm_high,
        histogram=strict.histogram,
        turns=_mean(games, lambda row: row.turns),
        perfect=perfect[0],
        perfect_low=perfect[1],
        perfect_high=perfect[2],
        struck_out=struck_out[0],
        struck_out_low=struck_out[1],
        struck_out_high=struck_out[2],
        struck_out_deals=_units(games, lambda row: row.lives == 0),
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
        cheats=any(row.cheats for row in games),
        replayed=repetitive(games),
    )


def _score(games: Sequence[Row], metric: Metric, interval: Interval) -> Score:
    units, of_games = unit_values(games, measures.metric(metric).of), [row.score(metric) for row in games]
    estimate = None if _one_game(games) else estimate_mean(units)
    low, high = _bounds(estimate, units, interval) if estimate else (None, None)
    iqm_low, iqm_high = (bootstrap_interval(interquartile_mean, units) if estimate else None) or (None, None)
    return Score(
        mean=fmean(units),
        low=low,
        high=high,
        se=estimate.error if estimate else None,
        sd=standard_deviation(of_games) if estimate else None,
        iqm=float(interquartile_mean(units)),
        iqm_low=iqm_low,
        iqm_high=iqm_high,
        histogram=tuple(of_games.count(score) for score in range(PERFECT + 1)),
    )


def _one_game(games: Sequence[Row]) -> bool:
    """Whether there is a single deal whose repeats are all the same game, which says nothing about a spread."""
    return unit(games) == "repeats" and repetitive(games)


def _bounds(estimate: Estimate, units: Sequence[float], interval: Interval) -> Bounds:
    """Scores that are all equal do not show how far others lie from them, but in how many a difference went unseen."""
    if not estimate.error:
        share, score = unseen_share(estimate.n), estimate.mean
        return score - share * score, score + share * (PERFECT - score)
    drawn = bootstrap_interval(mean_difference, units) if interval == "bootstrap" else None
    return clip(drawn or estimate.interval, 0, PERFECT)


def _share(games: Sequence[Row], counts: Callable[[Row], bool]) -> tuple[float, float, float]:
    """The share of games, and its interval. Repeats of a deal may be alike, so several deals count once each."""
    share = fmean(map(counts, games))
    deals = {(row.players, row.seed) for row in games}
    n = len(games) if unit(games) == "repeats" and not _one_game(games) else len(deals)
    return share, *clopper_pearson(round(share * n, 9), n)


def _units(games: Sequence[Row], counts: Callable[[Row], bool]) -> int:
    """The number of deals, or of repeats of a single deal, with such a game."""
    by_repeat = unit(games) == "repeats"
    return len({row.repeat if by_repeat else row.seed for row in games if counts(row)})


def _mean(games: Sequence[Row], figure: Callable[[Row], float]) -> float:
    return fmean(map(figure, games))


def _listed_usd(row: Row) -> float | None:
    """Dollars of a game at the list price of its model, as if no prompt were cached at the provider."""
    found = list_prices.of_name(row.model)
    return None if found is None else found.price.usd(row.tokens_in, row.tokens_out)


def _known(games: Sequence[Row], figure: Callable[[Row], float | None]) -> float | None:
    """The mean over the games; None when the value of any game is unknown."""
    known = [value for value in map(figure, games) if value is not None]
    return fmean(known) if len(known) == len(games) else None
