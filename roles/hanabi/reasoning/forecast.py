"""Forecasts of what a partner who keeps to the conventions does on their next turn, and how sure they are.

The chance of a forecast is learnt from the game: in how many past turns of this kind the partner did so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    course,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    is_certain,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    SPARE_TOKENS,
    Scene,
    lowest_rank,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past

PLAYS = 0.9
PASSES = 0.95
"""Before any turn of a partner: how often they play who take a card for playable, and how often the others do not."""
WEIGHT = 10
"""The turns that these count for."""

PLAY = "play slot $slot, which they know to fit"
HINT_FIRST = (
    "hint you a card to play if they can, else play slot $slot (the chance is that of this play)"
)
HINT_AFTER_PLAY = "if you play, hint you another card to play if they can; else play slot $slot (the chance is of this)"
HINT_OR_DISCARD = "give a hint, or discard slot $slot"
LAST_TOKEN = "if you give a hint, discard slot $slot; else give a hint, or discard it"
NO_TOKEN = "if you discard, give a hint or discard slot $slot; else discard it"


@dataclass(frozen=True)
class Forecast:
    """What a partner does next if nobody gives them another hint."""

    text: str
    """In words with `$slot`; where it depends on the own move, it says so."""
    slot: int
    """The slot that they play, or discard."""
    plays: bool
    chance: float
    """That they play this slot; without a play, that they play none."""


class TurnCount(NamedTuple):
    """How often a partner did what the conventions foresaw, of how many turns."""

    times: int
    turns: int

    def chance(self, before: float) -> float:
        """Return the chance of the next time. `before`: that without any turn."""
        return (before * WEIGHT + self.times) / (WEIGHT + self.turns)


def forecast(scene: Scene, seat: int, history: Sequence[Past], *, coded: bool = False) -> Forecast:
    """Return what a partner does next who keeps to the conventions, or with `coded` to the code."""
    knowledge = scene.knowledge
    slot = sure_play(knowledge, seat)
    count = count_turns(knowledge, seat, history, plays=slot is not None)
    if slot is not None:
        text = PLAY if coded else play_words(scene)
        return Forecast(text, slot, True, count.chance(PLAYS))
    hand = knowledge.common[seat]
    dead = [slot for slot, mask in enumerate(hand) if is_certain(mask, knowledge.piles.dead)]
    going = dead[0] if dead else next_discard(hand, knowledge.piles) or 0
    text = HINT_OR_DISCARD
    if seat == scene.next and knowledge.tokens < 2:
        text = LAST_TOKEN if knowledge.tokens else NO_TOKEN
    return Forecast(text, going, False, count.chance(PASSES))


def sure_play(knowledge: CommonKnowledge, seat: int) -> int | None:
    """Return the slot that a player plays next, as far as everybody can tell: of the lowest rank, of equals the
    lowest slot."""
    hand = knowledge.common[seat]
    sure = [slot for slot, mask in enumerate(hand) if is_certain(mask, knowledge.piles.playable)]
    return min(sure, key=lambda slot: (lowest_rank(hand[slot]), slot), default=None)


def play_words(scene: Scene) -> str:
    """Return the words of a forecast of a play: at a table of two the other first gives a hint where the own hand, as
    everybody knows it, has no card to play after this turn."""
    now = scene.knowledge
    if now.players > 2 or not now.deck or now.tokens < SPARE_TOKENS:
        return PLAY
    ready = sum(is_certain(mask, now.piles.playable) for mask in now.common[scene.seat])
    return {0: HINT_FIRST, 1: HINT_AFTER_PLAY}.get(ready, PLAY)


def count_turns(
    knowledge: CommonKnowledge, seat: int, history: Sequence[Past], *, plays: bool
) -> TurnCount:
    """Return how often a partner played the slot that everybody expected, or without such a slot played none."""
    times = 0
    turns = 0
    for past, before in zip(history, course(knowledge.conventions, history), strict=False):
        sure = sure_play(before, seat) if past.seat == seat else None
        if past.seat != seat or (sure is not None) != plays:
            continue
        slot = past.move.slot if isinstance(past.move, Play) else None
        times += slot == sure
        turns += 1
    return TurnCount(times, turns)
