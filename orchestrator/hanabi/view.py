"""The View: what one seat may know at one turn, and nothing else."""

from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi import hle_reading
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    MAX_LIVES,
    MAX_TOKENS,
    RANKS,
    Card,
    Colour,
    Fireworks,
    Mask,
    Piles,
    masked,
)
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.values import Value

SeatNumber = Annotated[int, Field(ge=0, le=4)]


class Knowledge(Value):
    """The literal knowledge of one card from positive and negative hints, without counting cards."""

    colour: Colour | None = None
    """Named by a hint that touched the card."""
    rank: int | None = None
    """Named by a hint that touched the card, 1-5."""
    colours: tuple[Colour, ...]
    """Still possible after all hints, in the order R Y G W B."""
    ranks: tuple[int, ...]
    """Still possible after all hints, ascending."""

    @cached_property
    def mask(self) -> Mask:
        """The types still possible after positive and negative hints."""
        return masked(self.colours, self.ranks)

    @property
    def outright(self) -> "Knowledge":
        """The same from positive hints only."""
        colours = (self.colour,) if self.colour else COLOURS
        ranks = (self.rank,) if self.rank else RANKS
        return Knowledge(colour=self.colour, rank=self.rank, colours=colours, ranks=ranks)

    @property
    def positive(self) -> Mask:
        """The types still possible after positive hints alone."""
        return masked(self.colour or COLOURS, (self.rank,) if self.rank else RANKS)


class Hand(Value):
    """Another seat's hand, and its owner's knowledge from hints; slot 0 is the oldest card."""

    seat: SeatNumber
    cards: tuple[Card, ...]
    known: tuple[Knowledge, ...]


class Past(Value):
    """One past turn as one seat saw it."""

    turn: int
    """1 is the game's first move."""
    seat: SeatNumber
    move: Grounded
    card: Card | None = None
    """The card played or discarded, which everybody saw."""
    scored: bool | None = None
    """True if a played card fitted; None for other moves."""
    slots: tuple[int, ...] = ()
    """The slots of the receiver's hand that a hint touched."""
    drew: Card | None = None
    """The card drawn afterwards, if there was one and this seat could see it."""
    fireworks: Fireworks
    """After the move."""
    tokens: int
    """Information tokens after the move."""
    lives: int
    """After the move."""


class View(Value):
    """Everything that one seat may know at one turn, as plain data without a reference to the game."""

    players: int = Field(ge=2, le=5)
    seat: SeatNumber
    turn: int = Field(ge=1)
    """1 is the game's first move."""
    fireworks: Fireworks
    tokens: int = Field(ge=0, le=MAX_TOKENS)
    """Information tokens."""
    lives: int = Field(ge=0, le=MAX_LIVES)
    deck_size: int = Field(ge=0)
    discards: tuple[Card, ...]
    """Discarded and misplayed cards, oldest first."""
    own: tuple[Knowledge, ...]
    """Knowledge of each own card from hints."""
    hands: tuple[Hand, ...]
    """The hands of the others, in turn order from the next player."""
    dealt: tuple[tuple[Card, ...], ...]
    """The hands at the start of the game, by seat; the own one is empty."""
    history: tuple[Past, ...]
    """Every past turn, oldest first."""
    turns_left: int | None = None
    """Turns until the game ends, this one included; None while the deck has cards."""
    legal: tuple[Grounded, ...]
    """The legal moves, in HLE's order; empty when it is not this seat's turn."""

    @classmethod
    def from_hle(
        cls, source: Any, player: int | None = None, *, before: "View | None" = None
    ) -> Self:
        """Return the view of a player of a game that HLE plays.

        `source`: a live `HanabiState` of pyhanabi, seen by `player` (default: who acts, or 0
        when nobody does); or what one player observes: a
        `HanabiObservation`, or a dictionary of `rl_env` with its `pyhanabi`. An observation lacks the whole history: it
        holds the moves since its player's last turn, so from that player's second turn on `before` must be their View
        of the turn before. Seats count from the player who moves first, who is HLE's player 0 unless
        `random_start_player` is set. Raises UserError for anything that is not the standard game of 2 to 5 players.
        """
        return cls.model_validate(hle_reading.fields(source, player, before))

    @property
    def piles(self) -> Piles:
        return Piles(self.fireworks, self.discards)

    @property
    def score(self) -> int:
        return sum(self.fireworks)

    @property
    def last_seat(self) -> int | None:
        """The seat that takes the last turn of the game; None while the deck has cards."""
        return None if self.turns_left is None else (self.seat + self.turns_left - 1) % self.players
