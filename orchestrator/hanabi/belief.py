"""Exact beliefs about a hidden hand, by integer counting.

A hand is a draw of distinct copies from the cards that its observer cannot see, each slot restricted to the types that
hints leave possible. The joint posterior is exact: a dynamic programme over card types fills subsets of slots. So a
probability of 1.0 means certainty, even where no slot-by-slot reasoning would find it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import compress

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    CARDS,
    COPIES_OF,
    Card,
    Mask,
    Piles,
    count,
    unmask,
)
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, View


@dataclass(frozen=True)
class Slot:
    """The belief about one slot: how many of the possible deals put each type there."""

    weights: tuple[int, ...]
    """By index in CARDS."""
    piles: Piles

    @cached_property
    def total(self) -> int:
        """The number of possible deals."""
        return sum(self.weights)

    @cached_property
    def possible(self) -> Mask:
        """The types that the card can be."""
        return sum(1 << i for i, weight in enumerate(self.weights) if weight)

    def chance(self, types: Mask) -> float:
        """P(the card is one of `types`); exactly 0.0 or 1.0 when that is certain."""
        return sum(compress(self.weights, _bits(types))) / self.total

    @cached_property
    def playable(self) -> float:
        """The probability that the card scores if played now, 0 to 1."""
        return self.chance(self.piles.playable)

    @cached_property
    def dead(self) -> float:
        """The probability that the card can never score again, 0 to 1."""
        return self.chance(self.piles.dead)

    @cached_property
    def critical(self) -> float:
        """The probability that the card is the last copy of a type still needed, 0 to 1."""
        return self.chance(self.piles.critical)

    def likely(self) -> dict[Card, float]:
        """Return the possible cards with their probabilities, likeliest first."""
        shares = {
            card: self.weights[i] / self.total for i, card in enumerate(CARDS) if self.weights[i]
        }
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def cards(self) -> tuple[Card, ...]:
        return unmask(self.possible)


@lru_cache(maxsize=4096)
def _bits(types: Mask) -> tuple[int, ...]:
    """Return the types of a mask, each as 0 or 1."""
    return tuple(types >> i & 1 for i in range(len(CARDS)))


@lru_cache(maxsize=4096)
def weights(masks: tuple[Mask, ...], unseen: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each slot and type: the number of ordered draws from `unseen` that fit all `masks` and put it there.

    All zero when no draw fits. Types that may lie in the same slots are drawn as one kind and told apart afterwards:
    each copy of a kind lies in a slot equally often.
    """
    slots = len(masks)
    full = (1 << slots) - 1
    kinds = _kinds(masks, unseen)
    copies = [sum(unseen[k] for k in types) for types in kinds.values()]
    forward = _fill(list(kinds), copies, full)
    backward = _fill(list(kinds)[::-1], copies[::-1], full)[::-1]
    table = [[0] * len(CARDS) for _ in masks]
    for step, (allowed, types) in enumerate(kinds.items()):
        counts = [0] * slots
        for before, ways in forward[step].items():
            for chosen, orders in _subsets(allowed & ~before, copies[step]):
                after = backward[step + 1].get(full & ~before & ~chosen, 0) if chosen else 0
                for slot in range(slots) if after else ():
                    if chosen >> slot & 1:
                        counts[slot] += ways * orders * after
        for slot, number in enumerate(counts):
            for k in types:
                table[slot][k] = number // copies[step] * unseen[k]
    return tuple(tuple(row) for row in table)


def _kinds(masks: Sequence[Mask], unseen: Sequence[int]) -> dict[int, list[int]]:
    """Return the types with copies left, grouped by the set of slots in which they may lie."""
    kinds: dict[int, list[int]] = {}
    for k, copies in enumerate(unseen):
        allowed = sum(1 << slot for slot, possible in enumerate(masks) if possible >> k & 1)
        if copies and allowed:
            kinds.setdefault(allowed, []).append(k)
    return kinds


def _fill(kinds: Sequence[int], copies: Sequence[int], full: int) -> list[dict[int, int]]:
    """For each prefix of the kinds: in how many ways it fills each set of slots."""
    ways: list[dict[int, int]] = [{0: 1}]
    for allowed, number in zip(kinds, copies, strict=True):
        after: dict[int, int] = {}
        for filled, before in ways[-1].items():
            for chosen, orders in _subsets(allowed & ~filled & full, number):
                after[filled | chosen] = after.get(filled | chosen, 0) + before * orders
        ways.append(after)
    return ways


@cache
def _subsets(free: int, copies: int) -> tuple[tuple[int, int], ...]:
    """Return the subsets of `free` that `copies` copies can fill, each with the number of ways to order the copies."""
    subsets = []
    subset = free
    while True:
        orders = 1
        for used in range(subset.bit_count()):
            orders *= copies - used
        if orders > 0:
            subsets.append((subset, orders))
        if not subset:
            return tuple(subsets)
        subset = (subset - 1) & free


def unseen(piles: Piles, *visible: Sequence[Card]) -> tuple[int, ...]:
    """Copies of each type that are neither in the piles nor in the visible hands."""
    seen = count(card for hand in visible for card in hand)
    return tuple(
        copies - piled - held
        for copies, piled, held in zip(COPIES_OF, piles.counts, seen, strict=True)
    )


def believe(masks: Sequence[Mask], piles: Piles, *visible: Sequence[Card]) -> tuple[Slot, ...]:
    """Return the belief about a hand restricted by `masks`, for an observer who sees the piles and the `visible` hands.

    Raises ValueError when no hand fits, because the masks and the visible cards contradict each other.
    """
    table = weights(tuple(masks), unseen(piles, *visible))
    if any(not any(row) for row in table):
        raise ValueError("no hand fits these hints and visible cards")
    return tuple(Slot(row, piles) for row in table)


def own_hand(view: View) -> tuple[Slot, ...]:
    """Return the belief of a seat about its own hand, from hints and the cards that it sees."""
    return believe([k.mask for k in view.own], view.piles, *(hand.cards for hand in view.hands))


def partner(view: View, seat: int) -> tuple[Slot, ...]:
    """Return the belief of `seat` about its own hand, as far as the viewing seat can tell.

    That seat sees the viewer's hand and the viewer does not, so only the piles and the hands that both see are counted.
    """
    return believe(
        [k.mask for k in hand_of(view, seat).known],
        view.piles,
        *(h.cards for h in seen_by_both(view, seat)),
    )


def hand_of(view: View, seat: int) -> Hand:
    return next(hand for hand in view.hands if hand.seat == seat)


def seen_by_both(view: View, seat: int) -> tuple[Hand, ...]:
    return tuple(hand for hand in view.hands if hand.seat != seat)
