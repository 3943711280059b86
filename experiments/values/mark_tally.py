"""The marks and statements of a game summed up, so that a run of any size fits in memory."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.values.game_marks import GameMarks, mark_infos
from hanabi_orchestrator.experiments.values.role_mark import RoleMark, StatedOutcome
from hanabi_orchestrator.roles.marks import MarkInfo


class Key(NamedTuple):
    """A mark of a role."""

    role: str
    name: str
    other: str | None = None
    """The other role that the mark is about, if any."""

    @classmethod
    def of(cls, mark: RoleMark) -> "Key":
        return cls(mark.role, mark.name, mark.other)

    @property
    def info(self) -> MarkInfo | None:
        """None for a role that is not registered here."""
        return infos_of(self.role).get(self.name)

    @property
    def title(self) -> str:
        """`agrees: analyst` for a mark that is about another role."""
        if self.other:
            return f"{self.name}: {self.other}"
        return self.name


@cache
def infos_of(role: str) -> Mapping[str, MarkInfo]:
    """Return what the marks of a role are; empty for one that is not registered here."""
    if role in roles.names():
        return mark_infos(role)
    return {}


class BaselineTally(NamedTuple):
    """What a baseline would have had on the replies of a game that have it."""

    mean: float
    ahead: float
    """Mean of the replies' values less the baseline's."""
    replies: int

    @classmethod
    def of(cls, marks: Sequence[RoleMark], name: str) -> "BaselineTally":
        """Of the marks that have this baseline."""
        mean = fmean(mark.baselines[name] for mark in marks)
        return cls(mean, fmean(mark.value for mark in marks) - mean, len(marks))


@dataclass(frozen=True)
class MarkTally:
    """A mark of a role in a game."""

    mean: float
    """Over the replies that have it."""
    replies: int
    turns: int
    models: tuple[str, ...]
    """Who replied: models, or `program`."""
    baselines: Mapping[str, BaselineTally]

    @classmethod
    def of(cls, marks: Sequence[RoleMark]) -> "MarkTally":
        """Of at least one reply."""
        names = dict.fromkeys(chain.from_iterable(mark.baselines for mark in marks))
        baselines = {}
        for name in names:
            baselines[name] = BaselineTally.of(
                [mark for mark in marks if name in mark.baselines], name
            )
        return cls(
            mean=fmean(mark.value for mark in marks),
            replies=len(marks),
            turns=len({mark.turn for mark in marks}),
            models=tuple(dict.fromkeys(mark.model for mark in marks)),
            baselines=baselines,
        )


def tallied(marks: GameMarks) -> dict[Key, MarkTally]:
    """Return the marks of a game by what they mark."""
    groups: dict[Key, list[RoleMark]] = defaultdict(list)
    for mark in marks.marks:
        groups[Key.of(mark)].append(mark)
    return {key: MarkTally.of(each) for key, each in groups.items()}


BINS = 10
"""Probabilities are counted in so many equal ranges."""


class Stated(NamedTuple):
    """Statements that are counted together."""

    role: str
    kind: str
    """What was stated, such as `card is critical, in words`."""
    said: str
    """The category in the reply's word, or the range of the probability: `0.2 to 0.3`."""
    chance: bool
    """Whether a probability was stated."""

    @classmethod
    def of(cls, outcome: StatedOutcome) -> "Stated":
        if outcome.probability is None:
            return cls(outcome.role, outcome.kind, outcome.category or "", chance=False)
        place = min(int(outcome.probability * BINS), BINS - 1)
        return cls(
            outcome.role,
            outcome.kind,
            f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}",
            chance=True,
        )


class StatedTally(NamedTuple):
    """Of one game."""

    statements: int
    true: int
    likely: float
    """The sum of the stated probabilities; 0 for categories."""


def stated_tallies(stated: Iterable[StatedOutcome]) -> Mapping[Stated, StatedTally]:
    """Return the statements of a game, counted."""
    groups: dict[Stated, list[StatedOutcome]] = defaultdict(list)
    for outcome in stated:
        groups[Stated.of(outcome)].append(outcome)
    tallies = {}
    for key, each in groups.items():
        tallies[key] = StatedTally(
            len(each), sum(e.true for e in each), sum(e.probability or 0.0 for e in each)
        )
    return tallies
