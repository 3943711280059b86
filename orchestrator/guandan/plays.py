"""Combinations: their kinds, the one text of each, what they are made of, and which beats which (paper, appendix A.1,
parts 2 and 4).

The text of a move is `pass`, or what is played and with which cards: `pair 7: S7 D7`, `full house 7 over K: S7 S7 D7 HK
CK`, `straight A-5: SA D2 C3 H4 S5`. The level's heart among the cards stands for the card that lacks.
"""

import re
from collections import Counter
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from hanabi_orchestrator.orchestrator.guandan.cards import (
    ACE,
    JOKERS,
    RANK_NAMES,
    RANKS,
    RANKS_BY_NAME,
    RED_JOKER,
    SUIT_NAMES,
    Card,
    Level,
    Suit,
    value,
    wild_card,
)
from hanabi_orchestrator.orchestrator.values import Value

Kind = Literal[
    "single",
    "pair",
    "trips",
    "full_house",
    "three_pairs",
    "two_trips",
    "straight",
    "bomb",
    "straight_flush",
    "four_jokers",
]
"""The kind of a combination; the first seven are category one."""

SHAPES: dict[Kind, tuple[int, int]] = {
    "three_pairs": (3, 2),
    "two_trips": (2, 3),
    "straight": (5, 1),
    "straight_flush": (5, 1),
}
"""Of each kind of sequence: how many ranks in a row, and how many cards of each."""
SIZES: dict[Kind, int] = {"single": 1, "pair": 2, "trips": 3}
"""How many cards of a rank make a group of category one."""
BOMB_SIZES = range(4, 11)
"""Cards of a bomb: eight of a rank, and two wild ones."""
FOUR_JOKERS_POWER = 9


class Pass(Value):
    """Play nothing on the trick."""

    kind: Literal["pass"] = "pass"

    def __str__(self) -> str:
        return "pass"


PASS = Pass()


class Combination(Value):
    """Cards played together, and as what."""

    kind: Kind
    rank: int
    """What it is compared by: its rank, that of a full house's trips, the highest of a sequence (5 in A2345)."""
    pair: int | None = None
    """The rank of a full house's pair."""
    suit: Suit | None = None
    """The suit of a straight flush."""
    cards: tuple[Card, ...] = Field(min_length=1)

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(self.cards)}"

    @property
    def name(self) -> str:
        """What is played, without the cards: `pair 7`, `bomb 5 x K`."""
        words = self.kind.replace("_", " ")
        if self.kind == "four_jokers":
            return words
        rank = RANK_NAMES[self.rank]
        if self.kind == "bomb":
            return f"bomb {len(self.cards)} x {rank}"
        if self.kind == "full_house":
            return f"{words} {rank} over {RANK_NAMES[self.pair or 0]}"
        if self.kind not in SHAPES:
            return f"{words} {rank}"
        lowest = RANK_NAMES[sequence(self.rank, SHAPES[self.kind][0])[0]]
        suit = f" of {SUIT_NAMES[self.suit]}" if self.suit else ""
        return f"{words}{suit} {lowest}-{rank}"

    def wilds(self, level: Level) -> int:
        """Return how many of its cards are the level's heart, whatever they stand for."""
        return self.cards.count(wild_card(level))


Move = Pass | Combination
"""Any move; `str(move)` is its text."""


@cache
def sequence(top: int, length: int) -> tuple[int, ...]:
    """Return the ranks of a sequence from the lowest, e.g. 14 2 3 4 5 for the straight whose top is 5."""
    return tuple(ACE if rank == 1 else rank for rank in range(top - length + 1, top + 1))


# Comparison


def power(combination: Combination) -> int:
    """Return 0 for category one; 1 to 9 for bombs, straight flushes between those of five and of six cards, jokers."""
    if combination.kind == "four_jokers":
        return FOUR_JOKERS_POWER
    if combination.kind == "straight_flush":
        return 3
    if combination.kind != "bomb":
        return 0
    return bomb_power(len(combination.cards))


def bomb_power(size: int) -> int:
    """Return the power of a bomb of so many cards: 1 and 2 below straight flushes, 4 to 8 above them."""
    return size - 3 if size <= 5 else size - 2


def worth(combination: Combination, level: Level) -> int:
    """Return what a combination is compared by within its kind: sequences by their natural ranks, else by value."""
    if combination.kind in SHAPES:
        return combination.rank
    return value(combination.rank, level)


def beats(higher: Combination, lower: Combination, level: Level) -> bool:
    """Return whether a combination may be played on another one."""
    powers = power(higher), power(lower)
    if powers == (0, 0) and higher.kind != lower.kind:
        return False
    if powers[0] != powers[1]:
        return powers[0] > powers[1]
    return worth(higher, level) > worth(lower, level)


# What a combination is made of


def slots(combination: Combination) -> tuple[int, ...] | None:
    """Return the rank that each card has or stands for, in order; None when there is no such combination."""
    kind = combination.kind
    rank = combination.rank
    if kind == "four_jokers":
        return (*JOKERS, *JOKERS) if rank == RED_JOKER else None
    if kind in SHAPES:
        length, copies = SHAPES[kind]
        if not length <= rank <= ACE:
            return None
        return tuple(each_rank for each_rank in sequence(rank, length) for _ in range(copies))
    if kind in ("single", "pair"):
        return (rank,) * SIZES[kind] if rank in RANK_NAMES else None
    if rank not in RANKS:
        return None
    if kind == "bomb":
        size = len(combination.cards)
        return (rank,) * size if size in BOMB_SIZES else None
    if kind == "trips":
        return (rank,) * 3
    if combination.pair is None or combination.pair == rank or combination.pair not in RANK_NAMES:
        return None
    return (rank,) * 3 + (combination.pair,) * 2


def flaw(combination: Combination, level: Level) -> str | None:
    """Return what keeps cards from being the combination that they are played as, in words; None when nothing does.

    Wild cards fill what lacks, but no joker's place. In a group of their own, without another card, they are of the
    level's rank.
    """
    ranks = slots(combination)
    if ranks is None:
        return f"there is no {combination.kind.replace('_', ' ')} of rank {combination.rank}"
    if len(ranks) != len(combination.cards):
        return f"it takes {len(ranks)} cards, not {len(combination.cards)}"
    wild = wild_card(level)
    naturals = [card for card in combination.cards if card != wild]
    spare = Counter(card.rank for card in naturals) - Counter(ranks)
    if spare:
        return f"{RANK_NAMES[min(spare)]} has no place in it"
    lacking = Counter(ranks) - Counter(card.rank for card in naturals)
    if any(joker in lacking for joker in JOKERS):
        return "a wild card stands for no joker"
    if combination.kind not in SHAPES and any(
        lacking[rank] == ranks.count(rank) for rank in lacking if rank != level
    ):
        return f"wild cards alone are of rank {RANK_NAMES[level]}"
    return _flaw_of_suits(combination, naturals)


def _flaw_of_suits(combination: Combination, naturals: list[Card]) -> str | None:
    suits = {card.suit for card in naturals}
    if combination.kind == "straight_flush" and suits != {combination.suit}:
        return "its cards are not of its suit"
    if combination.kind != "straight_flush" and combination.suit is not None:
        return "only a straight flush has a suit"
    if combination.kind != "full_house" and combination.pair is not None:
        return "only a full house has a pair"
    if (
        combination.kind == "straight"
        and len(naturals) == len(combination.cards)
        and len(suits) == 1
    ):
        return "five cards of one suit are a straight flush"
    return None


# Texts

_RANK = "|".join(sorted(RANK_NAMES.values(), key=len, reverse=True))
_PATTERN = re.compile(
    rf"(?P<group>single|pair|trips) (?P<rank>{_RANK})"
    rf"|full house (?P<trips>{_RANK}) over (?P<pair>{_RANK})"
    rf"|(?P<row>three pairs|two trips|straight flush|straight)(?: of (?P<suit>{'|'.join(SUIT_NAMES.values())}))?"
    rf" (?P<low>{_RANK})-(?P<top>{_RANK})"
    rf"|bomb (?P<size>\d+) x (?P<bomb>{_RANK})"
    r"|(?P<jokers>four jokers)"
)
_EXAMPLES = "moves read like 'pass', 'pair 7: S7 D7' or 'straight A-5: SA D2 C3 H4 S5'"


@lru_cache(maxsize=4096)  # a journal names the same moves again and again
def parse(text: str) -> Move:
    """Return the move of an exact text, e.g. `pair 7: S7 D7`; any other text is a ValueError."""
    if text == "pass":
        return PASS
    name, colon, listing = text.partition(": ")
    match = _PATTERN.fullmatch(name)
    codes = listing.split(" ")
    if not colon or match is None or any(code not in _CODES for code in codes):
        raise ValueError(f"{text!r} is not a move; {_EXAMPLES}")
    combination = _from_match(match, tuple(Card(code) for code in codes))
    if slots(combination) is None or str(combination) != text:
        raise ValueError(f"{text!r} is not a move; {_EXAMPLES}")
    return combination


_CODES = frozenset(card.value for card in Card)
_SUITS_BY_NAME = {name: suit for suit, name in SUIT_NAMES.items()}


def _from_match(match: re.Match[str], cards: tuple[Card, ...]) -> Combination:
    if match["jokers"]:
        return Combination(kind="four_jokers", rank=RED_JOKER, cards=cards)
    if match["bomb"]:
        return Combination(kind="bomb", rank=RANKS_BY_NAME[match["bomb"]], cards=cards)
    if match["trips"]:
        rank = RANKS_BY_NAME[match["trips"]]
        return Combination(
            kind="full_house", rank=rank, pair=RANKS_BY_NAME[match["pair"]], cards=cards
        )
    kind: Any = (match["group"] or match["row"]).replace(" ", "_")
    rank = RANKS_BY_NAME[match["rank"] or match["top"]]
    suit = _SUITS_BY_NAME[match["suit"]] if match["suit"] else None
    return Combination(kind=kind, rank=rank, suit=suit, cards=cards)


def _read(stored: Any) -> Any:
    return parse(stored) if isinstance(stored, str) else stored


StoredMove = Annotated[Move, BeforeValidator(_read), PlainSerializer(str, return_type=str)]
"""A move that is stored as its text."""
StoredCombination = Annotated[
    Combination, BeforeValidator(_read), PlainSerializer(str, return_type=str)
]
"""A combination that is stored as its text."""
