"""Rollouts: players of a convention finish a game from a sampled deal, fast enough for hundreds of games a move."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol, Self

import lazy_loader

from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, INDEX, Card, Mask, Piles
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play

if TYPE_CHECKING:
    from hanabi_orchestrator.orchestrator.hanabi import rollout_rules as table
else:  # when the first rollout is played: numba takes a third of a second to import
    table = lazy_loader.load(f"{__package__}.rollout_rules", suppress_warning=True)

NONE = -1
"""Stands for no slot, no move and no convention."""


def act(move: Move) -> int:
    """Return the number by which the rollouts know a move."""
    if isinstance(move, HintColour):
        return table.code(table.HINT, COLOURS.index(move.colour), move.to)
    if isinstance(move, HintRank):
        return table.code(table.HINT, table.FIRST_RANK + move.rank - 1, move.to)
    return table.code(table.PLAY if isinstance(move, Play) else table.DISCARD, move.slot, 0)


def move(act: int) -> Move:
    """Return the move that a number stands for."""
    kind = act >> 8
    slot = act >> 4 & 15
    to = act & 15
    if kind != table.HINT:
        return (Play if kind == table.PLAY else Discard)(slot=slot)
    if slot < table.FIRST_RANK:
        return HintColour(to=to, colour=COLOURS[slot])
    return HintRank(to=to, rank=slot - table.FIRST_RANK + 1)


def array(numbers: Any) -> Any:
    """Return numbers, or rows of them, as rollouts work on them: in an array where numba compiles them."""
    if not table.COMPILED:
        return numbers
    import numpy as np  # as late as numba

    return np.array(numbers, dtype=np.int64)


def room() -> Any:
    """Return numbers for a game that is to be tried."""
    return array([0] * table.SIZE)


def numbered(cards: Sequence[Card]) -> list[int]:
    return [INDEX[card] for card in cards]


class CommonTable(Protocol):
    """A position as everybody knows it."""

    @property
    def players(self) -> int: ...
    @property
    def piles(self) -> Piles: ...
    @property
    def tokens(self) -> int: ...
    @property
    def lives(self) -> int: ...
    @property
    def common(self) -> Hands: ...
    @property
    def literal(self) -> Hands: ...


class Rollout(ABC):
    """A game in progress: a sampled deal, and what everybody knows of it."""

    __slots__ = ("room", "state")

    def __init__(self, public: CommonTable, seat: int, turns_left: int | None) -> None:
        """Before `seat`'s turn; hands and deck are dealt by `dealt`."""
        state = [0] * table.SIZE
        state[table.PLAYERS], state[table.SEAT] = public.players, seat
        state[table.TOKENS], state[table.LIVES] = public.tokens, public.lives
        state[table.TURNS_LEFT] = NONE if turns_left is None else turns_left
        state[table.TOPS : table.TOPS + 5] = public.piles.fireworks
        state[table.COUNTS : table.COUNTS + 25] = public.piles.counts
        for owner, (common, literal) in enumerate(zip(public.common, public.literal, strict=True)):
            state[table.SIZES + owner] = size = len(common)
            state[table.COMMON + 5 * owner : table.COMMON + 5 * owner + size] = common
            state[table.LITERAL + 5 * owner : table.LITERAL + 5 * owner + size] = literal
        self.state: Any = array(state)
        """The numbers of `rollout_rules`."""
        self.room = room()
        """For games that are tried; all deals of a position share it."""
        table.piles(self.state)

    def dealt(self, hands: Sequence[Sequence[int]], deck: Sequence[int]) -> Self:
        """Return a copy with these hands and this deck, whose last card is drawn first."""
        game = copy(self)
        game.state = self.state.copy()
        for seat, cards in enumerate(hands):
            at = table.HANDS + 5 * seat
            game.state[at : at + len(cards)] = cards
            game.state[table.SIZES + seat] = len(cards)
        game.state[table.PILE : table.PILE + len(deck)] = deck
        game.state[table.DECK] = len(deck)
        return game

    @property
    def players(self) -> int:
        return int(self.state[table.PLAYERS])

    @property
    def seat(self) -> int:
        """Who moves."""
        return int(self.state[table.SEAT])

    @property
    def tokens(self) -> int:
        return int(self.state[table.TOKENS])

    @tokens.setter
    def tokens(self, number: int) -> None:
        self.state[table.TOKENS] = number

    @property
    def lives(self) -> int:
        return int(self.state[table.LIVES])

    @lives.setter
    def lives(self, number: int) -> None:
        self.state[table.LIVES] = number

    @property
    def turns_left(self) -> int | None:
        """Turns until the game ends, this one included; None while the deck has cards."""
        return None if self.state[table.TURNS_LEFT] == NONE else int(self.state[table.TURNS_LEFT])

    @property
    def piles(self) -> tuple[Mask, Mask, Mask]:
        """The types that are playable, dead and critical."""
        return tuple(self._numbers(table.PLAYABLE, 3))  # type: ignore[return-value]  # three

    @property
    def tops(self) -> list[int]:
        return self._numbers(table.TOPS, 5)

    @property
    def counts(self) -> list[int]:
        return self._numbers(table.COUNTS, 25)

    @property
    def deck(self) -> list[int]:
        """Its last card is drawn first."""
        return self._numbers(table.PILE, self.state[table.DECK])

    @property
    def hands(self) -> list[list[int]]:
        return self._hands(table.HANDS)

    @property
    def common(self) -> list[list[Mask]]:
        return self._hands(table.COMMON)

    @property
    def literal(self) -> list[list[Mask]]:
        return self._hands(table.LITERAL)

    def _hands(self, at: int) -> list[list[int]]:
        return [
            self._numbers(at + 5 * seat, self.state[table.SIZES + seat])
            for seat in range(self.players)
        ]

    def _numbers(self, at: int, number: int) -> list[int]:
        return [int(value) for value in self.state[at : at + number]]

    @property
    def over(self) -> bool:
        return bool(table.over(self.state))

    @property
    def score(self) -> int:
        """0 once the lives are lost."""
        return int(table.score(self.state)) if self.lives else 0

    @abstractmethod
    def apply(self, act: int) -> None:
        """Make a move."""

    @abstractmethod
    def decide(self) -> int:
        """Return the move of a player of the convention."""

    @abstractmethod
    def outcome(self, act: int) -> int:
        """Return the score after a move if players of the convention then play to the end; the game stays as it is."""
