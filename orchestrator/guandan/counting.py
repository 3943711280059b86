"""Exact chances from what is unseen: may a seat hold cards that beat a combination?

The unseen cards lie in three hands of known sizes; every way to deal them is as likely as any other. Chances are exact
for one rank in one hand (hypergeometric); of several ranks they are taken as independent.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Self

from hanabi_orchestrator.orchestrator.guandan.cards import (
    ACE,
    JOKERS,
    RANKS,
    Card,
    Level,
    Suit,
    value,
    wild_card,
)
from hanabi_orchestrator.orchestrator.guandan.listing import FLUSHES
from hanabi_orchestrator.orchestrator.guandan.plays import (
    BOMB_SIZES,
    SHAPES,
    Combination,
    bomb_power,
    power,
    sequence,
    worth,
)
from hanabi_orchestrator.orchestrator.guandan.view import View


@cache
def chance_of(copies: int, total: int, hand: int, needed: int) -> float:
    """Return the chance that a hand of `hand` cards out of `total` has at least `needed` of the `copies`."""
    if needed <= 0:
        return 1.0
    if copies < needed or hand < needed:
        return 0.0
    ways = sum(
        comb(copies, n) * comb(total - copies, hand - n)
        for n in range(needed, min(copies, hand) + 1)
    )
    return ways / comb(total, hand)


@dataclass(frozen=True)
class Counted:
    """What cards of unknown place say of the hands that they lie in."""

    level: Level
    unseen: Counter[Card]
    cards_left: tuple[int, ...]
    """By seat."""

    @cached_property
    def total(self) -> int:
        return sum(self.unseen.values())

    @cached_property
    def ranks(self) -> Counter[int]:
        """The unseen cards of each rank but wild ones."""
        wild = wild_card(self.level)
        counts: Counter[int] = Counter()
        for card, number in self.unseen.items():
            if card != wild:
                counts[card.rank] += number
        return counts

    @cached_property
    def wilds(self) -> int:
        return self.unseen[wild_card(self.level)]

    @classmethod
    def by_seat(cls, view: View) -> Self:
        """Return what a seat can count: the cards of the other three hands."""
        return cls(view.level, view.unseen, view.cards_left)

    @classmethod
    def by_everybody(cls, view: View) -> Self:
        """Return what can be counted without any hand: the cards that nobody has played, this seat's among them."""
        return cls(view.level, view.unseen + Counter(view.hand), view.cards_left)

    def beats(self, seat: int, play: Combination) -> float:
        """Return the chance that a seat can beat a combination with its own kind or category two."""
        missing = 1.0 - self.bombs(seat, play)
        if not power(play):
            missing *= 1.0 - self.higher(seat, play)
        return 1.0 - missing

    def higher(self, seat: int, play: Combination) -> float:
        """Return the chance that a seat has a higher combination of the same kind of category one."""
        if play.kind in SHAPES:
            length, copies = SHAPES[play.kind]
            return self._any(
                self._row(seat, sequence(top, length), copies)
                for top in range(play.rank + 1, ACE + 1)
            )
        needed = 3 if play.kind == "full_house" else len(play.cards)
        floor = worth(play, self.level)
        ranks = [rank for rank in (*RANKS, *JOKERS) if value(rank, self.level) > floor]
        return self._any(self.group(seat, rank, needed) for rank in ranks)

    def group(self, seat: int, rank: int, needed: int) -> float:
        """Return the chance that a seat has so many cards of a rank, wild ones among them."""
        copies = self.ranks[rank]
        if copies and (needed > 1 or rank == self.level) and rank not in JOKERS:
            copies += self.wilds
        return chance_of(copies, self.total, self.cards_left[seat], needed)

    def bombs(self, seat: int, play: Combination) -> float:
        """Return the chance that a seat has a bomb or straight flush that beats a combination."""
        height = power(play)
        floor = worth(play, self.level)
        size = next((size for size in BOMB_SIZES if bomb_power(size) >= height), None)
        if size is None:
            return 0.0
        chances = []
        for rank in RANKS:
            needed = (
                size if bomb_power(size) > height or value(rank, self.level) > floor else size + 1
            )
            chances.append(self.group(seat, rank, needed))
        if height < 3:
            chances += [self._flush(seat, top, suit) for top, suit in FLUSHES]
        return self._any(chances)

    def _flush(self, seat: int, top: int, suit: Suit) -> float:
        row = FLUSHES[top, suit]
        chance = 1.0
        for card in row:
            chance *= chance_of(self.unseen[card], self.total, self.cards_left[seat], 1)
        return chance

    def _row(self, seat: int, ranks: tuple[int, ...], copies: int) -> float:
        chance = 1.0
        for rank in ranks:
            chance *= chance_of(self.ranks[rank], self.total, self.cards_left[seat], copies)
        return chance

    @staticmethod
    def _any(chances: Iterable[float]) -> float:
        missing = 1.0
        for chance in chances:
            missing *= 1.0 - chance
        return 1.0 - missing
