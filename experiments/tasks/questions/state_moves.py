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
from orchestrator.hanabi.moves import Hint, HintColour, HintRank, Move

OWN_STEPS = (policy.play, policy.gamble, policy.discard)
"""The steps of the policy that concern the own cards."""


def scene(position: Position, legal: Sequence[Move]) -> Scene:
    """A position for a convention player who knows nothing of its past."""
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


def plan(position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """The option that the policy chooses, and why; None when the options are no moves."""
    return _decided(position, options, policy.STEPS)


def inferred(position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """What to do with the own cards after the partner's last move, by what the text says of them."""
    return _decided(position, options, OWN_STEPS)


def _decided(
    position: Position, options: Sequence[Option], steps: Sequence[policy.PolicyStep]
) -> tuple[int, str] | None:
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
        """The touched cards that are of these types."""
        cards = self.position.partner.cards
        return [slot for slot in self.touched if types >> INDEX[cards[slot]] & 1]

    def newly(self, types: Mask) -> int:
        """How many cards are known to be of these types after the hint, and were not before."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(is_certain(after, types) and not is_certain(before, types) for before, after in pairs)


def told(position: Position, hint: Hint) -> Told:
    cards, types = position.partner.cards, types_of(hint)
    touched = tuple(slot for slot, card in enumerate(cards) if types >> INDEX[card] & 1)
    before = tuple(one.mask for one in position.partner.known)
    return Told(position, touched, before, hinted(before, hint, touched))


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
    return 2 * fitting - len(hint.touched), _bits(hint)


def _card(hint: Told, words: re.Match[str]) -> Worth:
    """It touches the card that is named; then fewest others; then most types ruled out."""
    return int(words["slot"]) in hint.touched, -len(hint.touched), _bits(hint)


def _bits(hint: Told) -> float:
    pairs = zip(hint.before, hint.after, strict=True)
    return sum(math.log2(before.bit_count() / max(1, after.bit_count())) for before, after in pairs)


def _information(hint: Told, _: re.Match[str]) -> Worth:
    """Most bits, each card counted for itself."""
    return (_bits(hint),)


PURPOSES: Mapping[str, Purpose] = {
    r"unique|last of (?:its|their) kind": _unique,
    r"certain|for sure": _certain,
    r"most .*information": _information,
    r"plays? (?:his |her |their )?card (?P<slot>\d)": _card,
    r"playable|to play": _fits,
}
"""By words of the question; the first that are there count."""


def reveal(question: str, position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """The hint that serves best the purpose of a question, the first of equals, and how many equals there are; None for
    another purpose or no hints.

    Hints that touch no card are none.
    """
    words, purpose = next(
        ((said, worth) for pattern, worth in PURPOSES.items() if (said := re.search(pattern, question, re.IGNORECASE))),
        (None, None),
    )
    worths: dict[int, Worth] = {}
    for number, option in enumerate(options):
        move = move_of(option.text)
        if words and purpose and isinstance(move, HintColour | HintRank) and (hint := told(position, move)).touched:
            worths[number] = purpose(hint, words)
    if not worths or words is None:
        return None
    best = max(worths, key=lambda number: worths[number])
    equals = list(worths.values()).count(worths[best])
    return best, f"it serves {words[0]!r} best{f', as {equals - 1} others do' if equals > 1 else ''}"
