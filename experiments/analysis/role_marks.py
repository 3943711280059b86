"""The marks of roles over many games: means with intervals and baselines, and differences between arms.

A game's value of a mark is the mean over its replies; from there all is as with scores: repeats of a deal are averaged
first, deals are the units of intervals and tests, and tests are corrected by Holm's procedure. So replies of one game,
which are alike, never count as independent.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import roles
from experiments.analysis import pairing
from experiments.analysis.analysis import no_hypothesis
from experiments.analysis.conclusions import widest
from experiments.analysis.differences import Difference, Stopped, differences
from experiments.analysis.valued import Valued, valued
from experiments.record.rows import Row
from experiments.statistics.estimates import ROUNDING, of_one, unseen, within
from experiments.statistics.permutation import by_signs, holm
from experiments.values.game_marks import GameMarks, NodeReplies
from experiments.values.mark_tally import Key, MarkTally, infos_of, tallied
from experiments.values.move_values import Kind
from experiments.values.stated_tally import Stated, StatedTally, stated_tallies
from roles.marks import Marker

BASELINES = ("program", "uniform", "previous")
"""In the order of tables; roles may name more, which follow."""


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
        return cls(row, tallied(marks), marks.nodes, marks.quality, stated_tallies(marks.stated), marks.swing)


@dataclass(frozen=True)
class Baseline:
    """What others would have had on the same replies, and how far the replies are from it."""

    mean: float
    ahead: float
    """Mean of the reply's value less the baseline's."""
    low: float | None
    """The 95 % interval of that: all that the test of paired deals does not reject. None with too few deals."""
    high: float | None
    n: int
    """Replies that have this baseline."""


@dataclass(frozen=True)
class MarkSummary:
    """A mark of a role in an arm, over its games."""

    arm: str
    key: Key
    models: tuple[str, ...]
    """Who replied: models, or `program`."""
    mean: float
    """Over deals; repeats and player counts of a deal are averaged first."""
    low: float | None
    """The 95 % confidence interval of the mean, over deals; None for a single game, and where it is not known how far
    other values may lie from ones that are all equal."""
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
    """Every mark of every arm, in the order of the arms; a role's marks stand together."""
    return tuple(one for arm in arms for one in _of_arm(arm, [game for game in games if game.row.arm == arm]))


def keys(games: Sequence[MarkedGame]) -> list[Key]:
    """The marks of these games, role by role in the order in which roles are asked, each role's as `roles show` has
    them."""
    met = dict.fromkeys(key for game in games for key in game.tallies)
    order = list(dict.fromkeys([*(node.role for game in games for node in game.nodes), *(key.role for key in met)]))
    return sorted(met, key=lambda key: (order.index(key.role), _rank(key)))


def _rank(key: Key) -> int:
    """The place of a mark among its role's; the last for marks of a role that is not registered here."""
    names = list(infos_of(key.role))
    return names.index(key.name) if key.name in names else len(names)


def _of_arm(arm: str, games: Sequence[MarkedGame]) -> Iterator[MarkSummary]:
    for key in keys(games):
        having = [game for game in games if key in game.tallies]
        each = [game.tallies[key] for game in having]
        pool = _pool(having, key, lambda one: one.mean)
        low, high = _bounds(pool, key)
        yield MarkSummary(
            arm=arm,
            key=key,
            models=tuple(dict.fromkeys(model for one in each for model in one.models)),
            mean=fmean(pairing.scores(pool)),
            low=low,
            high=high,
            replies=sum(one.replies for one in each),
            turns=sum(one.turns for one in each),
            games=len(having),
            units=len(pairing.scores(pool)),
            baselines={name: _baseline(having, key, name) for name in _names(each)},
        )


def _names(each: Iterable[MarkTally]) -> list[str]:
    """The baselines that any of the replies has, in a fixed order."""
    return _ordered({name for one in each for name in one.baselines}, BASELINES)


def _ordered(names: Collection[str], first: Sequence[str]) -> list[str]:
    return [*(name for name in first if name in names), *sorted(set(names) - set(first))]


def baselines_of(found: Iterable[MarkSummary]) -> list[str]:
    """The baselines that any of these marks has, in the order of tables."""
    return _ordered({name for one in found for name in one.baselines}, BASELINES)


def all_baselines() -> tuple[str, ...]:
    """Every baseline that a mark may have: those that all roles share, then those that registered roles name."""
    markers = (roles.get(name).mark for name in roles.names())
    named = {name for mark in markers if isinstance(mark, Marker) for name in mark.others}
    return tuple(_ordered({*BASELINES, *named}, BASELINES))


def _pool(games: Iterable[MarkedGame], key: Key, of: Callable[[MarkTally], float | None]) -> list[Valued]:
    """The games that have a number, with it, as statistics pool them over player counts."""
    numbers = {game.row: of(game.tallies[key]) for game in games if key in game.tallies}
    pool = valued(numbers, numbers.get)
    whole = pairing.complete(pool) if len(pairing.counts(pool)) > 1 else pool
    return [one for one in (whole or pool) if isinstance(one, Valued)]


def _bounds(pool: Sequence[Valued], key: Key) -> tuple[float, float] | tuple[None, None]:
    """The interval of the mean. Bounded values that are all equal say in how many deals another one went unseen."""
    units = pairing.scores(pool)
    again = pairing.unit(pool) == "repeats" and pairing.repetitive(pool)
    if again or (estimate := of_one(units)) is None:
        return None, None
    least, most = (key.info and key.info.range) or (-math.inf, math.inf)
    if estimate.error:
        return within(estimate.interval, least, most)
    if math.isinf(most):
        return None, None
    share = unseen(estimate.n)
    return estimate.mean - share * (estimate.mean - least), estimate.mean + share * (most - estimate.mean)


def _baseline(games: Sequence[MarkedGame], key: Key, name: str) -> Baseline:
    having = [game for game in games if name in game.tallies[key].baselines]
    theirs = pairing.scores(_pool(having, key, lambda one: one.baselines[name].mean))
    ahead = pairing.scores(_pool(having, key, lambda one: one.baselines[name].ahead))
    differ = len(ahead) > 1 and any(abs(one) > ROUNDING for one in ahead)
    low, high = (by_signs(ahead).interval() if differ else None) or (None, None)
    n = sum(game.tallies[key].baselines[name].replies for game in having)
    return Baseline(fmean(theirs), fmean(ahead), low, high, n)


def compared(
    games: Sequence[MarkedGame], arms: Sequence[str], baseline: str | None, stopped: Stopped | None = None
) -> tuple[MarkDifference, ...]:
    """The differences of arms from the baseline in the marks that both have, paired as scores are.

    All are corrected together by Holm's procedure: many marks are many chances to find something. Arms that are no
    hypothesis, the baseline once more and those that cheat, are not corrected for and have no corrected p. `stopped`:
    of a run with a stop rule, whose tests hold at every look.
    """
    of = {arm: [game for game in games if game.row.arm == arm] for arm in arms}
    standard = of.get(baseline or "", [])
    rows = [game.row for game in standard]
    others = [arm for arm in arms if arm != baseline]
    aside = {arm for arm in others if no_hypothesis([game.row for game in of[arm]], rows)}
    known = keys(standard)
    found = []
    for key in known:
        theirs = _pool(standard, key, lambda one: one.mean)
        pairs = [(pool, theirs) for arm in others if (pool := _pool(of[arm], key, lambda one: one.mean))]
        tests = len(known) * len(others)
        found += [MarkDifference(key, one) for one in widest(differences(pairs, stopped=stopped, tests=tests))]
    return tuple(_corrected(found, aside))


def _corrected(found: Sequence[MarkDifference], aside: Collection[str]) -> Iterator[MarkDifference]:
    tested = [one for one in found if one.found.p is not None and one.found.arm not in aside]
    ps = dict(zip(map(id, tested), holm([one.found.p or 0.0 for one in tested]), strict=True))
    for one in found:
        plain = replace(one.found, p_holm=ps.get(id(one)), level=None, low_holm=None, high_holm=None, tests=len(tested))
        yield MarkDifference(one.key, plain)
