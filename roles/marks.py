"""Marks: how well a reply did, said once the truth is known. Readers of journals have it; no role is ever told.

A mark is a number by a name that says what it measures; each role's own function says which direction is better.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.hanabi.cards import INDEX, Card, Mask, Piles
from orchestrator.hanabi.referee import Referee
from roles.sections import Sections


@dataclass(frozen=True)
class Truth:
    """What decides a mark, whatever sections the role was told."""

    own: tuple[Card, ...]
    """The seat's own hand, slot 0 first."""
    piles: Piles
    """The fireworks and all discards: what is playable, dead or critical."""

    @classmethod
    def of(cls, referee: Referee) -> "Truth":
        """The acting seat's, before its move."""
        seat = referee.seat
        others = referee.view((seat + 1) % referee.players)
        own = next(hand.cards for hand in others.hands if hand.seat == seat)
        return cls(own, Piles(others.fireworks, others.discards))

    def within(self, slot: int, types: Mask) -> bool | None:
        """Whether the card of a slot is one of `types`; None for a slot that the hand has not."""
        return bool(types >> INDEX[self.own[slot]] & 1) if 0 <= slot < len(self.own) else None


Marks = Mapping[str, float]
Mark = Callable[[Any, Sections, Truth], Marks | None]
"""(reply, told, truth) -> numbers by name; None when the reply says nothing that can be marked."""


def brier(guesses: Iterable[tuple[float | None, bool | None]]) -> float | None:
    """The mean squared distance of probabilities from what was so: 0 is perfect, 0.25 a coin's, 1 the worst.

    Pairs with a None count for nothing; None when there are no others.
    """
    squares = [(chance - so) ** 2 for chance, so in guesses if chance is not None and so is not None]
    return sum(squares) / len(squares) if squares else None


def checked(role: str, found: Marks | None) -> Marks | None:
    """Marks that are finite numbers. Raises ValueError that names the one that is not."""
    for name, value in (found or {}).items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"mark {name!r} of role {role!r} is {value!r}, not a finite number")
    return found or None
