"""Cards, and what the public piles say of them.

The conventions of the whole project: colours are R Y G W B in this order, ranks are 1-5, and the slots of a hand are
numbered from 0, the oldest card.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal

Colour = Literal["R", "Y", "G", "W", "B"]
"""The letter of a colour: red, yellow, green, white or blue."""

COLOURS: tuple[Colour, ...] = ("R", "Y", "G", "W", "B")
"""The five colours, in the order of fireworks."""
COLOUR_NAMES: dict[Colour, str] = {
    "R": "red",
    "Y": "yellow",
    "G": "green",
    "W": "white",
    "B": "blue",
}
RANKS = (1, 2, 3, 4, 5)
"""The five ranks."""
COPIES = {1: 3, 2: 2, 3: 2, 4: 2, 5: 1}
HAND_SIZES = {2: 5, 3: 5, 4: 4, 5: 4}
DECK_SIZE = 50
MAX_TOKENS = 8
MAX_LIVES = 3

Fireworks = tuple[int, int, int, int, int]
"""Highest rank played of each colour, 0-5, in the order R Y G W B."""


class Card(StrEnum):
    """One of the 25 types of card, e.g. `Card("R1")`, the red 1."""

    R1 = "R1"
    R2 = "R2"
    R3 = "R3"
    R4 = "R4"
    R5 = "R5"
    Y1 = "Y1"
    Y2 = "Y2"
    Y3 = "Y3"
    Y4 = "Y4"
    Y5 = "Y5"
    G1 = "G1"
    G2 = "G2"
    G3 = "G3"
    G4 = "G4"
    G5 = "G5"
    W1 = "W1"
    W2 = "W2"
    W3 = "W3"
    W4 = "W4"
    W5 = "W5"
    B1 = "B1"
    B2 = "B2"
    B3 = "B3"
    B4 = "B4"
    B5 = "B5"

    @property
    def colour(self) -> Colour:
        return self.value[0]  # type: ignore[return-value]  # the 25 members begin with a colour

    @property
    def rank(self) -> int:
        """1 to 5."""
        return int(self.value[1])

    @property
    def copies(self) -> int:
        """Copies in the deck: 3, 2 or 1."""
        return COPIES[self.rank]


CARDS: tuple[Card, ...] = tuple(Card)
"""The 25 types of card, by colour, then rank."""
COPIES_OF: tuple[int, ...] = tuple(card.copies for card in CARDS)
"""Of each type, by index in CARDS."""
INDEX: dict[Card, int] = {card: i for i, card in enumerate(CARDS)}

Mask = int
"""A set of card types: bit i is CARDS[i]."""

ANY: Mask = (1 << len(CARDS)) - 1


def mask(cards: Iterable[Card]) -> Mask:
    """Return the set of some card types."""
    bits = 0
    for card in cards:
        bits |= 1 << INDEX[card]
    return bits


def unmask(bits: Mask) -> tuple[Card, ...]:
    """Return the card types of a set, in the order of CARDS."""
    return tuple(card for i, card in enumerate(CARDS) if bits >> i & 1)


OF_COLOUR: dict[str, Mask] = {c: mask(card for card in CARDS if card.colour == c) for c in COLOURS}
"""The card types of each colour."""
OF_RANK: dict[int, Mask] = {r: mask(card for card in CARDS if card.rank == r) for r in RANKS}
"""The card types of each rank."""


def masked(colours: Iterable[str], ranks: Iterable[int]) -> Mask:
    """Return the types of any of these colours and any of these ranks."""
    return sum(OF_COLOUR[c] for c in colours) & sum(OF_RANK[r] for r in ranks)


def count(cards: Iterable[Card]) -> list[int]:
    """Return how many cards there are of each type, by index in CARDS."""
    counts = [0] * len(CARDS)
    for card in cards:
        counts[INDEX[card]] += 1
    return counts


@dataclass(frozen=True)
class Piles:
    """The fireworks and discards, and the card types that are playable, dead or critical."""

    fireworks: Fireworks
    discards: tuple[Card, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Copies of each type that are played or discarded."""
        counts = count(self.discards)
        for first, top in zip(
            range(0, len(CARDS), 5), self.fireworks, strict=True
        ):  # a colour's types are in a row
            for index in range(first, first + top):
                counts[index] += 1
        return tuple(counts)

    @cached_property
    def playable(self) -> Mask:
        """Types that score if played now: the next of each colour."""
        tops = zip(range(0, len(CARDS), 5), self.fireworks, strict=True)
        return sum(1 << first + top for first, top in tops if top < 5)

    @cached_property
    def dead(self) -> Mask:
        """Types that can never score again: played already, or above a rank whose copies are all gone."""
        bits = 0
        for first, top in zip(range(0, len(CARDS), 5), self.fireworks, strict=True):
            broken = False
            for index in range(first, first + 5):
                broken = broken or (index >= first + top and self.counts[index] == COPIES_OF[index])
                if index < first + top or broken:
                    bits |= 1 << index
        return bits

    @cached_property
    def critical(self) -> Mask:
        """Types that are still needed and of which one copy is left."""
        last = sum(1 << i for i, number in enumerate(self.counts) if number == COPIES_OF[i] - 1)
        return last & ~self.dead

    @property
    def best_possible(self) -> int:
        """The highest score that these piles still allow."""
        return sum(self.fireworks) + (ANY & ~self.dead).bit_count()


def name(card: Card) -> str:
    """`R1` -> `red 1`."""
    return f"{COLOUR_NAMES[card.colour]} {card.rank}"


def check_deck(deck: Sequence[str]) -> tuple[Card, ...]:
    """Return a deck of strings as cards, first dealt first.

    Raises ValueError in one sentence when it is not the 50 cards of Hanabi.
    """
    names = set(CARDS)
    if wrong := next((card for card in deck if card not in names), None):
        raise ValueError(
            f"{wrong!r} is not a card; a card is a colour of {''.join(COLOURS)} and a rank 1-5, e.g. 'R1'"
        )
    if len(deck) != DECK_SIZE:
        raise ValueError(f"a deck has {DECK_SIZE} cards, this one has {len(deck)}")
    cards = tuple(Card(card) for card in deck)
    for card, seen in zip(CARDS, count(cards), strict=True):
        if seen != card.copies:
            raise ValueError(f"a deck has {card.copies} x {card.value}, this one has {seen}")
    return cards
