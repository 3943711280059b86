"""Two samples compared cluster by cluster: their paired values, the mean difference, its interval
and its test.

Games, positions, marks and probes are compared alike: values of a cluster, such as a deal, are
averaged first, clusters are the sample, and signs of their differences are flipped. Of a single
deal its repeats are the sample.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import fsum
from operator import attrgetter
from statistics import fmean
from typing import Any, TypeVar

from hanabi_orchestrator.experiments.analysis.games import (
    Sampled,
    Unit,
    complete,
    having,
    repetitive,
    shared_keys,
    unit,
    unit_values,
)
from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ALPHA,
    ROUNDING,
    Bounds,
    Estimate,
    clip,
    estimate_difference,
    estimate_mean,
    standard_deviation,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    PermutationTest,
    draws_for,
    holm,
    regrouping_test,
    sign_flip_test,
)
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.record.rows import Row

R = TypeVar("R")

STRIKE_OUTS = 5
"""Deals with a struck-out game from which strict scores tell how often that happens."""
GAME = ("players", "seed", "repeat")
"""What games are paired by."""


@dataclass(frozen=True)
class Comparison:
    """The values of two samples, in pairs of clusters, and what their differences show."""

    rows: tuple[Sequence[Any], Sequence[Any]]
    """In complete pairs; the second is empty where the values themselves are tested."""
    left_out: int
    """Number of rows of both samples that are in no complete pair."""
    measure: Measure | None
    """None for a plain function."""
    values: tuple[Sequence[float], Sequence[float]] = field(repr=False)
    """Of each cluster, in the same order; of a single deal, of its repeats."""
    unit: Unit = "deals"
    alike: int = 0
    """Clusters in which both samples are the same games with the same values; 0 where games do not
    tell."""
    testable: bool = True
    """Whether the differences can be evidence: not those of the same games, nor where nothing
    differs."""
    tests: int = 1
    """Tests that are corrected for together; more take more random draws."""
    unvalued: int = 0
    """Of the games that are left out, the number without a value."""
    scale: float = 1.0
    """How many times the range of the measure the range of a difference is; more than 1 for
    combinations of arms."""
    favours_strike_outs: bool = False
    """Of a combination of arms: whether it is flattered."""

    @cached_property
    def deltas(self) -> list[float]:
        """The differences of clusters."""
        return [first - second for first, second in zip(*self.values, strict=True)]

    @property
    def n(self) -> int:
        return len(self.deltas)

    @property
    def mean(self) -> float:
        return fmean(self.deltas)

    @cached_property
    def estimate(self) -> Estimate | None:
        """The mean difference with its standard error; None for a single cluster."""
        if self.unit == "repeats":
            return estimate_difference(*self.values)
        return estimate_mean(self.deltas)

    @property
    def sd(self) -> float | None:
        """Standard deviation of the differences; None for a single one, and for repeats, which are
        not paired."""
        if self.unit == "deals":
            return standard_deviation(self.deltas)
        return None

    @property
    def tally(self) -> tuple[int, int, int]:
        """Clusters in which the first sample has more, as much, less."""
        wins = sum(d > ROUNDING for d in self.deltas)
        losses = sum(d < -ROUNDING for d in self.deltas)
        return wins, self.n - wins - losses, losses

    @cached_property
    def struck_out(self) -> tuple[int, int]:
        """Clusters in which each sample of games has one whose third life was lost."""
        by = attrgetter("repeat" if self.unit == "repeats" else "seed")
        ours = {by(row) for row in self.rows[0] if row.lives == 0}
        theirs = {by(row) for row in self.rows[1] if row.lives == 0}
        return len(ours), len(theirs)

    @property
    def flattered(self) -> bool:
        """Whether the strict score favours the sample with more strike-outs, though these are too
        few to count on.

        A strike-out costs all points of a game, so the sample looks better than it is whenever
        there are fewer of them than usual: a test of means would claim that too often.
        """
        if self.measure is None or self.measure.key != "strict":
            return False
        if not self.rows[1]:
            return self.favours_strike_outs
        ours, theirs = self.struck_out
        rare = any(0 < number < STRIKE_OUTS for number in (ours, theirs))
        return rare and self.mean * (ours - theirs) > 0

    @cached_property
    def test(self) -> PermutationTest | None:
        """The permutation test of no difference; None where the differences cannot be evidence."""
        if not self.testable:
            return None
        draws = draws_for(self.tests)
        if self.unit == "repeats":
            return regrouping_test(*self.values, draws)
        return sign_flip_test(self.deltas, draws)

    @property
    def p(self) -> float | None:
        """The two-sided p-value."""
        if self.test:
            return self.test.p
        return None

    def interval(self, level: float = ALPHA) -> Bounds | None:
        """Return all mean differences that the test does not reject, inside the range of the
        measure."""
        return self.bounded(self.test.interval(level) if self.test else None)

    def bounded(self, interval: Bounds | None) -> Bounds | None:
        """Return the part of an interval in which a difference can lie."""
        if interval is None or self.measure is None or self.measure.range is None:
            return interval
        low, high = self.measure.range
        return clip(interval, self.scale * low, self.scale * high)


def compare(
    ours: Sequence[R],
    theirs: Sequence[R] | None,
    measure: Measure | Callable[[R], float | None],
    *,
    cluster: str = "seed",
    pair: Sequence[str] = GAME,
    tests: int = 1,
) -> Comparison | None:
    """Compare two samples of rows by a measure, cluster by cluster; None without a pair.

    Rows are paired where all attributes `pair` are equal; a row without a value is in no pair.
    `theirs`: None to test the values of `ours` themselves against 0. `cluster`: the attribute that
    rows which are not independent share. `tests`: how many p-values are corrected together. Games
    are paired only where they were played at all player counts that there are, are averaged over
    the repeats of a deal, then over player counts; games that are the same, move by move, are no
    evidence. Other rows are none where nothing differs.
    """
    value: Callable[[Any], float | None] = measure.of if isinstance(measure, Measure) else measure
    known = measure if isinstance(measure, Measure) else None
    key = attrgetter(*pair)
    samples: list[Sequence[R]] = [ours] if theirs is None else [ours, theirs]
    valued = []
    for sample in samples:
        valued.append([row for row in sample if value(row) is not None])
    pairs = valued
    if theirs is not None:
        pairs = having(valued, key, shared_keys(valued, key))
    if any(isinstance(row, Row) for row in ours):
        numbers = sum(map(len, samples)), sum(map(len, valued))
        games = [complete(games) for games in pairs]  # type: ignore[arg-type]
        return _games(games, numbers, known, value, tests)
    means = []
    for sample in pairs:
        numbers_of = ((attrgetter(cluster)(row), value(row) or 0.0) for row in sample)
        means.append(cluster_means(numbers_of))
    first = list(means[0].values())
    if theirs is None:
        second = [0.0] * len(first)
    else:
        second = [means[1][each] for each in means[0]]
    differs = any(abs(a - b) > ROUNDING for a, b in zip(first, second, strict=True))
    rows = pairs[0], pairs[1] if theirs is not None else []
    left_out = sum(map(len, samples)) - sum(map(len, pairs))
    if first:
        return Comparison(rows, left_out, known, (first, second), testable=differs, tests=tests)
    return None


def _games(
    pairs: Sequence[Sequence[Row]],
    numbers: tuple[int, int],
    measure: Measure | None,
    value: Callable[[Row], float | None],
    tests: int,
) -> Comparison | None:
    """Compare games in complete pairs; `numbers`: of all games before, and of those with a
    value."""
    ours, theirs = pairs
    if not ours:
        return None
    sampled = unit(ours)
    by_moves = measure is not None and measure.by_moves
    same: dict[int, bool] = {}
    for first, second in zip(
        *(sorted(games, key=attrgetter(*GAME)) for games in pairs), strict=True
    ):
        each = first.repeat if sampled == "repeats" else first.seed
        equal = by_moves and (first.game, value(first)) == (second.game, value(second))
        same[each] = same.get(each, True) and equal
    alike = sum(same.values())
    repeated = (
        sampled == "repeats" and by_moves and all(repetitive(games, value) for games in pairs)
    )
    values = unit_values(ours, value), unit_values(theirs, value)
    testable = len(same) > 1 and alike < len(same) and not repeated
    left_out = numbers[0] - len(ours) - len(theirs)
    unvalued = numbers[0] - numbers[1]
    return Comparison(
        (ours, theirs), left_out, measure, values, sampled, alike, testable, tests, unvalued
    )


Weigh = Callable[[int], Mapping[str, float] | None]
"""The weights of arms in a deal, which sum to 0; None for a deal that is not part of the
combination."""


def combine(
    arms: Mapping[str, Sequence[Sampled]], weigh: Weigh, measure: Measure, tests: int = 1
) -> Comparison | None:
    """Combine the games of arms, or their decisions, with weights, deal by deal; None without a
    deal that has all.

    The deals are the sample, and their combinations are compared with 0. A deal counts where all
    arms with a weight played it at all player counts that there are, and then with the repeats that
    all of them have.
    """
    rows_of_all = list(chain.from_iterable(arms.values()))
    valued = [row for row in rows_of_all if measure.of(row) is not None]
    counts = {row.players for row in rows_of_all}
    games: dict[int, dict[str, dict[tuple[int | None, int], Sampled]]] = {}
    for arm, rows in arms.items():
        for row in rows:
            if measure.of(row) is not None:
                games.setdefault(row.seed, {}).setdefault(arm, {})[row.players, row.repeat] = row
    rows_combined = list[Sampled]()
    sums = list[float]()
    subtractions = list[float]()
    alike = 0
    scale = 1.0
    for seed, of_arm in sorted(games.items()):
        weights = weigh(seed)
        if weights is None or not weights.keys() <= of_arm.keys():
            continue
        shared = set.intersection(*(set(of_arm[arm]) for arm in weights))
        if {players for players, _ in shared} != counts:
            continue
        deal_games = {}
        for arm in weights:
            deal_games[arm] = [of_arm[arm][key] for key in sorted(shared)]
        values = {arm: _mean_over_counts(rows, measure) for arm, rows in deal_games.items()}
        rows_combined += chain.from_iterable(deal_games.values())
        sums.append(fsum(weight * values[arm] for arm, weight in weights.items() if weight > 0))
        subtractions.append(
            fsum(-weight * values[arm] for arm, weight in weights.items() if weight < 0)
        )
        alike += measure.by_moves and _cancels(deal_games, weights, measure)
        scale = max(scale, fsum(map(abs, weights.values())) / 2)
    if not rows_combined:
        return None
    testable = len(sums) > 1 and alike < len(sums)
    left_out = len(rows_of_all) - len(rows_combined)
    unvalued = len(rows_of_all) - len(valued)
    flattered = _favours_strike_outs(games, weigh, fsum(sums) - fsum(subtractions))
    return Comparison(
        (rows_combined, ()),
        left_out,
        measure,
        (sums, subtractions),
        "deals",
        alike,
        testable,
        tests,
        unvalued,
        scale,
        flattered,
    )


def _favours_strike_outs(
    games: Mapping[int, Mapping[str, Mapping[Any, Sampled]]], weigh: Weigh, difference: float
) -> bool:
    """Return whether a combination has more points where arms struck out more, though one did so in
    few deals."""
    deals = Counter[str]()
    balance = 0.0
    for seed, of_arm in games.items():
        for arm, weight in (weigh(seed) or {}).items():
            lives = [getattr(row, "lives", None) for row in of_arm.get(arm, {}).values()]
            if 0 in lives:
                deals[arm] += 1
                balance += weight * lives.count(0) / len(lives)
    rare = any(number < STRIKE_OUTS for number in deals.values())
    return rare and balance * difference > 0


def _mean_over_counts(rows: Sequence[Sampled], measure: Measure) -> float:
    """Return the mean of a deal's games: over repeats, then over player counts."""
    return fmean(cluster_means((row.players, measure.of(row) or 0.0) for row in rows).values())


def _cancels(
    games: Mapping[str, Sequence[Sampled]], weights: Mapping[str, float], measure: Measure
) -> bool:
    """Return whether the weights of the same games, move by move, sum to 0, so that a combination
    can only be 0."""
    totals: dict[object, float] = {}
    for arm, rows in games.items():
        for row in rows:
            key = row.players, row.repeat, row.game, measure.of(row)
            totals[key] = totals.get(key, 0.0) + weights[arm]
    return all(abs(total) < ROUNDING for total in totals.values())


def significant(p: float | None) -> bool:
    """Return whether a p-value shows a difference."""
    return p is not None and p < ALPHA


def corrected(ps: Sequence[float | None]) -> list[float | None]:
    """Return p-values with Holm's correction for the number of those that there are."""
    known = [place for place, p in enumerate(ps) if p is not None]
    by_place = dict(zip(known, holm([p for p in ps if p is not None]), strict=True))
    return [by_place.get(place) for place in range(len(ps))]
