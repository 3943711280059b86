"""What a stop rule has found so far: which look each arm has reached, and whether it is settled.

All of it follows from the finished games in the order of their deals, whoever played them and in which order. So a run
that was killed, or played by many processes, stops where an undisturbed one does, and a report says what the run did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from experiments.analysis.pairing import Pairs, arranged
from experiments.analysis.summaries import too_few_own
from experiments.record import measures
from experiments.record.measures import Measure
from experiments.record.rows import Row
from experiments.statistics.sequential_test import SequentialTest
from experiments.study.stop_rule import StopRule

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


def outcomes(rule: StopRule, rows: Sequence[Row], counts: Mapping[str, Sequence[int]]) -> dict[str, ArmStop]:
    """By arm; `counts`: the player counts at which each arm is played, the baseline's included."""
    games = arranged(rows)
    shared = {arm: sorted({*counts[arm]} & {*counts[rule.baseline]}) for arm in (*rule.arms, *rule.alongside)}
    found = {arm: _outcome(rule, arm, games, shared[arm]) for arm in rule.arms}
    last = max(one.look for one in found.values())
    return found | {arm: _alongside(rule, arm, games, shared[arm], last) for arm in rule.alongside}


def _alongside(rule: StopRule, arm: str, games: Mapping[str, list[Row]], counts: Sequence[int], last: int) -> ArmStop:
    """At the last look that another arm has reached, as far as its own games go."""
    arms = games.get(arm, []), games.get(rule.baseline, [])
    reached = [look for look in range(1, last + 1) if _complete(rule, look, arms, counts)]
    return _stop(rule, arm, max(reached, default=0), None)


def of_run(run: Mapping[str, Any], rows: Sequence[Row]) -> tuple[StopRule, dict[str, ArmStop]] | None:
    """The rule of a run.yaml and how its arms stand; None for a run without one."""
    rule = StopRule.read(run)
    if rule is None:
        return None
    counts = {name: arm.get("players", ()) for name, arm in (run.get("arms") or {}).items()}
    return rule, outcomes(rule, rows, counts)


def _outcome(rule: StopRule, arm: str, games: Mapping[str, list[Row]], counts: Sequence[int]) -> ArmStop:
    ours, theirs = games.get(arm, []), games.get(rule.baseline, [])
    reached = 0
    for look in range(1, len(rule.looks) + 1):
        if not _complete(rule, look, (ours, theirs), counts):
            break
        reached = look
        if settled := _settled(rule, look, ours, theirs, counts):
            return _stop(rule, arm, look, settled)
    return _stop(rule, arm, reached, None)


def _stop(rule: StopRule, arm: str, look: int, settled: Settled | None) -> ArmStop:
    deals = rule.looks[look - 1] if look else 0
    return ArmStop(arm, look, len(rule.looks), deals, rule.most, settled)


def _complete(rule: StopRule, look: int, arms: Sequence[Sequence[Row]], counts: Sequence[int]) -> bool:
    """Whether both arms have finished all games of the deals of a look."""
    wanted = set(product(counts, rule.seeds[: rule.looks[look - 1]], range(1, rule.repeats + 1)))
    return all(wanted <= {(row.players, row.seed, row.repeat) for row in games} for games in arms)


def _settled(
    rule: StopRule, look: int, ours: Sequence[Row], theirs: Sequence[Row], counts: Sequence[int]
) -> Settled | None:
    pairs = at_look(rule, look, ours, theirs, counts, measures.metric(rule.metric))
    test = None if too_few_own(ours) or too_few_own(theirs) else test_of(rule, look, pairs)
    if test is None or not (pairs.estimate and pairs.estimate.error):
        return None
    if rule.when != "excluded" and test.rejects(0.0, rule.level):
        return "shown"
    effect, mean = rule.effect, sum(pairs.deltas) / len(pairs.deltas)
    if effect is None or abs(mean) >= effect:
        return None
    return "excluded" if all(test.rejects(end, rule.level) for end in (-effect, effect)) else None


def at_look(
    rule: StopRule, look: int, ours: Sequence[Row], theirs: Sequence[Row], counts: Sequence[int], measure: Measure
) -> Pairs:
    """The pairs on the deals of a look."""
    seeds = set(rule.seeds[: rule.looks[look - 1]])
    one, other = ([row for row in games if row.seed in seeds] for games in (ours, theirs))
    return Pairs.match(one, other, counts, measure)


def test_of(rule: StopRule, look: int, pairs: Pairs) -> SequentialTest | None:
    """The test at a look; None for pairs that are no evidence, and where a single deal is left, whose repeats are not
    paired."""
    if pairs.unit != "deals" or not pairs.deltas or not pairs.tells:
        return None
    played = sorted({row.seed for row in pairs.games[0]})
    until = [sum(seed in rule.seeds[:deals] for seed in played) for deals in rule.looks[:look]]
    looks = tuple(sorted({number for number in until if number > 0}))
    return SequentialTest(tuple(pairs.deltas), looks, rule.most)
