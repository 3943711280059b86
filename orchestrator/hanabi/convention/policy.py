"""The policy of a convention player, step by step, from common knowledge and the cards in sight.

Each step is a function of a Scene, so that a rule player can go through all of them, and the roles of a graph can each
take some.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    INDEX,
    MAX_TOKENS,
    OF_RANK,
    Card,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    NEARLY_OVER,
    CommonKnowledge,
    Point,
    made_known,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    STRANGER,
    has_turn,
    hints_to,
    is_certain,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Move, Play

GAMBLES: Mapping[int, int] = {3: NEARLY_OVER, 2: 1}
"""Lives left -> the most cards in the deck at which a likely play is better than a discard; the last life is never
gambled."""

SPARE_TOKENS = 3
"""At a table of two: the tokens from which a partner who knows of no card to play is helped before an own play. With
more players somebody else can help them."""

PER_TURN = 10
BUSY = 100
"""What a hint that helps loses of its value for each turn before its receiver's, and where they take a card for
playable already."""

LIKELY = 0.6
"""Among strangers, the chance from which a play is worth a life, while there is one to spare (Piers' threshold)."""

M = TypeVar("M", bound=Move, covariant=True)
Reasoned = tuple[M, str]


@dataclass(frozen=True)
class HintEffect:
    """What a hint would change in the common knowledge of its receiver's hand."""

    hint: Hint
    says: Point | None
    """What it would say by the convention; None when it points at nothing."""
    true: bool
    """True if what it tells about a card that its owner may then play is true of the card."""
    learned: tuple[int, ...]
    """The slots that, pointing at nothing, it makes known to be playable and that were not."""
    removed: int
    """How many possible types it rules out, summed over the slots."""
    tells: int = 0
    """To a receiver who reads it literally: of how many playable cards, that they do not know to be, it says something
    new."""
    late: bool = False
    """True if the giver minds that each card which it makes its owner play has a copy that will be played before."""
    value: int = 0
    """How much it is worth beside other hints that help: `removed`; of a giver who waits, less `PER_TURN` for each turn
    before the receiver's, less `BUSY` where they take a card for playable already."""

    @property
    def plays(self) -> bool:
        """True if, pointing at nothing, it makes cards known to be playable, and they all fit. They do not where what
        was known of them before was false."""
        return self.true and bool(self.learned)

    @property
    def helps(self) -> bool:
        """True if it makes the owner play a card, one that fits and that nobody will have played before."""
        if self.late:
            return False
        return self.plays if self.says is None else self.true and self.says.why == "play hint"

    @property
    def false(self) -> bool:
        """True if its receiver would take from it what is not so."""
        return self.says is not None and not self.true

    @property
    def warns(self) -> bool:
        return self.says is not None and self.says.why == "warning"


@dataclass(frozen=True)
class Scene:
    """All that a convention player decides by."""

    seat: int
    knowledge: CommonKnowledge
    hands: Mapping[int, tuple[Card, ...]]
    """The hands in sight by seat, in turn order from the next player."""
    legal: Sequence[Move]
    turns_left: int | None = None
    """Turns until the game ends, this one included; None while the deck has cards."""

    @property
    def piles(self) -> Piles:
        return self.knowledge.piles

    @property
    def next(self) -> int:
        return (self.seat + 1) % self.knowledge.players

    @cached_property
    def beliefs(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand: from common knowledge and the cards in sight."""
        visible = self.hands.values()
        for masks in (self.knowledge.common[self.seat], self.knowledge.literal[self.seat]):
            try:
                return belief.believe(masks, self.piles, *visible)
            except ValueError:
                continue  # a partner broke the convention
        raise ValueError("no hand fits the hints and the cards in sight")

    def effect_of(self, hint: Hint) -> HintEffect:
        """Return the effect of one hint, which need not be legal now."""
        return next(
            (effect for effect in self.hint_effects if effect.hint == hint), None
        ) or self._effect(hint)

    def has_turn(self, seat: int) -> bool:
        """Return whether a partner has a turn left in which to use a hint."""
        return has_turn(seat, self.seat, self.knowledge.players, self.turns_left)

    def _effect(self, hint: Hint) -> HintEffect:
        if not self.has_turn(hint.to):
            return HintEffect(hint, None, true=False, learned=(), removed=0)
        cards = self.hands[hint.to]
        before = self.knowledge.common[hint.to]
        types = types_of(hint)
        touched = tuple(slot for slot, card in enumerate(cards) if types >> INDEX[card] & 1)
        after, points = self.knowledge.read_hint(self.seat, hint, touched)
        point = next((point for point in points if point.meant), None)
        learned = () if point else tuple(made_known(before, after, self.piles))
        slots, types = ([point.slot], point.types) if point else (learned, self.piles.playable)
        true = bool(slots) and all(types >> INDEX[cards[slot]] & 1 for slot in slots)
        removed = sum((old & ~new).bit_count() for old, new in zip(before, after, strict=True))
        tells = self._told_literally(hint, touched) if self.is_stranger(hint.to) else 0
        warns = point is not None and point.why == "warning"
        late = False
        value = removed
        if self.knowledge.conventions[self.seat].waits:
            late = bool(slots) and not warns and all(self._is_late(hint.to, slot) for slot in slots)
            value -= PER_TURN * ((hint.to - self.seat) % self.knowledge.players - 1)
            value -= BUSY if self.knowledge.takes_for_playable(hint.to) else 0
        return HintEffect(hint, point, true, learned, removed, tells, late, value)

    def _is_late(self, seat: int, slot: int) -> bool:
        """Return whether a copy of a card is known to be playable in another hand, in another slot, or is an own
        card."""
        card = self.hands[seat][slot]
        in_hand = any(belief.possible == 1 << INDEX[card] for belief in self.beliefs)
        return in_hand or any(
            is_certain(self.knowledge.common[holder][place], self.piles.playable)
            for holder, hand in self.hands.items()
            for place, copy in enumerate(hand)
            if copy == card and (holder, place) != (seat, slot)
        )

    def _told_literally(self, hint: Hint, touched: Sequence[int]) -> int:
        """Return of how many playable cards a hint says something new by its colour or rank; of copies, of one."""
        cards = self.hands[hint.to]
        masks = self.knowledge.common[hint.to]
        playable = self.piles.playable
        return len(
            {
                cards[slot]
                for slot in touched
                if playable >> INDEX[cards[slot]] & 1
                and not is_certain(masks[slot], playable)
                and masks[slot] & ~types_of(hint)
            }
        )

    @cached_property
    def hint_effects(self) -> tuple[HintEffect, ...]:
        """The effects of all hints that touch a card of a player with a turn left; empty without a token."""
        if not self.knowledge.tokens:
            return ()
        hands = ((seat, cards) for seat, cards in self.hands.items() if self.has_turn(seat))
        return tuple(self._effect(hint) for seat, cards in hands for hint in hints_to(seat, cards))

    def is_stranger(self, seat: int) -> bool:
        """Return whether a partner is assumed to read hints literally."""
        return self.knowledge.conventions[seat].reads is None

    @property
    def among_strangers(self) -> bool:
        """True if no partner keeps to a convention."""
        return all(self.knowledge.conventions[seat] == STRANGER for seat in self.hands)

    @property
    def chop(self) -> int | None:
        """The own slot to discard next where none is known dead: by the conventions; among strangers, who warn of no
        card, the one that the team can best spare. None where the conventions name none."""
        if not self.among_strangers:
            return next_discard(
                self.knowledge.common[self.seat], self.piles, self.knowledge.conventions[self.seat]
            )
        spare = [(slot.critical + slot.playable - slot.dead, -slot.dead) for slot in self.beliefs]
        return min(range(len(spare)), key=spare.__getitem__)

    @property
    def may_help_first(self) -> bool:
        """True if a helping hint may come before a play: at a table of two, while tokens are to spare."""
        now = self.knowledge
        return now.players == 2 and now.deck > 0 and now.tokens >= SPARE_TOKENS

    def fits_by(self, slot: int) -> str:
        """Say by which hint an own card fits."""
        card = self.knowledge.cards[self.seat][slot]
        hints = [
            claim.turn
            for claim in self.knowledge.claims
            if claim.card == card and claim.why == "play hint"
        ]
        return (
            f"it fits by convention, by the hint of turn {hints[-1]}"
            if hints
            else "it fits by convention"
        )

    def effect_words(self, effect: HintEffect) -> str:
        """Say what a hint that helps makes its receiver play."""
        slots = [effect.says.slot] if effect.says else self._played_in_turn(effect)
        cards = [f"slot {slot} ({self.hands[effect.hint.to][slot].value})" for slot in slots]
        return f"P{effect.hint.to} will play {', then '.join(cards)}"

    def _played_in_turn(self, effect: HintEffect) -> list[int]:
        """Return the slots that a hint makes known to be playable and that stay so while the receiver plays them."""
        types = types_of(effect.hint)
        cards = self.hands[effect.hint.to]
        touched = tuple(slot for slot, card in enumerate(cards) if types >> INDEX[card] & 1)
        after, _ = self.knowledge.read_hint(self.seat, effect.hint, touched)
        slots = list[int]()
        played = 0
        for slot in effect.learned:
            if not after[slot] & played:
                slots.append(slot)
                played |= 1 << INDEX[cards[slot]]
        return slots

    def in_danger(self) -> int | None:
        """Return the slot of a critical card that the next player is about to discard."""
        slot = next_discard(
            self.knowledge.common[self.next], self.piles, self.knowledge.conventions[self.next]
        )
        if (
            slot is None
            or not self.knowledge.deck
            or self.knowledge.conventions[self.next] == STRANGER
        ):
            return None
        card = self.hands[self.next][slot]
        return slot if self.piles.critical >> INDEX[card] & 1 else None


PolicyStep = Callable[[Scene], Iterator[Reasoned[Move]]]
"""Yields moves with their reasons, best first; none when the step does not apply."""


def save(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """Keep the next player from discarding a critical card: by a hint that makes them play, else by a warning."""
    slot = scene.in_danger()
    if slot is None:
        return
    helping = [
        effect for effect in scene.hint_effects if effect.helps and effect.hint.to == scene.next
    ]
    card = scene.hands[scene.next][slot]
    for effect in sorted(helping, key=lambda effect: -effect.removed):
        yield (
            effect.hint,
            f"{scene.effect_words(effect)} and not discard slot {slot}, the critical {card.value}",
        )
    warning = HintRank(to=scene.next, rank=card.rank)
    yield (
        warning,
        f"it warns P{scene.next}, who would discard slot {slot}, the critical {card.value}",
    )


def wait(scene: Scene) -> Iterator[Reasoned[Discard]]:
    """Without a token, keep the next player from discarding a critical card by a discard in place of a play."""
    slot = scene.in_danger()
    if slot is not None and scene.knowledge.may_wait(scene.seat):
        card = scene.hands[scene.next][slot]
        warns = f"it warns P{scene.next}, who would discard slot {slot}, the critical {card.value}"
        for move, _ in discard(scene):
            yield move, f"{warns}; the play waits"


def play(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Play a card that certainly fits: first those that only this player knows to fit, then the lowest rank."""
    hand = scene.knowledge.common[scene.seat]
    playable = scene.piles.playable
    sure = [slot for slot, belief in enumerate(scene.beliefs) if belief.playable == 1.0]
    for slot in sorted(
        sure, key=lambda slot: (is_certain(hand[slot], playable), lowest(scene.beliefs[slot]), slot)
    ):
        # without any convention: by hints and the cards in sight
        literal = belief.believe(
            scene.knowledge.literal[scene.seat], scene.piles, *scene.hands.values()
        )[slot]
        yield (
            Play(slot=slot),
            "it is known to fit" if literal.playable == 1.0 else scene.fits_by(slot),
        )


def lowest(slot: Slot) -> int:
    """Return the lowest rank that a card may have, 1-5."""
    return lowest_rank(slot.possible)


def lowest_rank(types: Mask) -> int:
    """Return the lowest rank of a set of types, 1-5."""
    return next(rank for rank, of_rank in OF_RANK.items() if types & of_rank)


def help(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """Give a hint that makes its receiver play; the one of most value comes first."""
    helping = [effect for effect in scene.hint_effects if effect.helps and not effect.warns]
    for effect in sorted(helping, key=lambda effect: -effect.value):
        yield effect.hint, scene.effect_words(effect)


def help_first(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """At a table of two, help a partner who knows of no card to play before playing, while tokens are to spare."""
    sure = (is_certain(mask, scene.piles.playable) for mask in scene.knowledge.common[scene.next])
    if scene.may_help_first and not any(sure):
        yield from help(scene)


def likely(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Where nobody keeps to the conventions, play what is likely to fit, while there is a life to spare."""
    if not scene.among_strangers or scene.knowledge.lives < 2:
        return
    chances = [
        (slot, belief.playable)
        for slot, belief in enumerate(scene.beliefs)
        if belief.playable >= LIKELY
    ]
    for slot, chance in sorted(chances, key=lambda pair: -pair[1]):
        yield Play(slot=slot), f"slot {slot} fits with {chance:.2f}, and there is a life to spare"


def teach(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """Tell somebody who reads hints literally something new of playable cards: of the most, then with most news."""
    worth = [effect for effect in scene.hint_effects if effect.tells]
    for effect in sorted(worth, key=lambda effect: (-effect.tells, -effect.removed)):
        yield (
            effect.hint,
            f"it tells P{effect.hint.to} something new of playable cards: {effect.tells}",
        )


def gamble(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Near the end, play the likeliest card, while there is a life to spare."""
    if scene.knowledge.deck > GAMBLES.get(scene.knowledge.lives, -1):
        return
    slot = max(range(len(scene.beliefs)), key=lambda slot: scene.beliefs[slot].playable)
    if scene.beliefs[slot].playable:
        yield (
            Play(slot=slot),
            f"the game is nearly over, and slot {slot} fits with {scene.beliefs[slot].playable:.2f}",
        )


def dump(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """With all tokens there, when nothing may be discarded: a hint that points at nothing."""
    if scene.knowledge.tokens == MAX_TOKENS:
        right = (scene.seat - 1) % scene.knowledge.players
        yield (
            HintRank(to=right, rank=scene.hands[right][0].rank),
            "there is nothing better to do with a token",
        )


def discard(scene: Scene) -> Iterator[Reasoned[Discard]]:
    """Discard a card known dead, first those that only this player knows; else the chop, else what is likeliest not
    critical; last, the chop too, what is to be kept (`is_kept`)."""
    commonly = scene.knowledge.common[scene.seat]
    beliefs = scene.beliefs
    dead = [slot for slot, belief in enumerate(beliefs) if belief.dead == 1.0]
    for slot in sorted(dead, key=lambda slot: (is_certain(commonly[slot], scene.piles.dead), slot)):
        yield Discard(slot=slot), f"slot {slot} is known dead"
    if scene.chop is not None and not is_kept(beliefs[scene.chop]):
        yield Discard(slot=scene.chop), f"slot {scene.chop} is next to go"

    def risk(slot: int) -> tuple[bool, float, int, int]:
        return is_kept(beliefs[slot]), beliefs[slot].critical, -lowest(beliefs[slot]), slot

    for slot in sorted(range(len(beliefs)), key=risk):
        yield (
            Discard(slot=slot),
            f"slot {slot} is the least likely to be critical ({beliefs[slot].critical:.2f})",
        )


def is_kept(slot: Slot) -> bool:
    """Return whether a card is known to fit or to be critical, so that no other should go after it."""
    return slot.playable == 1.0 or slot.critical == 1.0


def gamble_in_time(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Gamble, but among strangers leave it: there likely cards were played before."""
    if not scene.among_strangers:
        yield from gamble(scene)


HOUSE_STEPS: tuple[PolicyStep, ...] = (
    save,
    wait,
    help_first,
    play,
    likely,
    help,
    teach,
    dump,
    gamble_in_time,
    discard,
)
"""The steps of `house`, which also does what is right beside players who keep to no convention."""
STEPS: tuple[PolicyStep, ...] = (save, play, help, gamble, dump, discard)


def decide(scene: Scene, steps: Sequence[PolicyStep] = STEPS) -> Reasoned[Move]:
    """Return the first legal move of the first step that has one."""
    legal = set(scene.legal)
    for step in steps:
        for move, why in step(scene):
            if move in legal:
                return move, why
    return scene.legal[0], "nothing else is allowed"
