"""The pack `hgroup_1` as a program: what everybody knows by its rules, and a player who keeps them.

The beginner's rules of prompts/conventions/hgroup_1.md: chop, focus, play and save hints, good touch. Nothing plays
games by this program but the probes, which need histories in which everybody keeps to the pack.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from experiments.tasks.probes.convention import hints, touched
from orchestrator.hanabi import belief
from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import ANY, CARDS, DECK_SIZE, HAND_SIZES, INDEX, OF_RANK, Card, Mask, Piles
from orchestrator.hanabi.convention.common_knowledge import counted
from orchestrator.hanabi.convention.hint_convention import is_certain
from orchestrator.hanabi.literal_knowledge import Hands, hinted, shifted, unknown_hands, with_hand
from orchestrator.hanabi.moves import Discard, Hint, HintColour, HintRank, Move, Play
from orchestrator.hanabi.view import Past, View


@dataclass(frozen=True)
class Reading:
    """A hint as the pack reads it."""

    focus: int
    on_chop: bool
    playable: Mask
    """The types of the focus if the hint is a play hint: playable now, or once the known cards of others are played."""
    saved: Mask
    """The types of the focus if the hint saves it; none when the focus is not the chop."""
    hand: tuple[Mask, ...]
    """The receiver's hand afterwards, as everybody knows it."""


@dataclass(frozen=True)
class HGroup:
    """The knowledge that everybody has by the pack's rules before a turn."""

    piles: Piles
    deck: int
    literal: Hands
    by_rules: Hands
    """The hands as the pack's rules tell them, beyond what hints say literally."""
    touched: tuple[tuple[bool, ...], ...]
    """By seat and slot: True if a hint has touched the card."""

    @classmethod
    def start(cls, players: int) -> "HGroup":
        hands, size = unknown_hands(players), HAND_SIZES[players]
        piles = Piles((0, 0, 0, 0, 0), ())
        return cls(piles, DECK_SIZE - players * size, hands, hands, ((False,) * size,) * players)

    def after(self, past: Past, discards: tuple[Card, ...]) -> "HGroup":
        """Return what everybody knows after one more move; `discards` lie there then."""
        hint = past.move if isinstance(past.move, HintColour | HintRank) else None
        hands = self._after_hint(past, hint) if hint else self._after_card(past)
        piles = Piles(past.fireworks, discards)
        return replace(hands, piles=piles, by_rules=counted(hands.by_rules, hands.literal, piles))

    def _after_card(self, past: Past) -> "HGroup":
        assert isinstance(past.move, Play | Discard)
        seat, slot, new = past.seat, past.move.slot, (ANY,) if self.deck else ()
        return replace(
            self,
            deck=max(0, self.deck - 1),
            literal=with_hand(self.literal, seat, shifted(self.literal[seat], slot, new)),
            by_rules=with_hand(self.by_rules, seat, shifted(self.by_rules[seat], slot, new)),
            touched=with_hand(self.touched, seat, shifted(self.touched[seat], slot, (False,) * len(new))),
        )

    def _after_hint(self, past: Past, hint: Hint) -> "HGroup":
        read = self.read(hint, past.slots)
        flags = tuple(flag or slot in past.slots for slot, flag in enumerate(self.touched[hint.to]))
        return replace(
            self,
            literal=with_hand(self.literal, hint.to, hinted(self.literal[hint.to], hint, past.slots)),
            by_rules=with_hand(self.by_rules, hint.to, read.hand),
            touched=with_hand(self.touched, hint.to, flags),
        )

    def chop(self, seat: int) -> int | None:
        """Return the oldest untouched slot (rule 1)."""
        return next((slot for slot, flag in enumerate(self.touched[seat]) if not flag), None)

    def read(self, hint: Hint, slots: Sequence[int]) -> Reading:
        """Return what a hint that touches these slots says (rules 2-5)."""
        to = hint.to
        masks = list(hinted(self.by_rules[to], hint, slots))
        literal = hinted(self.literal[to], hint, slots)
        masks = [mask or other for mask, other in zip(masks, literal, strict=True)]
        new = [slot for slot in slots if not self.touched[to][slot]]
        chop = self.chop(to)
        focus = chop if chop is not None and chop in slots else max(new or slots)
        playable = masks[focus] & (self.piles.playable | self._soon(to))
        saved = masks[focus] & self._worth_saving(hint) if focus == chop else 0
        for slot in new:
            masks[slot] = masks[slot] & ~_played(self.piles) or masks[slot]
        masks[focus] = masks[focus] & (playable | saved) or masks[focus]
        return Reading(focus, focus == chop, playable, saved, tuple(masks))

    def _soon(self, to: int) -> Mask:
        """Return the types that can be played once cards are played that others hold and know of."""
        tops, types = list(self.piles.fireworks), 0
        held = [mask for seat, hand in enumerate(self.by_rules) if seat != to for mask in hand if mask.bit_count() == 1]
        cards = {CARDS[mask.bit_length() - 1] for mask in held}
        for colour in range(5):
            top = tops[colour]
            while top < 4 and CARDS[5 * colour + top] in cards:
                top += 1
                types |= 1 << 5 * colour + top
        return types

    def _worth_saving(self, hint: Hint) -> Mask:
        """Return the types that a hint may save (rule 4), as far as everybody can tell."""
        alive = ~self.piles.dead
        if isinstance(hint, HintRank) and hint.rank in (2, 5):
            return OF_RANK[hint.rank] & alive
        return self.piles.critical & ~OF_RANK[5]


def _played(piles: Piles) -> Mask:
    return sum(1 << 5 * colour + rank for colour, top in enumerate(piles.fireworks) for rank in range(top))


def knowledge(view: View, turns: int | None = None) -> HGroup:
    """Return what everybody knows after the first `turns` moves, by default after all."""
    return _after(view.players, view.history[:turns])


@lru_cache(maxsize=4096)
def _after(players: int, history: tuple[Past, ...]) -> HGroup:
    if not history:
        return HGroup.start(players)
    discards = tuple(past.card for past in history if past.card is not None and not past.scored)
    return _after(players, history[:-1]).after(history[-1], discards)


@dataclass(frozen=True)
class Table:
    """The table as a player who keeps to the pack sees it."""

    view: View

    @cached_property
    def now(self) -> HGroup:
        return knowledge(self.view)

    @cached_property
    def hands(self) -> Mapping[int, tuple[Card, ...]]:
        return {hand.seat: hand.cards for hand in self.view.hands}

    @property
    def next(self) -> int:
        return (self.view.seat + 1) % self.view.players

    @cached_property
    def own(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand, by the pack's rules and the cards in sight."""
        for masks in (self.now.by_rules[self.view.seat], self.now.literal[self.view.seat]):
            try:
                return belief.believe(masks, self.view.piles, *self.hands.values())
            except ValueError:
                continue
        raise ValueError("no hand fits the hints and the cards in sight")

    @cached_property
    def sure(self) -> list[int]:
        """The own slots that certainly fit."""
        return [slot for slot, card in enumerate(self.own) if card.playable == 1.0]

    def reading(self, hint: Hint) -> Reading:
        return self.now.read(hint, touched(self.view, hint))

    def has_a_play(self, seat: int) -> bool:
        """Return True if a partner knows of a card to play."""
        return any(is_certain(mask, self.view.piles.playable) for mask in self.now.by_rules[seat])

    @cached_property
    def hints(self) -> list[Hint]:
        return hints(self.view)

    def must_be_saved(self, seat: int) -> int | None:
        """Return the chop of a partner who has nothing to play, where the card there must not be lost."""
        slot = self.now.chop(seat)
        if slot is None or self.has_a_play(seat):
            return None
        card = self.hands[seat][slot]
        return slot if self.precious(card) else None

    def precious(self, card: Card) -> bool:
        """Return True for a 5, a 2 without another copy in sight, the last copy of a card that is still needed."""
        bit = 1 << INDEX[card]
        if self.view.piles.dead & bit:
            return False
        seen = sum(other == card for hand in self.hands.values() for other in hand)
        return bool(self.view.piles.critical & bit) or (card.rank == 2 and seen == 1)

    def saves(self, seat: int) -> list[Hint]:
        """Return the hints that save a partner's chop by rule 4, and do not make them play it in error."""
        slot = self.must_be_saved(seat)
        if slot is None:
            return []
        bit = 1 << INDEX[self.hands[seat][slot]]
        fits = bool(self.view.piles.playable & bit)
        readings = ((hint, self.reading(hint)) for hint in self.hints if hint.to == seat)
        return [
            hint
            for hint, read in readings
            if read.focus == slot and read.saved & bit and (fits or not is_certain(read.hand[slot], read.playable))
        ]

    def play_hints(self) -> list[Hint]:
        """Return the hints that tell a partner for certain of a card that can be played now, good touch or not."""
        return [hint for hint in self.hints if self._is_play_hint(hint)]

    def _is_play_hint(self, hint: Hint) -> bool:
        read = self.reading(hint)
        card = self.hands[hint.to][read.focus]
        fits = bool(self.view.piles.playable >> INDEX[card] & 1)
        new = not is_certain(self.now.by_rules[hint.to][read.focus], self.view.piles.playable)
        return fits and new and not read.saved and is_certain(read.hand[read.focus], self.view.piles.playable)

    def good_touch(self, hint: Hint) -> bool:
        """Return True if no newly touched card is played already, touched in another hand, or there twice (rule 5)."""
        new = [slot for slot in touched(self.view, hint) if not self.now.touched[hint.to][slot]]
        cards = [self.hands[hint.to][slot] for slot in new]
        elsewhere = {
            card
            for seat, hand in self.hands.items()
            for slot, card in enumerate(hand)
            if self.now.touched[seat][slot] and not (seat == hint.to and slot in new)
        }
        played = _played(self.view.piles)
        return len(set(cards)) == len(cards) and not any(
            played >> INDEX[card] & 1 or card in elsewhere for card in cards
        )


def steps(table: Table) -> Iterator[Move]:
    """Yield the moves of rule 7 in their order: save, play, play hint, discard the chop."""
    yield from table.saves(table.next)
    lowest = {slot: next(r for r, types in OF_RANK.items() if table.own[slot].possible & types) for slot in table.sure}
    yield from (Play(slot=slot) for slot in sorted(table.sure, key=lambda slot: (lowest[slot], slot)))
    yield from (hint for hint in table.play_hints() if table.good_touch(hint))
    chop = table.now.chop(table.view.seat)
    if chop is not None:
        yield Discard(slot=chop)


def play(view: View) -> Move | None:
    """Return the first legal move of rule 7; None where the pack has none."""
    legal = set(view.legal)
    return next((move for move in steps(Table(view)) if move in legal), None)
