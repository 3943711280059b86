"""The position in a few short lines, for models that read little: the words of `convention_facts: {told: compact}`."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import ANY, COLOURS, INDEX, RANKS, Card, Mask, Piles, unmask
from orchestrator.hanabi.convention.hint_convention import is_certain, next_discard
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.moves import Discard, Play
from orchestrator.hanabi.view import Past
from roles.words import Words, percent

FEW = 3
"""The most possible cards of a slot that its line lists."""


def values(scene: Scene, history: Sequence[Past], words: Words) -> dict[str, object]:
    """The variables of `sections/compact.md`: everything public, the hands in sight, and what the conventions say."""
    now = scene.knowledge
    recent = history[-(now.players - 1) :] if history else ()
    return {
        "players": now.players,
        "seat": scene.seat,
        "turn": len(history) + 1,
        "lives": now.lives,
        "tokens": now.tokens,
        "deck": now.deck,
        "fireworks": " ".join(f"{colour}{rank}" for colour, rank in zip(COLOURS, now.piles.fireworks, strict=True)),
        "discards": " ".join(_by_colour(now.piles.discards)) or words("none"),
        "own": "\n".join(_shared(_own(scene, words))),
        "hands": "\n".join(_hand(scene, seat, words) for seat in scene.hands),
        "plays": ", ".join(_certain_plays(scene)) or words("none"),
        "hints": _hints(scene, words),
        "discard": _next_discard(scene) or words("none"),
        "legal": _kinds_of_move(scene, words),
        "moves": "; ".join(f"P{past.seat} {past.move}{words.result(past)}" for past in recent) or words("none"),
    }


def _by_colour(cards: Sequence[Card]) -> Iterator[str]:
    """`R113`: the ranks of a colour, sorted."""
    for colour in COLOURS:
        if ranks := sorted(card.rank for card in cards if card.colour == colour):
            yield f"{colour}{''.join(map(str, ranks))}"


def _shared(texts: Iterable[str]) -> Iterator[str]:
    """A line for all slots of which the same is said."""
    slots: dict[str, list[str]] = {}
    for slot, text in enumerate(texts):
        slots.setdefault(text, []).append(str(slot))
    return (f"{' '.join(numbers)}: {text}" for text, numbers in slots.items())


def _own(scene: Scene, words: Words) -> Iterator[str]:
    """What each own card can be, and the chances that it is playable, dead and critical, in percent."""
    for belief, literal in zip(scene.beliefs, scene.knowledge.literal[scene.seat], strict=True):
        chances = {"p": belief.playable, "d": belief.dead, "c": belief.critical}
        texts = (f"{letter}{percent(chance).rstrip('%')}" for letter, chance in chances.items() if chance)
        yield " ".join((_kinds(belief, literal, words), *texts))


def _kinds(belief: Slot, literal: Mask, words: Words) -> str:
    cards = belief.cards()
    return "/".join(card.value for card in cards) if len(cards) <= FEW else _hinted(literal, words)


def _hinted(literal: Mask, words: Words) -> str:
    """What hints leave of a card: `any`, `RY`, `1`, `RYG12`."""
    cards = unmask(literal)
    colours = [colour for colour in COLOURS if any(card.colour == colour for card in cards)]
    ranks = sorted({card.rank for card in cards})
    parts = [*colours] * (len(colours) < len(COLOURS)) + [*map(str, ranks)] * (len(ranks) < len(RANKS))
    return "".join(parts) or words("any")


def _hand(scene: Scene, seat: int, words: Words) -> str:
    """A hand in sight: each card, what it is worth, and what its owner knows; and what they would do with it."""
    now = scene.knowledge
    cards = zip(scene.hands[seat], now.literal[seat], strict=True)
    texts = (f"{card.value}{_worth(card, now.piles, words)}{_told(mask, words)}" for card, mask in cards)
    ready = [str(slot) for slot, mask in enumerate(now.common[seat]) if is_certain(mask, now.piles.playable)]
    going = next_discard(now.common[seat], now.piles, now.conventions[seat])
    thinks = words("; thinks playable $slots", slots=" ".join(ready)) if ready else ""
    next_ = "" if going is None else words("; discards next $slot", slot=going)
    return f"P{seat}: {', '.join(texts)}{thinks}{next_}"


def _told(literal: Mask, words: Words) -> str:
    return "" if literal == ANY else f" ({_hinted(literal, words)})"


def _worth(card: Card, piles: Piles, words: Words) -> str:
    kinds = {"playable": piles.playable, "dead": piles.dead, "critical": piles.critical}
    return "".join(f" {words(name)}" for name, types in kinds.items() if types >> INDEX[card] & 1)


def _hints(scene: Scene, words: Words) -> str:
    """The hints that do something by the conventions, as they stand in the list of legal moves."""
    legal = [effect for effect in scene.hint_effects if effect.hint in scene.legal]
    kinds = {
        "Hints to play": [effect for effect in legal if effect.helps],
        "Hints that warn": [effect for effect in legal if effect.warns and effect.true],
    }
    hints = {words(kind): [str(effect.hint) for effect in effects] for kind, effects in kinds.items() if effects}
    listed = {kind: ", ".join(moves) for kind, moves in hints.items()}
    return ". ".join(f"{kind}: {targets}" for kind, targets in listed.items()) or words("No hint says to play or warns")


def _certain_plays(scene: Scene) -> Iterator[str]:
    return (str(Play(slot=slot)) for slot, belief in enumerate(scene.beliefs) if belief.playable == 1)


def _next_discard(scene: Scene) -> str:
    """The discard of the oldest card that no hint protects, where it is legal."""
    now = scene.knowledge
    slot = next_discard(now.common[scene.seat], now.piles, now.conventions[scene.seat])
    move = None if slot is None else Discard(slot=slot)
    return str(move) if move in scene.legal else ""


def _kinds_of_move(scene: Scene, words: Words) -> str:
    kinds = dict.fromkeys(str(move).partition(" ")[0] for move in scene.legal)
    return ", ".join(map(words, kinds))
