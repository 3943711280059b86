"""The position in a few short lines, for models that read little: the words of `convention_facts: {told: compact}`."""

from collections.abc import Iterator, Sequence

from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, COLOURS, INDEX, RANKS, Mask, unmask
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    is_certain,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.words import Words, percent, slots_by_text

FEW = 3
"""The most possible cards of a slot that its line lists."""


def values(scene: Scene, history: Sequence[Past], words: Words) -> dict[str, object]:
    """The variables of `sections/compact.md`: everything public, the hands in sight, and what the conventions say."""
    now = scene.knowledge
    recent = history[-(now.players - 1) :] if history else ()
    ranks = {
        colour: sorted(card.rank for card in now.piles.discards if card.colour == colour)
        for colour in COLOURS
    }
    plays = (
        str(Play(slot=slot)) for slot, belief in enumerate(scene.beliefs) if belief.playable == 1
    )
    chop = next_discard(now.common[scene.seat], now.piles, now.conventions[scene.seat])
    going = None if chop is None else Discard(slot=chop)
    return {
        "players": now.players,
        "seat": scene.seat,
        "turn": len(history) + 1,
        "lives": now.lives,
        "tokens": now.tokens,
        "deck": now.deck,
        "fireworks": " ".join(
            f"{colour}{rank}" for colour, rank in zip(COLOURS, now.piles.fireworks, strict=True)
        ),
        "discards": " ".join(
            f"{colour}{''.join(map(str, several))}" for colour, several in ranks.items() if several
        )
        or words("none"),
        "own": "\n".join(
            f"{' '.join(map(str, slots))}: {text}"
            for text, slots in slots_by_text(enumerate(_own_cards(scene, words)))
        ),
        "hands": "\n".join(_hand(scene, seat, words) for seat in scene.hands),
        "plays": ", ".join(plays) or words("none"),
        "hints": _hints(scene, words),
        "discard": str(going) if going in scene.legal else words("none"),
        "legal": ", ".join(
            map(words, dict.fromkeys(str(move).partition(" ")[0] for move in scene.legal))
        ),
        "moves": "; ".join(f"P{past.seat} {past.move}{words.result(past)}" for past in recent)
        or words("none"),
    }


def _own_cards(scene: Scene, words: Words) -> Iterator[str]:
    """What each own card can be, and the chances that it is playable, dead and critical, in percent."""
    for belief, literal in zip(scene.beliefs, scene.knowledge.literal[scene.seat], strict=True):
        cards = [card.value for card in belief.cards()]
        chances = {"p": belief.playable, "d": belief.dead, "c": belief.critical}
        texts = (
            f"{letter}{percent(chance).rstrip('%')}" for letter, chance in chances.items() if chance
        )
        yield " ".join(("/".join(cards) if len(cards) <= FEW else _hinted(literal, words), *texts))


def _hinted(literal: Mask, words: Words) -> str:
    """What hints leave of a card: `any`, `RY`, `1`, `RYG12`."""
    cards = unmask(literal)
    colours = [colour for colour in COLOURS if any(card.colour == colour for card in cards)]
    ranks = sorted({card.rank for card in cards})
    parts = [*colours] * (len(colours) < len(COLOURS)) + [*map(str, ranks)] * (
        len(ranks) < len(RANKS)
    )
    return "".join(parts) or words("any")


def _hand(scene: Scene, seat: int, words: Words) -> str:
    """A hand in sight: each card, what it is worth, and what its owner knows; and what they would do with it."""
    now = scene.knowledge
    kinds = {"playable": now.piles.playable, "dead": now.piles.dead, "critical": now.piles.critical}
    texts = []
    for card, literal in zip(scene.hands[seat], now.literal[seat], strict=True):
        worth = "".join(
            f" {words(name)}" for name, types in kinds.items() if types >> INDEX[card] & 1
        )
        texts.append(
            f"{card.value}{worth}{'' if literal == ANY else f' ({_hinted(literal, words)})'}"
        )
    ready = [
        str(slot)
        for slot, mask in enumerate(now.common[seat])
        if is_certain(mask, now.piles.playable)
    ]
    going = next_discard(now.common[seat], now.piles, now.conventions[seat])
    thinks = words("; thinks playable $slots", slots=" ".join(ready)) if ready else ""
    next_ = "" if going is None else words("; discards next $slot", slot=going)
    return f"P{seat}: {', '.join(texts)}{thinks}{next_}"


def _hints(scene: Scene, words: Words) -> str:
    """The hints that do something by the conventions, as they stand in the list of legal moves."""
    legal = [effect for effect in scene.hint_effects if effect.hint in scene.legal]
    kinds = {
        "Hints to play": [effect for effect in legal if effect.helps],
        "Hints that warn": [effect for effect in legal if effect.warns and effect.true],
    }
    hints = {
        words(kind): [str(effect.hint) for effect in effects]
        for kind, effects in kinds.items()
        if effects
    }
    lines = {kind: ", ".join(moves) for kind, moves in hints.items()}
    return ". ".join(f"{kind}: {targets}" for kind, targets in lines.items()) or words(
        "No hint says to play or warns"
    )
