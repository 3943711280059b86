"""Ad-hoc teams in numbers: the evaluated seat with each partner, its mean over those held out, and
its own self-play.

The mean over partners gives each partner the same weight, deal by deal; its interval is one over
deals, and says nothing of partners that are not in the pool.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from statistics import fmean

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.conclusions import listed
from hanabi_orchestrator.experiments.analysis.games import by_arm as by_arms
from hanabi_orchestrator.experiments.analysis.games import (
    complete,
    having,
    shared_keys,
    unit_values,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    Bounds,
    clip,
    estimate_mean,
    standard_deviation,
)
from hanabi_orchestrator.experiments.analysis.summaries import Summary
from hanabi_orchestrator.experiments.record.measures import STRICT
from hanabi_orchestrator.experiments.record.rows import PERFECT, Row
from hanabi_orchestrator.experiments.study.pairs import (
    EVALUATED,
    SELF_PLAY,
    WITH,
    Standing,
    standing,
)
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec


@dataclass(frozen=True)
class Mean:
    """A mean strict score."""

    games: int
    mean: float
    bounds: Bounds | None
    """Its 95 % interval over deals (over repeats, when there is one deal); None for a single
    one."""
    sd: float | None
    """Standard deviation of the games' scores, or, in a mean over partners, of the partners'
    means."""


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
    """Over the partners that are held out; None without any, and without a deal that all of them
    played."""
    self_play: Mean | None
    """Of the evaluated seat; None without such games."""
    loss: Mean | None
    """That mean minus the self-play, on the deals of both."""

    @property
    def rows(self) -> list[WithPartner]:
        """The partners, then the mean over those held out, and the seat with itself."""
        mean = (
            [WithPartner(MEAN, "held out", self.over_partners, None)] if self.over_partners else []
        )
        alone = []
        if self.self_play:
            alone = [WithPartner(SELF, "itself", self.self_play, None)]
        return [*self.partners, *mean, *alone]

    def standing(self, *standings: Standing) -> tuple[WithPartner, ...]:
        """Return the partners that stand so to the evaluated seat."""
        return tuple(partner for partner in self.partners if partner.standing in standings)


MEAN = "mean over partners"
SELF = "self-play"
"""Names of the rows that are no partner's."""
PREFIX = f"{EVALUATED}{WITH}"
"""The beginning of the names of arms with trials."""


def teams(
    rows: Sequence[Row], summaries: Iterable[Summary], labels: Mapping[str, PlayerSpec]
) -> list[AdHocTeams]:
    """Return the ad-hoc teams among the games of a run, by player count, pooled last; none in a run
    without them.

    `labels`: who plays, by label, as far as that is known.
    """
    by_arm = {(summary.arm, summary.players): summary for summary in summaries}
    partners = list(
        dict.fromkeys(arm.removeprefix(PREFIX) for arm, _ in by_arm if arm.startswith(PREFIX))
    )
    counts = sorted(
        {players for arm, players in by_arm if arm.startswith(PREFIX) and players is not None}
    )
    every: list[tuple[int | None, tuple[int, ...]]] = [(players, (players,)) for players in counts]
    teams_wanted = {(f"{PREFIX}{partner}", n) for partner, n in product(partners, counts)}
    if len(counts) > 1 and teams_wanted <= by_arm.keys():
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

    def mean(arm: str) -> Mean | None:
        if (summary := by_arm.get((arm, players))) is None:
            return None
        score = summary.of("strict")
        return Mean(summary.n, score.mean, score.bounds, score.sd)

    met = []
    for partner in partners:
        if trials := mean(f"{PREFIX}{partner}"):
            spec = labels.get(partner)
            kind = standing(evaluated, spec) if evaluated and spec else None
            met.append(WithPartner(partner, kind, trials, mean(f"{partner}{WITH}{partner}")))
    played = by_arms(row for row in rows if row.players in counts)
    strangers = []
    for each in met:
        if each.standing == "held out":
            strangers.append(played.get(f"{PREFIX}{each.partner}", []))
    return AdHocTeams(
        players,
        counts,
        evaluated.name if evaluated else EVALUATED,
        tuple(met),
        over_partners=_over_partners(strangers),
        self_play=mean(SELF_PLAY),
        loss=_over_partners(strangers, played.get(SELF_PLAY, [])),
    )


def _over_partners(arms: Sequence[Sequence[Row]], less: Sequence[Row] | None = None) -> Mean | None:
    """Return the mean over partners, each with the same weight, deal by deal; `less`: minus these
    games' scores.

    It is over the deals that were played in all of these arms, at all their player counts; None
    without any.
    """
    samples = list(arms)
    if less is not None:
        samples.append(less)
    same = shared_keys(samples, attrgetter("pairing")) if arms else set()
    shared = list(map(complete, having(samples, attrgetter("pairing"), same)))
    if not shared or not shared[0]:
        return None
    scores = [unit_values(games, STRICT.of) for games in shared]
    values = list(map(fmean, zip(*scores[: len(arms)], strict=True)))
    games = sum(map(len, shared))
    if less is not None:
        values = [mean - alone for mean, alone in zip(values, scores[-1], strict=True)]
    estimate = estimate_mean(values)
    interval = estimate.interval if estimate else None
    if less is not None:
        return Mean(games, fmean(values), interval, None)
    bounds = clip(interval, 0.0, float(PERFECT)) if interval else None
    return Mean(games, fmean(values), bounds, standard_deviation(list(map(fmean, scores))))


def sentences(counts: Sequence[AdHocTeams]) -> list[str]:
    """Say what the trials show, over all player counts where that can be said, and of which
    partners it holds."""
    pooled = [teams for teams in counts[-1:] if teams.players is None]
    return [_sentence(teams) for teams in pooled or counts]


def _sentence(teams: AdHocTeams) -> str:
    team = f"{teams.evaluated} at {listed(list(map(str, teams.counts)))} players"
    mean = teams.over_partners
    strangers = teams.standing("held out")
    if mean is None:
        if strangers:
            why = "no deal was played with all held-out partners"
        else:
            why = "no partner of the pool is held out"
        if all(partner.standing is None for partner in teams.partners):
            why = "the run does not say who its players are"
        return say.ADHOC_UNMEASURED(team=team, unmeasured=why)
    loss = teams.loss
    alone = [partner.alone.mean for partner in strangers if partner.alone]
    if len(alone) > 1:
        who = "these partners score"
    else:
        who = "the partner scores"
    friends = ", ".join(
        f"{each.partner} ({each.standing})" for each in teams.standing("known kind", "itself")
    )
    return say.ADHOC(
        partners=f"the {len(strangers)} partners" if len(strangers) > 1 else strangers[0].partner,
        team=team,
        size=f"{mean.mean:.2f}",
        over_deals=_interval(mean, ""),
        against=say.SELF_PLAY(size=f"{loss.mean:+.2f}", over_deals=_interval(loss, "+"))
        if loss
        else "",
        alone=say.ALONE(who=who, size=f"{fmean(alone):.2f}")
        if alone and len(alone) == len(strangers)
        else "",
        left_out=say.FRIENDS(friends=friends) if friends else "",
    )


def _interval(mean: Mean, sign: str) -> str:
    if mean.bounds:
        return f" (95 % {mean.bounds[0]:{sign}.2f} to {mean.bounds[1]:{sign}.2f} over deals)"
    return ""
