"""Common knowledge: what everybody at the table can derive of every card, and knows that everybody can.

It is a pure function of the public past and of how the players take part: hints, counting, and what the conventions
make of hints and of silence. The state after a move follows from the state before it; a hand's owner and the others
hold the same state, so that each can tell what the other knows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from orchestrator.cards import ANY, CARDS, DECK_SIZE, HAND_SIZES, MAX_LIVES, MAX_TOKENS, Card, Mask, Piles
from orchestrator.conventions import (
    Custom,
    Focus,
    between,
    focus,
    is_dump,
    known,
    maybe,
    next_discard,
    types_of,
    warned,
)
from orchestrator.moves import Discard, Hint, Move, Play
from orchestrator.view import Past

Hands = tuple[tuple[Mask, ...], ...]
"""By seat and slot, the oldest card first."""


class Event(NamedTuple):
    """One past move as everybody saw it."""

    seat: int
    move: Move
    card: Card | None = None
    """The card played or discarded."""
    scored: bool | None = None
    slots: tuple[int, ...] = ()
    """The slots that a hint touched."""

    @classmethod
    def of(cls, past: Past) -> "Event":
        return cls(past.seat, past.move, past.card, past.scored, past.slots)


Why = Literal["play hint", "warning", "silence", "passed over", "played as told"]


class Claim(NamedTuple):
    """What a player's move says of a card, if he keeps to the convention: that it is of these types."""

    turn: int
    seat: int
    """Whose move says so."""
    owner: int
    card: int
    """Which card: cards are numbered in the order in which they are dealt."""
    types: Mask
    why: Why


@dataclass(frozen=True)
class Common:
    """The state before a turn."""

    customs: tuple[Custom, ...]
    """By seat."""
    turn: int
    piles: Piles
    tokens: int
    lives: int
    deck: int
    """Cards left in it."""
    literal: Hands
    """By positive and negative hints alone."""
    hands: Hands
    """By all that everybody can derive."""
    cards: tuple[tuple[int, ...], ...]
    """Which card lies in each slot, by the order of dealing."""
    gone: tuple[tuple[int, Card], ...] = ()
    """The cards played and discarded, by the order of dealing."""
    claims: tuple[Claim, ...] = ()

    @classmethod
    def start(cls, customs: Sequence[Custom]) -> "Common":
        players = len(customs)
        size = HAND_SIZES[players]
        nothing = ((ANY,) * size,) * players
        cards = tuple(tuple(range(seat * size, (seat + 1) * size)) for seat in range(players))
        piles = Piles((0, 0, 0, 0, 0), ())
        return cls(tuple(customs), 1, piles, MAX_TOKENS, MAX_LIVES, DECK_SIZE - players * size, nothing, nothing, cards)

    @property
    def players(self) -> int:
        return len(self.customs)

    def after(self, event: Event) -> "Common":
        """The state after one more move."""
        silent = self._silence(event)
        if isinstance(event.move, Play | Discard):
            done = silent._conduct(event)._moved(event, event.move)
        else:
            done = silent.told(event, event.move)
        return replace(done, turn=self.turn + 1, hands=counted(done.hands, done.literal, done.piles))

    def _silence(self, event: Event) -> "Common":
        """He who does not warn the next player, though he could, says that the card about to go is not critical."""
        following = (event.seat + 1) % self.players
        told = not isinstance(event.move, Play | Discard) and event.move.to == following
        if told or not self.deck or not self.tokens or self.customs[event.seat].hints is None:
            return self
        slot = next_discard(self.hands[following], self.piles)
        if slot is None or not self.hands[following][slot] & self.piles.critical:
            return self
        _, reads = between(self.customs[event.seat], self.customs[following])
        safe = ANY & ~self.piles.critical
        return self._claim(event.seat, following, slot, safe, "silence", believed=reads is not None)

    def _conduct(self, event: Event) -> "Common":
        """He who discards says that he knows of no card to play; he who plays what hints alone do not tell has read."""
        assert isinstance(event.move, Play | Discard)
        seat, hand, fits = event.seat, self.hands[event.seat], self.piles.playable
        if self.customs[seat].reads is None:
            return self
        if isinstance(event.move, Discard):
            said = [
                Claim(self.turn, seat, seat, self.cards[seat][slot], ANY & ~fits, "passed over")
                for slot, possible in enumerate(hand)
                if known(possible, fits)
            ]
        else:
            slot = event.move.slot
            read = known(hand[slot], fits) and not known(self.literal[seat][slot], fits)
            said = [Claim(self.turn, seat, seat, self.cards[seat][slot], ANY, "played as told")] if read else []
        return replace(self, claims=(*self.claims, *said)) if said else self

    def _moved(self, event: Event, move: Play | Discard) -> "Common":
        assert event.card is not None  # everybody saw it
        piles = _piled(self.piles, event.card, scored=bool(event.scored))
        back = isinstance(move, Discard) or (event.scored and event.card.rank == 5)
        new = (ANY,) if self.deck else ()
        number = (DECK_SIZE - self.deck,) if self.deck else ()
        return replace(
            self,
            piles=piles,
            tokens=min(MAX_TOKENS, self.tokens + bool(back)),
            lives=self.lives - (event.scored is False),
            deck=max(0, self.deck - 1),
            literal=_with(self.literal, event.seat, _drawn(self.literal[event.seat], move.slot, new)),
            hands=_with(self.hands, event.seat, _drawn(self.hands[event.seat], move.slot, new)),
            cards=_with(self.cards, event.seat, _drawn(self.cards[event.seat], move.slot, number)),
            gone=(*self.gone, (self.cards[event.seat][move.slot], event.card)),
        )

    def told(self, event: Event, hint: Hint) -> "Common":
        """What it says literally; then, from a player who keeps to a convention, what it points at."""
        before, of = self.hands[hint.to], types_of(hint)
        heard = replace(
            self,
            tokens=self.tokens - 1,
            literal=_with(self.literal, hint.to, hinted(self.literal[hint.to], of, event.slots)),
            hands=_with(self.hands, hint.to, hinted(before, of, event.slots)),
        )
        heard = heard._restored(hint.to)
        hints, reads = between(self.customs[event.seat], self.customs[hint.to])
        if hints is None or is_dump(hint, event.seat, self.players, self.tokens, event.slots):
            return heard
        if hint.to == (event.seat + 1) % self.players:
            slot = warned(hint, before, self.piles, event.slots)
            if slot is not None:
                return heard._claim(
                    event.seat, hint.to, slot, self.piles.critical, "warning", believed=reads is not None
                )
        if made_known(before, heard.hands[hint.to], self.piles):
            return heard
        return heard._pointed(event, hint, hints, said=True)._pointed(event, hint, reads, said=False)

    def _pointed(self, event: Event, hint: Hint, which: Focus | None, *, said: bool) -> "Common":
        """That the focus can be played: as its giver means it, and as its reader takes it."""
        slot = None if which is None else focus(self.hands[hint.to], event.slots, self.piles, which)
        if slot is None:
            return self
        return self._claim(event.seat, hint.to, slot, self.piles.playable, "play hint", said=said, believed=not said)

    def _claim(
        self, seat: int, owner: int, slot: int, types: Mask, why: Why, *, said: bool = True, believed: bool = True
    ) -> "Common":
        """Kept on record, to be compared with the card; believed, when its owner reads so and it leaves something."""
        claim = Claim(self.turn, seat, owner, self.cards[owner][slot], types, why)
        claims = (*self.claims, claim) if said else self.claims
        if not believed:
            return replace(self, claims=claims)
        hand = list(self.hands[owner])
        hand[slot] = hand[slot] & types or hand[slot]
        return replace(self, claims=claims, hands=_with(self.hands, owner, tuple(hand)))

    def _restored(self, seat: int) -> "Common":
        """A card of which nothing is left that it could be is what hints say of it."""
        hand = tuple(now or hints for now, hints in zip(self.hands[seat], self.literal[seat], strict=True))
        return replace(self, hands=_with(self.hands, seat, hand))


def hinted(hand: Sequence[Mask], of: Mask, touched: Sequence[int]) -> tuple[Mask, ...]:
    """A hand after a hint, by what it says literally."""
    return tuple(possible & (of if slot in touched else ANY & ~of) for slot, possible in enumerate(hand))


def made_known(before: Sequence[Mask], after: Sequence[Mask], piles: Piles) -> bool:
    """Whether a card that might have been playable is now known to be."""
    return any(
        maybe(old, piles.playable) and known(new, piles.playable) for old, new in zip(before, after, strict=True)
    )


def counted(hands: Hands, literal: Hands, piles: Piles) -> Hands:
    """A type all of whose copies are gone, or known to lie in some slot, is in no other slot."""
    located = [mask for hand in hands for mask in hand if mask & (mask - 1) == 0]
    while True:
        full = _full(piles, tuple(sorted(located)))
        hands = tuple(
            tuple(m if m & (m - 1) == 0 else (m & ~full or hints) for m, hints in zip(hand, said, strict=True))
            for hand, said in zip(hands, literal, strict=True)
        )
        found = [mask for hand in hands for mask in hand if mask & (mask - 1) == 0]
        if len(found) == len(located):
            return hands
        located = found


@lru_cache(maxsize=4096)
def _full(piles: Piles, located: tuple[Mask, ...]) -> Mask:
    """The types of which every copy is gone or located."""
    full = 0
    for index, gone in enumerate(piles.gone):
        if gone + located.count(1 << index) >= CARDS[index].copies:
            full |= 1 << index
    return full


def _piled(piles: Piles, card: Card, *, scored: bool) -> Piles:
    if not scored:
        return Piles(piles.fireworks, (*piles.discards, card))
    tops = list(piles.fireworks)
    tops["RYGWB".index(card.colour)] += 1
    return Piles((tops[0], tops[1], tops[2], tops[3], tops[4]), piles.discards)


def _drawn(hand: tuple[int, ...], slot: int, new: tuple[int, ...]) -> tuple[int, ...]:
    return (*hand[:slot], *hand[slot + 1 :], *new)


def _with(hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def common(customs: Sequence[Custom], history: Iterable[Past]) -> Common:
    """The common knowledge after a whole history; only the moves that were not seen before cost anything."""
    return _after(tuple(customs), tuple(Event.of(past) for past in history))


@lru_cache(maxsize=512)
def _after(customs: tuple[Custom, ...], events: tuple[Event, ...]) -> Common:
    if not events:
        return Common.start(customs)
    return _after(customs, events[:-1]).after(events[-1])
