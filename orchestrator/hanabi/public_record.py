"""Public records of past games: once a game is over everything is public, and deck and moves determine all of it.

As plain data a record is `{"players": 3, "deck": ["R1", ...], "moves": ["play slot 0", ...]}`: the 50 cards in the
order of dealing, and the moves in order. It is not the view of any seat.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator

from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    HAND_SIZES,
    INDEX,
    MAX_LIVES,
    MAX_TOKENS,
    Card,
    check_deck,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import shifted, types_of
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.orchestrator.values import Frozen


@dataclass(frozen=True)
class RecordedMove:
    """One move of a record, with the hand of the player who made it, which only the others saw at the time."""

    turn: int
    """1 is the game's first move."""
    seat: int
    move: Move
    hand: tuple[Card, ...]
    """The hand of the player who moves, before the move."""
    hinted: tuple[int, ...]
    """For each of these cards, the turn of the latest hint that touched it; 0 if none did."""
    touched: tuple[int, ...]
    """The slots of the receiver's hand that a hint touched."""
    scored: bool | None
    """True if a played card fitted; None for other moves."""
    tokens: int
    """Information tokens before the move."""

    @property
    def lost(self) -> Card | None:
        """The card played or discarded."""
        return None if isinstance(self.move, Hint) else self.hand[self.move.slot]


class Record(Frozen):
    """A finished game: its deck and its moves."""

    players: Annotated[int, Field(ge=2, le=5)]
    deck: tuple[Card, ...]
    """In the order of dealing."""
    moves: tuple[Grounded, ...]

    @field_validator("deck")
    @classmethod
    def _a_deck(cls, deck: tuple[Card, ...]) -> tuple[Card, ...]:
        return check_deck(deck)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return a record from plain data. Raises UserError."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise user_error("a public record", error) from None

    @property
    def plain(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def steps(self) -> Iterator[RecordedMove]:
        """Yield the game move by move. Raises UserError where a move names a slot or a player that is not there."""
        yield from _Replay(self).steps()

    @cached_property
    def ending(self) -> "Ending":
        game = _Replay(self)
        for _ in game.steps():
            pass
        return Ending(sum(game.tops.values()), game.lives)


@dataclass(frozen=True)
class Ending:
    """How the game of a record ended."""

    score: int
    """The points on the table."""
    lives: int


class _Replay:
    """The game of a record as it is played again, all cards known."""

    def __init__(self, record: Record) -> None:
        self.record = record
        size = HAND_SIZES[record.players]
        self.hands = [
            record.deck[seat * size : (seat + 1) * size] for seat in range(record.players)
        ]
        self.hinted = [(0,) * size for _ in self.hands]
        self.dealt = size * record.players
        self.tops = dict.fromkeys(COLOURS, 0)
        self.tokens = MAX_TOKENS
        self.lives = MAX_LIVES

    def steps(self) -> Iterator[RecordedMove]:
        for turn, move in enumerate(self.record.moves, 1):
            seat = (turn - 1) % self.record.players
            hand = self.hands[seat]
            hinted = self.hinted[seat]
            tokens = self.tokens
            touched = tuple[int, ...]()
            scored = None
            if isinstance(move, Hint):
                self.tokens -= 1
                if move.to >= len(self.hands):
                    raise UserError(
                        f"a public record: turn {turn}: there is no player P{move.to} to hint"
                    )
                types = types_of(move)
                before = self.hinted[move.to]
                touched = tuple(
                    slot
                    for slot, card in enumerate(self.hands[move.to])
                    if types >> INDEX[card] & 1
                )
                self.hinted[move.to] = tuple(
                    turn if slot in touched else old for slot, old in enumerate(before)
                )
            elif move.slot >= len(hand):
                raise UserError(
                    f"a public record: turn {turn}: there is no slot {move.slot} to {move.kind}"
                )
            else:
                scored = self._lose(seat, move)
            yield RecordedMove(turn, seat, move, hand, hinted, touched, scored, tokens)

    def _lose(self, seat: int, move: Play | Discard) -> bool | None:
        """Take a played or discarded card from a hand and draw another; return whether a played card fitted."""
        card = self.hands[seat][move.slot]
        newest = self.record.deck[self.dealt : self.dealt + 1]
        self.hands[seat] = shifted(self.hands[seat], move.slot, newest)
        self.hinted[seat] = shifted(self.hinted[seat], move.slot, [0] * len(newest))
        self.dealt += len(newest)
        scored = self.tops[card.colour] == card.rank - 1 if isinstance(move, Play) else None
        self.tops[card.colour] += bool(scored)
        self.lives -= scored is False
        freed = scored is None or (scored and card.rank == 5)
        self.tokens = min(self.tokens + freed, MAX_TOKENS)
        return scored
