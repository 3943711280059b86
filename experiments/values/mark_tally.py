"""The marks of a game summed up, so that a run of any size fits in memory."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import NamedTuple

import roles
from experiments.values.choice_marks import mark_infos
from experiments.values.game_marks import GameMarks
from experiments.values.role_mark import RoleMark
from roles.marks import MarkInfo


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


class BaselineTally(NamedTuple):
    """What a baseline would have had on the replies of a game that have it."""

    mean: float
    ahead: float
    """Mean of the replies' values less the baseline's."""
    replies: int


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
        names = dict.fromkeys(name for one in marks for name in one.baselines)
        return cls(
            mean=fmean(one.value for one in marks),
            replies=len(marks),
            turns=len({one.turn for one in marks}),
            models=tuple(dict.fromkeys(one.model for one in marks)),
            baselines={name: _baseline([one for one in marks if name in one.baselines], name) for name in names},
        )


def _baseline(marks: Sequence[RoleMark], name: str) -> BaselineTally:
    mean = fmean(one.baselines[name] for one in marks)
    return BaselineTally(mean, fmean(one.value for one in marks) - mean, len(marks))


def tallied(marks: GameMarks) -> dict[Key, MarkTally]:
    """The marks of a game by what they mark."""
    found: dict[Key, list[RoleMark]] = defaultdict(list)
    for one in marks.marks:
        found[Key.of(one)].append(one)
    return {key: MarkTally.of(each) for key, each in found.items()}
