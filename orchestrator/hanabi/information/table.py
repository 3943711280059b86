"""The common knowledge of players who keep the code, from the public history: every seat computes the same from what
it sees.

A hint stands for a number: the sum, over all hands but the giver's, of the numbers that encode each hand. Every other
player subtracts the numbers of the hands in sight and is left with the number of the own hand. As all players can
compute the others' numbers, everybody knows what everybody learned. A discard among several cards that are commonly
known to be useless stands for such a number too. And a discard while there are tokens says that nobody waits for a
hint.

A seat whose partners do not keep the code notices a breach: what they do, or a card of its own, is not what the code
allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COPIES_OF,
    DECK_SIZE,
    INDEX,
    MAX_LIVES,
    MAX_TOKENS,
    OF_COLOUR,
    OF_RANK,
    Card,
    Fireworks,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.information.code import (
    Pool,
    decode,
    encode,
    is_single,
    settle,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import (
    HandMasks,
    hinted,
    shifted,
    unknown_hands,
    with_hand,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past


def copies_left(piles: Piles) -> list[int]:
    """Copies of each type that are in the hands or the deck."""
    return [copies - number for copies, number in zip(COPIES_OF, piles.counts, strict=True)]


@lru_cache(maxsize=256)
def piles_of(fireworks: Fireworks, discards: tuple[Card, ...]) -> Piles:
    return Piles(fireworks, discards)


@dataclass(frozen=True)
class Reading:
    """A number that a move stood for, and what it told one seat."""

    turn: int
    giver: int
    number: int
    size: int
    """The number is below it."""
    shares: tuple[tuple[int, int], ...]
    """Seats in sight of both, each with the number that encodes its hand."""
    rest: int | None
    """What the others' numbers leave for the own hand; None for a move of the seat's own."""
    before: HandMasks
    """The own hand by common knowledge before the number."""
    after: HandMasks


Fault = Literal["passed over", "silent", "misplayed", "other card", "no card"]


@dataclass(frozen=True)
class Breach:
    """A move that nobody makes who keeps the code, or after which the cards show that somebody does not."""

    turn: int
    seat: int
    """Whose move it was."""
    fault: Fault


@dataclass(frozen=True)
class HatTable:
    """A position as all players know it who keep the code, and the cards that one seat sees."""

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
    tokens: int = MAX_TOKENS
    lives: int = MAX_LIVES
    readings: tuple[Reading, ...] = ()
    """Of all numbers so far, oldest first."""
    breach: Breach | None = None
    """The first that this seat noticed."""
    emptied: bool = False
    """True if the code and the hints of this turn leave an own card no type."""

    @property
    def players(self) -> int:
        return len(self.common)

    def other_seats(self, seat: int) -> list[int]:
        """Return the other seats, in turn order from the next player."""
        return [(seat + step) % self.players for step in range(1, self.players)]

    # Hints as numbers

    def asked(self, seat: int) -> int:
        """Return the slot by which hints to a seat are read: of which least is known, dead cards last; the oldest of
        equals."""
        hand = self.common[seat]
        return max(range(len(hand)), key=lambda slot: (_openness(hand[slot], self.piles), -slot))

    def sizes(self, giver: int) -> list[int]:
        """Return how many numbers the hints to each other player can stand for: 4 if their hand certainly has two
        colours and two ranks, so that all four hints can be given; else 3."""
        singles = (*OF_COLOUR.values(), *OF_RANK.values())
        hands = (self.common[seat] for seat in self.other_seats(giver))
        return [
            3 if any(all(types & single for types in hand) for single in singles) else 4
            for hand in hands
        ]

    def number(self, giver: int, to: int, slots: Sequence[int], by_rank: bool) -> int:
        """Return the number that a hint stands for: by its receiver, its kind, and whether it touches a certain slot of
        theirs."""
        place = self.other_seats(giver).index(to)
        sizes = self.sizes(giver)
        touches = self.asked(to) in slots
        kind = 0 if by_rank else 1
        return sum(sizes[:place]) + (kind if touches else 2 + kind if sizes[place] == 4 else 2)

    def share(self, seat: int, size: int) -> tuple[int, HandMasks]:
        """Return the number below `size` that encodes a hand in sight, and what is known of the hand after it."""
        return _encoded(self.common[seat], self.pool, self.piles, size, self.cards[seat])

    def reading(
        self, turn: int, giver: int, size: int, number: int
    ) -> tuple["HatTable", tuple[HandMasks, ...]]:
        """Return the table with the reading of a number below `size`, and the common knowledge after it."""
        hands = list(self.common)
        before = self.common[self.seat]
        seats = [seat for seat in self.other_seats(giver) if seat != self.seat]
        shares = {seat: self.share(seat, size) for seat in seats}
        for seat, (_, hand) in shares.items():
            hands[seat] = hand
        rest = None
        if giver != self.seat:
            rest = (number - sum(share for share, _ in shares.values())) % size
            hands[self.seat] = decode(before, self.pool, self.piles, size, rest)
        numbers = tuple((seat, share) for seat, (share, _) in shares.items())
        reading = Reading(turn, giver, number, size, numbers, rest, before, hands[self.seat])
        return replace(self, readings=(*self.readings, reading)), tuple(hands)

    # What waits for a hint, what is useless

    def waits(self, seat: int) -> bool:
        """Return whether no card of this seat is commonly known to be playable."""
        return all(types & ~self.piles.playable for types in self.common[seat])

    def useless(self, hand: HandMasks) -> list[int]:
        """Slots that are known to be dead, or to hold the same card as an older slot."""
        twins = [is_single(types) and types in hand[:slot] for slot, types in enumerate(hand)]
        return [
            slot for slot, types in enumerate(hand) if twins[slot] or not types & ~self.piles.dead
        ]

    def nobody_waits(self, giver: int) -> "HatTable":
        """Return the table after `giver` gave no hint although one was possible: players who wait for a hint hold no
        playable card."""
        playable = self.piles.playable
        hands = [
            tuple(types & ~playable for types in hand)
            if seat != giver and self.waits(seat)
            else hand
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
        empty = any(
            not types & hints
            for types, hints in zip(common[self.seat], literal[self.seat], strict=True)
        )
        settled, pool = settle(tuple(mended), Pool.from_counts(copies_left(self.piles)))
        return replace(
            self, common=settled, literal=tuple(literal), pool=pool, emptied=self.emptied or empty
        )

    def _fault(self, past: Past) -> Breach | None:
        """Return the breach of the code that a move shows."""
        fault: Fault | None = None
        slot = -1 if isinstance(past.move, Hint) else past.move.slot
        card = 1 << INDEX[past.card] if past.card else 0
        if past.seat == self.seat:
            if card and not card & self.common[self.seat][slot]:
                fault = "other card"
        elif isinstance(past.move, Play):
            if not card & (self.piles.playable | self.piles.dead):
                fault = "misplayed"
        elif not self.waits(past.seat):
            fault = "passed over"
        elif isinstance(past.move, Discard) and self.tokens and self._waiting(past.seat):
            fault = "silent"
        return Breach(past.turn, past.seat, fault) if fault else None

    def _waiting(self, giver: int) -> bool:
        """Return whether somebody whom both see holds a playable card and waits for a hint."""
        seats = [seat for seat in self.other_seats(giver) if seat != self.seat and self.waits(seat)]
        return any(card & self.piles.playable for seat in seats for card in self.cards[seat])

    # After a move

    def after(self, past: Past, discards: tuple[Card, ...]) -> "HatTable":
        """Return the table after a move. `discards`: the pile after it."""
        move = past.move
        breach = self.breach or self._fault(past)
        if isinstance(move, Hint):
            number = self.number(past.seat, move.to, past.slots, isinstance(move, HintRank))
            table, common = self.reading(past.turn, past.seat, sum(self.sizes(past.seat)), number)
            literal = with_hand(
                self.literal, move.to, hinted(self.literal[move.to], move, past.slots)
            )
            table = table._with(common, literal)
        else:
            table = self._discarded(past) if isinstance(move, Discard) else self
            table = table._moved(past, move, piles_of(past.fireworks, discards))
        breach = breach or (Breach(past.turn, past.seat, "no card") if table.emptied else None)
        return replace(table, tokens=past.tokens, lives=past.lives, breach=breach, emptied=False)

    def _discarded(self, past: Past) -> "HatTable":
        assert isinstance(past.move, Discard)
        seat = past.seat
        slot = past.move.slot
        table = self.nobody_waits(seat) if self.tokens else self
        useless = table.useless(table.common[seat])
        if len(useless) < 2 or slot not in useless:
            return table
        table, common = table.reading(past.turn, seat, len(useless), useless.index(slot))
        return table._with(common, table.literal)

    def _moved(self, past: Past, move: Play | Discard, piles: Piles) -> "HatTable":
        """Return the table after a card left the hand and the next one was drawn."""
        drew = 1 << INDEX[past.drew] if past.drew else 0
        cards = sum(map(len, self.common)) + sum(self.piles.fireworks) + len(self.piles.discards)
        more = cards < DECK_SIZE  # the deck was not empty

        def moved(hands: tuple[HandMasks, ...], card: Mask) -> tuple[HandMasks, ...]:
            return with_hand(
                hands, past.seat, shifted(hands[past.seat], move.slot, (card,) if more else ())
            )

        table = replace(self, cards=moved(self.cards, drew), piles=piles)
        return table._with(moved(self.common, ANY), moved(self.literal, ANY))


_encoded = lru_cache(maxsize=4096)(encode)


def _openness(types: Mask, piles: Piles) -> int:
    """Return how much is open of a card: 1, and 1 more for each of colour and rank; 0 for a dead one."""
    if not types & ~piles.dead:
        return 0
    colours = sum(bool(types & named) for named in OF_COLOUR.values())
    ranks = sum(bool(types & named) for named in OF_RANK.values())
    return 1 + (colours > 1) + (ranks > 1)


def start(seat: int, dealt: Sequence[Sequence[Card]]) -> HatTable:
    """Return the table before the first move. `dealt`: the hands in sight by seat; the own one is empty."""
    unknown = unknown_hands(len(dealt))
    cards = tuple(
        tuple(1 << INDEX[card] for card in hand) or (0,) * len(unknown[0]) for hand in dealt
    )
    return HatTable(
        seat, cards, unknown, unknown, Pool.from_counts(COPIES_OF), piles_of((0, 0, 0, 0, 0), ())
    )


def dealt_to(
    players: int, hands: Mapping[int, Sequence[Card]], history: Sequence[Past]
) -> tuple[tuple[Card, ...], ...]:
    """Return the hands at the start of a game, by seat, from those in sight after a history; empty where none is."""
    cards = {seat: list(hand) for seat, hand in hands.items()}
    for past in reversed(history):
        if past.card and past.seat in cards and not isinstance(past.move, Hint):
            if past.drew:
                cards[past.seat].pop()
            cards[past.seat].insert(past.move.slot, past.card)
    return tuple(tuple(cards.get(seat, ())) for seat in range(players))


KEPT = 64
"""The most games of which the tables are cached."""
_KEPT: dict[object, tuple[tuple[Past, ...], tuple[HatTable, ...]]] = {}


def course(
    players: int, seat: int, hands: Mapping[int, Sequence[Card]], history: tuple[Past, ...]
) -> tuple[HatTable, ...]:
    """Return the tables of a seat before each move of a history, and after the last; it continues from the cached
    tables of its last turn, if any.

    `hands`: those in sight now, by seat.
    """
    dealt = dealt_to(players, hands, history)
    past, tables = _KEPT.pop((seat, dealt), ((), ()))
    if not tables or history[: len(past)] != past:
        past = ()
        tables = (start(seat, dealt),)
    discards: tuple[Card, ...] = ()
    for number, event in enumerate(history):
        if event.card and not event.scored:
            discards = (*discards, event.card)
        if number >= len(past):
            tables = (*tables, tables[-1].after(event, discards))
    _KEPT[seat, dealt] = history, tables
    while len(_KEPT) > KEPT:
        del _KEPT[next(iter(_KEPT))]
    return tables


def table_of(
    players: int, seat: int, hands: Mapping[int, Sequence[Card]], history: tuple[Past, ...]
) -> HatTable:
    """Return the table of a seat after a whole history: the last of its `course`."""
    return course(players, seat, hands, history)[-1]
