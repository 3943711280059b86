"""Literal play: what hints say and what can be counted, no conventions. Most programs build on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Mask
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    has_turn,
    hints_to,
    is_certain,
    share,
)
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintColour, Move, Play
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.words import Words

LIKELY = 0.6
"""A play this likely is worth a life, while there is one to spare (Piers' and VanDenBergh's threshold)."""
WORTHWHILE = 2.0
"""The worth from which a hint is better than a safe discard: it says something new about a playable card, or saves a
critical one."""


@dataclass(frozen=True)
class Lesson:
    """What a hint would teach."""

    hint: Hint
    touched: tuple[int, ...]
    plays: int
    """Playable cards whose owner would newly know that they are."""
    points: int
    """Playable cards about which it says something new, short of certainty."""
    saves: int
    """Critical cards that their owner might have discarded next and would now know something new about."""
    worth: float
    late: bool = False
    """True if its receiver has no turn left, so that it teaches nothing of use."""

    @property
    def news(self) -> bool:
        return self.worth > 0


def lesson(position: Position, hint: Hint) -> Lesson:
    """What a hint would teach, slot by slot: playable cards made known, critical cards saved, types ruled out."""
    cards = position.hands[hint.to]
    before = position.partners[hint.to]
    bits = [1 << INDEX[card] for card in cards]
    types = types_of(hint)
    playable = position.piles.playable
    touched = tuple(slot for slot, bit in enumerate(bits) if bit & types)
    if not has_turn(hint.to, position.seat, position.players, position.turns_left):
        return Lesson(hint, touched, 0, 0, 0, 0.0, late=True)
    after = [old & (types if slot in touched else ~types) for slot, old in enumerate(before)]
    worth = 0.02 * sum(
        old.bit_count() - new.bit_count() for old, new in zip(before, after, strict=True)
    )
    learnt = set()
    points = 0
    for slot, (bit, old, new) in enumerate(zip(bits, before, after, strict=True)):
        if not bit & playable or is_certain(old, playable):
            continue
        if is_certain(new, playable):
            learnt.add(bit)  # a second copy of the same card is no second play
        elif slot in touched and new != old and bit not in learnt:
            points += 1
            worth += WORTHWHILE + 1.5 * share(new, playable)
    chop = next_discard(position.known[hint.to])
    at_risk = chop is not None and chop in touched and before[chop] != after[chop]
    saves = int(at_risk and bool(bits[chop or 0] & position.piles.critical & ~playable))
    return Lesson(
        hint, touched, len(learnt), points, saves, worth + 5.0 * len(learnt) + 2.5 * saves
    )


def next_discard(masks: Iterable[Mask]) -> int | None:
    """The slot its owner will discard next, as far as hints go: the oldest that no hint has narrowed to few types."""
    wide = [slot for slot, possible in enumerate(masks) if possible.bit_count() > 5]
    return wide[0] if wide else None


def lessons(position: Position, hints: Iterable[Hint] | None = None) -> list[Lesson]:
    """All legal hints, or these, the most worthwhile first."""
    taught = (lesson(position, hint) for hint in (position.hints if hints is None else hints))
    return sorted(taught, key=lambda lesson: (lesson.late, -lesson.worth))


def hints_of_hands(position: Position) -> Iterator[Hint]:
    """The hints that tokens and hands allow, for a role that does not get the legal moves."""
    for seat, cards in position.hands.items() if position.tokens else ():
        yield from hints_to(seat, cards)


def certain_plays(position: Position) -> list[Play]:
    """Plays that cannot fail, the lowest certain rank first: it opens the way for more."""
    slots = position.slots
    sure = [move for move in position.plays if slots[move.slot].playable == 1.0]
    return sorted(sure, key=lambda move: min(card.rank for card in slots[move.slot].cards()))


def likely_plays(position: Position) -> list[Play]:
    """Plays worth a life, the likeliest first; none with one life left."""
    if position.lives < 2:
        return []
    slots = position.slots
    likely = [move for move in position.plays if slots[move.slot].playable >= LIKELY]
    return sorted(likely, key=lambda move: -slots[move.slot].playable)


def spare(slot: Slot) -> tuple[float, float]:
    """How well the team can do without a card: sort key, the most dispensable first."""
    return (slot.critical + slot.playable - slot.dead, -slot.dead)


def by_spareness(position: Position) -> list[Discard]:
    """Legal discards, the most dispensable first, then the oldest: known dead ones lead, known critical ones trail."""
    slots = position.slots
    return sorted(
        position.discards, key=lambda move: (slots[move.slot].dead < 1.0, *spare(slots[move.slot]))
    )


def harmless(position: Position, move: Move) -> bool:
    """False for a play that cannot fit, and for discarding a card known critical while another is known dead."""
    if isinstance(move, Play):
        return position.slots[move.slot].playable > 0
    if isinstance(move, Discard) and position.slots[move.slot].critical == 1.0:
        return not any(position.slots[other.slot].dead == 1.0 for other in position.discards)
    return True


def best(position: Position, *, prefer_rank: bool = False) -> tuple[Move, str]:
    """The literal player's move and its reason. Raises StopIteration only when no move is left."""
    return next(ranked(position, prefer_rank=prefer_rank))


def ranked(position: Position, *, prefer_rank: bool = False) -> Iterator[tuple[Move, str]]:
    """Every move that is left with its reason, in the order in which literal play would take them."""
    good = list(ranked_plays(position))
    yield from good
    hints = lessons(position)
    discards = by_spareness(position)
    if prefer_rank:
        hints.sort(
            key=lambda lesson: (
                lesson.late,
                -round(lesson.worth, 1),
                isinstance(lesson.hint, HintColour),
            )
        )
    worthy = list(takewhile(lambda lesson: lesson.worth >= WORTHWHILE, hints))
    yield from ((lesson.hint, why_hint(lesson)) for lesson in worthy)
    yield from ((move, why_discard(position, move)) for move in discards)
    yield from ((lesson.hint, why_hint(lesson)) for lesson in hints[len(worthy) :])
    gambles = [move for move in position.plays if move not in [play for play, _ in good]]
    only = not (good or hints or discards)
    for move in sorted(gambles, key=lambda move: -position.slots[move.slot].playable):
        yield (
            move,
            "every other move was refused or is not allowed" if only else _fits(position, move),
        )


def ranked_plays(position: Position) -> Iterator[tuple[Play, str]]:
    """The plays that cannot fail, then those worth a life, each with its reason."""
    sure = certain_plays(position)
    yield from ((move, f"slot {move.slot} is known to be playable") for move in sure)
    risked = (move for move in likely_plays(position) if move not in sure)
    yield from ((move, f"{_fits(position, move)}, and there is a life to spare") for move in risked)


def _fits(position: Position, move: Play) -> str:
    return f"slot {move.slot} is playable with probability {position.slots[move.slot].playable:.2f}"


FORESEEN = {
    "play": "play slot $slot, which they know to fit",
    "hint or discard": "give a hint, or discard slot $slot",
    "discard": "discard slot $slot, for there is no token",
}


@dataclass(frozen=True)
class Foreseen:
    """What a literal player will do next if nobody gives them another hint."""

    does: Literal["play", "hint or discard", "discard"]
    slot: int
    chance: float

    def say(self, words: Words) -> str:
        return words(FORESEEN[self.does], slot=self.slot)


def foresee(position: Position, seat: int) -> Foreseen:
    """A partner's next move by what they see; which hint they will give cannot be foretold."""
    playable = [i for i, slot in enumerate(position.partner(seat)) if slot.playable == 1.0]
    if playable:
        return Foreseen("play", playable[0], 0.9)
    slot = next_discard(position.known[seat]) or 0
    return (
        Foreseen("hint or discard", slot, 0.6)
        if position.tokens
        else Foreseen("discard", slot, 0.8)
    )


def why_hint(lesson: Lesson) -> str:
    owner = f"P{lesson.hint.to}"
    if lesson.late:
        return f"{owner} has no turn left"
    if lesson.plays:
        cards = "a card" if lesson.plays == 1 else f"{lesson.plays} cards"
        return f"{owner} will know that {cards} of theirs can be played"
    if lesson.saves:
        return f"it saves a critical card that {owner} might discard next"
    if lesson.points:
        return f"it points at a playable card of {owner}'s"
    return (
        f"{owner} learns a little, and nothing that they can play"
        if lesson.news
        else f"{owner} learns nothing new"
    )


def why_discard(position: Position, move: Discard) -> str:
    slot = position.slots[move.slot]
    if slot.dead == 1.0:
        return f"slot {move.slot} can never score again"
    return f"slot {move.slot} is the card to spare: P(critical) {slot.critical:.2f}, P(dead) {slot.dead:.2f}"
