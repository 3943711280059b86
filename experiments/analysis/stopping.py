"""What a stop rule has found so far: which look each arm has reached, whether it is settled, and
that in sentences.

All of it follows from the finished games in the order of their deals, whoever played them and in
which order. So a run that was killed, or played by many processes, stops where an undisturbed one
does, and a report says what the run did.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from typing import Any, Literal

from hanabi_orchestrator.experiments.analysis.compare import Comparison, compare
from hanabi_orchestrator.experiments.analysis.games import by_arm, having
from hanabi_orchestrator.experiments.analysis.statistics.sequential import SequentialTest
from hanabi_orchestrator.experiments.analysis.summaries import too_few_own
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.stop_rule import StopRule

Settled = Literal["shown", "excluded"]


@dataclass(frozen=True)
class ArmStop:
    """How an arm stands by the rule."""

    arm: str
    look: int
    """Looks that were reached, of those until the arm was settled; 0: not even the first."""
    looks: int
    """Looks that there are."""
    deals: int
    """At the last look that was reached."""
    most: int
    settled: Settled | None
    """What stopped it; None for an arm that goes on, or that was played to the last deal."""

    @property
    def over(self) -> bool:
        """Whether the arm needs no more games."""
        return self.settled is not None or self.look == self.looks

    @property
    def data(self) -> dict[str, Any]:
        return {**vars(self), "over": self.over}


@dataclass(frozen=True)
class Stopped:
    """The stop rule of a run, and how its arms stand by it."""

    rule: StopRule
    arms: Mapping[str, ArmStop]

    @property
    def compared(self) -> list[ArmStop]:
        """Those of the arms that the rule compares."""
        return [self.arms[arm] for arm in self.rule.arms]

    @property
    def data(self) -> dict[str, Any]:
        return {
            **self.rule.data,
            "level": self.rule.level,
            "stood": [arm.data for arm in self.arms.values()],
        }

    @property
    def states(self) -> list[str]:
        """How each arm that the rule compares stands by it, in words."""
        states = []
        for stop in self.compared:
            at = (
                f"at look {stop.look} of {stop.looks}, after {stop.deals} of at most {stop.most} "
                "deals"
            )
            if not stop.look:
                state = f"has not reached the first look, after {self.rule.looks[0]} deals"
            elif stop.settled == "shown":
                state = f"stopped {at}: its difference is shown"
            elif stop.settled == "excluded":
                state = f"stopped {at}: a difference of {self.rule.effect:g} or more is excluded"
            else:
                if stop.over:
                    state = f"is open {at}"
                else:
                    state = f"goes on: nothing is settled {at}"
            states.append(f"{stop.arm} {state}")
        return states


def of_run(run: Mapping[str, Any], rows: Sequence[Row]) -> Stopped | None:
    """Return the rule of a run.yaml and how its arms stand; None for a run without one."""
    rule = StopRule.read(run)
    counts = {name: arm.get("players", ()) for name, arm in (run.get("arms") or {}).items()}
    if rule:
        return Stopped(rule, outcomes(rule, rows, counts))
    return None


def outcomes(
    rule: StopRule, rows: Sequence[Row], counts: Mapping[str, Sequence[int]]
) -> dict[str, ArmStop]:
    """Return how each arm stands; `counts`: the player counts at which each is played, the
    baseline's included.

    An arm that plays the baseline again goes along to the last look that another has reached, as
    far as its own games go.
    """
    games = by_arm(rows)
    stops: dict[str, ArmStop] = {}
    for arm in (*rule.arms, *rule.alongside):
        played = games.get(arm, []), games.get(rule.baseline, [])
        at = sorted({*counts[arm]} & {*counts[rule.baseline]})
        if arm in rule.alongside:
            last = max(stop.look for stop in stops.values())
        else:
            last = len(rule.looks)
        done = []
        for finished in played:
            done.append({row.pairing for row in finished})
        look = 0
        settled = None
        while look < last and not settled:
            due = set(product(at, rule.seeds[: rule.looks[look]], range(1, rule.repeats + 1)))
            if not all(due <= pairings for pairings in done):
                break  # one of the two has not finished all games of the deals of the next look
            look += 1
            settled = None if arm in rule.alongside else _settled(rule, look, *played, at)
        stops[arm] = ArmStop(
            arm, look, len(rule.looks), rule.looks[look - 1] if look else 0, rule.most, settled
        )
    return stops


def _settled(
    rule: StopRule, look: int, ours: Sequence[Row], theirs: Sequence[Row], counts: Sequence[int]
) -> Settled | None:
    if too_few_own(ours) or too_few_own(theirs):
        return None
    comparison, test = at_look(rule, look, ours, theirs, counts, measures.metric(rule.metric))
    if (
        comparison is None
        or test is None
        or not (comparison.estimate and comparison.estimate.error)
    ):
        return None
    if rule.when != "excluded" and not comparison.flattered and test.rejects(0.0, rule.level):
        return "shown"
    effect = rule.effect
    if effect is None or abs(comparison.mean) >= effect:
        return None
    if all(test.rejects(end, rule.level) for end in (-effect, effect)):
        return "excluded"
    return None


def at_look(
    rule: StopRule,
    look: int,
    ours: Sequence[Row],
    theirs: Sequence[Row],
    counts: Sequence[int],
    measure: Measure,
) -> tuple[Comparison | None, SequentialTest | None]:
    """Compare two arms on the deals of a look, by the test that is valid at every look.

    There is no test of pairs that are no evidence, and where a single deal is left, whose repeats
    are not paired.
    """
    seeds = rule.seeds[: rule.looks[look - 1]]
    of_seeds = having((ours, theirs), attrgetter("seed"), seeds)
    first, second = having(of_seeds, attrgetter("players"), counts)
    comparison = compare(first, second, measure)
    if comparison is None or comparison.unit != "deals" or not comparison.testable:
        return comparison, None
    played = {row.seed for row in comparison.rows[0]}
    until = {len(played.intersection(rule.seeds[:deals])) for deals in rule.looks[:look]}
    return comparison, SequentialTest(
        tuple(comparison.deltas), tuple(sorted(until - {0})), rule.most
    )


def sentences(stopped: Stopped) -> Iterator[str]:
    """Say that a run had a stop rule, where each arm stopped, and what that means for its
    figures."""
    rule = stopped.rule
    number = len(stopped.rule.arms)
    yield f"This run had a stop rule: {rule.sentence}."
    yield f"{'; '.join(stopped.states)}."
    rate = f"{100 * rule.alpha:g} %"
    if number > 1:
        family = (
            f"Each of the {number} arms is tested at {rule.alpha:g} / {number} (Bonferroni), so "
            f"that no more than {rate} of such runs show any difference where there is none"
        )
    else:
        family = f"No more than {rate} of such runs show a difference where there is none"
    yield (
        f"{family}. p and intervals of differences hold at every look; the usual ones would not, "
        "and are not shown. Intervals of mean scores and of marks are the usual ones, which do "
        "not allow for stopping."
    )
    for name in rule.alongside:
        yield (
            f"{name} plays the baseline again, as long as any arm goes on; it stops nothing and "
            "is tested apart."
        )
    if len({stop.deals for stop in stopped.compared}) > 1:
        yield (
            "Arms stopped after different deals, so their mean scores are of different deals: "
            "compare differences."
        )


@dataclass(frozen=True)
class Stage:
    """What is played before the next look."""

    jobs: tuple[Job, ...]
    said: str
    """How the arms stand before it."""


class Stages:
    """Every answer follows from the finished games alone, so a run that is gone on with stops at
    the same look."""

    def __init__(self, plan: Plan) -> None:
        """Raises UserError for a rule that cannot be followed."""
        self._plan = plan
        self.rule: StopRule | None = plan.stop
        self._counts = {arm.name: arm.players for arm in plan.arms}

    def next(self, rows: Sequence[Row]) -> Stage | None:
        """Return the games until the next look; None when no arm needs more of them."""
        if self.rule is None:
            return None
        arms = outcomes(self.rule, rows, self._counts)
        unsettled = [arms[arm] for arm in self.rule.arms if not arms[arm].over]
        if not unsettled:
            return None
        deals = self.rule.looks[min(arm.look for arm in unsettled)]
        finished = {row.name for row in rows}
        jobs = tuple(job for job in self._until(deals, arms) if job.name not in finished)
        return Stage(
            jobs, _stand(arms, f"next look after {deals} of at most {self.rule.most} deals")
        )

    def needed(self, rows: Sequence[Row], jobs: Sequence[Job]) -> Sequence[Job]:
        """Return those of the run's games that may still be played, and those that are finished."""
        if self.rule is None:
            return jobs
        arms = outcomes(self.rule, rows, self._counts)
        most = max(
            self.rule.most if not arms[arm].over else arms[arm].deals for arm in self.rule.arms
        )
        names = {row.name for row in rows} | {job.name for job in self._until(most, arms)}
        return [job for job in jobs if job.name in names]

    def said(self, rows: Sequence[Row]) -> str:
        """Say how the arms stand at the end."""
        assert self.rule is not None
        return _stand(outcomes(self.rule, rows, self._counts), "no arm needs more games")

    def _until(self, deals: int, arms: dict[str, ArmStop]) -> list[Job]:
        """Return the games of this many deals, without those of arms that are over."""
        assert self.rule is not None
        seeds = set(self.rule.seeds[:deals])
        over = {name for name, arm in arms.items() if arm.over}
        return [job for job in self._plan.jobs if job.deal.seed in seeds and job.arm not in over]


def _stand(arms: dict[str, ArmStop], last: str) -> str:
    settled = []
    for arm in arms.values():
        if arm.settled:
            settled.append(f"{arm.arm} {arm.settled} after {arm.deals} deals")
    return "; ".join([*settled, last])
