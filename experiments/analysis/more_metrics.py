"""The arms' differences by every other metric: a look around, corrected as one family of its own."""

from collections.abc import Sequence
from dataclasses import replace

from experiments.analysis import pairing
from experiments.analysis.differences import Difference, Stopped, Tested, by_rule, difference, tested_at
from experiments.analysis.summaries import too_few_own
from experiments.record.measures import Measure
from experiments.record.rows import Row
from experiments.statistics.permutation import holm, holm_levels


def more_differences(
    pairs: Sequence[tuple[Sequence[Row], Sequence[Row]]], others: Sequence[Measure], stopped: Stopped | None = None
) -> tuple[Difference, ...]:
    """Each arm's difference, pooled over player counts, by each metric that is known and varies.

    p-values are corrected for all arms and all of these metrics together: by Holm, by Bonferroni under a stop rule.
    """
    compared = [pair for pair in pairs if not any(map(too_few_own, pair))]
    tests = len(compared) * len(others)
    found = [
        one
        for measure in others
        for ours, theirs in compared
        if _varies((*ours, *theirs), measure) and (one := _widest(ours, theirs, measure, stopped, tests))
    ]
    if stopped:
        each = [by_rule(one, stopped.rule) for one in found]
        return tuple(_among(one, len(found)) for one in each)
    return tuple(_holm(found))


def _widest(
    ours: Sequence[Row], theirs: Sequence[Row], measure: Measure, stopped: Stopped | None, tests: int
) -> Tested | None:
    shared = sorted({*pairing.counts(ours)} & {*pairing.counts(theirs)})
    return tested_at(ours, theirs, shared, measure, stopped, tests) if shared else None


def _varies(games: Sequence[Row], measure: Measure) -> bool:
    return len({value for row in games if (value := measure.of(row)) is not None}) > 1


def _among(one: Difference, tests: int) -> Difference:
    p = None if one.p is None else min(1.0, one.p * tests)
    return replace(one, p_holm=p, level=None, low_holm=None, high_holm=None, tests=tests)


def _holm(found: Sequence[Tested]) -> list[Difference]:
    places = [at for at, one in enumerate(found) if one.test]
    ps = [test.p for one in found if (test := one.test)]
    corrected = dict(zip(places, zip(holm(ps), holm_levels(ps), strict=True), strict=True))
    return [_corrected(one, corrected.get(at, (None, None)), len(ps)) for at, one in enumerate(found)]


def _corrected(one: Tested, by: tuple[float | None, float | None], tests: int) -> Difference:
    return difference(one, *by, tests)
