"""Simpler convention players: they hint and warn by the conventions but draw fewer conclusions.

These are our own reconstructions of HolmesBot and ValueBot, whose full rules are not published. Neither concludes
anything from a missing warning; both play a card that a hint once pointed at, whatever was played since, protect
critical cards by warnings alone, and discard the oldest card that is not known to be critical. Holmes counts the cards
in sight. Near the end it gambles even the last life, as the original does, and so may lose the game; its published
figures are of kept scores. Value counts no cards.
"""

from collections.abc import Iterator

from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import NEARLY_OVER
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    Convention,
    is_certain,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    PolicyStep,
    Reasoned,
    Scene,
    discard,
    dump,
    help,
    lowest,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Play
from hanabi_orchestrator.orchestrator.players.smart import convention_player

SIMPLE = Convention("newest", "newest", subtle=False, waits=False)


def pointed_at(scene: Scene) -> set[int]:
    """Return the own slots that a hint once pointed at, except those that cannot fit by now."""
    cards = scene.knowledge.cards[scene.seat]
    hinted = scene.knowledge.literal[scene.seat]
    pointed = {claim.card for claim in scene.knowledge.claims if claim.why == "play hint"}
    return {
        slot
        for slot, card in enumerate(cards)
        if card in pointed and hinted[slot] & scene.piles.playable
    }


def play_what_fits(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Play a card that was pointed at, or that certainly fits by the cards in sight: the lowest rank first."""
    sure = pointed_at(scene) | {
        slot for slot, belief in enumerate(scene.beliefs) if belief.playable == 1.0
    }
    for slot in sorted(sure, key=lambda slot: (lowest(scene.beliefs[slot]), slot)):
        yield Play(slot=slot), f"slot {slot} was pointed at, or is known to fit"


def play_what_is_known(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Play a card that was pointed at, or that everybody knows to fit: the oldest first."""
    hand = scene.knowledge.common[scene.seat]
    sure = pointed_at(scene) | {
        slot for slot, possible in enumerate(hand) if is_certain(possible, scene.piles.playable)
    }
    for slot in sorted(sure):
        yield Play(slot=slot), f"slot {slot} was pointed at, or is told to fit"


def warn(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """Warn the next player, who is about to discard a critical card, by its rank."""
    slot = scene.in_danger()
    if slot is not None:
        rank = scene.hands[scene.next][slot].rank
        yield (
            HintRank(to=scene.next, rank=rank),
            f"it warns P{scene.next} of the critical card in slot {slot}",
        )


def help_first(scene: Scene) -> Iterator[Reasoned[Hint]]:
    """Give the first hint that makes its receiver play, from the next player on."""
    for effect in scene.hint_effects:
        if effect.helps:
            yield effect.hint, f"P{effect.hint.to} will know of a card to play"


def gamble_all(scene: Scene) -> Iterator[Reasoned[Play]]:
    """Near the end, play the newest card that may fit, even on the last life."""
    if scene.knowledge.deck <= NEARLY_OVER:
        for slot in (
            slot for slot in reversed(range(len(scene.beliefs))) if scene.beliefs[slot].playable
        ):
            yield Play(slot=slot), f"the game is nearly over, and slot {slot} may fit"


def discard_by_hints(scene: Scene) -> Iterator[Reasoned[Discard]]:
    """Discard a card that everybody knows to be dead; else the chop; else the oldest."""
    hand = scene.knowledge.common[scene.seat]
    dead = [slot for slot, possible in enumerate(hand) if is_certain(possible, scene.piles.dead)]
    spare = next_discard(hand, scene.piles, SIMPLE)
    for slot in (*dead, *(() if spare is None else (spare,)), *range(len(hand))):
        yield Discard(slot=slot), f"slot {slot} is the next to go"


HOLMES: tuple[PolicyStep, ...] = (play_what_fits, warn, help, gamble_all, dump, discard)
VALUE: tuple[PolicyStep, ...] = (play_what_is_known, warn, help_first, dump, discard_by_hints)

PARTNERS = (
    convention_player(
        "value", SIMPLE, "after ValueBot, as far as it is described; our own reconstruction", VALUE
    ),
    convention_player(
        "holmes",
        SIMPLE,
        "after HolmesBot, as far as it is described; our own reconstruction",
        HOLMES,
    ),
)
