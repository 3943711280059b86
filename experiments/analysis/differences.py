"""The differences of arms from their baseline, at each player count and pooled, corrected for their
number."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter

from hanabi_orchestrator.experiments.analysis import stopping
from hanabi_orchestrator.experiments.analysis.compare import Comparison, Weigh, combine, compare
from hanabi_orchestrator.experiments.analysis.games import Sampled, Unit, having, player_counts
from hanabi_orchestrator.experiments.analysis.statistics.clusters import groups
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA, Bounded
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    PermutationTest,
    holm,
    holm_levels,
    least_p,
)
from hanabi_orchestrator.experiments.analysis.statistics.power import (
    detectable,
    detectable_by_t,
    needed_by_t,
    pairs_needed,
)
from hanabi_orchestrator.experiments.analysis.statistics.sequential import SequentialTest
from hanabi_orchestrator.experiments.analysis.stopping import ArmStop, Stopped
from hanabi_orchestrator.experiments.analysis.summaries import too_few_own
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.record.rows import Better, Row

Pair = tuple[Sequence[Row], Sequence[Row]]
"""The games of an arm, and those of its baseline."""


@dataclass(frozen=True)
class Difference(Bounded):
    """The difference of an arm from the baseline at one player count, or pooled over all that both
    played."""

    arm: str
    baseline: str
    players: int | None
    """None: pooled over the player counts that both played, of the seeds that both played at all of
    them."""
    counts: tuple[int, ...]
    """The player counts; several when pooled."""
    unit: Unit
    """The unit of sampling: deals, paired, with repeats averaged first; the repeats, when there is
    a single deal."""
    n: int
    """Number of units in complete pairs. When pooled, a seed at all player counts is one unit: it
    is one deck."""
    left_out: int
    """Number of games of both arms at these player counts that are in no complete pair."""
    mean: float
    """Mean difference in `metric`; positive when the arm has more of it."""
    low: float | None
    """Lower end of the 95 % confidence interval of the mean: all that the test does not reject at
    .05. None where the test cannot reject anything, with up to 5 units, and where there is no
    test."""
    high: float | None
    """Its upper end."""
    p: float | None
    """Two-sided p-value of a permutation test: sign flips of pairs (deals), or regrouping
    (repeats). None for a single unit, and for games that are no evidence because they are the same
    games."""
    draws: int | None
    """Random relabellings in that test; None when it was exact."""
    p_holm: float | None
    """p with Holm's correction for all arms that are compared at this player count."""
    wins: int
    """Units in which the arm scores more; repeats are matched by number."""
    ties: int
    losses: int
    mde: float | None
    """Minimum detectable effect, for planning: the smallest effect that this test detects with 80 %
    power at `level`, in points. None where it can detect none, and when all differences are equal,
    since their spread is then unknown."""
    for_one_point: int | None
    """Units needed to detect an effect of one point with the same power; None when the spread is
    unknown."""
    metric: str = "strict"
    """What is compared."""
    measured_in: str = "points"
    """What there is more or fewer of."""
    better: Better | None = "more"
    """Which side is better; None where neither is."""
    se: float | None = None
    """Standard error of the mean; None for a single unit."""
    sd: float | None = None
    """Standard deviation of the paired differences; None for a single unit, and for repeats, which
    are not paired."""
    level: float | None = None
    """The level at which Holm's correction tests this difference; None where there is no test."""
    low_holm: float | None = None
    """The interval at that level: it holds 0 exactly when `p_holm` is .05 or more. None where
    nothing is rejected."""
    high_holm: float | None = None
    unvalued: int = 0
    """Of the games that are left out, the number without a value of the metric; the others have no
    counterpart."""
    alike: int = 0
    """Units in which both arms played the same games, move by move."""
    tests: int = 1
    """Tests that p is corrected for."""
    stop: ArmStop | None = None
    """How the arm stands by the run's stop rule. Then p and intervals are those of the sequential
    test, valid at every look, and corrected by Bonferroni in place of Holm; the pairs are those of
    the deals up to the look."""
    struck_out: tuple[int, int] | None = None
    """Units with a struck-out game, of the arm and of the baseline; None where the metric is not
    the strict score."""
    flattered: bool = False
    """Whether the difference favours the one with more strike-outs, which are too few to count on:
    no claim."""
    gate: str | None = None
    """What it is tested after, and only where that is claimed, so that it takes no power from the
    other arms: of a control the arm without the role, of a second metric the same arm by the first
    one."""
    alpha: float = ALPHA
    """The level of claims: that of the stop rule, where there is one; 0 where an extended run has
    none left."""

    @property
    def claimed(self) -> bool:
        """Whether the test shows a difference. Sentences and figures mark what it shows by this."""
        return self.p_holm is not None and self.p_holm < self.alpha and not self.flattered

    @property
    def shown_alone(self) -> bool:
        """Whether it is shown where it is the only test."""
        return self.p is not None and self.p < ALPHA and not self.flattered and not self.spent

    @property
    def spent(self) -> bool:
        """Whether the run was extended after its planned end, so that no level is left to claim
        at."""
        return self.alpha == 0

    @property
    def shut(self) -> bool:
        """Whether it is not tested, because what it is tested after is not shown."""
        return self.gate is not None and self.p is not None and self.p_holm is None

    @property
    def least_p(self) -> float:
        """The smallest corrected p that so many deals can have; the next one is twice as large."""
        return least_p(self.n, groups=self.unit == "repeats") * self.tests

    @property
    def testable(self) -> bool:
        """Whether its corrected p could be below 5 % at all; True where there is no test."""
        if self.p is None:
            return True
        if self.stop:
            return self.low_holm is not None
        return self.least_p < ALPHA

    @property
    def units(self) -> str:
        """`deals`, or `deal` of a single one."""
        if self.n > 1:
            return self.unit
        return self.unit.removesuffix("s")

    @property
    def same_games(self) -> bool:
        """Whether both arms played the same games, move by move, so that there is no test."""
        return self.p is None and self.alike == self.n

    @property
    def tally(self) -> tuple[int, int, int]:
        """Units that were won, tied and lost."""
        return self.wins, self.ties, self.losses


@dataclass(frozen=True)
class _Tested:
    comparison: Comparison
    players: int | None
    """None when pooled."""
    test: PermutationTest | SequentialTest | None
    stop: ArmStop | None = None
    name: str = ""
    """Of a combination of several arms; empty for an arm beside its baseline."""

    @property
    def arm(self) -> str:
        return str(self.comparison.rows[0][0].arm)

    def difference(self, p: float | None, level: float | None, tests: int) -> Difference:
        """Return the record of it, with a corrected p, and the level at which it is tested."""
        found = self.comparison
        test = self.test
        low, high = found.bounded(test.interval() if test else None) or (None, None)
        low_holm, high_holm = found.bounded(test.interval(level or ALPHA) if test else None) or (
            None,
            None,
        )
        mde, for_one_point = _planning(found, tests) if test and not self.stop else (None, None)
        wins, ties, losses = found.tally
        assert found.measure is not None
        return Difference(
            arm=self.name or self.arm,
            baseline="" if self.name else found.rows[1][0].arm,
            players=self.players,
            counts=player_counts(found.rows[0]),
            unit=found.unit,
            n=found.n,
            left_out=found.left_out,
            mean=found.mean,
            low=low,
            high=high,
            p=test.p if test else None,
            draws=test.draws if test else None,
            p_holm=p,
            wins=wins,
            ties=ties,
            losses=losses,
            mde=mde,
            for_one_point=for_one_point,
            metric=found.measure.key,
            measured_in=found.measure.unit,
            better=found.measure.better,
            se=found.estimate.error if found.estimate else None,
            sd=found.sd,
            level=level,
            low_holm=low_holm,
            high_holm=high_holm,
            unvalued=found.unvalued,
            alike=found.alike,
            tests=tests,
            stop=self.stop,
            struck_out=found.struck_out
            if found.measure.key == "strict" and not self.name
            else None,
            flattered=found.flattered,
        )


def differences(
    pairs: Sequence[Pair],
    measure: Measure = measures.STRICT,
    stopped: Stopped | None = None,
    tests: int = 0,
    gates: Mapping[str, str] = {},
) -> tuple[Difference, ...]:
    """Compare each pair of arms at each player count that both played, then pooled; none with too
    few moves of its own.

    The p-values are corrected for the number of arms that are compared at a player count.
    `stopped`: of a run with a stop rule; then the games until each arm's last look are compared, by
    the test that is valid at every look. `tests`: how many p-values a caller corrects for together,
    if they are more; a test then draws as often as it needs. `gates`: controls with the arm whose
    effect they are to explain. They are tested after it, where it is claimed, at the level that it
    was tested at (a fixed sequence); a stop rule corrects for all arms instead.
    """
    tested = _all_tested(pairs, measure, stopped, tests)
    if stopped:
        return tuple(_by_rule(each, stopped) for each in tested)
    played = {games[0].arm for games, _ in pairs if games}
    first = [each for each in tested if gates.get(each.arm) not in played]
    corrected = _by_holm(first, lambda each: each.players)
    levels = {(each.arm, each.players): each.level for each in corrected if each.claimed}
    results = dict(zip(map(id, first), corrected, strict=True))
    for each in tested:
        if id(each) not in results:
            gate = gates[each.arm]
            results[id(each)] = _after(each, gate, levels.get((gate, each.players)))
    return tuple(results[id(each)] for each in tested)


def second_differences(
    pairs: Sequence[Pair],
    measure: Measure,
    first: Sequence[Difference],
    stopped: Stopped | None = None,
) -> tuple[Difference, ...]:
    """Compare the same pairs by a second metric, each only where the first one shows its
    difference, and at its level.

    Two scores tested side by side would claim a difference in up to twice as many runs without one.
    """
    tested = _all_tested(pairs, measure, stopped, 0)
    claims = {(each.arm, each.players): each for each in first if each.claimed}
    results = []
    for pair in tested:
        claim = claims.get((pair.arm, pair.players))
        gate = f"{pair.arm} by {_named(first)}"
        if claim is None or not stopped:
            results.append(_after(pair, gate, claim.level if claim else None))
        else:
            results.append(replace(_by_rule(pair, stopped), gate=gate))
    return tuple(results)


def _named(differences: Sequence[Difference]) -> str:
    """Return the metric of differences in words."""
    metric = differences[0].metric if differences else ""
    if metric in ("strict", "kept"):
        return f"the {metric} score"
    return metric


def _all_tested(
    pairs: Sequence[Pair], measure: Measure, stopped: Stopped | None, tests: int
) -> list[_Tested]:
    """Test each pair of arms at each player count that both played, then pooled."""
    compared = _comparable(pairs)
    tested = list[_Tested]()
    for pair, shared in compared:
        samples = [[players] for players in shared]
        if len(shared) > 1:
            samples.append(shared)
        for counts in samples:
            tested += _test(pair, counts, measure, stopped, max(tests, len(compared)))
    return tested


def _after(tested: _Tested, gate: str, level: float | None) -> Difference:
    """Return a difference that is tested after another one, at the level of that; None: that one is
    not shown."""
    if tested.test is None or level is None:
        return replace(tested.difference(None, None, 1), gate=gate)
    tests = round(ALPHA / level)  # so many of which Holm's procedure had not rejected yet
    return replace(tested.difference(min(1.0, tested.test.p * tests), level, tests), gate=gate)


def contrast(
    ours: Sequence[Row], theirs: Sequence[Row], measure: Measure, stopped: Stopped | None = None
) -> tuple[Difference, ...]:
    """Compare two arms of which neither is the baseline, alone: `p` and `low` to `high` count.

    Under a stop rule they are tested at the last look that both reached, which the test allows.
    """
    if stopped and ours and theirs:
        stops = [stopped.arms.get(games[0].arm) for games in (ours, theirs)]
        if stops[0] is None or stops[1] is None:
            return ()
        first = min(stops[0], stops[1], key=lambda stop: stop.look)
        stopped = replace(stopped, arms={ours[0].arm: replace(first, arm=ours[0].arm)})
    return differences([(ours, theirs)], measure, stopped)


def more_differences(
    pairs: Sequence[Pair], others: Sequence[Measure], stopped: Stopped | None = None
) -> tuple[Difference, ...]:
    """Compare each pair of arms, pooled over player counts, by each metric that is known and
    varies: a look around.

    p-values are corrected for all arms and all of these metrics together: by Holm, by Bonferroni
    under a stop rule.
    """
    compared = _comparable(pairs)
    tested = list[_Tested]()
    for measure in others:
        for pair, shared in compared:
            values = set()
            for games in pair:
                for row in games:
                    if (value := measure.of(row)) is not None:
                        values.add(value)
            if len(values) > 1 and shared:
                tested += _test(pair, shared, measure, stopped, len(compared) * len(others))
    if not stopped:
        return _by_holm(tested, lambda each: None)
    number = len(tested)
    rule = [_by_rule(each, stopped) for each in tested]
    return tuple(
        alone(each, None if each.p is None else min(1.0, each.p * number), number) for each in rule
    )


def combinations(
    arms: Mapping[str, Sequence[Sampled]],
    terms: Mapping[str, Weigh],
    measure: Measure,
    family: Callable[[str], Hashable] = lambda term: None,
) -> tuple[Difference, ...]:
    """Test combinations of arms, by name, at each player count and pooled; `arm` of each is its
    name.

    Samples that are not divided by player counts are tested once. p-values are corrected among the
    combinations of a family at a player count. None is tested where an arm has too few moves of its
    own.
    """
    if any(map(too_few_own, arms.values())):
        return ()
    sizes = Counter(map(family, terms))
    counts = player_counts(chain.from_iterable(arms.values()))
    tested = list[_Tested]()
    samples = [(count,) for count in counts] if len(counts) == 1 else [*zip(counts), counts]
    for some in samples:
        arms_there = {}
        for arm, rows in arms.items():
            arms_there[arm] = [row for row in rows if row.players in some or not some]
        players = some[0] if len(some) == 1 else None
        for name, weigh in terms.items():
            if comparison := combine(arms_there, weigh, measure, tests=sizes[family(name)]):
                tested.append(_Tested(comparison, players, comparison.test, name=name))
    return _by_holm(tested, lambda each: (each.players, family(each.name)))


def own_contrasts(
    arms: Mapping[str, Sequence[Sampled]],
    weights: Mapping[str, Mapping[str, float]],
    measure: Measure,
) -> tuple[Difference, ...]:
    """Return the combinations of arms that an experiment names, corrected among themselves."""
    weighed = {}
    for of_arms in weights.values():
        for arm in of_arms:
            weighed[arm] = arms.get(arm, [])
    terms = {name: partial(_same, of_arms) for name, of_arms in weights.items()}
    return combinations(weighed, terms, measure)


def _same(weights: Mapping[str, float], seed: int) -> Mapping[str, float]:
    """Return the same weights in every deal."""
    return weights


def alone(difference: Difference, p: float | None, tests: int) -> Difference:
    """Return a difference with a p corrected in another way, which has no interval of its own."""
    return replace(difference, p_holm=p, level=None, low_holm=None, high_holm=None, tests=tests)


def _comparable(pairs: Sequence[Pair]) -> list[tuple[Pair, list[int]]]:
    """Return the pairs with enough moves of their own, each with the player counts that both arms
    played."""
    comparable = []
    for pair in pairs:
        if not any(map(too_few_own, pair)):
            counts = set.intersection(*map(set, map(player_counts, pair)))
            comparable.append((pair, sorted(counts)))
    return comparable


def _test(
    pair: Pair, counts: Sequence[int], measure: Measure, stopped: Stopped | None, tests: int
) -> list[_Tested]:
    """Test a pair at these player counts; nothing without pairs of games."""
    players = counts[0] if len(counts) == 1 else None
    if stopped is None:
        ours, theirs = having(pair, attrgetter("players"), counts)
        comparison = compare(ours, theirs, measure, tests=tests)
        if comparison:
            return [_Tested(comparison, players, comparison.test)]
        return []
    stop = stopped.arms.get(pair[0][0].arm)
    if stop is None or not stop.look:
        return []
    comparison, test = stopping.at_look(stopped.rule, stop.look, *pair, counts, measure)
    if comparison:
        return [_Tested(comparison, players, test, stop)]
    return []


def _by_rule(tested: _Tested, stopped: Stopped) -> Difference:
    """Correct by Bonferroni for the arms of the rule: Holm needs all at once, and these stop at
    different looks."""
    rule = stopped.rule
    if tested.stop and tested.stop.arm in rule.alongside:
        tests = 1
    else:
        tests = len(rule.arms)
    p, level = (
        (min(1.0, tested.test.p * tests), rule.alpha / tests) if tested.test else (None, None)
    )
    return replace(tested.difference(p, level, tests), alpha=rule.alpha)


def _by_holm(
    tested: Sequence[_Tested], family: Callable[[_Tested], Hashable]
) -> tuple[Difference, ...]:
    """Correct by Holm within each family."""
    corrected = dict[int, Difference]()
    for members in groups(tested, family).values():
        ps = [each.test.p for each in members if each.test]
        tests = zip(holm(ps), holm_levels(ps), strict=True)
        for each in members:
            p, level = next(tests) if each.test else (None, None)
            corrected[id(each)] = each.difference(p, level, len(ps))
    return tuple(corrected[id(each)] for each in tested)


def _planning(comparison: Comparison, tests: int) -> tuple[float | None, int | None]:
    """Return the detectable effect of a score, and the units for one point, corrected for this
    number of tests."""
    estimate = comparison.estimate
    n = comparison.n
    if (
        estimate is None
        or not estimate.error
        or comparison.measure not in (measures.STRICT, measures.KEPT)
    ):
        return None, None
    if comparison.unit == "repeats":
        seen = detectable_by_t(estimate, tests) if least_p(n, groups=True) * tests < ALPHA else None
        return seen, needed_by_t(estimate, 1.0, tests)
    games = comparison.rows[0]
    repeats = Counter((row.players, row.seed) for row in games).values()
    step = 1 / math.lcm(*repeats) / len(player_counts(games))
    sd = estimate.error * math.sqrt(n)
    return detectable(sd, n, tests=tests, step=step), pairs_needed(sd, 1.0, tests=tests, step=step)
