"""How far a hand is from being out: an estimate of the tricks that somebody else must give it.

A hand is split into groups, straights, full houses, consecutive pairs and trips. A weak group costs one trick; a strong
one costs less, since it may win the trick that it is played on; a bomb saves some of another's cost. The numbers are
ours: the paper's tool is a trained network (section 3.2).
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from hanabi_orchestrator.orchestrator.guandan.cards import (
    ACE,
    BLACK_JOKER,
    RANKS,
    RED_JOKER,
    Card,
    Level,
    value,
    wild_card,
)
from hanabi_orchestrator.orchestrator.guandan.listing import FLUSHES
from hanabi_orchestrator.orchestrator.guandan.plays import SHAPES, sequence

GAINS: dict[int, dict[int, float]] = {
    1: {12: 0.05, 13: 0.15, 14: 0.3, 15: 0.5, 16: 0.7, 17: 0.9},
    2: {11: 0.1, 12: 0.2, 13: 0.3, 14: 0.5, 15: 0.7, 16: 0.8, 17: 0.9},
    3: {10: 0.2, 11: 0.25, 12: 0.35, 13: 0.45, 14: 0.55, 15: 0.7},
}
"""By cards of a group and their value: how far they win tricks, from 0 to 1; 0 for lower ones."""
BOMB_COST = -0.35
"""Of a bomb of four; each card more saves LONGER_BOMB."""
LONGER_BOMB = 0.1
FLUSH_COST = -0.5
FOUR_JOKERS_COST = -0.8
FULL_HOUSE_SAVING = 0.85
"""What a pair saves that goes with trips."""
SEQUENCE_COST = 0.85
"""Of any sequence but a straight flush, less SEQUENCE_GAIN for each rank above the lowest."""
SEQUENCE_GAIN = 0.03
WEAK_PAIR = 13
"""Pairs of this value and above do not go with trips."""
MOST_SEQUENCES = 4

Counts = list[int]
"""Cards of each rank, by rank; no wild ones."""


@dataclass(frozen=True)
class Row:
    """A sequence that may be taken out of a hand."""

    ranks: tuple[int, ...]
    copies: int
    cost: float


def _rows() -> tuple[Row, ...]:
    rows = []
    for kind, (length, copies) in SHAPES.items():
        if kind == "straight_flush":
            continue
        for top in range(length, ACE + 1):
            rows.append(
                Row(sequence(top, length), copies, SEQUENCE_COST - SEQUENCE_GAIN * (top - length))
            )
    return tuple(rows)


ROWS = _rows()


@cache
def group_cost(rank: int, number: int, level: Level) -> float:
    """Return what so many cards of a rank cost as one group."""
    if number == 0:
        return 0.0
    if number >= 4:
        return BOMB_COST - LONGER_BOMB * (number - 4)
    return 1 - GAINS[number].get(value(rank, level), 0.0)


@lru_cache(maxsize=4096)  # a listing has many moves after which the same cards remain
def burden(hand: tuple[Card, ...], level: Level) -> float:
    """Return the estimate for a hand: 0 when it is empty, about 1 for each weak group."""
    wild = wild_card(level)
    counts = [0] * (RED_JOKER + 1)
    naturals = []
    for card in hand:
        if card != wild:
            counts[card.rank] += 1
            naturals.append(card)
    wilds = len(hand) - len(naturals)
    plain = _split(counts, wilds, level)
    if len(hand) < 5:
        return plain
    return min(plain, _with_flush(naturals, counts, wilds, level))


def _with_flush(naturals: list[Card], counts: Counts, wilds: int, level: Level) -> float:
    """Return the least with one straight flush taken out; much where there is none."""
    types = set(naturals)
    least = float(len(naturals) + wilds)
    for row in FLUSHES.values():
        inside = types.intersection(row)
        lacking = len(row) - len(inside)
        if lacking <= min(wilds, 1):
            remaining = counts.copy()
            for card in inside:
                remaining[card.rank] -= 1
            least = min(least, FLUSH_COST + _split(remaining, wilds - lacking, level))
    return least


def _split(counts: Counts, wilds: int, level: Level) -> float:
    """Return the cost of groups and sequences, of which the most saving ones are taken out first."""
    counts = counts.copy()
    total = 0.0
    if counts[BLACK_JOKER] + counts[RED_JOKER] == 4:
        total = FOUR_JOKERS_COST
        counts[BLACK_JOKER] = counts[RED_JOKER] = 0
    cost = _grouped(counts, level)
    for _ in range(MOST_SEQUENCES):
        saving, row = _best_row(counts, cost, level)
        if row is None:
            break
        for rank in row.ranks:
            counts[rank] -= row.copies
        cost -= saving + row.cost
        total += row.cost
    return total + cost + _wild_savings(counts, wilds, level)


def _best_row(counts: Counts, cost: float, level: Level) -> tuple[float, Row | None]:
    best: Row | None = None
    most = 0.0
    for row in ROWS:
        copies = row.copies
        if min(map(counts.__getitem__, row.ranks)) < copies:
            continue
        for rank in row.ranks:
            counts[rank] -= copies
        saving = cost - _grouped(counts, level) - row.cost
        for rank in row.ranks:
            counts[rank] += copies
        if saving > most:
            most = saving
            best = row
    return most, best


def _grouped(counts: Counts, level: Level) -> float:
    """Return the cost of groups alone, pairs beside trips as full houses."""
    total = 0.0
    trips = 0
    pairs = 0
    for rank, number in enumerate(counts):
        if number:
            total += group_cost(rank, number, level)
            if number == 3:
                trips += 1
            elif number == 2 and value(rank, level) < WEAK_PAIR:
                pairs += 1
    return total - FULL_HOUSE_SAVING * min(trips, pairs)


def _wild_savings(counts: Counts, wilds: int, level: Level) -> float:
    """Return what changes when each wild card joins the group that it helps most, or stays alone."""
    total = 0.0
    counts = counts.copy()
    for _ in range(wilds):
        best = level
        least = group_cost(level, 1, level)
        for rank in RANKS:
            number = counts[rank]
            change = group_cost(rank, number + 1, level) - group_cost(rank, number, level)
            if number and change < least:
                least = change
                best = rank
        counts[best] += 1
        total += least
    return total
