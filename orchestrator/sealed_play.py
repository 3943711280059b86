"""Simultaneous play at a table that asks one seat at a time.

A referee of this kind keeps each decision sealed until the last seat of the round has decided, and only then resolves
the round. What a seat may know is therefore the same whatever was sealed before it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError

M = TypeVar("M")
P = TypeVar("P")
R = TypeVar("R")


class SealedReferee(ABC, Generic[M, P, R]):
    """One game in rounds: whose decision is due, which are sealed, what was decided.

    `M` is a move of the game, `P` a past turn, `R` what a resolved round did.
    """

    def __init__(self, players: int, deck: tuple[str, ...]) -> None:
        self.players = players
        self.deck = deck
        self._history: list[P] = []
        self._sealed: dict[int, M] = {}

    # What a game says

    @property
    @abstractmethod
    def over(self) -> bool:
        """No seat has a decision left."""

    @abstractmethod
    def _deciding(self) -> tuple[int, ...]:
        """Return the seats that decide in this round, in seat order; the same until it is resolved."""

    @abstractmethod
    def _offers(self, seat: int) -> tuple[M, ...]:
        """Return the moves that a deciding seat may choose, by what is public."""

    @abstractmethod
    def _resolve(self, moves: Mapping[int, M]) -> R:
        """Do what all seats of the round decided."""

    @abstractmethod
    def _past(self, turn: int, seat: int, move: M, outcome: R | None) -> P:
        """Return the record of a decision; `outcome` only with the last one of a round."""

    # Public facts

    @property
    def turn(self) -> int:
        """The number of the decision that is due; 1 is the game's first."""
        return len(self._history) + 1

    @property
    def seat(self) -> int:
        """Whose decision is due. Raises IllegalMove when the game is over."""
        if self.over:
            raise IllegalMove("the game is over; it is nobody's turn")
        return self._deciding()[len(self._sealed)]

    @property
    def history(self) -> tuple[P, ...]:
        """Every decision, oldest first, the sealed ones included: for records, never for a view."""
        return tuple(self._history)

    @property
    def resolved(self) -> tuple[P, ...]:
        """The decisions of the rounds that are resolved, oldest first: what everybody knows."""
        return tuple(self._history[: len(self._history) - len(self._sealed)])

    def legal(self) -> tuple[M, ...]:
        """Return the legal moves of the seat whose decision is due; none when the game is over."""
        return () if self.over else self._offers(self.seat)

    def legal_for(self, seat: int) -> tuple[M, ...]:
        """Return the legal moves of a seat; none when it is not its turn."""
        return self.legal() if not self.over and seat == self.seat else ()

    # Playing

    def apply(self, move: M) -> P:
        """Seal the decision of the acting seat, and resolve the round when it is the last one.

        Returns the decision as records keep it. Raises IllegalMove before anything changes.
        """
        legal = self.legal()
        if move not in legal:
            allowed = ", ".join(str(option) for option in legal) or "none, the game is over"
            raise IllegalMove(f"{move} is not legal on turn {self.turn}; legal: {allowed}")
        seat = self.seat
        turn = self.turn
        self._sealed[seat] = move
        outcome = None
        if len(self._sealed) == len(self._deciding()):
            outcome = self._resolve(self._sealed)
            self._sealed = {}
        past = self._past(turn, seat, move, outcome)
        self._history.append(past)
        return past

    def check_seat(self, seat: int | None) -> int:
        """Return a seat, by default the acting one. Raises UserError for a seat that the table does not have."""
        chosen = self.seat if seat is None else seat
        if chosen not in range(self.players):
            raise UserError(f"there is no seat {chosen}; the seats are 0 to {self.players - 1}")
        return chosen
