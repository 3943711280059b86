"""The information strategy, step by step: one hint gives information on every hand but the giver's.

In this order: play the most useful card that certainly fits; risk a life, but never the last one, for a card that fits
or is dead; give a hint if somebody holds a playable card and knows of none; early in the game, discard a useless card;
give a hint if somebody can play, or tokens abound; else discard the card that is least missed. Which number a hint
stands for and what it means is in `table` and `code`. Players who keep the code need each other: to others their hints
are nearly random.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import Literal, Self, TypeVar

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    CARDS,
    DECK_SIZE,
    HAND_SIZES,
    INDEX,
    MAX_TOKENS,
    Mask,
)
from hanabi_orchestrator.orchestrator.hanabi.information.code import Pool, settle
from hanabi_orchestrator.orchestrator.hanabi.information.table import HatTable, copies_left
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import HandMasks, types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Move, Play

RISK = 0.75
"""A card that fits or is dead is played above this P(playable)."""
PLENTY = 4
"""With more tokens than this a hint costs little."""

M = TypeVar("M", bound=Move, covariant=True)
Reasoned = tuple[M, str]
Due = Literal["all tokens", "waited for", "useful"]
"""Why a hint is due."""


@dataclass(frozen=True)
class Sum:
    """The number that encodes all hands in sight."""

    shares: Mapping[int, int]
    """The number of each hand, by seat in turn order."""
    size: int
    """All these numbers are below it."""

    @classmethod
    def of(cls, table: HatTable, size: int) -> Self:
        return cls(
            {seat: table.share(seat, size)[0] for seat in table.other_seats(table.seat)}, size
        )

    @property
    def number(self) -> int:
        return sum(self.shares.values()) % self.size


@dataclass(frozen=True)
class CodePosition:
    """A position as one player knows it who keeps the code."""

    table: HatTable
    legal: Sequence[Move]

    @property
    def seat(self) -> int:
        return self.table.seat

    @cached_property
    def own_hand(self) -> tuple[HandMasks, Pool]:
        """The own hand by common knowledge and the cards in sight, and the copies that its cards can be."""
        counts = copies_left(self.table.piles)
        for _, card in self.seen:
            counts[INDEX_OF[card]] -= 1
        (hand,), pool = settle((self.table.common[self.seat],), Pool.from_counts(counts))
        return hand, pool

    @cached_property
    def seen(self) -> list[tuple[int, Mask]]:
        """The others' cards, as masks, with their seats."""
        return [
            (seat, card)
            for seat in self.table.other_seats(self.seat)
            for card in self.table.cards[seat]
        ]

    @property
    def early(self) -> bool:
        """True if cards can still be discarded without losing points."""
        players = self.table.players
        return (
            len(self.table.piles.discards) <= DECK_SIZE - len(CARDS) - players * HAND_SIZES[players]
        )

    def chances(self, types: Mask) -> list[float]:
        hand, pool = self.own_hand
        return [pool.chance(possible, types) for possible in hand]

    def mean(self, types: Mask, value: dict[Mask, float]) -> float:
        """Return the mean value of a card that may be of these types."""
        _, pool = self.own_hand
        weights = [(pool.weigh(single) or 1, single) for single in RANK_OF if types & single]
        return sum(n * value[single] for n, single in weights) / sum(n for n, _ in weights)

    # Plays

    @cached_property
    def sure(self) -> list[int]:
        """The slots that certainly fit: low ranks first, and cards that nobody else holds."""
        holders = {
            card: len({seat for seat, held in self.seen if held == card}) for card in RANK_OF
        }
        use = {card: (10 - rank) / (1 + holders[card]) for card, rank in RANK_OF.items()}
        slots = [
            slot
            for slot, chance in enumerate(self.chances(self.table.piles.playable))
            if chance == 1
        ]
        return sorted(slots, key=lambda slot: -self.mean(self.own_hand[0][slot], use))

    @cached_property
    def risky(self) -> int | None:
        """The slot worth a life, but never the last one: it fits, most likely, or is of no other use."""
        piles = self.table.piles
        if self.table.lives < 2 or not self.early:
            return None
        fits = self.chances(piles.playable)
        either = [
            slot
            for slot, types in enumerate(self.own_hand[0])
            if not types & ~(piles.playable | piles.dead)
        ]
        slot = max(
            (slot for slot in either if slot not in self.sure),
            key=lambda slot: fits[slot],
            default=None,
        )
        return slot if slot is not None and fits[slot] > RISK else None

    def plays(self) -> Iterator[Reasoned[Play]]:
        """The plays, the best first."""
        yield from ((Play(slot=slot), "it surely fits") for slot in self.sure)
        if self.risky is not None:
            chance = self.chances(self.table.piles.playable)[self.risky]
            yield Play(slot=self.risky), f"it fits with a chance of {chance:.2f}, or is of no use"

    # Hints

    @cached_property
    def hint_sum(self) -> Sum:
        """The number for a hint."""
        return Sum.of(self.table, sum(self.table.sizes(self.seat)))

    @cached_property
    def numbers(self) -> dict[Hint, int]:
        """The legal hints with the numbers that they stand for."""
        hints = [move for move in self.legal if isinstance(move, Hint)]
        return {hint: self._number(hint) for hint in hints}

    def _number(self, hint: Hint) -> int:
        touched = [
            slot for slot, card in enumerate(self.table.cards[hint.to]) if card & types_of(hint)
        ]
        return self.table.number(self.seat, hint.to, touched, isinstance(hint, HintRank))

    def news(self, hint: Hint) -> float:
        """Return how far a hint narrows down its receiver's hand literally: by which factor, at least 1."""
        types = types_of(hint)
        pool = self.table.pool
        live = [
            (mask, mask & (types if card & types else ~types))
            for mask, card in zip(
                self.table.common[hint.to], self.table.cards[hint.to], strict=True
            )
            if mask & ~self.table.piles.dead
        ]
        return prod((pool.weigh(before) or 1) / (pool.weigh(after) or 1) for before, after in live)

    @property
    def due(self) -> Due | None:
        """Why a hint is due; None where a discard is better, or no token is there."""
        if self.table.tokens == MAX_TOKENS:
            return "all tokens"
        held = [seat for seat, card in self.seen if card & self.table.piles.playable]
        if self.table.tokens and any(self.table.waits(seat) for seat in held):
            return "waited for"
        useful = self.table.tokens > PLENTY or (self.table.tokens and held)
        return "useful" if useful and not (self.early and self.useless) else None

    def hints(self) -> Iterator[Reasoned[Hint]]:
        """If a hint is due, those that encode all other hands, the one first that says most literally; where none
        does and nothing can be discarded, the last legal one."""
        if self.due is None:
            return
        fitting = [hint for hint, number in self.numbers.items() if number == self.hint_sum.number]
        for hint in sorted(fitting, key=lambda hint: -self.news(hint)):
            yield (
                hint,
                f"it stands for {self.hint_sum.number}: the sum of what it tells each of the others",
            )
        if self.due == "all tokens" and self.numbers:
            yield list(self.numbers)[-1], "no hint is what it should be"

    # Discards

    @cached_property
    def useless(self) -> list[int]:
        return self.table.useless(self.own_hand[0])

    @cached_property
    def coded(self) -> list[int]:
        """The slots that everybody knows to be useless, if they are several: which of them is discarded, stands for a
        number."""
        slots = self._silent.useless(self._silent.common[self.seat])
        return slots if len(slots) > 1 else []

    @cached_property
    def discard_sum(self) -> Sum:
        """The number for a discard out of the coded slots."""
        return Sum.of(self._silent, len(self.coded))

    @cached_property
    def _silent(self) -> HatTable:
        """The table after the seat gave no hint."""
        return self.table.nobody_waits(self.seat) if self.table.tokens else self.table

    @cached_property
    def keeping(self) -> list[Move]:
        """The legal moves that keep the code: no hint and no discard while everybody knows of an own card that it fits;
        hints that stand for the right number; discards that deny nobody's playable card and stand for no wrong number;
        and plays of which nobody can tell that they were not sure to fit."""
        return [move for move in self.legal if self._keeps(move)]

    def _keeps(self, move: Move) -> bool:
        piles = self.table.piles
        if isinstance(move, Play):
            unseen = self.table.lives > 1 and not self.own_hand[0][move.slot] & ~(
                piles.playable | piles.dead
            )
            return unseen or move.slot in self.sure
        if not self.table.waits(self.seat):
            return False
        if isinstance(move, Discard):
            right = move.slot not in self.coded or move.slot == self.coded[self.discard_sum.number]
            return right and not self._denies
        return self.numbers[move] == self.hint_sum.number

    @cached_property
    def _denies(self) -> bool:
        """True if a discard, by which nobody holds a playable card who waits for a hint, would be false."""
        seats = self.table.other_seats(self.seat)
        held = (
            (card, types)
            for seat in seats
            for card, types in zip(self.table.cards[seat], self._silent.common[seat], strict=True)
        )
        return any(not card & types for card, types in held)

    def discards(self) -> Iterator[Reasoned[Discard]]:
        """All own cards: one that is useless, where several are, by the number for which it stands; then by how little
        they are missed: that a copy is in sight counts twice as much as that it is not critical, then high ranks; those
        to play come last."""
        if self.coded:
            number = self.discard_sum.number
            yield (
                Discard(slot=self.coded[number]),
                f"of {len(self.coded)} useless cards it stands for {number}",
            )
        yield from ((Discard(slot=slot), "it is of no use") for slot in self.useless)
        elsewhere = sum({card for _, card in self.seen})
        seen = self.chances(elsewhere)
        spare = self.chances(~self.table.piles.critical)
        ranks = [self.mean(types, RANK_OF) for types in self.own_hand[0]]
        missed = [
            20 * copy + 10 * free + rank
            for copy, free, rank in zip(seen, spare, ranks, strict=True)
        ]
        to_play = {move.slot for move, _ in self.plays()}
        for slot in sorted(range(len(missed)), key=lambda slot: (slot in to_play, -missed[slot])):
            yield Discard(slot=slot), "it is least missed"


INDEX_OF = {1 << i: i for i in INDEX.values()}
RANK_OF: dict[Mask, float] = {1 << i: card.rank for card, i in INDEX.items()}


def decide(position: CodePosition) -> Reasoned[Move]:
    """Return the first legal move of the strategy and its reason."""
    legal = set(position.legal)
    steps: Iterator[Reasoned[Move]] = chain(position.plays(), position.hints(), position.discards())
    return next(
        ((move, why) for move, why in steps if move in legal),
        (position.legal[-1], "nothing else is allowed"),
    )
