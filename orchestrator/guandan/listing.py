"""The moves that a seat chooses from: one entry per kind, rank and number of wild cards.

An entry has the fewest wild cards that it takes, or one more; suits matter only for straight flushes (paper, section 3,
has lists of more than 80 moves). Which cards of a rank go: spare copies first, then those of no straight flush in the
hand. The rules allow other choices of cards, too; `plays.flaw` says which.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from hanabi_orchestrator.orchestrator.guandan.cards import (
    ACE,
    INDEX,
    JOKERS,
    OF_SUIT,
    RANKS,
    RED_JOKER,
    SUITS,
    Card,
    Level,
    Suit,
    value,
    wild_card,
)
from hanabi_orchestrator.orchestrator.guandan.plays import (
    BOMB_SIZES,
    FOUR_JOKERS_POWER,
    PASS,
    SHAPES,
    SIZES,
    Combination,
    Kind,
    Move,
    bomb_power,
    power,
    sequence,
    worth,
)

GROUP_RANKS = (*RANKS, *JOKERS)
FLUSHES: dict[tuple[int, Suit], tuple[Card, ...]] = {
    (top, suit): tuple(OF_SUIT[suit, rank] for rank in sequence(top, 5))
    for top in range(5, ACE + 1)
    for suit in SUITS
}
"""The cards of each straight flush by top and suit, from the lowest."""


@dataclass(frozen=True)
class Holding:
    """A hand sorted for the listing."""

    hand: Sequence[Card]
    level: Level

    @cached_property
    def wilds(self) -> int:
        """The number of wild cards."""
        return sum(card == self.wild for card in self.hand)

    @cached_property
    def wild(self) -> Card:
        return wild_card(self.level)

    @cached_property
    def naturals(self) -> dict[int, list[Card]]:
        """The cards of each rank but wild ones, in the order in which they are spent."""
        cards: dict[int, list[Card]] = {rank: [] for rank in GROUP_RANKS}
        for card in self.hand:
            if card != self.wild:
                cards[card.rank].append(card)
        needed = self._in_straight_flushes()
        for row in cards.values():
            last = {card for card in row if row.count(card) == 1 and card in needed}
            row.sort(key=lambda card, last=last: (card in last, INDEX[card]))  # type: ignore[misc]
        return cards

    @cached_property
    def counts(self) -> dict[int, int]:
        """How many cards of each rank there are, without wild ones."""
        return {rank: len(cards) for rank, cards in self.naturals.items()}

    @cached_property
    def types(self) -> frozenset[Card]:
        """The different cards but wild ones."""
        return frozenset(card for card in self.hand if card != self.wild)

    def _in_straight_flushes(self) -> set[Card]:
        """Return the cards of straight flushes without wild cards."""
        cards: set[Card] = set()
        for row in FLUSHES.values():
            if self.types.issuperset(row):
                cards.update(row)
        return cards

    def wild_numbers(self, fewest: int, most: int) -> range:
        """Return how many wild cards an entry may have: the fewest and one more, if hand and entry have them."""
        return range(fewest, min(fewest + 1, most, self.wilds) + 1)


def legal_moves(hand: Sequence[Card], level: Level, trick: Combination | None) -> tuple[Move, ...]:
    """Return what a hand may play on a trick, or lead when there is none: a pass first, then by kind, rank, wilds."""
    holding = Holding(hand, level)
    if trick is None:
        return (*_category_one(holding), *_category_two(holding, 0, 0))
    height = power(trick)
    bombs = _category_two(holding, height, worth(trick, level) if height else 0)
    if height:
        return (PASS, *bombs)
    return (PASS, *_LISTS[trick.kind](holding, trick.kind, worth(trick, level)), *bombs)


def _category_one(holding: Holding) -> Iterator[Combination]:
    for kind, entries in _LISTS.items():
        yield from entries(holding, kind, 0)


# Each list has what is worth more than `floor`.


def _groups(holding: Holding, kind: Kind, floor: int) -> Iterator[Combination]:
    size = SIZES[kind]
    for rank in _by_value(holding.level):
        if value(rank, holding.level) > floor:
            yield from _group(holding, kind, rank, size)


@cache
def _by_value(level: Level) -> tuple[int, ...]:
    return tuple(sorted(GROUP_RANKS, key=lambda rank: value(rank, level)))


def _group(holding: Holding, kind: Kind, rank: int, size: int) -> Iterator[Combination]:
    cards = holding.naturals[rank]
    fewest = max(0, size - len(cards))
    for wilds in holding.wild_numbers(fewest, _most_wilds(rank, size, holding.level)):
        row = (*cards[: size - wilds], *[holding.wild] * wilds)
        yield Combination.model_construct(kind=kind, rank=rank, cards=row)


def _most_wilds(rank: int, size: int, level: Level) -> int:
    """Return how many wild cards a group may have: none among jokers, and one natural card unless of the level."""
    if rank in JOKERS:
        return 0
    return size if rank == level else size - 1


def _full_houses(holding: Holding, kind: Kind, floor: int) -> Iterator[Combination]:
    counts = holding.counts
    ranks = _by_value(holding.level)
    for rank in ranks:
        lacking = max(0, 3 - counts[rank])
        if rank in JOKERS or value(rank, holding.level) <= floor or lacking > holding.wilds:
            continue
        for pair in ranks:
            lacking_pair = max(0, 2 - counts[pair])
            if pair == rank or lacking_pair > _most_wilds(pair, 2, holding.level):
                continue
            for wilds in holding.wild_numbers(lacking + lacking_pair, 2):
                in_trips = wilds - lacking_pair
                row = (
                    *holding.naturals[rank][: 3 - in_trips],
                    *[holding.wild] * in_trips,
                    *holding.naturals[pair][: 2 - lacking_pair],
                    *[holding.wild] * lacking_pair,
                )
                yield Combination.model_construct(kind=kind, rank=rank, pair=pair, cards=row)


def _sequences(holding: Holding, kind: Kind, floor: int) -> Iterator[Combination]:
    length, copies = SHAPES[kind]
    for top in range(max(length, floor + 1), ACE + 1):
        ranks = sequence(top, length)
        rows = [holding.naturals[rank][:copies] for rank in ranks]
        fewest = length * copies - sum(map(len, rows))
        if fewest > holding.wilds:
            continue
        if (
            kind == "straight"
            and fewest == 0
            and not _mix_suits(rows, [holding.naturals[rank] for rank in ranks])
        ):
            fewest = 1
        for wilds in holding.wild_numbers(fewest, 2):
            cards = _with_wilds(rows, copies, wilds, holding)
            yield Combination.model_construct(kind=kind, rank=top, cards=cards)


def _mix_suits(rows: list[list[Card]], choices: list[list[Card]]) -> bool:
    """Give five cards of one suit another suit where the hand can; returns whether they are of several now."""
    suit = rows[0][0].suit
    if any(row[0].suit != suit for row in rows):
        return True
    for position, cards in enumerate(choices):
        replacement = next((card for card in cards if card.suit != suit), None)
        if replacement:
            rows[position] = [replacement]
            return True
    return False


def _with_wilds(
    rows: list[list[Card]], copies: int, wilds: int, holding: Holding
) -> tuple[Card, ...]:
    """Fill what lacks with wild cards; those beyond stand for the cards of the highest value, which stay in hand."""
    rows = [list(row) for row in rows]
    beyond = wilds - sum(copies - len(row) for row in rows)
    dearest = sorted(rows, key=lambda row: value(row[0].rank, holding.level) if row else 0)
    for _ in range(beyond):
        dearest.pop().pop()
    cards: list[Card] = []
    for row in rows:
        cards += row
        cards += [holding.wild] * (copies - len(row))
    return tuple(cards)


def _category_two(holding: Holding, height: int, floor: int) -> Iterator[Combination]:
    """List what has more power than `height`, or as much and is worth more than `floor`."""
    ranks = [
        rank
        for rank in _by_value(holding.level)
        if holding.counts[rank] + holding.wilds >= BOMB_SIZES.start
    ]
    for size in BOMB_SIZES:
        if size == 6 and height <= 3:
            yield from _straight_flushes(holding, floor if height == 3 else 0)
        if bomb_power(size) < height:
            continue
        least = floor if bomb_power(size) == height else 0
        for rank in ranks:
            if rank not in JOKERS and value(rank, holding.level) > least:
                yield from _group(holding, "bomb", rank, size)
    jokers = [card for rank in JOKERS for card in holding.naturals[rank]]
    if len(jokers) == 4 and height < FOUR_JOKERS_POWER:
        yield Combination.model_construct(kind="four_jokers", rank=RED_JOKER, cards=tuple(jokers))


def _straight_flushes(holding: Holding, floor: int) -> Iterator[Combination]:
    for (top, suit), row in FLUSHES.items():
        if top > floor and len(holding.types.intersection(row)) + holding.wilds >= len(row):
            yield from _straight_flush(holding, suit, top)


def _straight_flush(holding: Holding, suit: Suit, top: int) -> Iterator[Combination]:
    rows = [[card] if card in holding.types else [] for card in FLUSHES[top, suit]]
    fewest = rows.count([])
    for wilds in holding.wild_numbers(fewest, 2):
        cards = _with_wilds(rows, 1, wilds, holding)
        yield Combination.model_construct(kind="straight_flush", rank=top, suit=suit, cards=cards)


_LISTS: dict[Kind, Callable[[Holding, Kind, int], Iterator[Combination]]] = {
    "single": _groups,
    "pair": _groups,
    "trips": _groups,
    "full_house": _full_houses,
    "three_pairs": _sequences,
    "two_trips": _sequences,
    "straight": _sequences,
}
"""Of category one, in the order of the list."""
