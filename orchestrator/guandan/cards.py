"""Cards of two decks, the level, and deals as plain texts (paper, appendix A.1, parts 1 and 2).

A rank is a number: 2 to 10, jack 11, queen 12, king 13, ace 14; black joker 16, red joker 17. The level's rank is
worth 15 wherever cards are compared outside sequences. A deal is a tuple of 109 texts: `level 7`, then 27 cards for
each of the seats 0 to 3.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from random import Random
from typing import Literal

from hanabi_orchestrator.orchestrator.errors import UserError

Suit = Literal["S", "H", "C", "D"]
"""The letter of a suit: spades, hearts, clubs or diamonds."""
Level = int
"""The rank of a deal's level, 2 to 14."""

SUITS: tuple[Suit, ...] = ("S", "H", "C", "D")
SUIT_NAMES: dict[Suit, str] = {"S": "spades", "H": "hearts", "C": "clubs", "D": "diamonds"}
ACE = 14
LEVEL_VALUE = 15
"""What the level's rank is worth outside sequences: above the ace, below the jokers."""
BLACK_JOKER = 16
RED_JOKER = 17
JOKERS = (BLACK_JOKER, RED_JOKER)
RANKS = tuple(range(2, ACE + 1))
"""The ranks of suits, which are also the levels."""
RANK_NAMES: dict[int, str] = {
    **{rank: str(rank) for rank in range(2, 11)},
    **{11: "J", 12: "Q", 13: "K", ACE: "A"},
    **{BLACK_JOKER: "black joker", RED_JOKER: "red joker"},
}
RANKS_BY_NAME = {name: rank for rank, name in RANK_NAMES.items()}
PLAYERS = 4
HAND_SIZE = 27
DECK_SIZE = 108
COPIES = 2
"""Of each card in the two decks."""
MAX_SEED = 2**31 - 1


class Card(StrEnum):
    """One of the 54 cards, e.g. `Card("H10")`, the ten of hearts, or `Card("RJ")`, the red joker."""

    rank: int
    """2 to 14, or 16 and 17 for the jokers."""
    suit: Suit | None
    """None for jokers."""

    def __new__(cls, code: str) -> "Card":
        card = str.__new__(cls, code)
        card._value_ = code
        joker = {"BJ": BLACK_JOKER, "RJ": RED_JOKER}.get(code)
        card.rank = joker or RANKS_BY_NAME[code[1:]]
        card.suit = None if joker else code[0]  # type: ignore[assignment]  # the other 52 members begin with a suit
        return card

    __hash__ = str.__hash__  # that of Enum runs in Python, and hands are counted all the time

    S2 = "S2"
    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S6 = "S6"
    S7 = "S7"
    S8 = "S8"
    S9 = "S9"
    S10 = "S10"
    SJ = "SJ"
    SQ = "SQ"
    SK = "SK"
    SA = "SA"
    H2 = "H2"
    H3 = "H3"
    H4 = "H4"
    H5 = "H5"
    H6 = "H6"
    H7 = "H7"
    H8 = "H8"
    H9 = "H9"
    H10 = "H10"
    HJ = "HJ"
    HQ = "HQ"
    HK = "HK"
    HA = "HA"
    C2 = "C2"
    C3 = "C3"
    C4 = "C4"
    C5 = "C5"
    C6 = "C6"
    C7 = "C7"
    C8 = "C8"
    C9 = "C9"
    C10 = "C10"
    CJ = "CJ"
    CQ = "CQ"
    CK = "CK"
    CA = "CA"
    D2 = "D2"
    D3 = "D3"
    D4 = "D4"
    D5 = "D5"
    D6 = "D6"
    D7 = "D7"
    D8 = "D8"
    D9 = "D9"
    D10 = "D10"
    DJ = "DJ"
    DQ = "DQ"
    DK = "DK"
    DA = "DA"
    BJ = "BJ"
    RJ = "RJ"


CARDS: tuple[Card, ...] = tuple(Card)
"""The 54 cards, by suit, then rank; the jokers last."""
INDEX: dict[Card, int] = {card: number for number, card in enumerate(CARDS)}
OF_SUIT: dict[tuple[Suit, int], Card] = {
    (card.suit, card.rank): card for card in CARDS if card.suit
}
"""The card of a suit and a rank."""


def wild_card(level: Level) -> Card:
    """Return the heart of the level's rank, "Feng Ren Pei", which stands for any card but a joker."""
    return OF_SUIT["H", level]


def value(rank: int, level: Level) -> int:
    """Return what a rank is worth outside sequences, 2 to 17."""
    return LEVEL_VALUE if rank == level else rank


def in_order(cards: Iterable[Card], level: Level) -> tuple[Card, ...]:
    """Return cards from the lowest value to the highest, within a value by suit: spades, hearts, clubs, diamonds."""
    return tuple(sorted(cards, key=lambda card: (value(card.rank, level), INDEX[card])))


def deal(seed: int, level: Level | None = None) -> tuple[str, ...]:
    """Return the deal of a seed. Without a level, it is 2 + (seed - 1) mod 13, so thirteen seeds in a row have all.

    Raises UserError for a seed outside 0 to 2^31 - 1, or a level that is none.
    """
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise UserError(f"a seed is a whole number from 0 to {MAX_SEED}, not {seed}")
    if level is None:
        level = 2 + (seed - 1) % len(RANKS)
    if type(level) is not int or level not in RANKS:
        raise UserError(f"a level is a whole number from 2 to {ACE}, the ace, not {level}")
    cards = [card.value for card in CARDS for _ in range(COPIES)]
    Random(seed).shuffle(cards)
    return (f"level {RANK_NAMES[level]}", *cards)


def level_of(deck: Sequence[str]) -> Level:
    """Return the level of a deal, which its first text names. Raises UserError."""
    first = deck[0] if deck else ""
    rank = RANKS_BY_NAME.get(first.removeprefix("level ")) if first.startswith("level ") else None
    if rank not in RANKS:
        raise UserError(f"a deal begins with its level, e.g. 'level 7' or 'level A', not {first!r}")
    return rank


def hands_of(deck: Sequence[str]) -> tuple[tuple[Card, ...], ...]:
    """Return the hands of a deal by seat, in the order dealt.

    Raises UserError when its cards are not two decks of 54.
    """
    codes = deck[1:]
    names = {card.value for card in CARDS}
    wrong = next((code for code in codes if code not in names), None)
    if wrong is not None:
        raise UserError(
            f"{wrong!r} is not a card; a card is a suit of SHCD and a rank, e.g. 'H10', or a joker, BJ or RJ"
        )
    if len(codes) != DECK_SIZE:
        raise UserError(f"a deal has {DECK_SIZE} cards after its level, this one has {len(codes)}")
    cards = [Card(code) for code in codes]
    for card, number in Counter(cards).items():
        if number != COPIES:
            raise UserError(f"a deal has {COPIES} x {card.value}, this one has {number}")
    starts = range(0, DECK_SIZE, HAND_SIZE)
    return tuple(tuple(cards[start : start + HAND_SIZE]) for start in starts)
