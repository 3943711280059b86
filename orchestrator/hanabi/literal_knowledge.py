"""Literal knowledge: what hints say outright of each slot of a hand, and how a hand shifts when a card leaves it.

A positive hint says that the touched cards are of the named colour or rank, and by that, negatively, that the others
are not. Everything that follows a game's public moves builds on these functions, whether or not it adds conventions,
the cards in sight or a code of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    DECK_SIZE,
    HAND_SIZES,
    OF_COLOUR,
    OF_RANK,
    Mask,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, HintColour, Move
from hanabi_orchestrator.orchestrator.hanabi.view import Past

T = TypeVar("T")

HandMasks = tuple[Mask, ...]
"""The types that each card of a hand may be, by slot; slot 0 is the oldest card."""

Hands = tuple[HandMasks, ...]
"""The same of all hands, by seat."""


def unknown_hands(players: int) -> Hands:
    """Return the hands at the start of a game: every card may be of any type."""
    return ((ANY,) * HAND_SIZES[players],) * players


def types_of(hint: Hint) -> Mask:
    """Return the types of the colour or rank that a hint names."""
    return OF_COLOUR[hint.colour] if isinstance(hint, HintColour) else OF_RANK[hint.rank]


def hinted(hand: Sequence[Mask], hint: Hint, touched: Sequence[int]) -> HandMasks:
    """Return a hand after a hint that touched these slots."""
    types = types_of(hint)
    return tuple(
        possible & (types if slot in touched else ANY & ~types)
        for slot, possible in enumerate(hand)
    )


def shifted(hand: Sequence[T], slot: int, newest: Iterable[T]) -> tuple[T, ...]:
    """Return a hand after its card in `slot` has left: newer cards move down, then comes the `newest`, if there is one.

    It serves for anything that is kept slot by slot.
    """
    return (*hand[:slot], *hand[slot + 1 :], *newest)


def with_hand(
    hands: tuple[tuple[T, ...], ...], seat: int, hand: tuple[T, ...]
) -> tuple[tuple[T, ...], ...]:
    """Return all hands, that of one seat replaced."""
    return (*hands[:seat], hand, *hands[seat + 1 :])


def dealt_hands(
    players: int, deck: Sequence[T], moves: Iterable[Move]
) -> Iterator[tuple[tuple[T, ...], ...]]:
    """Yield all hands face up, by seat: those that are dealt, then those after each move of a game."""
    size = HAND_SIZES[players]
    hands = tuple(tuple(deck[seat * size : (seat + 1) * size]) for seat in range(players))
    rest = iter(deck[size * players :])
    yield hands
    for turn, move in enumerate(moves):
        if not isinstance(move, Hint):
            seat = turn % players
            hands = with_hand(hands, seat, shifted(hands[seat], move.slot, islice(rest, 1)))
        yield hands


def literal_hands(players: int, history: Iterable[Past]) -> Iterator[tuple[Past, Hands]]:
    """Yield each move of a game from its first, with what hints say of all hands after it."""
    hands = unknown_hands(players)
    deck = DECK_SIZE - sum(map(len, hands))
    for past in history:
        if isinstance(past.move, Hint):
            to = past.move.to
            hands = with_hand(hands, to, hinted(hands[to], past.move, past.slots))
        else:
            newest = (ANY,) if deck else ()
            hands = with_hand(hands, past.seat, shifted(hands[past.seat], past.move.slot, newest))
            deck -= len(newest)
        yield past, hands


def wasted_hints(players: int, history: Iterable[Past]) -> int:
    """Count the hints that left every card of their receiver with the same possible types as before.

    `history`: the moves of a game from its first. Only literal knowledge counts: not what counting the cards in sight
    adds, nor what a convention may have meant by such a hint.
    """
    before = unknown_hands(players)
    count = 0
    for past, after in literal_hands(players, history):
        count += isinstance(past.move, Hint) and before == after
        before = after
    return count
