"""The View: what one seat may know at one turn, and nothing else (paper, section 3.1: observation and history)."""

from collections import Counter
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from hanabi_orchestrator.orchestrator.guandan.cards import CARDS, COPIES, PLAYERS, Card, Level
from hanabi_orchestrator.orchestrator.guandan.plays import (
    Combination,
    StoredCombination,
    StoredMove,
)
from hanabi_orchestrator.orchestrator.values import Value

SeatNumber = Annotated[int, Field(ge=0, le=PLAYERS - 1)]


def partner_of(seat: int) -> int:
    """Return the seat opposite."""
    return (seat + 2) % PLAYERS


class Past(Value):
    """One past turn, as everybody saw it."""

    turn: int
    """1 is the deal's first move."""
    trick: int
    """The number of the trick, from 1."""
    seat: SeatNumber
    move: StoredMove
    cards_left: int
    """In the hand of the seat after the move; 0 when it is out."""


class View(Value):
    """Everything that one seat may know at one turn, as plain data without a reference to the game."""

    game: Literal["guandan"] = "guandan"
    players: Literal[4] = 4
    seat: SeatNumber
    turn: int = Field(ge=1)
    """1 is the deal's first move."""
    level: Level = Field(ge=2, le=14)
    hand: tuple[Card, ...]
    """The own cards, from the lowest value."""
    cards_left: tuple[int, int, int, int]
    """In the hands, by seat."""
    placing: tuple[SeatNumber, ...]
    """The seats that are out, the first place first."""
    trick: StoredCombination | None
    """What is to be beaten; None for who leads."""
    owner: SeatNumber | None
    """Who played it."""
    history: tuple[Past, ...]
    """Every past turn, oldest first."""
    legal: tuple[StoredMove, ...]
    """The moves to choose from; empty when it is not this seat's turn."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """All hands by seat, for a seat that cheats; otherwise empty."""

    @property
    def partner(self) -> int:
        return partner_of(self.seat)

    @property
    def opponents(self) -> tuple[int, int]:
        """The next player and the one before this seat."""
        return (self.seat + 1) % PLAYERS, (self.seat + 3) % PLAYERS

    @cached_property
    def unseen(self) -> Counter[Card]:
        """Copies of each card that are in the other hands."""
        cards = Counter(dict.fromkeys(CARDS, COPIES))
        cards.subtract(self.hand)
        for past in self.history:
            if isinstance(past.move, Combination):
                cards.subtract(past.move.cards)
        return +cards
