"""Ad-hoc teams in numbers: the evaluated seat with each partner, its mean over those held out, and its own self-play.

The mean over partners gives each partner the same weight, deal by deal; its interval is one over deals, and says
nothing of partners that are not in the pool.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from experiments.analysis.games import complete, unit_values
from experiments.analysis.summaries import Summary
from experiments.record.measures import STRICT
from experiments.record.rows import PERFECT as MOST
from experiments.record.rows import Row
from experiments.statistics.estimates import Bounds, estimate_mean, standard_deviation
from experiments.study.adhoc import SELF_PLAY
from experiments.study.cross_play import WITH
from experiments.study.held_out import Standing, standing
from experiments.study.notes import EVALUATED
from experiments.study.player_spec import PlayerSpec


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

    @property
    def held_out(self) -> tuple[WithPartner, ...]:
        return tuple(one for one in self.partners if one.standing == "held out")

    @property
    def known(self) -> tuple[WithPartner, ...]:
        return tuple(one for one in self.partners if one.standing in ("known kind", "itself"))


def teams(rows: Sequence[Row], summaries: Iterable[Summary], labels: Mapping[str, PlayerSpec]) -> list[AdHocTeams]:
    """The ad-hoc teams among the games of a run, by player count, pooled last; none in a run without them.

    `labels`: who plays, by label, as far as that is known.
    """
    by_arm = {(one.arm, one.players): one for one in summaries}
    partners = dict.fromkeys(arm.removeprefix(PREFIX) for arm, _ in by_arm if arm.startswith(PREFIX))
    counts = sorted({players for arm, players in by_arm if arm.startswith(PREFIX) and players is not None})
    found = [_at(players, (players,), partners, rows, by_arm, labels) for players in counts]
    if len(counts) > 1 and all((f"{PREFIX}{one}", n) in by_arm for one in partners for n in counts):
        found.append(_at(None, tuple(counts), partners, rows, by_arm, labels))
    return found


PREFIX = f"{EVALUATED}{WITH}"
"""Of the arms with the trials."""


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
        if (trials := by_arm.get((f"{PREFIX}{partner}", players))) is not None:
            other = labels.get(partner)
            what = standing(evaluated, other) if evaluated and other else None
            alone = _mean(by_arm.get((f"{partner}{WITH}{partner}", players)))
            met.append(WithPartner(partner, what, _whole(trials), alone))
    there = [row for row in rows if row.players in counts]
    strangers = [one.partner for one in met if one.standing == "held out"]
    unknown = [[row for row in there if row.arm == f"{PREFIX}{partner}"] for partner in strangers]
    own = [row for row in there if row.arm == SELF_PLAY]
    return AdHocTeams(
        players,
        counts,
        evaluated.name if evaluated else EVALUATED,
        tuple(met),
        _over_partners(unknown),
        _mean(by_arm.get((SELF_PLAY, players))),
        _loss(unknown, own),
    )


def _mean(found: Summary | None) -> Mean | None:
    return None if found is None else _whole(found)


def _whole(found: Summary) -> Mean:
    score = found.of("strict")
    bounds = None if score.low is None or score.high is None else (score.low, score.high)
    return Mean(found.n, score.mean, bounds, score.sd)


def _over_partners(games: Sequence[Sequence[Row]]) -> Mean | None:
    shared = _shared(games)
    if not shared or not shared[0]:
        return None
    each = [unit_values(one, STRICT.of) for one in shared]
    values = list(map(fmean, zip(*each, strict=True)))
    bounds = _bounds(values)
    within = bounds and (max(bounds[0], 0.0), min(bounds[1], float(MOST)))
    return Mean(sum(map(len, shared)), fmean(values), within, standard_deviation(list(map(fmean, each))))


def _loss(games: Sequence[Sequence[Row]], own: Sequence[Row]) -> Mean | None:
    shared = _shared([*games, own]) if games else []
    if not shared or not shared[0]:
        return None
    *each, alone = (unit_values(one, STRICT.of) for one in shared)
    values = [fmean(one) - other for *one, other in zip(*each, alone, strict=True)]
    return Mean(sum(map(len, shared)), fmean(values), _bounds(values), None)


def _shared(games: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The games of deals that were played in all of these arms, at all their player counts."""
    if not games:
        return []
    same = set.intersection(*({(row.players, row.seed, row.repeat) for row in one} for one in games))
    return [complete([row for row in one if (row.players, row.seed, row.repeat) in same]) for one in games]


def _bounds(values: Sequence[float]) -> Bounds | None:
    found = estimate_mean(values)
    return None if found is None else found.interval


def sentences(found: Sequence[AdHocTeams]) -> list[str]:
    """What the trials show, over all player counts where that can be said, and of which partners it holds."""
    return [_said(one) for one in found[-1:] if one.players is None or len(found) == 1] or list(map(_said, found))


def _said(one: AdHocTeams) -> str:
    if one.over_partners is None:
        return f"{_who(one)} is not measured in ad-hoc teams: {_why_not(one)}."
    many = len(one.held_out)
    whom = f"the {many} partners" if many > 1 else one.held_out[0].partner
    against = f"{_loss_said(one)}{_alone(one)}"
    return (
        f"With {whom} held out for it, {_who(one)} scores {one.over_partners.mean:.2f} of 25 on average"
        f"{_within(one.over_partners, '')}{against}. This holds for these partners only.{_known(one)}"
    )


def _why_not(one: AdHocTeams) -> str:
    if all(partner.standing is None for partner in one.partners):
        return "the run does not say who its players are"
    return "no deal was played with all held-out partners" if one.held_out else "no partner of the pool is held out"


def _who(one: AdHocTeams) -> str:
    counts = " and ".join(", ".join(map(str, one.counts)).rsplit(", ", 1))
    return f"{one.evaluated} at {counts} players"


def _within(mean: Mean, sign: str) -> str:
    if mean.bounds is None:
        return ""
    low, high = mean.bounds
    return f" (95 % {low:{sign}.2f} to {high:{sign}.2f} over deals)"


def _loss_said(one: AdHocTeams) -> str:
    if one.loss is None:
        return ""
    return f", {one.loss.mean:+.2f} against its own self-play{_within(one.loss, '+')}"


def _alone(one: AdHocTeams) -> str:
    alone = [partner.alone.mean for partner in one.held_out if partner.alone]
    if not alone or len(alone) < len(one.held_out):
        return ""
    return f"; {'these partners score' if len(alone) > 1 else 'the partner scores'} {fmean(alone):.2f} among themselves"


def _known(one: AdHocTeams) -> str:
    if not one.known:
        return ""
    named = ", ".join(f"{partner.partner} ({partner.standing})" for partner in one.known)
    return f" Left out of that mean, for they are no strangers to it: {named}."


def data(found: Sequence[AdHocTeams]) -> list[dict[str, Any]]:
    return [asdict(one) for one in found]
