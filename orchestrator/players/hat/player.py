"""The information strategy of hat players: one hint gives information on every hand but the giver's.

In this order: play the most useful card that certainly fits; risk a life, but never the last one, for a card that fits
or is dead; give a hint if somebody holds a playable card and knows of none; early in the game, discard a useless card;
give a hint if somebody can play, or tokens abound; else discard the card that is least missed. Which number a hint
stands for and what it means is in `knowledge` and `code`. Hat players need each other: to others their hints are nearly
random.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from random import Random

from orchestrator.hanabi.cards import CARDS, DECK_SIZE, HAND_SIZES, INDEX, MAX_TOKENS, Mask
from orchestrator.hanabi.literal_knowledge import HandMasks, types_of
from orchestrator.hanabi.moves import Discard, Hint, HintRank, Play
from orchestrator.hanabi.view import View
from orchestrator.players.base import Partner, ReasonedMove
from orchestrator.players.hat.code import Pool, settle
from orchestrator.players.hat.knowledge import HatTable, copies_left, table_of

RISK = 0.75
"""A card that fits or is dead is played above this P(playable)."""
PLENTY = 4
"""With more tokens than this a hint costs little."""


@dataclass(frozen=True)
class HatPosition:
    """A position as one hat player knows it."""

    view: View
    table: HatTable

    @cached_property
    def own_hand(self) -> tuple[HandMasks, Pool]:
        """The own hand by common knowledge and the cards in sight, and the copies that its cards can be."""
        counts = copies_left(self.table.piles)
        for _, card in self.seen:
            counts[INDEX_OF[card]] -= 1
        (hand,), pool = settle((self.table.common[self.view.seat],), Pool.from_counts(counts))
        return hand, pool

    @cached_property
    def seen(self) -> list[tuple[int, Mask]]:
        """The others' cards, as masks, with their seats."""
        return [(seat, card) for seat in self.table.other_seats(self.view.seat) for card in self.table.cards[seat]]

    @property
    def early(self) -> bool:
        """True if cards can still be discarded without losing points."""
        spare = DECK_SIZE - len(CARDS) - self.view.players * HAND_SIZES[self.view.players]
        return len(self.view.discards) <= spare

    def chances(self, types: Mask) -> list[float]:
        hand, pool = self.own_hand
        return [pool.chance(possible, types) for possible in hand]

    def mean(self, types: Mask, value: dict[Mask, float]) -> float:
        """Return the mean value of a card that may be of these types."""
        _, pool = self.own_hand
        weights = [(pool.weigh(single) or 1, single) for single in RANK_OF if types & single]
        return sum(n * value[single] for n, single in weights) / sum(n for n, _ in weights)

    # Plays

    def sure_play(self) -> ReasonedMove | None:
        """Play a card that certainly fits: low ranks first, and cards that nobody else holds."""
        sure = [slot for slot, chance in enumerate(self.chances(self.table.piles.playable)) if chance == 1]
        if not sure:
            return None
        holders = {card: len({seat for seat, held in self.seen if held == card}) for card in RANK_OF}
        use = {card: (10 - rank) / (1 + holders[card]) for card, rank in RANK_OF.items()}
        return Play(slot=max(sure, key=lambda slot: self.mean(self.own_hand[0][slot], use))), "it surely fits"

    def risky_play(self) -> ReasonedMove | None:
        """Risk a life for a card that fits or is of no other use; never the last life."""
        piles = self.table.piles
        if self.view.lives < 2 or not self.early:
            return None
        fits = self.chances(piles.playable)
        either = [slot for slot, types in enumerate(self.own_hand[0]) if not types & ~(piles.playable | piles.dead)]
        slot = max(either, key=lambda slot: fits[slot], default=None)
        if slot is None or fits[slot] <= RISK:
            return None
        return Play(slot=slot), f"it fits with a chance of {fits[slot]:.2f}, or is of no use"

    # Hints

    def hint(self) -> ReasonedMove | None:
        """Return the hint that encodes all other hands; of several, the one that says most literally."""
        seat = self.view.seat
        number = self.table.sum(seat, sum(self.table.sizes(seat)))
        fitting: list[Hint] = []
        for hint in self.view.legal:
            if isinstance(hint, Hint):
                touched = [slot for slot, card in enumerate(self.table.cards[hint.to]) if card & types_of(hint)]
                if self.table.number(seat, hint.to, touched, isinstance(hint, HintRank)) == number:
                    fitting.append(hint)
        if not fitting:
            return None
        return max(fitting, key=self._says), f"it stands for {number}: the sum of what it tells each of the others"

    def _says(self, hint: Hint) -> float:
        """Return how far a hint narrows down its receiver's hand literally."""
        types, pool = types_of(hint), self.table.pool
        live = [
            (mask, mask & (types if card & types else ~types))
            for mask, card in zip(self.table.common[hint.to], self.table.cards[hint.to], strict=True)
            if mask & ~self.table.piles.dead
        ]
        return prod((pool.weigh(before) or 1) / (pool.weigh(after) or 1) for before, after in live)

    def waited_for(self) -> bool:
        """Return whether somebody holds a playable card and knows of none."""
        return any(self.table.waits(seat) for seat, card in self.seen if card & self.table.piles.playable)

    def useful(self) -> bool:
        return self.view.tokens > PLENTY or any(card & self.table.piles.playable for _, card in self.seen)

    # Discards

    def useless(self) -> list[int]:
        return self.table.useless(self.own_hand[0])

    def discard(self) -> ReasonedMove:
        """Discard a useless card. Where several are commonly known to be useless, the choice encodes the others'
        hands."""
        table = self.table.nobody_waits(self.view.seat) if self.view.tokens else self.table
        common = table.useless(table.common[self.view.seat])
        if len(common) > 1:
            number = table.sum(self.view.seat, len(common))
            return Discard(slot=common[number]), f"of {len(common)} useless cards it stands for {number}"
        if useless := self.useless():
            return Discard(slot=useless[0]), "it is of no use"
        return Discard(slot=self._least_missed()), "it is least missed"

    def _least_missed(self) -> int:
        """Return the slot to lose: that a copy is in sight counts twice as much as that it is not critical; then high
        ranks."""
        elsewhere = sum({card for _, card in self.seen})
        seen, spare = self.chances(elsewhere), self.chances(~self.table.piles.critical)
        ranks = [self.mean(types, RANK_OF) for types in self.own_hand[0]]
        return max(range(len(ranks)), key=lambda slot: (20 * seen[slot] + 10 * spare[slot] + ranks[slot], -slot))


INDEX_OF = {1 << i: i for i in INDEX.values()}
RANK_OF: dict[Mask, float] = {1 << i: card.rank for card, i in INDEX.items()}


def hat(view: View, rng: Random) -> ReasonedMove:
    position = HatPosition(view, table_of(view))
    if play := position.sure_play() or position.risky_play():
        return play
    if view.tokens == MAX_TOKENS:
        return position.hint() or (view.legal[-1], "no hint is what it should be")
    spares_discard = not (position.early and position.useless())
    if view.tokens and (position.waited_for() or (spares_discard and position.useful())):
        return position.hint() or position.discard()
    return position.discard()


PARTNERS = (
    Partner(
        "hat",
        hat,
        "Cox et al. 2015, How to make the perfect fireworks display: two strategies for Hanabi; its information "
        "strategy with the questions of WTFWThat, and its variant for two",
    ),
)
