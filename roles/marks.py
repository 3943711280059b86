"""Marks: scores of a reply, computed once the hidden cards are known. Only readers of journals see them, never a role.

A mark is a number with a name that says what it measures; each role's own function says which direction is better.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from roles.sections import Sections

Marks = Mapping[str, float]
Mark = Callable[[Any, Sections, Any], Marks | None]
"""(reply, sections, truth) -> numbers by name; None when the reply says nothing that can be marked.

`truth` is what the game knows and the seat does not: in Hanabi a `roles.Truth`.
"""


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
