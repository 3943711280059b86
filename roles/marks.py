"""Marks: scores of a reply, computed once the hidden cards are known. Only readers of journals see them, never a role.

A mark is a number with a name that says what it measures; each role's own function says which direction is better.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roles.sections import Sections

Marks = Mapping[str, float]
Mark = Callable[[Any, Sections, Any], Marks | None]
"""(reply, sections, truth) -> numbers by name; None when the reply says nothing that can be marked.

`truth` is what the game knows and the seat does not: in Hanabi a `roles.Truth`.
"""


@dataclass(frozen=True)
class MarkInfo:
    """What a mark is: tables, figures and `roles show` say it in these words."""

    name: str
    says: str
    """What is measured, in one plain sentence."""
    unit: str
    """Such as `share`, `squared error`, `nats`, `points`, `cards`."""
    best: float
    """The value of a perfect reply."""
    higher: bool = True
    """Whether a higher value is better."""


@dataclass(frozen=True)
class Marker:
    """A role's marks with what they are: stands wherever a plain mark function may.

    Its infos name every mark that it may give, whether or not a reply has it.
    """

    score: Mark
    infos: tuple[MarkInfo, ...]
    guess: Mark | None = None
    """The marks that a uniform guess has on average in the place of the reply: their baseline."""
    others: Mapping[str, Mark] = field(default_factory=dict)
    """Baselines beside the uniform guess, by name: the marks that another answer would have in the reply's place."""

    def __call__(self, reply: Any, sections: Sections, truth: Any) -> Marks | None:
        found = self.score(reply, sections, truth)
        if unknown := set(found or {}) - {info.name for info in self.infos}:
            raise ValueError(f"no info says what these marks are: {sorted(unknown)}")
        return found


def infos(mark: Mark | None) -> Mapping[str, MarkInfo]:
    """What a role's marks are, by name; empty for a plain function."""
    return {info.name: info for info in mark.infos} if isinstance(mark, Marker) else {}


def brier(guesses: Iterable[tuple[float | None, bool | None]]) -> float | None:
    """The Brier score of (probability, outcome) pairs: 0 is perfect, 0.25 a coin's, 1 the worst.

    Pairs with a None are left out; None when there are no others.
    """
    squares = [(chance - so) ** 2 for chance, so in guesses if chance is not None and so is not None]
    return sum(squares) / len(squares) if squares else None


def checked(role: str, found: Marks | None) -> Marks | None:
    """Marks that are finite numbers. Raises ValueError that names the one that is not."""
    for name, value in (found or {}).items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"mark {name!r} of role {role!r} is {value!r}, not a finite number")
    return found or None
