"""The common knowledge of hat players, from the public history: every seat computes the same from what it sees.

A hint stands for a number: the sum, over all hands but the giver's, of the numbers that encode each hand. Every other
player subtracts the numbers of the hands in sight and is left with the number of the own hand. As all players can
compute the others' numbers, everybody knows what everybody learned. A discard among several cards that are commonly
known to be useless stands for such a number too. And a discard while there are tokens says that nobody waits for a
hint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from orchestrator.hanabi.cards import (
    ANY,
    COPIES_OF,
    DECK_SIZE,
    HAND_SIZES,
    INDEX,
    MAX_TOKENS,
    OF_COLOUR,
    OF_RANK,
    Card,
    Fireworks,
    Mask,
    Piles,
)
from orchestrator.hanabi.literal_knowledge import HandMasks, hinted, shifted, unknown_hands, with_hand
from orchestrator.hanabi.moves import Discard, Hint, HintRank, Play
from orchestrator.hanabi.view import Past, View
from orchestrator.players.hat.code import Pool, decode, encode, is_single, settle


def copies_left(piles: Piles) -> list[int]:
    """Copies of each type that are in the hands or the deck."""
    return [copies - number for copies, number in zip(COPIES_OF, piles.counts, strict=True)]


@lru_cache(maxsize=256)
def piles_of(fireworks: Fireworks, discards: tuple[Card, ...]) -> Piles:
    return Piles(fireworks, discards)


@dataclass(frozen=True)
class HatTable:
    """A position as all hat players know it, and the cards that one seat sees."""

    seat: int
    cards: tuple[HandMasks, ...]
    """The type of each card, as a mask, by seat; 0 for the cards of the own hand."""
    common: tuple[HandMasks, ...]
    """The common knowledge of each slot, by seat."""
    literal: tuple[HandMasks, ...]
    """What hints say literally of each slot, by seat."""
    pool: Pool
    """The copies whose place is not common knowledge."""
    piles: Piles
    tokens: int

    @property
    def players(self) -> int:
        return len(self.common)

    def other_seats(self, seat: int) -> list[int]:
        """Return the other seats, in turn order from the next player."""
        return [(seat + step) % self.players for step in range(1, self.players)]

    # Hints as numbers

    def sizes(self, giver: int) -> list[int]:
        """Return how many numbers the hints to each other player can stand for: 4 if their hand certainly has two
        colours and two ranks, so that all four hints can be given; else 3."""
        singles = (*OF_COLOUR.values(), *OF_RANK.values())
        hands = (self.common[seat] for seat in self.other_seats(giver))
        return [3 if any(all(types & single for types in hand) for single in singles) else 4 for hand in hands]

    def number(self, giver: int, to: int, slots: Sequence[int], by_rank: bool) -> int:
        """Return the number that a hint stands for: by its receiver, its kind, and whether it touches a certain slot of
        theirs."""
        place = self.other_seats(giver).index(to)
        sizes = self.sizes(giver)
        touches = _asked_slot(self.common[to], self.piles) in slots
        kind = 0 if by_rank else 1
        return sum(sizes[:place]) + (kind if touches else 2 + kind if sizes[place] == 4 else 2)

    def sum(self, giver: int, size: int) -> int:
        """Return the number that encodes all hands but the giver's; the giver must be the seat whose view this is."""
        return sum(self._share(seat, size)[0] for seat in self.other_seats(giver)) % size

    def _share(self, seat: int, size: int) -> tuple[int, HandMasks]:
        return _encoded(self.common[seat], self.pool, self.piles, size, self.cards[seat])

    def after_number(self, giver: int, size: int, number: int) -> tuple[HandMasks, ...]:
        """Return the common knowledge after a number below `size`."""
        hands = list(self.common)
        for seat in self.other_seats(giver):
            if seat != self.seat:
                share, hands[seat] = self._share(seat, size)
                number -= share
        if giver != self.seat:
            hands[self.seat] = decode(self.common[self.seat], self.pool, self.piles, size, number % size)
        return tuple(hands)

    # What waits for a hint, what is useless

    def waits(self, seat: int) -> bool:
        """Return whether no card of this seat is commonly known to be playable."""
        return all(types & ~self.piles.playable for types in self.common[seat])

    def useless(self, hand: HandMasks) -> list[int]:
        """Slots that are known to be dead, or to hold the same card as an older slot."""
        twins = [is_single(types) and types in hand[:slot] for slot, types in enumerate(hand)]
        return [slot for slot, types in enumerate(hand) if twins[slot] or not types & ~self.piles.dead]

    def nobody_waits(self, giver: int) -> "HatTable":
        """Return the table after `giver` gave no hint although one was possible: players who wait for a hint hold no
        playable card."""
        playable = self.piles.playable
        hands = [
            tuple(types & ~playable for types in hand) if seat != giver and self.waits(seat) else hand
            for seat, hand in enumerate(self.common)
        ]
        return self._with(hands, self.literal)

    def _with(self, common: Sequence[HandMasks], literal: Sequence[HandMasks]) -> "HatTable":
        """Return the table with this knowledge. A slot of which nothing would be left may be all that hints leave of
        it: somebody at the table plays by other rules."""
        mended = [
            tuple(types & hints or hints for types, hints in zip(*hand, strict=True))
            for hand in zip(common, literal, strict=True)
        ]
        settled, pool = settle(tuple(mended), Pool.from_counts(copies_left(self.piles)))
        return replace(self, common=settled, literal=tuple(literal), pool=pool)

    # After a move

    def after(self, past: Past, discards: tuple[Card, ...]) -> "HatTable":
        """Return the table after a move. `discards`: the pile after it."""
        move = past.move
        if isinstance(move, Hint):
            number = self.number(past.seat, move.to, past.slots, isinstance(move, HintRank))
            common = self.after_number(past.seat, sum(self.sizes(past.seat)), number)
            literal = with_hand(self.literal, move.to, hinted(self.literal[move.to], move, past.slots))
            return replace(self._with(common, literal), tokens=past.tokens)
        table = self._discarded(past.seat, move.slot) if isinstance(move, Discard) else self
        return table._moved(past, move, piles_of(past.fireworks, discards))

    def _discarded(self, seat: int, slot: int) -> "HatTable":
        table = self.nobody_waits(seat) if self.tokens else self
        useless = table.useless(table.common[seat])
        if len(useless) < 2 or slot not in useless:
            return table
        return table._with(table.after_number(seat, len(useless), useless.index(slot)), table.literal)

    def _moved(self, past: Past, move: Play | Discard, piles: Piles) -> "HatTable":
        """Return the table after a card left the hand and the next one was drawn."""
        drew = 1 << INDEX[past.drew] if past.drew else 0
        cards = sum(map(len, self.common)) + sum(self.piles.fireworks) + len(self.piles.discards)
        more = cards < DECK_SIZE  # the deck was not empty

        def moved(hands: tuple[HandMasks, ...], card: Mask) -> tuple[HandMasks, ...]:
            return with_hand(hands, past.seat, shifted(hands[past.seat], move.slot, (card,) if more else ()))

        table = replace(self, cards=moved(self.cards, drew), piles=piles, tokens=past.tokens)
        return table._with(moved(self.common, ANY), moved(self.literal, ANY))


_encoded = lru_cache(maxsize=4096)(encode)


def _asked_slot(hand: HandMasks, piles: Piles) -> int:
    """Return the slot of which least is known, dead cards last; the oldest of equals."""

    def openness(types: Mask) -> int:
        if not types & ~piles.dead:
            return 0
        colours = sum(bool(types & named) for named in OF_COLOUR.values())
        ranks = sum(bool(types & named) for named in OF_RANK.values())
        return 1 + (colours > 1) + (ranks > 1)

    return max(range(len(hand)), key=lambda slot: (openness(hand[slot]), -slot))


def start(view: View) -> HatTable:
    """Return the table before the first move."""
    unknown = unknown_hands(view.players)
    hidden = (0,) * HAND_SIZES[view.players]
    cards = tuple(tuple(1 << INDEX[card] for card in hand) or hidden for hand in view.dealt)
    return HatTable(
        view.seat, cards, unknown, unknown, Pool.from_counts(COPIES_OF), piles_of((0, 0, 0, 0, 0), ()), MAX_TOKENS
    )


KEPT = 64
"""The most tables that are cached."""
_KEPT: dict[object, tuple[tuple[Past, ...], HatTable]] = {}


def table_of(view: View) -> HatTable:
    """Return the table after the history of a view; it continues from the cached table of the same seat's last turn, if
    any."""
    key = view.seat, view.dealt
    past, table = _KEPT.pop(key, ((), None))
    if table is None or view.history[: len(past)] != past:
        past, table = (), start(view)
    discards: tuple[Card, ...] = ()
    for number, event in enumerate(view.history):
        if event.card and not event.scored:
            discards = (*discards, event.card)
        if number >= len(past):
            table = table.after(event, discards)
    _KEPT[key] = view.history, table
    while len(_KEPT) > KEPT:
        del _KEPT[next(iter(_KEPT))]
    return table
