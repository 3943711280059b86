"""What the program says to questions of environment comprehension: facts that follow from a position.

A question is told by its words; the fact is computed, and the one option that states it is the answer.
"""

import re
from collections.abc import Callable, Sequence

from experiments.tasks.questions.questions import Option
from experiments.tasks.questions.state_text import Position
from orchestrator.hanabi import belief
from orchestrator.hanabi.cards import INDEX, Mask

Fact = bool | int | frozenset[int] | str
"""Yes or no; a count; some slots; or the kind of move that is not possible."""


def _slots(position: Position, types: Mask) -> frozenset[int]:
    """Return the slots of the partner's hand whose card is one of these types."""
    return frozenset(slot for slot, card in enumerate(position.partner.cards) if types >> INDEX[card] & 1)


Rule = tuple[str, Callable[[Position, re.Match[str]], Fact]]
RULES: Sequence[Rule] = (
    (
        r"how many of my cards are .*playable",
        lambda at, _: sum(slot.playable == 1.0 for slot in belief.own_hand(at.view)),
    ),
    (r"no longer playable", lambda at, _: len(_slots(at, at.view.piles.dead))),
    (r"which of .* last of their (?:type|kind)", lambda at, _: _slots(at, at.view.piles.critical)),
    (r"last of their (?:type|kind)", lambda at, _: len(_slots(at, at.view.piles.critical))),
    (r"(?:Bob|his|he)\b.*\bplayable", lambda at, _: len(_slots(at, at.view.piles.playable))),
    (r"cards been played", lambda at, _: at.view.score > 0),
    (r"how many points", lambda at, _: at.view.score),
    (r"give a clue this turn, will \w+ be able to give", lambda at, _: at.view.tokens > 1),
    (r"move type is currently not possible", lambda at, _: "none" if at.view.tokens else "reveal"),
    (r"possible to reveal", lambda at, _: at.view.tokens > 0),
    (r"how many reveal tokens", lambda at, _: at.view.tokens),
    (r"how many lives", lambda at, _: at.view.lives),
    (r"how many cards are (?:left )?in the deck", lambda at, _: at.view.deck_size),
    (r"stacks completed", lambda at, _: 5 in at.view.fireworks),
    (
        r"how many of \w+'s cards are of a rank greater than (\d)",
        lambda at, words: sum(card.rank > int(words[1]) for card in at.partner.cards),
    ),
)


def answer(question: str, position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """Return the number of the one option that states the fact asked for, and the fact; None when the program knows
    none."""
    for words, rule in RULES:
        if match := re.search(words, question, re.IGNORECASE):
            fact = rule(position, match)
            fitting = [number for number, option in enumerate(options) if states(option.text, fact)]
            text = ", ".join(f"card {slot}" for slot in sorted(fact)) if isinstance(fact, frozenset) else str(fact)
            return (fitting[0], f"it is {text.lower()}") if len(fitting) == 1 else None
    return None


def states(text: str, fact: Fact) -> bool:
    """Return whether an option states a fact."""
    words = text.lower().strip()
    if isinstance(fact, frozenset):
        return {int(number) for number in re.findall(r"card (\d)", words)} == fact
    if isinstance(fact, str):
        return fact == ("none" if words.startswith("all ") else "reveal" if "reveal" in words else "")
    if isinstance(fact, bool):
        return words.startswith("yes" if fact else "no") and not words.startswith("not ")
    return _counts(words, fact)


def _counts(words: str, count: int) -> bool:
    if match := re.match(r"more than (\d+)", words):
        return count > int(match[1])
    if match := re.match(r"(\d+)( or more)?", words):
        return count >= int(match[1]) if match[2] else count == int(match[1])
    if words.startswith("no") and not words.startswith("not "):
        return count == 0
    if words.startswith("yes"):
        several, single = "multiple" in words, bool(re.search(r"\b(?:only )?one\b", words))
        return count > 1 if several else count == 1 if single else count > 0
    return False
