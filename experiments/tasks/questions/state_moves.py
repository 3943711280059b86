"""What the program says to questions of joint planning and theory of mind: a move, or a hint for a purpose.

Joint planning: the convention player's policy decides among the moves that are offered. Theory of mind, what the
partner meant: the same policy among the own cards. Theory of mind, what to reveal: the hint that serves best the
purpose which the words of the question state.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from experiments.tasks.questions.questions import Option
from experiments.tasks.questions.state_text import ME, PARTNER, Position, move_of
from orchestrator.hanabi.cards import INDEX, Mask
from orchestrator.hanabi.convention import policy
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, counted
from orchestrator.hanabi.convention.hint_convention import NEWEST, is_certain
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.literal_knowledge import hinted, types_of
from orchestrator.hanabi.moves import HintColour, HintRank, Move

OWN_STEPS = (policy.play, policy.gamble, policy.discard)
"""The steps of the policy that concern the own cards."""


def scene(position: Position, legal: Sequence[Move]) -> Scene:
    """Return a position for a convention player who knows nothing of its past."""
    view, theirs = position.view, position.partner
    literal = (tuple(card.mask for card in view.own), tuple(card.mask for card in theirs.known))
    knowledge = CommonKnowledge.of_position(
        (NEWEST, NEWEST),
        view.piles,
        tokens=view.tokens,
        lives=view.lives,
        deck=view.deck_size,
        literal=literal,
        common=counted(literal, literal, view.piles),
    )
    return Scene(ME, knowledge, {PARTNER: theirs.cards}, legal)


def decide(
    position: Position, options: Sequence[Option], steps: Sequence[policy.PolicyStep] = policy.STEPS
) -> tuple[int, str] | None:
    """Return the option that these steps of the policy choose, and why; None when the options are no moves."""
    moves = [move_of(option.text) for option in options]
    legal = [move for move in moves if move is not None]
    if not legal:
        return None
    move, why = policy.decide(scene(position, legal), steps)
    return moves.index(move), why


@dataclass(frozen=True)
class Told:
    """What a hint tells the partner: what they know of each card before and after it."""

    position: Position
    touched: tuple[int, ...]
    before: tuple[Mask, ...]
    after: tuple[Mask, ...]

    def among(self, types: Mask) -> list[int]:
        """Return the touched cards that are of these types."""
        cards = self.position.partner.cards
        return [slot for slot in self.touched if types >> INDEX[cards[slot]] & 1]

    def newly(self, types: Mask) -> int:
        """Return how many cards are known to be of these types after the hint, and were not before."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(is_certain(after, types) and not is_certain(before, types) for before, after in pairs)

    @property
    def bits(self) -> float:
        """The information that it gives, each card counted for itself."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(math.log2(before.bit_count() / max(1, after.bit_count())) for before, after in pairs)


Worth = tuple[float, ...]
Purpose = Callable[[Told, re.Match[str]], Worth]


def _unique(hint: Told, _: re.Match[str]) -> Worth:
    """Most cards that are the last of their kind and were not known to be; then most that become known to be; then
    fewest others."""
    critical = hint.position.view.piles.critical
    new = [slot for slot in hint.among(critical) if not is_certain(hint.before[slot], critical)]
    return len(new), hint.newly(critical), -len(hint.touched)


def _certain(hint: Told, _: re.Match[str]) -> Worth:
    """Most cards that become known to fit; then fewest that do not fit."""
    playable = hint.position.view.piles.playable
    return hint.newly(playable), len(hint.among(playable)) - len(hint.touched)


def _fits(hint: Told, _: re.Match[str]) -> Worth:
    """Most cards that fit, less those that do not; then most types ruled out."""
    fitting = len(hint.among(hint.position.view.piles.playable))
    return 2 * fitting - len(hint.touched), hint.bits


def _card(hint: Told, words: re.Match[str]) -> Worth:
    """It touches the card that is named; then fewest others; then most types ruled out."""
    return int(words["slot"]) in hint.touched, -len(hint.touched), hint.bits


PURPOSES: Mapping[str, Purpose] = {
    r"unique|last of (?:its|their) kind": _unique,
    r"certain|for sure": _certain,
    r"most .*information": lambda hint, _: (hint.bits,),
    r"plays? (?:his |her |their )?card (?P<slot>\d)": _card,
    r"playable|to play": _fits,
}
"""By words of the question; the first that are there count."""


def reveal(question: str, position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """Return the hint that serves best the purpose of a question, the first of equals, and how many equals there are;
    None for another purpose or no hints.

    Hints that touch no card are none.
    """
    matches = ((re.search(pattern, question, re.IGNORECASE), purpose) for pattern, purpose in PURPOSES.items())
    words, purpose = next(((words, purpose) for words, purpose in matches if words), (None, None))
    cards, before, worths = (
        position.partner.cards,
        tuple(card.mask for card in position.partner.known),
        dict[int, Worth](),
    )
    for number, option in enumerate(options):
        move = move_of(option.text)
        if words and purpose and isinstance(move, HintColour | HintRank):
            touched = tuple(slot for slot, card in enumerate(cards) if types_of(move) >> INDEX[card] & 1)
            if touched:
                worths[number] = purpose(Told(position, touched, before, hinted(before, move, touched)), words)
    if not worths or words is None:
        return None
    best = max(worths, key=lambda number: worths[number])
    equals = list(worths.values()).count(worths[best])
    return best, f"it serves {words[0]!r} best{f', as {equals - 1} others do' if equals > 1 else ''}"
