"""Rollouts: convention players finish a game from a sampled deal, fast enough for hundreds of games a move.

For speed, this module states again on plain integers what others state on typed values: the rules of the table, the
folds of `literal_knowledge` and `common_knowledge`, and the steps of `policy.decide`. A card is its index in CARDS, a
hand is a list of masks that changes in place. Tests hold it to the originals move by move. One thing is coarser: a
player's belief about the own hand is computed slot by slot and not jointly.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orchestrator.hanabi.cards import ANY, COLOURS, COPIES_OF, INDEX, MAX_TOKENS, OF_COLOUR, OF_RANK, RANKS, Card, Mask
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from orchestrator.hanabi.convention.hint_convention import Focus, between
from orchestrator.hanabi.convention.policy import GAMBLES
from orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play

PLAY, DISCARD, HINT = 0, 1, 2


class Act(NamedTuple):
    """A move as numbers."""

    kind: int
    slot: int = 0
    """Of the own hand; for a hint, its index in HINTS."""
    to: int = 0


HINTS: tuple[Mask, ...] = (*(OF_COLOUR[c] for c in COLOURS), *(OF_RANK[r] for r in RANKS))
"""The types that each hint names: the five colours, then the five ranks."""
FIRST_RANK = 5
"""The index of the first rank hint in HINTS."""
RANK = [index % 5 for index in range(25)]
"""The rank of each card, less one."""
FITTING = [1 << card // 5 | 1 << FIRST_RANK + card % 5 for card in range(25)]
"""The hints that touch each card, as bits by index in HINTS."""

RISKED: Mapping[int, int] = {1: -1, **GAMBLES}
"""Lives left -> the most cards in the deck at which a likely play is risked; never on the last life."""


def act(move: Move) -> Act:
    if isinstance(move, Play):
        return Act(PLAY, move.slot)
    if isinstance(move, Discard):
        return Act(DISCARD, move.slot)
    if isinstance(move, HintColour):
        return Act(HINT, COLOURS.index(move.colour), move.to)
    return Act(HINT, FIRST_RANK + move.rank - 1, move.to)


def move(act: Act) -> Move:
    if act.kind == HINT:
        if act.slot < FIRST_RANK:
            return HintColour(to=act.to, colour=COLOURS[act.slot])
        return HintRank(to=act.to, rank=act.slot - FIRST_RANK + 1)
    return (Play if act.kind == PLAY else Discard)(slot=act.slot)


class HintReading(NamedTuple):
    """What a hint does to the common knowledge of a hand."""

    hand: list[Mask]
    says: tuple[int, Mask] | None
    """The slot that the giver points at, and the types that the hint says it has."""
    warns: bool
    plays: bool
    """True if it makes cards known to be playable literally, and they all fit."""


class RolloutGame:
    """A game in progress: a sampled deal, and the common knowledge of it."""

    __slots__ = (
        "common",
        "conventions",
        "counts",
        "critical",
        "dead",
        "deck",
        "hands",
        "literal",
        "lives",
        "pairs",
        "playable",
        "players",
        "seat",
        "tokens",
        "tops",
        "turns_left",
    )

    def __init__(self, knowledge: CommonKnowledge, seat: int, turns_left: int | None) -> None:
        """Before `seat`'s turn; hands and deck are dealt by `dealt`."""
        self.conventions, self.players, self.seat = knowledge.conventions, knowledge.players, seat
        self.pairs: list[list[tuple[Focus | None, Focus | None]]] = [
            [between(giver, reader) for reader in knowledge.conventions] for giver in knowledge.conventions
        ]
        self.tops, self.counts = list(knowledge.piles.fireworks), list(knowledge.piles.counts)
        self.tokens, self.lives, self.turns_left = knowledge.tokens, knowledge.lives, turns_left
        self.common = [list(hand) for hand in knowledge.common]
        self.literal = [list(hand) for hand in knowledge.literal]
        self.hands: list[list[int]] = []
        self.deck: list[int] = []
        self._piles()

    def dealt(self, hands: Sequence[Sequence[int]], deck: Sequence[int]) -> "RolloutGame":
        """Return a copy with these hands and this deck, whose last card is drawn first."""
        game: RolloutGame = RolloutGame.__new__(RolloutGame)
        game.conventions, game.pairs, game.players, game.seat = self.conventions, self.pairs, self.players, self.seat
        game.tokens, game.lives, game.turns_left = self.tokens, self.lives, self.turns_left
        game.playable, game.dead, game.critical = self.playable, self.dead, self.critical
        game.tops, game.counts = self.tops[:], self.counts[:]
        game.common, game.literal = [hand[:] for hand in self.common], [hand[:] for hand in self.literal]
        game.hands, game.deck = [list(hand) for hand in hands], list(deck)
        return game

    def _piles(self) -> None:
        """Which types are playable, dead and critical by the piles."""
        playable = dead = critical = 0
        counts = self.counts
        for colour, top in enumerate(self.tops):
            first = 5 * colour
            dead |= ((1 << top) - 1) << first
            for index in range(first + top, first + 5):
                copies = COPIES_OF[index] - counts[index]
                if not copies:
                    dead |= (1 << first + 5) - (1 << index)
                    break
                if copies == 1:
                    critical |= 1 << index
            if top < 5:
                playable |= 1 << first + top
        self.playable, self.dead, self.critical = playable, dead, critical

    @property
    def over(self) -> bool:
        return not self.lives or self.turns_left == 0 or sum(self.tops) == 25

    @property
    def score(self) -> int:
        """0 once the lives are lost."""
        return sum(self.tops) if self.lives else 0

    def finish(self) -> int:
        """Play to the end by the conventions; returns the score."""
        while not self.over:
            self.apply(self.decide())
        return self.score

    # What a move does

    def apply(self, act: Act) -> None:
        seat = self.seat
        self._silence(act)
        last = not self.deck
        if act.kind == HINT:
            reading = self.read_hint(seat, act, self.next_discard(act.to))
            types, hand = HINTS[act.slot], self.hands[act.to]
            literal = self.literal[act.to]
            self.literal[act.to] = [
                mask & (types if types >> card & 1 else ~types) for mask, card in zip(literal, hand, strict=True)
            ]
            self.common[act.to] = reading.hand
            self.tokens -= 1
        else:
            self._spend(seat, act)
        self._count()
        if last:
            self.turns_left = (self.players if self.turns_left is None else self.turns_left) - 1
        elif not self.deck:
            self.turns_left = self.players
        self.seat = (seat + 1) % self.players

    def _spend(self, seat: int, act: Act) -> None:
        """A card leaves the hand, and another is drawn."""
        card = self.hands[seat].pop(act.slot)
        del self.common[seat][act.slot], self.literal[seat][act.slot]
        self.counts[card] += 1
        back = act.kind == DISCARD
        if act.kind == PLAY:
            if self.playable >> card & 1:
                self.tops[card // 5] += 1
                back = RANK[card] == 4
            else:
                self.lives -= 1
        self.tokens = min(MAX_TOKENS, self.tokens + back)
        if self.deck:
            self.hands[seat].append(self.deck.pop())
            self.common[seat].append(ANY)
            self.literal[seat].append(ANY)
        self._piles()

    def _silence(self, act: Act) -> None:
        """See `CommonKnowledge._silence`."""
        seat = self.seat
        following = (seat + 1) % self.players
        if not self.deck or not self.tokens or (act.kind == HINT and act.to == following):
            return
        if self.pairs[seat][following][1] is None or self.conventions[seat].hints is None:
            return
        hand = self.common[following]
        slot = self.next_discard(following)
        if slot is not None:
            hand[slot] = hand[slot] & ~self.critical or hand[slot]

    def read_hint(self, giver: int, act: Act, going: int | None) -> HintReading:
        """See `CommonKnowledge.read_hint`. `going`: the slot that the receiver would discard next."""
        to, types, playable = act.to, HINTS[act.slot], self.playable
        hand: list[Mask] = []
        touched: list[int] = []
        plays, fit = False, True
        for slot, (old, card) in enumerate(zip(self.common[to], self.hands[to], strict=True)):
            if types >> card & 1:
                touched.append(slot)
                new = old & types or self.literal[to][slot] & types
            else:
                new = old & ~types or self.literal[to][slot] & ~types
            hand.append(new)
            if not new & ~playable and old & ~playable and old & playable and new:
                plays, fit = True, fit and bool(playable >> card & 1)
        hints, reads = self.pairs[giver][to]
        by_rank, to_right = act.slot >= FIRST_RANK, to == (giver - 1) % self.players
        is_dump = self.tokens == MAX_TOKENS and to_right and by_rank and 0 in touched
        if hints is None or is_dump:
            return HintReading(hand, None, False, plays and fit)
        if going is not None and going in touched and by_rank and to == (giver + 1) % self.players:
            mask, critical = self.common[to][going], self.critical
            if mask & types & critical and mask & ~critical:
                if reads is not None:
                    hand[going] = hand[going] & critical or hand[going]
                return HintReading(hand, (going, critical), True, False)
        if plays:
            return HintReading(hand, None, False, fit)
        meant = self._focus(hand, touched, hints)
        read = meant if reads == hints else None if reads is None else self._focus(hand, touched, reads)
        if read is not None:
            hand[read] &= playable
        return HintReading(hand, None if meant is None else (meant, playable), False, False)

    def _focus(self, hand: Sequence[Mask], touched: Sequence[int], which: Focus) -> int | None:
        playable = self.playable
        for slot in reversed(touched) if which == "newest" else touched:
            if hand[slot] & playable and hand[slot] & ~playable:
                return slot
        return None

    def next_discard(self, seat: int) -> int | None:
        """See `hint_convention.next_discard`."""
        playable, dead, critical = self.playable, self.dead, self.critical
        best, most = None, -1.0
        for slot, mask in enumerate(self.common[seat]):
            if not mask & ~playable or not mask & ~dead:
                return None
            if mask & ~critical:
                share = (mask & dead).bit_count() / mask.bit_count()
                if share > most:
                    best, most = slot, share
        return best

    def _count(self) -> None:
        """See `common_knowledge.counted`."""
        while True:
            full, sure = self._full()
            for hand, literal in zip(self.common, self.literal, strict=True):
                for slot, mask in enumerate(hand):
                    if mask & full and mask & (mask - 1):
                        hand[slot] = mask & ~full or literal[slot]
            if sum(not mask & (mask - 1) for hand in self.common for mask in hand) == sure:
                return

    def _full(self) -> tuple[Mask, int]:
        """Return the types of which every copy is gone or known to lie in some slot, and how many slots are known."""
        copies = self.counts[:]
        sure = [mask for hand in self.common for mask in hand if not mask & (mask - 1)]
        for mask in sure:
            copies[mask.bit_length() - 1] += 1
        full = 0
        for index, number in enumerate(copies):
            if number >= COPIES_OF[index]:
                full |= 1 << index
        return full, len(sure)

    # What a convention player does

    def decide(self) -> Act:
        """See `policy.decide`."""
        masks = self.own_masks()
        certain = self._save() or self._play(masks) or self._help()
        return certain or self._gamble(masks) or self._spare(masks)

    def own_masks(self) -> list[Mask]:
        """Return the types that each own slot may be, given the others' hands."""
        seat, copies = self.seat, self.counts[:]
        for other, hand in enumerate(self.hands):
            if other != seat:
                for card in hand:
                    copies[card] += 1
        unseen = 0
        for index, number in enumerate(copies):
            if number < COPIES_OF[index]:
                unseen |= 1 << index
        return [
            mask & unseen or literal & unseen or mask
            for mask, literal in zip(self.common[seat], self.literal[seat], strict=True)
        ]

    def in_danger(self) -> int | None:
        """Return the slot of a critical card that the next player is about to discard."""
        following = (self.seat + 1) % self.players
        convention = self.conventions[following]
        if not self.deck or (convention.hints is None and convention.reads is None):
            return None
        slot = self.next_discard(following)
        return slot if slot is not None and self.critical >> self.hands[following][slot] & 1 else None

    def _save(self) -> Act | None:
        if not self.tokens:
            return None
        slot = self.in_danger()
        if slot is None:
            return None
        following = (self.seat + 1) % self.players
        helping = self._helping(following)
        return helping[1] or Act(HINT, FIRST_RANK + RANK[self.hands[following][slot]], following)

    def _helping(self, to: int) -> tuple[int, Act | None]:
        """Return how many types the best helping hint rules out, and that hint: one that makes its receiver play a card
        that fits."""
        cards, before = self.hands[to], self.common[to]
        best, most, going = None, -1, self.next_discard(to)
        fitting = 0
        for card in cards:
            fitting |= FITTING[card]
        for hint in range(10):
            if not fitting >> hint & 1:
                continue
            act = Act(HINT, hint, to)
            reading = self.read_hint(self.seat, act, going)
            if reading.says is None:
                helps = reading.plays
            else:
                helps = not reading.warns and bool(reading.says[1] >> cards[reading.says[0]] & 1)
            if helps:
                removed = sum((old & ~new).bit_count() for old, new in zip(before, reading.hand, strict=True))
                if removed > most:
                    best, most = act, removed
        return most, best

    def _play(self, masks: Sequence[Mask]) -> Act | None:
        commonly, playable = self.common[self.seat], self.playable
        sure = [slot for slot, mask in enumerate(masks) if not mask & ~playable]
        if not sure:
            return None
        return Act(PLAY, min(sure, key=lambda slot: (not commonly[slot] & ~playable, _lowest(masks[slot]), slot)))

    def _help(self) -> Act | None:
        if not self.tokens:
            return None
        best, most = None, -1
        for step in range(1, self.players if self.turns_left is None else self.turns_left):
            removed, hint = self._helping((self.seat + step) % self.players)
            if removed > most:
                best, most = hint, removed
        return best

    def _gamble(self, masks: Sequence[Mask]) -> Act | None:
        if len(self.deck) > RISKED[self.lives]:
            return None
        chances = self.chances(masks, self.playable)
        slot = max(range(len(masks)), key=lambda slot: chances[slot])
        return Act(PLAY, slot) if chances[slot] else None

    def _spare(self, masks: Sequence[Mask]) -> Act:
        if self.tokens == MAX_TOKENS:  # nothing may be discarded
            right = (self.seat - 1) % self.players
            return Act(HINT, FIRST_RANK + RANK[self.hands[right][0]], right)
        commonly, dead = self.common[self.seat], self.dead
        lost = [slot for slot, mask in enumerate(masks) if not mask & ~dead]
        if lost:
            return Act(DISCARD, min(lost, key=lambda slot: (not commonly[slot] & ~dead, slot)))
        pointed = self.next_discard(self.seat)
        if pointed is not None:
            return Act(DISCARD, pointed)
        chances = self.chances(masks, self.critical)
        return Act(DISCARD, min(range(len(masks)), key=lambda slot: (chances[slot], -_lowest(masks[slot]), slot)))

    def chances(self, masks: Sequence[Mask], types: Mask) -> list[float]:
        """P(the card is one of `types`), slot by slot."""
        unseen = [copies - count for copies, count in zip(COPIES_OF, self.counts, strict=True)]
        for seat, hand in enumerate(self.hands):
            for card in hand if seat != self.seat else ():
                unseen[card] -= 1
        chances = []
        for mask in masks:
            all_of = sum(number for index, number in enumerate(unseen) if mask >> index & 1)
            fitting = sum(number for index, number in enumerate(unseen) if mask & types & 1 << index)
            chances.append(fitting / all_of if all_of else 0.0)
        return chances


def _lowest(mask: Mask) -> int:
    return next((rank for rank, types in enumerate(HINTS[FIRST_RANK:]) if mask & types), 0)


def numbered(cards: Sequence[Card]) -> list[int]:
    return [INDEX[card] for card in cards]
