"""The marks of roles over many games: means with intervals and baselines, and differences between arms.

A game's value of a mark is the mean over its replies; from there all is as with scores: repeats of a deal are averaged
first, deals are the units of intervals and tests, and tests are corrected by Holm's procedure. So replies of one game,
which are alike, never count as independent.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from statistics import fmean
from typing import NamedTuple

import roles
from experiments.marks.choice_marks import mark_infos
from experiments.marks.game_marks import GameMarks
from experiments.marks.role_marks import RoleMark
from experiments.results.rows import Row
from experiments.statistics import pairing
from experiments.statistics.differences import Difference, differences
from experiments.statistics.estimates import ROUNDING, of_one, unseen, within
from experiments.statistics.permutation import by_signs, holm
from experiments.statistics.valued import Valued, valued
from roles.marks import MarkInfo

BASELINES = ("program", "uniform", "previous")
"""In the order of tables."""
SHARES = ("share", "squared error", "probability")
"""Units of marks that lie from 0 to 1."""


class Key(NamedTuple):
    """A mark of a role."""

    role: str
    name: str
    other: str | None = None
    """The other role that the mark is about, if any."""

    @classmethod
    def of(cls, one: RoleMark) -> "Key":
        return cls(one.role, one.name, one.other)

    @property
    def info(self) -> MarkInfo | None:
        """None for a role that is not registered here."""
        return infos_of(self.role).get(self.name)

    @property
    def title(self) -> str:
        """`agrees: analyst` for a mark that is about another role."""
        return f"{self.name}: {self.other}" if self.other else self.name


@cache
def infos_of(role: str) -> Mapping[str, MarkInfo]:
    """What the marks of a role are; empty for one that is not registered here."""
    return mark_infos(role) if role in roles.names() else {}


@dataclass(frozen=True)
class MarkedGame:
    """A finished game with its marks."""

    row: Row
    marks: GameMarks

    @cached_property
    def by_key(self) -> Mapping[Key, list[RoleMark]]:
        found: dict[Key, list[RoleMark]] = defaultdict(list)
        for one in self.marks.marks:
            found[Key.of(one)].append(one)
        return found


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


def keys(games: Iterable[MarkedGame]) -> list[Key]:
    """The marks of these games, role by role, in the order in which they are first met."""
    met = dict.fromkeys(key for game in games for key in game.by_key)
    order = list(dict.fromkeys(key.role for key in met))
    return sorted(met, key=lambda key: order.index(key.role))


def _of_arm(arm: str, games: Sequence[MarkedGame]) -> Iterator[MarkSummary]:
    for key in keys(games):
        having = [game for game in games if key in game.by_key]
        replies = [one for game in having for one in game.by_key[key]]
        pool = _pool(having, key, lambda one: one.value)
        low, high = _bounds(pool, key)
        yield MarkSummary(
            arm=arm,
            key=key,
            models=tuple(dict.fromkeys(one.model for one in replies)),
            mean=fmean(pairing.scores(pool)),
            low=low,
            high=high,
            replies=len(replies),
            turns=sum(len({one.turn for one in game.by_key[key]}) for game in having),
            games=len(having),
            units=len(pairing.scores(pool)),
            baselines={name: _baseline(having, key, name) for name in _names(replies)},
        )


def _names(replies: Iterable[RoleMark]) -> list[str]:
    """The baselines that any of the replies has, in a fixed order."""
    there = {name for one in replies for name in one.baselines}
    return [*(name for name in BASELINES if name in there), *sorted(there - set(BASELINES))]


def _pool(games: Iterable[MarkedGame], key: Key, of: Callable[[RoleMark], float | None]) -> list[Valued]:
    """The games with their mean of a number of the replies, as statistics pool them over player counts."""
    means = {id(game.row): _mean(map(of, game.by_key.get(key, ()))) for game in games}
    pool = valued((game.row for game in games), lambda row: means[id(row)])
    whole = pairing.complete(pool) if len(pairing.counts(pool)) > 1 else pool
    return [one for one in (whole or pool) if isinstance(one, Valued)]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _bounds(pool: Sequence[Valued], key: Key) -> tuple[float, float] | tuple[None, None]:
    """The interval of the mean. Shares that are all equal say in how many deals another one went unseen."""
    units = pairing.scores(pool)
    again = pairing.unit(pool) == "repeats" and pairing.repetitive(pool)
    if again or (estimate := of_one(units)) is None:
        return None, None
    least, most = (0.0, 1.0) if key.info and key.info.unit in SHARES else (-math.inf, math.inf)
    if estimate.error:
        return within(estimate.interval, least, most)
    if math.isinf(most):
        return None, None
    share = unseen(estimate.n)
    return estimate.mean - share * (estimate.mean - least), estimate.mean + share * (most - estimate.mean)


def _baseline(games: Sequence[MarkedGame], key: Key, name: str) -> Baseline:
    theirs = _pool(games, key, lambda one: one.baselines.get(name))
    ahead = pairing.scores(_pool(games, key, lambda one: _ahead(one, name)))
    differ = len(ahead) > 1 and any(abs(one) > ROUNDING for one in ahead)
    low, high = (by_signs(ahead).interval() if differ else None) or (None, None)
    n = sum(name in one.baselines for game in games for one in game.by_key[key])
    return Baseline(fmean(pairing.scores(theirs)), fmean(ahead), low, high, n)


def _ahead(one: RoleMark, name: str) -> float | None:
    return one.value - one.baselines[name] if name in one.baselines else None


def compared(games: Sequence[MarkedGame], arms: Sequence[str], baseline: str | None) -> tuple[MarkDifference, ...]:
    """The differences of arms from the baseline in the marks that both have, paired as scores are.

    All are corrected together by Holm's procedure: many marks are many chances to find something.
    """
    standard = [game for game in games if game.row.arm == baseline]
    found = []
    for key in keys(standard):
        theirs = _pool(standard, key, lambda one: one.value)
        ours = [[game for game in games if game.row.arm == arm] for arm in arms if arm != baseline]
        pairs = [(pool, theirs) for pool in (_pool(some, key, lambda one: one.value) for some in ours) if pool]
        found += [MarkDifference(key, one) for one in _widest(differences(pairs))]
    return tuple(_corrected(found))


def _widest(found: Sequence[Difference]) -> list[Difference]:
    pooled = {one.arm for one in found if one.players is None}
    return [one for one in found if one.players is None or one.arm not in pooled]


def _corrected(found: Sequence[MarkDifference]) -> Iterator[MarkDifference]:
    tested = [one for one in found if one.found.p is not None]
    ps = dict(zip(map(id, tested), holm([one.found.p or 0.0 for one in tested]), strict=True))
    for one in found:
        plain = replace(one.found, p_holm=ps.get(id(one)), level=None, low_holm=None, high_holm=None)
        yield MarkDifference(one.key, plain)
