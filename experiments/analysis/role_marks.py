"""The marks of roles over many games: means with intervals and baselines, and differences between
arms.

A game's value of a mark is the mean over its replies; from there all is as with scores: repeats of
a deal are averaged first, deals are the units of intervals and tests, and tests are corrected by
Holm's procedure. So replies of one game, which are alike, never count as independent. A calibration
asks of statements that were called so likely, how many came true.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean
from typing import TypeVar

import numpy as np

from hanabi_orchestrator.experiments.analysis.analysis import no_hypothesis
from hanabi_orchestrator.experiments.analysis.compare import corrected
from hanabi_orchestrator.experiments.analysis.conclusions import widest
from hanabi_orchestrator.experiments.analysis.differences import Difference, alone, differences
from hanabi_orchestrator.experiments.analysis.games import (
    complete,
    one_game,
    player_counts,
    unit_values,
)
from hanabi_orchestrator.experiments.analysis.statistics.clusters import pooled_shares
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ROUNDING,
    Bounded,
    estimate_mean,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import sign_flip_test
from hanabi_orchestrator.experiments.analysis.stopping import Stopped
from hanabi_orchestrator.experiments.record.measures import MARK, STRICT, Measure
from hanabi_orchestrator.experiments.record.rows import Better, Row
from hanabi_orchestrator.experiments.values.game_marks import (
    GameMarks,
    NodeReplies,
    ordered_baselines,
)
from hanabi_orchestrator.experiments.values.mark_tally import (
    Key,
    MarkTally,
    Stated,
    StatedTally,
    infos_of,
    stated_tallies,
    tallied,
)
from hanabi_orchestrator.experiments.values.move_values import Kind

K = TypeVar("K")


@dataclass(frozen=True)
class MarkedGame:
    """A finished game with the sums of its marks."""

    row: Row
    tallies: Mapping[Key, MarkTally]
    nodes: tuple[NodeReplies, ...]
    quality: Mapping[Kind, int]
    """How many moves had each known fault."""
    stated: Mapping[Stated, StatedTally]
    swing: float | None
    """As in `GameMarks`."""

    @classmethod
    def of(cls, row: Row, marks: GameMarks) -> "MarkedGame":
        return cls(
            row,
            tallied(marks),
            marks.nodes,
            marks.quality,
            stated_tallies(marks.stated),
            marks.swing,
        )


@dataclass(frozen=True)
class Baseline(Bounded):
    """What others would have had on the same replies, and how far the replies are from it."""

    mean: float
    ahead: float
    """Mean of the reply's value less the baseline's."""
    low: float | None
    """The 95 % interval of that: all that the test of paired deals does not reject. None with too
    few deals."""
    high: float | None
    p: float | None
    """Of that test, for this mark and baseline alone; None where no deal differs."""
    n: int
    """Replies that have this baseline."""


@dataclass(frozen=True)
class MarkSummary(Bounded):
    """A mark of a role in an arm, over its games."""

    arm: str
    key: Key
    models: tuple[str, ...]
    """Who replied: models, or `program`."""
    mean: float
    """Over deals; repeats and player counts of a deal are averaged first."""
    low: float | None
    """The 95 % confidence interval of the mean, over deals; None for a single game, and where it is
    not known how far other values may lie from ones that are all equal."""
    high: float | None
    replies: int
    """How many had the mark."""
    turns: int
    """How many turns these replies are from."""
    games: int
    units: int
    """Deals, or repeats of a single deal."""
    baselines: Mapping[str, Baseline]


@dataclass(frozen=True)
class MarkDifference:
    """The difference of an arm from the baseline in a mark of a role that both have."""

    key: Key
    found: Difference
    """Its `p_holm` is corrected for all marks and arms that are compared."""


def summaries(games: Sequence[MarkedGame], arms: Sequence[str]) -> tuple[MarkSummary, ...]:
    """Return every mark of every arm, in the order of the arms; a role's marks stand together."""
    by_arm = {}
    for arm in arms:
        by_arm[arm] = [game for game in games if game.row.arm == arm]
    summaries = []
    for arm, played in by_arm.items():
        summaries += [_summary(arm, key, played) for key in keys(played)]
    return tuple(summaries)


def keys(games: Sequence[MarkedGame]) -> list[Key]:
    """Return the marks of these games, by role as roles are asked, each role's as `roles show` has
    them."""
    marks = dict.fromkeys(chain.from_iterable(game.tallies for game in games))
    roles = [node.role for node in chain.from_iterable(game.nodes for game in games)]
    order = list(dict.fromkeys([*roles, *(key.role for key in marks)]))

    def place(key: Key) -> tuple[int, int]:
        names = list(infos_of(key.role))  # marks of a role that is not registered here come last
        return order.index(key.role), names.index(key.name) if key.name in names else len(names)

    return sorted(marks, key=place)


def _summary(arm: str, key: Key, played: Sequence[MarkedGame]) -> MarkSummary:
    games = [game for game in played if key in game.tallies]
    tallies = [game.tallies[key] for game in games]
    rows, measure = _sample(games, key, lambda tally: tally.mean)
    units = unit_values(rows, measure.of)
    estimate = None if one_game(rows, measure.of) else estimate_mean(units)
    least, most = (key.info and key.info.range) or (-math.inf, math.inf)
    low, high = (estimate.within(least, most) if estimate else None) or (None, None)
    models = []
    for tally in tallies:
        for model in tally.models:
            models.append(model)
    return MarkSummary(
        arm=arm,
        key=key,
        models=tuple(dict.fromkeys(models)),
        mean=fmean(units),
        low=low,
        high=high,
        replies=sum(tally.replies for tally in tallies),
        turns=sum(tally.turns for tally in tallies),
        games=len(games),
        units=len(units),
        baselines={name: _baseline(games, key, name) for name in baselines_of(tallies)},
    )


def baselines_of(marks: Iterable[MarkSummary | MarkTally]) -> list[str]:
    """Return the baselines that any of these marks has, in the order of tables."""
    names = set()
    for mark in marks:
        for name in mark.baselines:
            names.add(name)
    return ordered_baselines(names)


def _sample(
    games: Iterable[MarkedGame], key: Key, number: Callable[[MarkTally], float | None]
) -> tuple[list[Row], Measure]:
    """Return the games that have a number, as statistics pool them over player counts, and the
    number as a measure.

    It stands in for the score: games with the same moves may differ in it all the same.
    """
    numbers = {game.row: number(game.tallies[key]) for game in games if key in game.tallies}
    rows = [row for row, value in numbers.items() if value is not None]
    if len(player_counts(rows)) > 1:
        pooled = complete(rows)
    else:
        pooled = rows
    info = key.info
    better: Better | None = None
    if info is not None and info.best is not None:
        better = "more" if info.higher else "fewer"
    measure = _counted_as(f"{MARK}{key.role}.{key.name}", key.title, better, numbers.get)
    return pooled or rows, measure


def _counted_as(
    key: str, unit: str, better: Better | None, of: Callable[[Row], float | None]
) -> Measure:
    """Return a number of marked games as a measure."""
    return replace(STRICT, key=key, unit=unit, better=better, least=None, of=of, most=None)


def _baseline(games: Sequence[MarkedGame], key: Key, name: str) -> Baseline:
    games = [game for game in games if name in game.tallies[key].baselines]
    theirs, ahead = (
        unit_values(rows, measure.of)
        for rows, measure in (
            _sample(games, key, lambda tally: tally.baselines[name].mean),
            _sample(games, key, lambda tally: tally.baselines[name].ahead),
        )
    )
    differ = len(ahead) > 1 and any(abs(value) > ROUNDING for value in ahead)
    test = sign_flip_test(ahead) if differ else None
    low, high = (test.interval() if test else None) or (None, None)
    n = sum(game.tallies[key].baselines[name].replies for game in games)
    return Baseline(fmean(theirs), fmean(ahead), low, high, test.p if test else None, n)


def compared(
    games: Sequence[MarkedGame],
    arms: Sequence[str],
    baseline: str | None,
    stopped: Stopped | None = None,
) -> tuple[MarkDifference, ...]:
    """Compare arms with the baseline by the marks that both have, paired as scores are.

    All are corrected together by Holm's procedure: many marks are many chances to find something.
    Arms that are no hypothesis, the baseline once more and those that cheat, are not corrected for
    and have no corrected p. `stopped`: of a run with a stop rule, whose tests hold at every look.
    """
    by_arm = {}
    for arm in arms:
        by_arm[arm] = [game for game in games if game.row.arm == arm]
    standard = by_arm.pop(baseline or "", [])
    rows = [game.row for game in standard]
    aside = set()
    for arm, played in by_arm.items():
        if no_hypothesis([game.row for game in played], rows):
            aside.add(arm)
    marks = keys(standard)
    results = []
    for key in marks:
        measure = _sample(games, key, lambda tally: tally.mean)[1]
        samples = [
            _sample(played, key, lambda tally: tally.mean)[0]
            for played in (standard, *by_arm.values())
        ]
        pairs = [(sample, samples[0]) for sample in samples[1:] if sample]
        tests = len(marks) * len(by_arm)
        results += [
            (key, each) for each in widest(differences(pairs, measure, stopped, tests=tests))
        ]
    return tuple(MarkDifference(key, each) for key, each in _together(results, aside))


def _together(
    results: Sequence[tuple[K, Difference]], aside: Collection[str]
) -> list[tuple[K, Difference]]:
    """Correct all of these by Holm's procedure, except those of the arms `aside`, which are no
    hypotheses."""
    ps = corrected([None if each.arm in aside else each.p for _, each in results])
    number = sum(p is not None for p in ps)
    return [(key, alone(each, p, number)) for (key, each), p in zip(results, ps, strict=True)]


def fault_differences(
    games: Sequence[MarkedGame],
    arms: Sequence[str],
    baseline: str | None,
    stopped: Stopped | None = None,
) -> list[tuple[Kind, Difference]]:
    """Compare arms with the baseline by how many moves of a game have each fault, on the same
    deals.

    All faults of all arms are corrected together, as marks are.
    """
    by_arm = {}
    for arm in arms:
        by_arm[arm] = [game.row for game in games if game.row.arm == arm]
    standard = by_arm.pop(baseline or "", [])
    aside = {arm for arm, rows in by_arm.items() if no_hypothesis(rows, standard)}
    kinds = games[0].quality if standard else {}
    results: list[tuple[Kind, Difference]] = []
    for kind in kinds:
        counts = {game.row: game.quality[kind] for game in games}
        measure = _counted_as(kind, "moves per game", "fewer", counts.get)
        pairs = [(rows, standard) for rows in by_arm.values() if rows]
        compared_pairs = widest(
            differences(pairs, measure, stopped, tests=len(kinds) * len(by_arm))
        )
        results += [(kind, each) for each in compared_pairs]
    return _together(results, aside)


@dataclass(frozen=True)
class Calibration:
    """Statements of a role in an arm that called something equally likely, in the same words or the
    same range."""

    stated: Stated
    statements: int
    likely: float | None
    """The mean stated probability; None for a category."""
    true: float
    """The share that came true."""
    low: float | None
    """The 95 % interval of that share, over deals: statements of one game are not independent. None
    for one deal."""
    high: float | None
    deals: int


def _true_and_stated(tallies: Iterable[StatedTally]) -> tuple[int, int]:
    """Return how many statements came true, and how many there are."""
    return sum(tally.true for tally in tallies), sum(tally.statements for tally in tallies)


def calibrations(games: Sequence[MarkedGame]) -> tuple[Calibration, ...]:
    """Return the calibrations of an arm: by role and kind, probabilities from the smallest."""
    by_deal: dict[Stated, dict[int, list[StatedTally]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for stated, tally in game.stated.items():
            by_deal[stated][game.row.seed].append(tally)
    results = []
    for stated, deals in by_deal.items():
        counts = np.array([_true_and_stated(tallies) for tallies in deals.values()], float)
        share, *ends = (float(end) for end in pooled_shares(counts[:, 0], counts[:, 1]))
        n = int(counts[:, 1].sum())
        likely = None
        if stated.chance:
            likely = sum(tally.likely for tally in chain.from_iterable(deals.values())) / n
        low, high = (None if math.isnan(end) else end for end in ends)
        results.append(Calibration(stated, n, likely, share, low, high, len(deals)))
    return tuple(
        sorted(results, key=lambda each: (each.stated.role, each.stated.kind, each.likely or 0.0))
    )
