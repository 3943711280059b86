"""What one seat may know at one turn, and nothing else."""

from functools import cached_property
from typing import Annotated

from pydantic import Field

from orchestrator.hanabi.cards import COLOURS, MAX_LIVES, MAX_TOKENS, Card, Colour, Fireworks, Mask, Piles, masked
from orchestrator.hanabi.moves import Grounded
from orchestrator.values import Frozen

SeatNumber = Annotated[int, Field(ge=0, le=4)]


class Knowledge(Frozen):
    """What hints have told of one card: literally, positive and negative, with no counting of cards."""

    colour: Colour | None = None
    """Told directly."""
    rank: int | None = None
    """Told directly, 1-5."""
    colours: tuple[Colour, ...]
    """Still possible by the hints, in the order R Y G W B."""
    ranks: tuple[int, ...]
    """Still possible by the hints, ascending."""

    @cached_property
    def mask(self) -> Mask:
        """The types still possible by positive and negative hints."""
        return masked(self.colours, self.ranks)

    @property
    def positive(self) -> Mask:
        """The types still possible by what was told directly, negative information left out."""
        return masked(self.colour or COLOURS, (self.rank,) if self.rank else (1, 2, 3, 4, 5))


class Hand(Frozen):
    """Another seat's hand, and what its owner was told of it; slot 0 is the oldest card."""

    seat: SeatNumber
    cards: tuple[Card, ...]
    known: tuple[Knowledge, ...]


class Past(Frozen):
    """One past turn as one seat saw it."""

    turn: int
    """1 is the game's first move."""
    seat: SeatNumber
    move: Grounded
    card: Card | None = None
    """The card played or discarded; everybody saw it."""
    scored: bool | None = None
    """Whether a played card fitted; None for other moves."""
    slots: tuple[int, ...] = ()
    """The slots of the told hand that a hint touched."""
    drew: Card | None = None
    """The replacement, when there was one and this seat could see it."""
    fireworks: Fireworks
    """After the move."""
    tokens: int
    """Information tokens after the move."""
    lives: int
    """After the move."""


class View(Frozen):
    """All that one seat may know at one turn; nothing in it can reach the game."""

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
    """What hints say of each own card."""
    hands: tuple[Hand, ...]
    """The others, in turn order from the next player."""
    dealt: tuple[tuple[Card, ...], ...]
    """The hands at the start, by seat; the own one is empty."""
    history: tuple[Past, ...]
    """Every past turn, oldest first."""
    turns_left: int | None = None
    """Turns until the game ends, this one included; None while the deck has cards."""
    legal: tuple[Grounded, ...]
    """The legal moves, numbered from 0; none for a seat whose turn it is not."""

    @property
    def piles(self) -> Piles:
        return Piles(self.fireworks, self.discards)

    @property
    def score(self) -> int:
        return sum(self.fireworks)

    @property
    def last_seat(self) -> int | None:
        """Who takes the game's last turn; None while the deck has cards."""
        return None if self.turns_left is None else (self.seat + self.turns_left - 1) % self.players
