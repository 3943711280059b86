"""The program's answers to the questions on Hanabi.

The text of a position is read into a View. It has no past: neither the deal nor who moved how,
except the speaker's own moves, which are not used. What hints said is given as what they leave
possible. A card of which the text says nothing may be anything, and the answer says so.

Environment comprehension: a question is told by its words, the fact that it asks for is computed
from the position, and the one option that states it is the answer. Joint planning: the convention
player's policy decides among the moves that are offered. Theory of mind, what the partner meant:
the same policy among the own cards; what to reveal: the hint that serves best the purpose which the
words of the question state.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hanabi_orchestrator.experiments.tasks.question_task import NoAnswer
from hanabi_orchestrator.experiments.tasks.questions.questions import HANABI, Option, Question
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOUR_NAMES,
    COLOURS,
    HAND_SIZES,
    INDEX,
    RANKS,
    Card,
    Colour,
    Mask,
)
from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    counted,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    NEWEST,
    hints_to,
    is_certain,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import hinted, types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, Knowledge, View

# The text

ME = 0
PARTNER = 1
_NAMES: dict[str, Colour] = {name: letter for letter, name in COLOUR_NAMES.items()}
_COLOUR = "|".join(_NAMES)
_STACK = re.compile(rf"\b({_COLOUR})\s*-\s*(?:(?:{_COLOUR})\s*|[RYGWB])?(\d)", re.IGNORECASE)
_MINE = re.compile(r"^[ \t]*Card (\d) could be:[ \t]*(.*)$", re.MULTILINE)
_THEIRS = re.compile(r"believes (?:his|her|their) Card (\d) could be:[ \t]*(.*)$", re.MULTILINE)
_SEEN = re.compile(rf"\[Card (\d):\s*({_COLOUR})\s*(\d)\]", re.IGNORECASE)
_CARD = re.compile(rf"({_COLOUR})\s+(\d)", re.IGNORECASE)
_DISCARDS = re.compile(r"discard pile is:\s*\[([^\]]*)\]", re.IGNORECASE)
_NUMBERS = {
    "tokens": re.compile(r"Reveal Tokens:\s*(\d+)", re.IGNORECASE),
    "lives": re.compile(r"Remaining Lives:\s*(\d+)", re.IGNORECASE),
    "deck_size": re.compile(r"Deck Size:\s*(\d+)", re.IGNORECASE),
}


class NotAPosition(ValueError):  # noqa: N818  # what the text is
    """A text that does not describe a position; the message says what it lacks."""


@dataclass(frozen=True)
class Position:
    """A position of two players, and what its text leaves out."""

    view: View
    lacks: tuple[str, ...] = ()
    """The cards that the text says nothing of, in words."""

    @property
    def partner(self) -> Hand:
        return self.view.hands[0]


def read_position(text: str) -> Position:
    """Return the position that a text describes. Raises NotAPosition."""
    stacks = {_NAMES[name.lower()]: int(top) for name, top in _STACK.findall(text)}
    if set(stacks) != set(COLOURS):
        raise NotAPosition("it does not give the five stacks")
    seen = {int(slot): _card(colour, rank) for slot, colour, rank in _SEEN.findall(text)}
    size = HAND_SIZES[2]
    if set(seen) != set(range(size)):
        raise NotAPosition(f"it shows {len(seen)} cards of the partner, not {size}")
    own, mine_lack = _hand(_MINE.findall(text), size, "my card")
    knowledge, theirs_lack = _hand(
        _THEIRS.findall(text), size, "the partner's knowledge of their card"
    )
    hand = Hand(seat=PARTNER, cards=tuple(seen[slot] for slot in range(size)), known=knowledge)
    numbers = dict[str, int]()
    for name, pattern in _NUMBERS.items():
        if not (match := pattern.search(text)):
            raise NotAPosition(f"it does not give the {name.replace('_', ' ')}")
        numbers[name] = int(match[1])
    pile = _DISCARDS.search(text)
    red, yellow, green, white, blue = (stacks[colour] for colour in COLOURS)
    plays = tuple(Play(slot=slot) for slot in range(size))
    discards = tuple(Discard(slot=slot) for slot in range(size))
    view = View(
        players=2,
        seat=ME,
        turn=1,
        fireworks=(red, yellow, green, white, blue),
        discards=tuple(_card(colour, rank) for colour, rank in _CARD.findall(pile[1]))
        if pile
        else (),
        own=own,
        hands=(hand,),
        dealt=((), ()),
        history=(),
        legal=(*plays, *discards, *(hints_to(PARTNER, hand.cards) if numbers["tokens"] else ())),
        **numbers,
    )
    return Position(view, (*mine_lack, *theirs_lack))


def _card(colour: str, rank: str) -> Card:
    try:
        return Card(f"{_NAMES[colour.lower()]}{rank}")
    except ValueError:
        raise NotAPosition(f"{colour} {rank} is no card") from None


def _hand(
    text: Iterable[tuple[str, str]], size: int, whose: str
) -> tuple[tuple[Knowledge, ...], list[str]]:
    """Return what a hand's owner knows of each card, and a note for each card without a line."""
    lines = {int(slot): _knowledge(line) for slot, line in text}
    everything = Knowledge(colours=COLOURS, ranks=RANKS)
    lacking = [f"{whose} {slot}" for slot in range(size) if slot not in lines]
    return tuple(lines.get(slot, everything) for slot in range(size)), lacking


def _knowledge(line: str) -> Knowledge:
    """Read `[Red, Green] [1, 2]`, or `[Green 1]`."""
    names = {_NAMES[name.lower()] for name in re.findall(_COLOUR, line, re.IGNORECASE)}
    colours = tuple(colour for colour in COLOURS if colour in names) or COLOURS
    match = {int(rank) for rank in re.findall(r"[1-5]", line)}
    ranks = tuple(rank for rank in RANKS if rank in match) or RANKS
    return Knowledge(
        colour=colours[0] if len(colours) == 1 else None,
        rank=ranks[0] if len(ranks) == 1 else None,
        colours=colours,
        ranks=ranks,
    )


_OWN = re.compile(r"\b(play|discard)\s+(?:my\s+)?card\s+(\d)", re.IGNORECASE)
_HINT = re.compile(rf"\breveal\b.*?\b(?:({_COLOUR})\s+colou?r|rank\s+(\d))", re.IGNORECASE)


def move_of(option: str) -> Move | None:
    """Return the move that an option names: `Play Card 0.`, `Reveal Bob's rank 1 cards.`; None for
    any other text."""
    if match := _OWN.search(option):
        return (Play if match[1].lower() == "play" else Discard)(slot=int(match[2]))
    if not (match := _HINT.search(option)):
        return None
    if match[1]:
        return HintColour(to=PARTNER, colour=_NAMES[match[1].lower()])
    return HintRank(to=PARTNER, rank=int(match[2]))


# The answer


def answer(question: Question) -> tuple[int, str]:
    """Return the number of the option that the program chooses, and why. Raises NoAnswer."""
    if question.game != HANABI:
        raise NoAnswer(f"programs answer the questions on {HANABI} alone")
    words = question.asked
    options = question.options
    try:
        position = read_position(question.stem)
        if question.kind == "ec":
            choice = fact(words, position, options)
        elif question.kind == "jp":
            choice = decide(position, options)
        elif re.search(r"\binfer\b", words, re.IGNORECASE):
            choice = decide(position, options, OWN_STEPS)
        else:
            choice = reveal(words, position, options)
    except NotAPosition as problem:
        raise NoAnswer(f"the text is no position: {problem}") from None
    # a position that cannot be: its hints and cards contradict each other
    except ValueError as problem:
        raise NoAnswer(f"the position cannot be: {problem}") from None
    if choice is None:
        raise NoAnswer(f"the program has no rule for this question: {words}")
    number, why = choice
    return number, "; ".join(
        (why, *(f"the text says nothing of {card}" for card in position.lacks))
    )


# Environment comprehension

Fact = bool | int | frozenset[int] | str
"""Yes or no; a count; some slots; or the kind of move that is not possible."""


def _slots(position: Position, types: Mask) -> frozenset[int]:
    """Return the slots of the partner's hand whose card is one of these types."""
    return frozenset(
        slot for slot, card in enumerate(position.partner.cards) if types >> INDEX[card] & 1
    )


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


def fact(question: str, position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """Return the number of the one option that states the fact asked for, and the fact; None when
    the program knows none."""
    for words, rule in RULES:
        if match := re.search(words, question, re.IGNORECASE):
            value = rule(position, match)
            fitting = []
            for number, option in enumerate(options):
                if states(option.text, value):
                    fitting.append(number)
            if isinstance(value, frozenset):
                text = ", ".join(f"card {slot}" for slot in sorted(value))
            else:
                text = str(value)
            if len(fitting) == 1:
                return (fitting[0], f"it is {text.lower()}")
            return None
    return None


def states(text: str, fact: Fact) -> bool:
    """Return whether an option states a fact."""
    words = text.lower().strip()
    if isinstance(fact, frozenset):
        return {int(number) for number in re.findall(r"card (\d)", words)} == fact
    if isinstance(fact, str):
        return fact == (
            "none" if words.startswith("all ") else "reveal" if "reveal" in words else ""
        )
    if isinstance(fact, bool):
        return words.startswith("yes" if fact else "no") and not words.startswith("not ")
    return _counts(words, fact)


def _counts(words: str, count: int) -> bool:
    if match := re.match(r"more than (\d+)", words):
        return count > int(match[1])
    if match := re.match(r"(\d+)( or more)?", words):
        if match[2]:
            return count >= int(match[1])
        return count == int(match[1])
    if words.startswith("no") and not words.startswith("not "):
        return count == 0
    if words.startswith("yes"):
        several = "multiple" in words
        single = bool(re.search(r"\b(?:only )?one\b", words))
        if several:
            return count > 1
        if single:
            return count == 1
        return count > 0
    return False


# Joint planning and theory of mind

OWN_STEPS = (policy.play, policy.gamble, policy.discard)
"""The steps of the policy that concern the own cards."""


def scene(position: Position, legal: Sequence[Move]) -> Scene:
    """Return a position for a convention player who knows nothing of its past."""
    view = position.view
    theirs = position.partner
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
    """Return the option that these steps of the policy choose, and why; None when the options are
    no moves."""
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
        return [slot for slot in self.touched if slot in _slots(self.position, types)]

    def newly(self, types: Mask) -> int:
        """Return how many cards are known to be of these types after the hint, and were not
        before."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(
            is_certain(after, types) and not is_certain(before, types) for before, after in pairs
        )

    @property
    def bits(self) -> float:
        """The information that it gives, each card counted for itself."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(
            math.log2(before.bit_count() / max(1, after.bit_count())) for before, after in pairs
        )


Worth = tuple[float, ...]
Purpose = Callable[[Told, re.Match[str]], Worth]


def _unique(hint: Told, _: re.Match[str]) -> Worth:
    """Count cards that are the last of their kind and were not known to be; then those that become
    known to be; then fewest others."""
    critical = hint.position.view.piles.critical
    new = [slot for slot in hint.among(critical) if not is_certain(hint.before[slot], critical)]
    return len(new), hint.newly(critical), -len(hint.touched)


def _certain(hint: Told, _: re.Match[str]) -> Worth:
    """Count cards that become known to fit; then fewest that do not fit."""
    playable = hint.position.view.piles.playable
    return hint.newly(playable), len(hint.among(playable)) - len(hint.touched)


def _fits(hint: Told, _: re.Match[str]) -> Worth:
    """Count cards that fit, less those that do not; then types ruled out."""
    fitting = len(hint.among(hint.position.view.piles.playable))
    return 2 * fitting - len(hint.touched), hint.bits


def _touching(hint: Told, words: re.Match[str]) -> Worth:
    """Prefer hints that touch the card that is named; then fewest others; then types ruled out."""
    return int(words["slot"]) in hint.touched, -len(hint.touched), hint.bits


PURPOSES: Mapping[str, Purpose] = {
    r"unique|last of (?:its|their) kind": _unique,
    r"certain|for sure": _certain,
    r"most .*information": lambda hint, _: (hint.bits,),
    r"plays? (?:his |her |their )?card (?P<slot>\d)": _touching,
    r"playable|to play": _fits,
}
"""By words of the question; the first that are there count."""


def reveal(question: str, position: Position, options: Sequence[Option]) -> tuple[int, str] | None:
    """Return the hint that serves best the purpose of a question, the first of equals, and how many
    equals there are; None for another purpose or no hints.

    Hints that touch no card are none.
    """
    matches = (
        (re.search(pattern, question, re.IGNORECASE), purpose)
        for pattern, purpose in PURPOSES.items()
    )
    words, purpose = next(((words, purpose) for words, purpose in matches if words), (None, None))
    before = tuple(card.mask for card in position.partner.known)
    worths = dict[int, Worth]()
    for number, option in enumerate(options):
        move = move_of(option.text)
        hint = move if isinstance(move, HintColour | HintRank) else None
        touched = tuple(sorted(_slots(position, types_of(hint)))) if hint else ()
        if words and purpose and hint and touched:
            worths[number] = purpose(
                Told(position, touched, before, hinted(before, hint, touched)), words
            )
    if not worths or words is None:
        return None
    best = max(worths, key=lambda number: worths[number])
    equals = list(worths.values()).count(worths[best])
    return (
        best,
        f"it serves {words[0]!r} best{f', as {equals - 1} others do' if equals > 1 else ''}",
    )
