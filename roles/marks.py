"""Marks: scores of a reply, computed once the hidden cards are known. Only readers of journals see them, never a role.

A mark is a number with a name that says what it measures; each role's own function says which direction is better.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hanabi_orchestrator.roles.sections import Sections

Marks = Mapping[str, float]
Mark = Callable[[Any, Sections, Any], Marks | None]
"""(reply, sections, truth) -> numbers by name; None when the reply says nothing that can be marked.

`truth` is what the game knows and the seat does not: in Hanabi a `roles.Truth`.
"""


RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("share", "squared error", "probability", "chance"), (0.0, 1.0)),
    "correlation": (-1.0, 1.0),
}
"""The least and the greatest value of marks by their unit, where there are such values."""


@dataclass(frozen=True)
class MarkInfo:
    """The description of a mark for tables, figures and `roles show`."""

    name: str
    says: str
    """The measure, in one plain sentence."""
    unit: str
    """Such as `share`, `squared error`, `nats`, `points`, `cards`."""
    best: float | None
    """The value of a perfect reply; None where no value is better than another: the mark says what happened."""
    higher: bool = True
    """Whether a higher value is better, where one is."""
    uniform: str = ""
    """The mean of a uniform guess, as a number or in words; empty without one."""

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the greatest value; None where values may be of any size."""
        return RANGES.get(self.unit)


def share_info(name: str, says: str, best: float = 1, uniform: str = "") -> MarkInfo:
    """The description of a share whose best value is 1, or 0."""
    return MarkInfo(name, says, "share", best, higher=best == 1, uniform=uniform)


def squared_info(name: str, says: str, uniform: str = "0.25") -> MarkInfo:
    """The description of a squared error."""
    return MarkInfo(name, says, "squared error", 0, higher=False, uniform=uniform)


def log_info(name: str, says: str, uniform: str) -> MarkInfo:
    """The description of a log loss."""
    return MarkInfo(name, says, "nats", LEAST_NATS, higher=False, uniform=uniform)


class Stated(NamedTuple):
    """Something that a reply stated, and whether it came true: a point of a calibration figure."""

    kind: str
    """The statement, such as `play fits`; in the same words for all replies of a role."""
    claim: float | str
    """Its probability, or a category in words."""
    true: bool


Pairs = Callable[[Any, Sections, Any], Iterable[Stated]]
"""(reply, sections, truth) -> what it stated that can be compared with what was true."""


@dataclass(frozen=True)
class Marker:
    """A role's marks with their descriptions and baselines, in place of a plain mark function.

    Its infos name every mark that it may give, whether or not a reply has it.
    """

    score: Mark
    infos: tuple[MarkInfo, ...]
    guess: Mark | None = None
    """The marks that a uniform guess has on average in the place of the reply: their baseline."""
    previous: Mark | None = None
    """The marks of a reply that states earlier frequencies: another baseline."""
    pairs: Pairs | None = None
    """The probabilities and categories that a reply states, each with what came true."""
    prose: str = ""
    """The statements in prose, which are not marked; a sentence, or empty."""
    baselines: Mapping[str, Mark] = field(default_factory=dict)
    """Baselines beside the uniform guess, by name: the marks that another answer would have in the reply's place."""

    def __call__(self, reply: Any, sections: Sections, truth: Any) -> Marks | None:
        marks = self.score(reply, sections, truth)
        if unknown := set(marks or {}) - {info.name for info in self.infos}:
            raise ValueError(f"no info says what these marks are: {sorted(unknown)}")
        return marks


def prose_only(sentence: str) -> Marker:
    """Return the marker of a role without typed statements: it gives no mark, and its sentence says why."""
    return Marker(lambda reply, sections, truth: None, (), prose=sentence)


def infos(mark: Mark | None) -> Mapping[str, MarkInfo]:
    """What a role's marks are, by name; empty for a plain function."""
    return {info.name: info for info in mark.infos} if isinstance(mark, Marker) else {}


def brier(guesses: Iterable[tuple[float | None, bool | None]]) -> float | None:
    """Return the Brier score of (probability, outcome) pairs: 0 is perfect, 0.25 a coin's, 1 the worst.

    Pairs with a None are left out; None when there are no others.
    """
    return mean(
        (chance - so) ** 2 for chance, so in guesses if chance is not None and so is not None
    )


SUREST = 0.99
"""The most that a log score believes: a chance of 0 or 1 counts as 0.01 or 0.99, so that one error does not outweigh
all else."""
LEAST_NATS = -math.log(SUREST)
"""The best log score."""


def nats(chance: float) -> float:
    """Return the log score of what came true with this stated chance, clipped to 0.01 to 0.99."""
    return -math.log(min(max(chance, 1 - SUREST), SUREST))


def log_score(guesses: Iterable[tuple[float | None, bool | None]]) -> float | None:
    """The log score of (probability, outcome) pairs, in nats: the mean of -ln of the chance given to what came true.

    Chances are clipped to 0.01 to 0.99, so that it lies between 0.01 and 4.61; a coin has 0.69. Pairs with a None are
    left out; None when there are no others.
    """
    return mean(nats(c if so else 1 - c) for c, so in guesses if c is not None and so is not None)


def mean(values: Iterable[float]) -> float | None:
    """None when there are none."""
    numbers = [float(value) for value in values]
    return sum(numbers) / len(numbers) if numbers else None


def only(**marks: float | None) -> Marks | None:
    """The marks that there are; None when there is none."""
    return {name: float(value) for name, value in marks.items() if value is not None} or None


def checked(role: str, marks: Marks | None) -> Marks | None:
    """Marks that are finite numbers. Raises ValueError that names the one that is not."""
    for name, value in (marks or {}).items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise ValueError(f"mark {name!r} of role {role!r} is {value!r}, not a finite number")
    return marks or None
