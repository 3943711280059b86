"""The difference of an arm from its baseline, deal by deal, with its interval and test."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean

from experiments.analysis import pairing, stopping
from experiments.analysis.pairing import Pairs, Unit
from experiments.analysis.stopping import ArmStop
from experiments.analysis.summaries import too_few_own
from experiments.record import measures
from experiments.record.measures import Measure
from experiments.record.rows import Better, Row
from experiments.statistics.estimates import ROUNDING, Bounds, spread, within
from experiments.statistics.permutation import Permuted, draws_for, holm, holm_levels, least_p
from experiments.statistics.power import ALPHA
from experiments.statistics.sequential_test import SequentialTest
from experiments.statistics.sign_flip_power import detectable, needed
from experiments.study.stop_rule import StopRule


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
    """Mean difference in `metric`; positive when the arm has more of it."""
    low: float | None
    """Lower end of the 95 % confidence interval of the mean: all that the test does not reject at .05. None where the
    test cannot reject anything, with up to 5 units, and where there is no test."""
    high: float | None
    """Its upper end."""
    p: float | None
    """Two-sided p-value of a permutation test: sign flips of pairs (deals), or regrouping (repeats). None for a single
    unit, and for games that are no evidence because they are the same games."""
    draws: int | None
    """Random relabellings in that test; None when it was exact."""
    p_holm: float | None
    """p with Holm's correction for all arms that are compared at this player count."""
    wins: int
    """Units in which the arm scores more; repeats are matched by number."""
    ties: int
    losses: int
    mde: float | None
    """Minimum detectable effect, for planning: the smallest effect that this test detects with 80 % power at `level`,
    in points. None where it can detect none, and when all differences are equal, since their spread is then unknown."""
    for_one_point: int | None
    """Units needed to detect an effect of one point with the same power; None when the spread is unknown."""
    metric: str = "strict"
    measured_in: str = "points"
    """What there is more or fewer of."""
    better: Better | None = "more"
    """Which side is better; None where neither is."""
    """The score that is compared."""
    se: float | None = None
    """Standard error of the mean; None for a single unit."""
    sd: float | None = None
    """Standard deviation of the paired differences; None for a single unit, and for repeats, which are not paired."""
    level: float | None = None
    """The level at which Holm's correction tests this difference; None where there is no test."""
    low_holm: float | None = None
    """The interval at that level: it holds 0 exactly when `p_holm` is .05 or more. None where nothing is rejected."""
    high_holm: float | None = None
    alike: int = 0
    """Units in which both arms played the same games, move by move."""
    tests: int = 1
    """Tests that p is corrected for."""
    stop: ArmStop | None = None
    """How the arm stands by the run's stop rule. Then p and intervals are those of the sequential test, valid at every
    look, and corrected by Bonferroni in place of Holm; the pairs are those of the deals up to the look."""
    alpha: float = ALPHA
    """The level of claims: that of the stop rule, where there is one."""

    @property
    def claimed(self) -> bool:
        """Whether the test shows a difference. Sentences and figures mark what it shows by this."""
        return self.p_holm is not None and self.p_holm < self.alpha


@dataclass(frozen=True)
class Tested:
    pairs: Pairs
    players: int | None
    """None when pooled."""
    test: Permuted | SequentialTest | None
    stop: ArmStop | None = None


@dataclass(frozen=True)
class Stopped:
    """The stop rule of a run, and how its arms stand by it."""

    rule: StopRule
    arms: Mapping[str, ArmStop]


def differences(
    pairs: Sequence[tuple[Sequence[Row], Sequence[Row]]],
    measure: Measure = measures.STRICT,
    stopped: Stopped | None = None,
    tests: int = 0,
) -> tuple[Difference, ...]:
    """For each pair (games of an arm, games of its baseline): at each shared player count, then pooled.

    None for a pair in which too few moves are the seats' own.
    The p-values are corrected for the number of arms that are compared at a player count. `stopped`: of a run with a
    stop rule; then the games until each arm's last look are compared, by the test that is valid at every look.
    `tests`: how many p-values a caller corrects for together, if they are more; a test then draws as often as it needs.
    """
    tested, compared = [], [pair for pair in pairs if not any(map(too_few_own, pair))]
    for ours, theirs in compared:
        shared = sorted({*pairing.counts(ours)} & {*pairing.counts(theirs)})
        for at in [*([n] for n in shared), *([shared] if len(shared) > 1 else [])]:
            one = tested_at(ours, theirs, at, measure, stopped, max(tests, len(compared)))
            tested += [one] if one else []
    return tuple(by_rule(one, stopped.rule) for one in tested) if stopped else tuple(_corrected(tested))


def contrast(
    ours: Sequence[Row], theirs: Sequence[Row], measure: Measure, stopped: Stopped | None = None
) -> tuple[Difference, ...]:
    """The difference of two arms of which neither is the baseline, tested alone: `p` and `low` to `high` count.

    Under a stop rule it is tested at the last look that both reached, which the test allows.
    """
    if stopped and ours and theirs:
        stands = [stopped.arms.get(games[0].arm) for games in (ours, theirs)]
        if stands[0] is None or stands[1] is None:
            return ()
        first = min(stands[0], stands[1], key=lambda one: one.look)
        stopped = replace(stopped, arms={ours[0].arm: replace(first, arm=ours[0].arm)})
    return differences([(ours, theirs)], measure, stopped)


def tested_at(
    ours: Sequence[Row],
    theirs: Sequence[Row],
    at: Sequence[int],
    measure: Measure,
    stopped: Stopped | None,
    compared: int,
) -> Tested | None:
    """The test at these player counts; None without pairs."""
    players = at[0] if len(at) == 1 else None
    if stopped is None:
        paired = Pairs.match(ours, theirs, at, measure)
        return Tested(paired, players, paired.test(draws_for(compared))) if paired.deltas else None
    stop = stopped.arms.get(ours[0].arm)
    if stop is None or not stop.look:
        return None
    paired = stopping.at_look(stopped.rule, stop.look, ours, theirs, at, measure)
    test = stopping.test_of(stopped.rule, stop.look, paired)
    return Tested(paired, players, test, stop) if paired.deltas else None


def by_rule(one: Tested, rule: StopRule) -> Difference:
    """With Bonferroni's correction for the arms that the rule names: Holm's needs all arms at once, and these stop at
    different looks."""
    tests = 1 if one.stop and one.stop.arm in rule.alongside else len(rule.arms)
    p = min(1.0, one.test.p * tests) if one.test else None
    found = difference(one, p, rule.alpha / tests if one.test else None, tests)
    return replace(found, alpha=rule.alpha)


def _corrected(found: Sequence[Tested]) -> Iterator[Difference]:
    """With Holm's correction within each player count, and within the pooled differences."""
    families = dict[int | None, list[int]]()
    for at, one in enumerate(found):
        if one.test:
            families.setdefault(one.players, []).append(at)
    corrected = dict[int, tuple[float, float]]()
    for family in families.values():
        ps = [test.p for at in family if (test := found[at].test)]
        corrected |= zip(family, zip(holm(ps), holm_levels(ps), strict=True), strict=True)
    for at, one in enumerate(found):
        p_holm, level = corrected.get(at, (None, None))
        yield difference(one, p_holm, level, len(families.get(one.players, [])))


def difference(tested: Tested, p_holm: float | None, level: float | None, tests: int) -> Difference:
    pairs, test = tested.pairs, tested.test
    wins, losses = sum(d > ROUNDING for d in pairs.deltas), sum(d < -ROUNDING for d in pairs.deltas)
    low, high = _bounds(test, ALPHA, pairs.measure)
    low_holm, high_holm = _bounds(test, level or ALPHA, pairs.measure)
    mde, for_one_point = _planning(pairs, tests) if test and not tested.stop else (None, None)
    return Difference(
        arm=pairs.games[0][0].arm,
        baseline=pairs.games[1][0].arm,
        players=tested.players,
        counts=pairing.counts(pairs.games[0]),
        unit=pairs.unit,
        n=len(pairs.deltas),
        left_out=pairs.left_out,
        mean=fmean(pairs.deltas),
        low=low,
        high=high,
        p=test.p if test else None,
        draws=test.draws if test else None,
        p_holm=p_holm,
        wins=wins,
        ties=len(pairs.deltas) - wins - losses,
        losses=losses,
        mde=mde,
        for_one_point=for_one_point,
        metric=pairs.measure.key,
        measured_in=pairs.measure.unit,
        better=pairs.measure.better,
        se=pairs.estimate.error if pairs.estimate else None,
        sd=spread(pairs.deltas) if pairs.unit == "deals" else None,
        level=level,
        low_holm=low_holm,
        high_holm=high_holm,
        alike=pairs.alike,
        tests=tests,
        stop=tested.stop,
    )


def _bounds(test: Permuted | SequentialTest | None, level: float, measure: Measure) -> Bounds | tuple[None, None]:
    found = test.interval(level) if test else None
    if found is None:
        return None, None
    return within(found, *measure.range) if measure.range else found


def _deal(row: Row) -> tuple[int, int]:
    return row.players, row.seed


def _planning(pairs: Pairs, tests: int) -> tuple[float | None, int | None]:
    """The detectable effect, and the units for one point, corrected for this number of tests."""
    estimate, n = pairs.estimate, len(pairs.deltas)
    if estimate is None or not estimate.error:
        return None, None
    if pairs.measure.key not in ("strict", "kept"):
        return None, None
    if pairs.unit == "deals":
        sd = estimate.error * math.sqrt(n)
        step = 1 / math.lcm(*({len(list(same)) for _, same in groupby(sorted(map(_deal, pairs.games[0])))}))
        step /= len(pairing.counts(pairs.games[0]))
        return detectable(sd, n, tests=tests, step=step), needed(sd, 1.0, tests=tests, step=step)
    seen = estimate.detectable(tests) if least_p(n, groups=True) * tests < ALPHA else None
    return seen, estimate.enough(1.0, tests)
