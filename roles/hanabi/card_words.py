"""The words for what a card may be: `red 1`, `white/blue 3`, `any colour 5`, `not green`."""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOUR_NAMES,
    COLOURS,
    OF_COLOUR,
    OF_RANK,
    RANKS,
    Card,
    Mask,
    mask,
    masked,
    unmask,
)


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
    colours = [
        colour
        for colour in COLOURS
        if re.search(rf"\b{COLOUR_NAMES[colour]}\b", text, re.IGNORECASE)
    ]
    ranks = [rank for rank in RANKS if re.search(rf"\b{rank}\b", text)]
    return masked(colours or COLOURS, ranks or RANKS)


def outright(types: Mask) -> Mask:
    """What is left of a list without what it rules out by exclusion: a colour or a rank stays where it is the only
    one."""
    colours = [colour for colour in COLOURS if types & OF_COLOUR[colour]]
    ranks = [rank for rank in RANKS if types & OF_RANK[rank]]
    return masked(colours if len(colours) == 1 else COLOURS, ranks if len(ranks) == 1 else RANKS)


_NAMES = "|".join(COLOUR_NAMES.values())
_RUN_TOGETHER = re.compile(rf"\b({_NAMES})(?=[1-5]\b)", re.IGNORECASE)
"""The colour of `white3`."""
_EVERY = {
    f"{'/'.join(COLOURS)} ": re.compile(r"\b(?:any|all|every)\s+colou?rs?\b", re.IGNORECASE),
    "1-5 ": re.compile(r"\b(?:any|all|every)\s+(?:rank|number|value)s?\b", re.IGNORECASE),
}
_TOKEN = re.compile(r"[A-Za-z]+\d*|\d+(?:\s*(?:-|–|to)\s*\d+)?|\S")
_COLOUR = {name: letter for letter, name in COLOUR_NAMES.items()} | {
    letter: letter for letter in COLOURS
}
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
    parsed = _Parsed()
    cards = set[Card]()
    named = False
    negated = False
    before = ""
    for token in _tokens(text):
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
        return None if parsed.anything else mask(cards)
    return parsed.types if named else None


def _tokens(text: str) -> list[str]:
    text = _RUN_TOGETHER.sub(r"\1 ", text)
    for values, words in _EVERY.items():
        text = words.sub(values, text)
    return _TOKEN.findall(text)


def _values(word: str) -> list[str]:
    """The colours and ranks of a word: `red`, `R`, `3`, `1-3`, and `RX` or `X3`, as the engine writes them."""
    if word in _COLOUR:
        return [_COLOUR[word]]
    if re.fullmatch(r"[rygwb]x|x[1-5]", word):
        return [letter for letter in word.upper() if letter != "X"]
    ends = re.findall(r"\d+", word) if word[0].isdigit() else []
    if not ends or not set(ends) <= {str(rank) for rank in RANKS}:
        return []
    return [str(rank) for rank in range(int(ends[0]), int(ends[-1]) + 1)]


class _Parsed:
    """The colours and ranks that a text names: kept, in groups such as `red 1/2`, and refused."""

    def __init__(self) -> None:
        self.kept = [list[str]()]
        self.refused: set[str] = set()

    def add(self, values: Sequence[str], negated: bool) -> None:
        if negated:
            self.refused.update(values)
            return
        kinds = [word.isdigit() for word in self.kept[-1]]
        if len(set(kinds)) == 2 and kinds[-1] != values[0].isdigit():
            self.kept.append([])  # `red 1/2, blue`: what follows is another card
        self.kept[-1] += values

    def refuses_like(self, values: Sequence[str]) -> bool:
        return any(word.isdigit() == values[0].isdigit() for word in self.refused)

    @property
    def anything(self) -> bool:
        return bool(self.kept[0] or self.refused)

    @property
    def types(self) -> Mask | None:
        """None where nothing is left, or where something is refused of one of several groups."""
        if len(self.kept) > 1 and self.refused:
            return None
        types = 0
        for group in self.kept:
            colours = {colour for colour in COLOURS if colour in group} or {*COLOURS}
            ranks = {str(rank) for rank in RANKS if str(rank) in group} or {
                str(rank) for rank in RANKS
            }
            types |= masked(colours - self.refused, (int(rank) for rank in ranks - self.refused))
        return types or None


# Cards in a reply

_REMARK = re.compile(r"\s*(?:[(:;–—]|\s-\s).*", re.DOTALL)
_SAYS_MORE = re.compile(
    rf"\b(?:{_NAMES}|[rygwb]?(?<!\.)[1-5](?![%.\d])|{'|'.join(_NOT)}|any|all|unknown|or|if)\b",
    re.IGNORECASE,
)
"""In a remark: another card, or words that refuse the card before it."""


def _stated(item: Any) -> Mask | None:
    """What an item of a list of cards means: `R1`, `White 3 (likely)`, `red 1/2`, `{"color": "red", "rank": 1}`."""
    if isinstance(item, Mapping) and {*item} <= {"color", "colour", "rank", "number"}:
        item = " ".join(map(str, item.values()))
    if not isinstance(item, str):
        return None
    if (clear := meaning(item)) is not None or (remark := _REMARK.search(item)) is None:
        return clear
    return None if _SAYS_MORE.search(remark[0]) else meaning(item[: remark.start()])


def _cards(value: Any) -> Any:
    """A list of cards in words, as cards. Raises ValueError in doubt, as over `["red", "1"]`."""
    if isinstance(value, str):
        value = [value] if meaning(value) is not None else value.split(",")
    if not isinstance(value, list) or all(
        isinstance(item, str) and item in Card.__members__ for item in value
    ):
        return value
    types = {str(item): _stated(item) for item in value}
    if unread := next((item for item, possible in types.items() if possible is None), None):
        raise ValueError(f"{unread[:80]!r} is no card; write a colour's letter and a rank")
    groups = [
        {*OF_COLOUR.values()},
        {*OF_RANK.values()},
    ]  # a colour beside a rank may be one card or several
    if (
        len(
            {
                tuple(possible in group for group in groups)
                for possible in types.values()
                if possible
            }
        )
        > 1
    ):
        raise ValueError(
            f"it is unclear which cards {', '.join(types)[:80]!r} are; write a colour's letter and a rank"
        )
    return unmask(reduce(or_, filter(None, types.values()), 0))


Cards = Annotated[tuple[Card, ...], Field(min_length=1), BeforeValidator(_cards)]
"""What a card may be, as a reply states it: in any words that `meaning` reads."""
