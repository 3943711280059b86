"""Lists of what each card of each hand may be, as players state them in replies, and the words that they use."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch

from pydantic import BaseModel

from orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, OF_COLOUR, OF_RANK, RANKS, Card, Mask, masked
from orchestrator.hanabi.literal_knowledge import Hands
from orchestrator.hanabi.view import View
from roles.reply_types import Deduction, TrackedChoice

Slot = tuple[int, int]
"""A seat, and a slot of its hand."""

Lists = Mapping[Slot, Mask | None]
"""What a player says that cards may be; None where the words cannot be read. Slots that they leave out are missing."""


@singledispatch
def stated_lists(reply: BaseModel, seat: int) -> Lists | None:
    """The lists in the reply of a seat; None for a type of reply that holds none.

    Register a function for a reply type of your own: `@stated_lists.register`. A report that goes beyond the hints, as
    the history analyst's does by conventions, is none: the hints cannot say whether it is right.
    """
    return None


@stated_lists.register
def _tracked(reply: TrackedChoice, seat: int) -> Lists:
    return lists(reply.deductions)


def lists(deductions: Iterable[Deduction]) -> Lists:
    """The lists of a tracker's reply."""
    return {
        (deduction.seat, slot): meaning(text) for deduction in deductions for slot, text in enumerate(deduction.slots)
    }


def by_hints(view: View) -> Hands:
    """What the hints leave of each card of all hands, by seat, as the engine has it."""
    hands = {hand.seat: hand.known for hand in view.hands} | {view.seat: view.own}
    return tuple(tuple(card.mask for card in hands[seat]) for seat in range(view.players))


# Words


def written(types: Mask) -> str:
    """`red/blue 1/2`, `any colour 3`, `green any rank`, or `anything`."""
    colours = [COLOUR_NAMES[colour] for colour in COLOURS if types & OF_COLOUR[colour]]
    ranks = [str(rank) for rank in RANKS if types & OF_RANK[rank]]
    if len(colours) == len(COLOURS) and len(ranks) == len(RANKS):
        return "anything"
    colour_words = "/".join(colours) if len(colours) < len(COLOURS) else "any colour"
    return f"{colour_words} {'/'.join(ranks) if len(ranks) < len(RANKS) else 'any rank'}"


def read(text: str) -> Mask:
    """The cards of a text, for a program that goes on with it: where words are unclear, what they do not name is left
    open."""
    if (clear := meaning(text)) is not None:
        return clear
    colours = [colour for colour in COLOURS if re.search(rf"\b{COLOUR_NAMES[colour]}\b", text, re.IGNORECASE)]
    ranks = [rank for rank in RANKS if re.search(rf"\b{rank}\b", text)]
    return masked(colours or COLOURS, ranks or RANKS)


def outright(types: Mask) -> Mask:
    """What is left of a list without what it rules out by exclusion: a colour or a rank stays where it is the only
    one."""
    colours = [colour for colour in COLOURS if types & OF_COLOUR[colour]]
    ranks = [rank for rank in RANKS if types & OF_RANK[rank]]
    return masked(colours if len(colours) == 1 else COLOURS, ranks if len(ranks) == 1 else RANKS)


_TOKEN = re.compile(r"[A-Za-z]+\d*|\d+(?:\s*(?:-|–|to)\s*\d+)?|\S")
_COLOUR = {name: letter for letter, name in COLOUR_NAMES.items()} | {letter: letter for letter in COLOURS}
_NOT = ("not", "no", "non", "except", "but", "without")
_OPEN = ("any", "anything", "all", "unknown", "unhinted", "?", "xx", "x")
_JOINS = ("/", "|", "&", "or", "and", "nor", "-")
_ENDS = (",", ";", ".", ":")
_FILLING = re.compile(
    r"an?|the|of|is|are|be|it|can|could|may|might|must|definitely|only|known|told|hinted|cards?|colou?rs?|ranks?|number"
    r"|value|one|with|[()\[\]'\"]"
)


def meaning(text: str) -> Mask | None:
    """The cards that a text leaves, such as `red/blue 1/2`, `not green, 1-3`, `R5`; None when it says anything else.

    It is strict, since marks rest on it: a word that is neither a colour, a rank nor filling makes a text unread.
    """
    parsed, cards, named = _Parsed(), set[Card](), False
    negated, before = False, ""
    for token in _TOKEN.findall(text):
        word = token if token in _COLOUR else token.lower()
        if word in _NOT:
            negated = True
        elif values := _values(word):
            if negated and parsed.refused and before not in (*_NOT, *_JOINS):
                if before not in _ENDS or parsed.refuses_like(values):
                    return None  # `not red 3`, `not red, blue`: which of them are refused?
                negated = False
            parsed.add(values, negated)
            named = True
        elif word.upper() in Card.__members__ and not negated:
            cards.add(Card(word.upper()))
        elif word in _OPEN:
            named = True
        elif word not in (*_JOINS, *_ENDS) and not _FILLING.fullmatch(word):
            return None
        before = before if _FILLING.fullmatch(word) else word
    if cards:
        return None if parsed.anything else masked({card.colour for card in cards}, {card.rank for card in cards})
    return parsed.types if named else None


def _values(word: str) -> list[str]:
    """The colours and ranks of a word: `red`, `R`, `3`, `1-3`, and `RX` or `X3`, as the engine writes them."""
    if word in _COLOUR:
        return [_COLOUR[word]]
    if re.fullmatch(r"[rygwb]x|x[1-5]", word):
        return [letter for letter in word.upper() if letter != "X"]
    ends = [int(digit) for digit in re.findall(r"\d+", word)] if word[0].isdigit() else []
    return [str(rank) for rank in range(ends[0], ends[-1] + 1)] if ends and set(ends) <= {*RANKS} else []


class _Parsed:
    """The colours and ranks that a text names, kept and refused."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.refused: set[str] = set()

    def add(self, values: Sequence[str], negated: bool) -> None:
        (self.refused if negated else self.kept).update(values)

    def refuses_like(self, values: Sequence[str]) -> bool:
        return any(word.isdigit() == values[0].isdigit() for word in self.refused)

    @property
    def anything(self) -> bool:
        return bool(self.kept or self.refused)

    @property
    def types(self) -> Mask | None:
        """None where nothing is left."""
        colours = {colour for colour in COLOURS if colour in self.kept} or {*COLOURS}
        ranks = {str(rank) for rank in RANKS if str(rank) in self.kept} or {str(rank) for rank in RANKS}
        cards = masked(colours - self.refused, (int(rank) for rank in ranks - self.refused))
        return cards or None
