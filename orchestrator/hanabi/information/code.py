"""The code: answers to questions about a hand, packed into one number.

The common knowledge of a hand determines which question comes next. An answer says for each slot which types remain. So
a single number narrows a hand down: everybody who sees the hand can compute it, and its owner can decode it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Mask, Piles
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import HandMasks

Question = Sequence[HandMasks]
"""The possible answers: the types that each slot can be after each. The first true one is given."""

TESTED = 0.7
"""The P(playable) at which a question is worth most: a yes is likely, and then the card is played."""
NEAR = 0.2
"""How far from TESTED a slot's P(playable) may be for its question to be asked."""


@dataclass(frozen=True)
class Pool:
    """Copies of cards whose place is unknown, as layers: layer n holds the types with more than n copies."""

    layers: tuple[Mask, ...]

    def weigh(self, types: Mask) -> int:
        return sum((layer & types).bit_count() for layer in self.layers)

    def chance(self, possible: Mask, types: Mask) -> float:
        """P(a card is one of `wanted`); exactly 1.0 or 0.0 when that is certain."""
        if not possible & types:
            return 0.0
        if not possible & ~types:
            return 1.0
        return self.weigh(possible & types) / (self.weigh(possible) or 1)

    @classmethod
    def from_counts(cls, counts: Sequence[int]) -> "Pool":
        return cls(
            tuple(sum(1 << i for i, n in enumerate(counts) if n > layer) for layer in range(3))
        )

    def less(self, single: Mask) -> "Pool":
        """Without one copy of a type."""
        layers = list(self.layers)
        for number in reversed(range(len(layers))):
            if layers[number] & single:
                layers[number] &= ~single
                break
        return Pool(tuple(layers))


def is_single(types: Mask) -> bool:
    return not types & (types - 1)


def settle(hands: Sequence[HandMasks], pool: Pool) -> tuple[tuple[HandMasks, ...], Pool]:
    """Hands without the types whose copies are all located elsewhere, and the copies left for unknown slots."""
    while True:
        rest = pool
        for single in (types for hand in hands for types in hand if is_single(types)):
            rest = rest.less(single)
        available = rest.layers[0]
        settled = tuple(
            tuple(m if is_single(m) else (m & available or m) for m in hand) for hand in hands
        )
        if settled == hands:
            return settled, rest
        hands = settled


def ask(hand: HandMasks, pool: Pool, piles: Piles, most: int) -> Question | None:
    """Return the next question, with at most `most` answers; None when nothing is left to ask."""
    plays = [pool.chance(types, piles.playable) for types in hand]
    if 1.0 not in plays:
        deads = [pool.chance(types, piles.dead) for types in hand]
        if question := _first_that_is(hand, plays, deads, piles, most):
            return question
    elif tested := [slot for slot, chance in enumerate(plays) if abs(chance - TESTED) < NEAR]:
        slot = min(tested, key=lambda slot: abs(plays[slot] - TESTED))
        return [_only(hand, slot, ~piles.playable), _only(hand, slot, piles.playable)]
    return _which(hand, pool, piles, most)


def _first_that_is(
    hand: HandMasks, plays: Sequence[float], deads: Sequence[float], piles: Piles, most: int
) -> Question | None:
    """Ask which slot is the first playable one, or, if none is known to be dead, the first dead one; less probable
    slots come first."""

    def open_items(chances: Sequence[float], types: Mask) -> list[tuple[float, int, Mask]]:
        return sorted(
            (chance, slot, types) for slot, chance in enumerate(chances) if 0 < chance < 1
        )

    items = open_items(plays, piles.playable)[-(most - 1) :]
    if 1.0 not in deads and (room := most - 1 - len(items)):
        items += open_items(deads, piles.dead)[-room:]
    answers = []
    rest = hand
    for _, slot, types in items:
        answers.append(_only(rest, slot, types))
        rest = _only(rest, slot, ~types)
    return [*answers, rest] if answers else None


def _which(hand: HandMasks, pool: Pool, piles: Piles, most: int) -> Question | None:
    """Ask to which part of its types the slot belongs that is least probably dead; all dead types are one part."""
    open_slots = [
        slot for slot, types in enumerate(hand) if not is_single(types) and types & ~piles.dead
    ]
    if not open_slots:
        return None
    slot = min(open_slots, key=lambda slot: pool.chance(hand[slot], piles.dead))
    dead = hand[slot] & piles.dead
    alive = hand[slot] & ~piles.dead
    parts = [0] * min(most - bool(dead), alive.bit_count())
    for number, single in enumerate(1 << i for i in range(len(CARDS)) if alive >> i & 1):
        parts[number % len(parts)] |= single
    return [_only(hand, slot, part) for part in (*parts, dead) if part]


def _only(hand: HandMasks, slot: int, types: Mask) -> HandMasks:
    return (*hand[:slot], hand[slot] & types, *hand[slot + 1 :])


Answering = Callable[[Question, int], int]
"""(question, scale of its answer within the number) -> the index of the answer."""


def _question_by_question(
    hand: HandMasks, pool: Pool, piles: Piles, size: int, answer: Answering
) -> tuple[int, HandMasks]:
    """Ask until a number below `size` can hold no further answer; the number, and the hand after the answers."""
    number = 0
    scale = 1
    while (most := (size - 1 - number) // scale + 1) > 1 and (
        question := ask(hand, pool, piles, most)
    ):
        index = answer(question, scale)
        number += scale * index
        scale *= len(question)
        hand = question[index]
    return number, hand


def encode(
    hand: HandMasks, pool: Pool, piles: Piles, size: int, cards: HandMasks
) -> tuple[int, HandMasks]:
    """Return the number below `size` for a hand, and what is known of the hand after it. `cards`: the type of each
    card."""

    def answer(question: Question, _: int) -> int:
        fitting = (
            n
            for n, types in enumerate(question)
            if all(a & b for a, b in zip(types, cards, strict=True))
        )
        return next(fitting, 0)

    return _question_by_question(hand, pool, piles, size, answer)


def decode(hand: HandMasks, pool: Pool, piles: Piles, size: int, number: int) -> HandMasks:
    """Return what is known of a hand after a number that was given for it."""
    return _question_by_question(
        hand, pool, piles, size, lambda question, scale: number // scale % len(question)
    )[1]
