"""Ad-hoc teams in numbers: the evaluated seat with each partner, its mean over those held out, and its own self-play.

The mean over partners gives each partner the same weight, deal by deal; its interval is one over deals, and says
nothing of partners that are not in the pool.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from experiments.analysis import sentence_templates as say
from experiments.analysis.conclusions import listed
from experiments.analysis.games import complete, unit_values
from experiments.analysis.summaries import Summary
from experiments.record.measures import STRICT
from experiments.record.rows import PERFECT, Row
from experiments.statistics.estimates import Bounds, clip, estimate_mean, standard_deviation
from experiments.study.adhoc import SELF_PLAY, Standing, standing
from experiments.study.cross_play import WITH
from experiments.study.notes import EVALUATED
from experiments.study.seat_spec import PlayerSpec


@dataclass(frozen=True)
class Mean:
    """A mean strict score."""

    games: int
    mean: float
    bounds: Bounds | None
    """Its 95 % interval over deals (over repeats, when there is one deal); None for a single one."""
    sd: float | None
    """Standard deviation of the games' scores, or, in a mean over partners, of the partners' means."""


@dataclass(frozen=True)
class WithPartner:
    """The evaluated seat with one partner, and that partner with itself."""

    partner: str
    standing: Standing | None
    """None where the run does not say who plays."""
    trials: Mean
    alone: Mean | None
    """None without games of the partner's self-play."""


@dataclass(frozen=True)
class AdHocTeams:
    """All trials at one player count, or pooled over the counts that every partner was met at."""

    players: int | None
    """None: pooled."""
    counts: tuple[int, ...]
    evaluated: str
    partners: tuple[WithPartner, ...]
    over_partners: Mean | None
    """Over the partners that are held out; None without any, and without a deal that all of them played."""
    self_play: Mean | None
    """Of the evaluated seat; None without such games."""
    loss: Mean | None
    """That mean minus the self-play, on the deals of both."""

    def standing(self, *standings: Standing) -> tuple[WithPartner, ...]:
        """Return the partners that stand so to the evaluated seat."""
        return tuple(partner for partner in self.partners if partner.standing in standings)


PREFIX = f"{EVALUATED}{WITH}"
"""The beginning of the names of arms with trials."""


def teams(rows: Sequence[Row], summaries: Iterable[Summary], labels: Mapping[str, PlayerSpec]) -> list[AdHocTeams]:
    """Return the ad-hoc teams among the games of a run, by player count, pooled last; none in a run without them.

    `labels`: who plays, by label, as far as that is known.
    """
    by_arm = {(summary.arm, summary.players): summary for summary in summaries}
    partners = list(dict.fromkeys(arm.removeprefix(PREFIX) for arm, _ in by_arm if arm.startswith(PREFIX)))
    counts = sorted({players for arm, players in by_arm if arm.startswith(PREFIX) and players is not None})
    every: list[tuple[int | None, tuple[int, ...]]] = [(players, (players,)) for players in counts]
    if len(counts) > 1 and all((f"{PREFIX}{partner}", n) in by_arm for partner in partners for n in counts):
        every.append((None, tuple(counts)))
    return [_at(players, at, partners, rows, by_arm, labels) for players, at in every]


def _at(
    players: int | None,
    counts: tuple[int, ...],
    partners: Iterable[str],
    rows: Sequence[Row],
    by_arm: Mapping[tuple[str, int | None], Summary],
    labels: Mapping[str, PlayerSpec],
) -> AdHocTeams:
    evaluated = labels.get(EVALUATED)
    met = []
    for partner in partners:
        if trials := _mean(by_arm.get((f"{PREFIX}{partner}", players))):
            spec = labels.get(partner)
            kind = standing(evaluated, spec) if evaluated and spec else None
            met.append(WithPartner(partner, kind, trials, _mean(by_arm.get((f"{partner}{WITH}{partner}", players)))))
    games = [row for row in rows if row.players in counts]
    strangers = [f"{PREFIX}{each.partner}" for each in met if each.standing == "held out"]
    trials_of = [[row for row in games if row.arm == arm] for arm in strangers]
    return AdHocTeams(
        players,
        counts,
        evaluated.name if evaluated else EVALUATED,
        tuple(met),
        _over_partners(trials_of),
        _mean(by_arm.get((SELF_PLAY, players))),
        _loss(trials_of, [row for row in games if row.arm == SELF_PLAY]),
    )


def _mean(summary: Summary | None) -> Mean | None:
    if summary is None:
        return None
    score = summary.of("strict")
    bounds = None if score.low is None or score.high is None else (score.low, score.high)
    return Mean(summary.n, score.mean, bounds, score.sd)


def _over_partners(arms: Sequence[Sequence[Row]]) -> Mean | None:
    """Return the mean over partners, each with the same weight, deal by deal."""
    shared = _shared(arms)
    if not shared or not shared[0]:
        return None
    each = [unit_values(games, STRICT.of) for games in shared]
    values = list(map(fmean, zip(*each, strict=True)))
    estimate = estimate_mean(values)
    bounds = clip(estimate.interval, 0.0, float(PERFECT)) if estimate else None
    return Mean(sum(map(len, shared)), fmean(values), bounds, standard_deviation(list(map(fmean, each))))


def _loss(arms: Sequence[Sequence[Row]], self_play: Sequence[Row]) -> Mean | None:
    """Return that mean minus the self-play, on the deals of both."""
    shared = _shared([*arms, self_play]) if arms else []
    if not shared or not shared[0]:
        return None
    *each, alone = (unit_values(games, STRICT.of) for games in shared)
    values = [fmean(scores) - score for *scores, score in zip(*each, alone, strict=True)]
    estimate = estimate_mean(values)
    return Mean(sum(map(len, shared)), fmean(values), estimate.interval if estimate else None, None)


def _shared(arms: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Return the games of deals that were played in all of these arms, at all their player counts."""
    if not arms:
        return []
    same = set.intersection(*({row.pairing for row in games} for games in arms))
    return [complete([row for row in games if row.pairing in same]) for games in arms]


def sentences(counts: Sequence[AdHocTeams]) -> list[str]:
    """Say what the trials show, over all player counts where that can be said, and of which partners it holds."""
    pooled = [teams for teams in counts[-1:] if teams.players is None]
    return [_sentence(teams) for teams in pooled or counts]


def _sentence(teams: AdHocTeams) -> str:
    team = f"{teams.evaluated} at {listed(list(map(str, teams.counts)))} players"
    mean, strangers = teams.over_partners, teams.standing("held out")
    if mean is None:
        why = "no deal was played with all held-out partners" if strangers else "no partner of the pool is held out"
        if all(partner.standing is None for partner in teams.partners):
            why = "the run does not say who its players are"
        return say.ADHOC_UNMEASURED(team=team, unmeasured=why)
    loss, alone = teams.loss, [partner.alone.mean for partner in strangers if partner.alone]
    who = "these partners score" if len(alone) > 1 else "the partner scores"
    friends = ", ".join(f"{each.partner} ({each.standing})" for each in teams.standing("known kind", "itself"))
    return say.ADHOC(
        partners=f"the {len(strangers)} partners" if len(strangers) > 1 else strangers[0].partner,
        team=team,
        size=f"{mean.mean:.2f}",
        over_deals=_interval(mean, ""),
        against=say.SELF_PLAY(size=f"{loss.mean:+.2f}", over_deals=_interval(loss, "+")) if loss else "",
        alone=say.ALONE(who=who, size=f"{fmean(alone):.2f}") if alone and len(alone) == len(strangers) else "",
        left_out=say.FRIENDS(friends=friends) if friends else "",
    )


def _interval(mean: Mean, sign: str) -> str:
    return f" (95 % {mean.bounds[0]:{sign}.2f} to {mean.bounds[1]:{sign}.2f} over deals)" if mean.bounds else ""


def data(counts: Sequence[AdHocTeams]) -> list[dict[str, Any]]:
    """Return the teams as plain data."""
    return [asdict(teams) for teams in counts]
