"""Common knowledge: what everybody at the table can derive about every card, and knows that everybody can derive.

It is a pure function of the public moves and of the players' conventions: hints, counting of cards, and what the
conventions conclude from hints and from missing warnings. The state after a move follows from the state before it. The
owner of a hand and the others hold the same state, so that each can tell what the other knows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COLOURS,
    COPIES_OF,
    DECK_SIZE,
    HAND_SIZES,
    MAX_LIVES,
    MAX_TOKENS,
    Card,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    STRANGER,
    Convention,
    between,
    focus,
    is_certain,
    is_dump,
    maybe,
    next_discard,
    warned,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import (
    Hands,
    hinted,
    shifted,
    unknown_hands,
    with_hand,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.values import Same


class PublicMove(NamedTuple):
    """One past move as everybody saw it."""

    seat: int
    move: Move
    card: Card | None = None
    """The card played or discarded."""
    scored: bool | None = None
    slots: tuple[int, ...] = ()
    """The slots that a hint touched."""

    @classmethod
    def from_past(cls, past: Past) -> "PublicMove":
        return cls(past.seat, past.move, past.card, past.scored, past.slots)


Why = Literal["play hint", "warning", "silence", "passed over", "played as told", "played untold"]


NEARLY_OVER = 3
"""Cards in the deck from which convention players try what may not fit."""


class Point(NamedTuple):
    """What a move says about a slot."""

    slot: int
    types: Mask
    why: Why
    meant: bool
    """True if the player who moves means it."""
    believed: bool
    """True if the owner of the slot reads it so."""


class Claim(NamedTuple):
    """What a move says about a card if its player keeps to the convention: that it is of one of these types."""

    turn: int
    seat: int
    """Who made the move."""
    owner: int
    card: int
    """Number of the card in the order of dealing."""
    types: Mask
    why: Why


@dataclass(frozen=True)
class CommonKnowledge:
    """Common knowledge before a turn."""

    conventions: tuple[Convention, ...]
    """By seat."""
    turn: int
    piles: Piles
    tokens: int
    lives: int
    deck: int
    """Number of cards left."""
    literal: Hands
    """What positive and negative hints alone leave of each card."""
    common: Hands
    """What everybody can derive about each card."""
    cards: tuple[tuple[int, ...], ...]
    """For each slot, the number of its card in the order of dealing."""
    face_up: tuple[tuple[int, Card], ...] = ()
    """The cards played and discarded, with their numbers in the order of dealing."""
    claims: tuple[Claim, ...] = ()

    @classmethod
    def start(cls, conventions: Sequence[Convention]) -> "CommonKnowledge":
        players = len(conventions)
        hands = unknown_hands(players)
        size = HAND_SIZES[players]
        cards = tuple(tuple(range(seat * size, (seat + 1) * size)) for seat in range(players))
        piles = Piles((0, 0, 0, 0, 0), ())
        return cls(
            tuple(conventions),
            1,
            piles,
            MAX_TOKENS,
            MAX_LIVES,
            DECK_SIZE - players * size,
            hands,
            hands,
            cards,
        )

    @classmethod
    def of_position(
        cls,
        conventions: Sequence[Convention],
        piles: Piles,
        *,
        tokens: int,
        lives: int,
        deck: int,
        literal: Hands,
        common: Hands,
    ) -> "CommonKnowledge":
        """Return the state of a position whose past is not known: no claims, and cards numbered as they lie."""
        cards = tuple(
            tuple(range(10 * seat, 10 * seat + len(hand))) for seat, hand in enumerate(common)
        )
        return cls(tuple(conventions), 0, piles, tokens, lives, deck, literal, common, cards)

    @property
    def players(self) -> int:
        return len(self.conventions)

    def takes_for_playable(self, seat: int) -> bool:
        """Return whether a player knows of a playable own card, as far as everybody can tell."""
        return any(is_certain(mask, self.piles.playable) for mask in self.common[seat])

    def may_wait(self, seat: int) -> bool:
        """Return whether a player can warn the next one without a token: by a discard, although everybody expects
        them to play."""
        both_wait = (
            self.conventions[seat].waits and self.conventions[(seat + 1) % self.players].waits
        )
        return both_wait and not self.tokens and self.deck > 0 and self.takes_for_playable(seat)

    def waits(self, past: PublicMove) -> bool:
        """Return whether a move, which is the next one, warns by waiting."""
        if not isinstance(past.move, Discard) or not self.may_wait(past.seat):
            return False
        return self.warnable(past.seat) is not None

    def warnable(self, seat: int) -> int | None:
        """Return the slot of the next player of which a player can warn them, or be silent: the card that they would
        discard next, where it may be critical."""
        following = (seat + 1) % self.players
        if (
            not self.deck
            or self.conventions[seat].hints is None
            or not self.conventions[following].subtle
        ):
            return None
        slot = next_discard(self.common[following], self.piles, self.conventions[following])
        if slot is None or not self.common[following][slot] & self.piles.critical:
            return None
        return slot

    def after(self, past: PublicMove) -> "CommonKnowledge":
        """Return the state after one more move."""
        silent = self._silence(past)
        if isinstance(past.move, Play | Discard):
            done = silent._conduct(past, warns=self.waits(past))._lost(past, past.move)
        else:
            done = silent._hinted(past, past.move)
        return replace(
            done, turn=self.turn + 1, common=counted(done.common, done.literal, done.piles)
        )

    def _silence(self, past: PublicMove) -> "CommonKnowledge":
        """Note what a move without a hint says of the card that the next player would discard.

        Who could warn, by a hint or by waiting, and does not says that it is not critical; who waits, that it is.
        """
        slot = self.warnable(past.seat)
        following = (past.seat + 1) % self.players
        to_next = not isinstance(past.move, Play | Discard) and past.move.to == following
        could_warn = self.tokens > 0 or self.may_wait(past.seat)
        if slot is None or to_next or not could_warn:
            return self
        _, reads = between(self.conventions[past.seat], self.conventions[following])
        point = Point(
            slot, ANY & ~self.piles.critical, "silence", meant=True, believed=reads is not None
        )
        if self.waits(past):
            point = point._replace(types=self.piles.critical, why="warning")
        hands = with_hand(self.common, following, _narrowed(self.common[following], [point]))
        claim = Claim(
            self.turn, past.seat, following, self.cards[following][slot], point.types, point.why
        )
        return replace(self, common=hands, claims=(*self.claims, claim))

    def _conduct(self, past: PublicMove, *, warns: bool) -> "CommonKnowledge":
        """Claim what a discard or a play says: that no own card is known to fit, unless they waited; where literal
        hints do not explain the play, that its player read them by the convention."""
        assert isinstance(past.move, Play | Discard)
        seat = past.seat
        hand = self.common[past.seat]
        fits = self.piles.playable
        if self.conventions[seat] == STRANGER:
            return self
        if isinstance(past.move, Discard):
            slots = [slot for slot, possible in enumerate(hand) if is_certain(possible, fits)]
            claims = [
                Claim(self.turn, seat, seat, self.cards[seat][slot], ANY & ~fits, "passed over")
                for slot in slots
                if not warns
            ]
        else:
            slot = past.move.slot
            card = self.cards[seat][slot]
            if not is_certain(
                hand[slot], fits
            ):  # they saw the others' cards, or read a hint by another focus
                claims = (
                    [Claim(self.turn, seat, seat, card, fits, "played untold")]
                    if self.deck > NEARLY_OVER
                    else []
                )
            elif is_certain(self.literal[seat][slot], fits):
                claims = []
            else:
                claims = [Claim(self.turn, seat, seat, card, ANY, "played as told")]
        return replace(self, claims=(*self.claims, *claims)) if claims else self

    def _lost(self, past: PublicMove, move: Play | Discard) -> "CommonKnowledge":
        assert past.card is not None  # everybody saw it
        if past.scored:
            tops = list(self.piles.fireworks)
            tops[COLOURS.index(past.card.colour)] += 1
            piles = Piles((tops[0], tops[1], tops[2], tops[3], tops[4]), self.piles.discards)
        else:
            piles = Piles(self.piles.fireworks, (*self.piles.discards, past.card))
        back = isinstance(move, Discard) or (past.scored and past.card.rank == 5)
        new = (ANY,) if self.deck else ()
        number = (DECK_SIZE - self.deck,) if self.deck else ()
        return replace(
            self,
            piles=piles,
            tokens=min(MAX_TOKENS, self.tokens + bool(back)),
            lives=self.lives - (past.scored is False),
            deck=max(0, self.deck - 1),
            literal=with_hand(
                self.literal, past.seat, shifted(self.literal[past.seat], move.slot, new)
            ),
            common=with_hand(
                self.common, past.seat, shifted(self.common[past.seat], move.slot, new)
            ),
            cards=with_hand(
                self.cards, past.seat, shifted(self.cards[past.seat], move.slot, number)
            ),
            face_up=(*self.face_up, (self.cards[past.seat][move.slot], past.card)),
        )

    def _hinted(self, past: PublicMove, hint: Hint) -> "CommonKnowledge":
        hand, points = self.read_hint(past.seat, hint, past.slots)
        after = replace(
            self,
            tokens=self.tokens - 1,
            literal=with_hand(
                self.literal, hint.to, hinted(self.literal[hint.to], hint, past.slots)
            ),
            common=with_hand(self.common, hint.to, hand),
        )
        cards = self.cards[hint.to]
        claims = (
            Claim(self.turn, past.seat, hint.to, cards[point.slot], point.types, point.why)
            for point in points
            if point.meant
        )
        return replace(after, claims=(*self.claims, *claims))

    def read_hint(
        self, giver: int, hint: Hint, touched: Sequence[int]
    ) -> tuple[tuple[Mask, ...], tuple[Point, ...]]:
        """Return the receiver's hand as everybody knows it after a hint, literally and by the giver's convention; and
        what the hint points at."""
        literal = hinted(self.literal[hint.to], hint, touched)
        narrowed = hinted(self.common[hint.to], hint, touched)
        hand = tuple(now or hints for now, hints in zip(narrowed, literal, strict=True))
        points = tuple(self._points(giver, hint, touched, hand))
        return _narrowed(hand, points), points

    def _points(
        self, giver: int, hint: Hint, touched: Sequence[int], hand: tuple[Mask, ...]
    ) -> Iterator[Point]:
        before = self.common[hint.to]
        hints, reads = between(self.conventions[giver], self.conventions[hint.to])
        if hints is None or is_dump(hint, giver, self.players, self.tokens, touched):
            return
        if hint.to == (giver + 1) % self.players:
            slot = warned(hint, before, self.piles, touched, self.conventions[hint.to])
            if slot is not None:
                yield Point(
                    slot, self.piles.critical, "warning", meant=True, believed=reads is not None
                )
                return
        if made_known(before, hand, self.piles):
            return
        meant = focus(hand, touched, self.piles, hints)
        read = None if reads is None else focus(hand, touched, self.piles, reads)
        for slot in dict.fromkeys((meant, read)):
            if slot is not None:
                yield Point(
                    slot,
                    self.piles.playable,
                    "play hint",
                    meant=slot == meant,
                    believed=slot == read,
                )


def _narrowed(hand: tuple[Mask, ...], points: Iterable[Point]) -> tuple[Mask, ...]:
    """Return a hand after the believed points; a point that would leave a card no type is ignored."""
    masks = list(hand)
    for point in points:
        if point.believed:
            masks[point.slot] = masks[point.slot] & point.types or masks[point.slot]
    return tuple(masks)


def made_known(before: Sequence[Mask], after: Sequence[Mask], piles: Piles) -> list[int]:
    """Return the slots of the cards that might have been playable and are now known to be."""
    pairs = enumerate(zip(before, after, strict=True))
    return [
        slot
        for slot, (old, new) in pairs
        if maybe(old, piles.playable) and is_certain(new, piles.playable)
    ]


def counted(hands: Hands, literal: Hands, piles: Piles) -> Hands:
    """Rule out, in every slot, the types of which all copies are gone or known to lie in other slots."""
    located = [mask for hand in hands for mask in hand if mask & (mask - 1) == 0]
    while True:
        full = _full(piles, tuple(sorted(located)))
        hands = tuple(
            tuple(
                m if m & (m - 1) == 0 else (m & ~full or hints)
                for m, hints in zip(hand, by_hints, strict=True)
            )
            for hand, by_hints in zip(hands, literal, strict=True)
        )
        singles = [mask for hand in hands for mask in hand if mask & (mask - 1) == 0]
        if len(singles) == len(located):
            return hands
        located = singles


@lru_cache(maxsize=4096)
def _full(piles: Piles, located: tuple[Mask, ...]) -> Mask:
    """Return the types of which every copy is played, discarded or located in a slot."""
    full = 0
    for index, number in enumerate(piles.counts):
        if number + located.count(1 << index) >= COPIES_OF[index]:
            full |= 1 << index
    return full


def common_knowledge(conventions: Sequence[Convention], history: Iterable[Past]) -> CommonKnowledge:
    """Return the common knowledge after a whole history."""
    return course(conventions, history)[-1]


def course(
    conventions: Sequence[Convention], history: Iterable[Past]
) -> tuple[CommonKnowledge, ...]:
    """Return the common knowledge before each past turn, and after the last one. Results are cached, so that only new
    moves cost time."""
    return _course(tuple(conventions), _public(Same(tuple(history))))


@lru_cache(maxsize=64)
def _public(history: Same[tuple[Past, ...]]) -> tuple[PublicMove, ...]:
    return tuple(PublicMove.from_past(past) for past in history.value)


@lru_cache(maxsize=4096)
def _course(
    conventions: tuple[Convention, ...], moves: tuple[PublicMove, ...]
) -> tuple[CommonKnowledge, ...]:
    if not moves:
        return (CommonKnowledge.start(conventions),)
    before = _course(conventions, moves[:-1])
    return (*before, before[-1].after(moves[-1]))
