"""The text of a Hanabi position, as the questions describe it, read into a View.

The text has no past: neither the deal nor who moved how, except the speaker's own moves, which are not used. What hints
said is given as what they leave possible. A card of which the text says nothing may be anything, and the reading says
so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, HAND_SIZES, RANKS, Card, Colour
from orchestrator.hanabi.convention.hint_convention import hints_to
from orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from orchestrator.hanabi.view import Hand, Knowledge, View

ME, PARTNER = 0, 1
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


def position(text: str) -> Position:
    """Return the position that a text describes. Raises NotAPosition."""
    stacks = {_NAMES[name.lower()]: int(top) for name, top in _STACK.findall(text)}
    if set(stacks) != set(COLOURS):
        raise NotAPosition("it does not give the five stacks")
    seen = {int(slot): _card(colour, rank) for slot, colour, rank in _SEEN.findall(text)}
    size = HAND_SIZES[2]
    if set(seen) != set(range(size)):
        raise NotAPosition(f"it shows {len(seen)} cards of the partner, not {size}")
    own, mine_lack = _hand(_MINE.findall(text), size, "my card")
    knowledge, theirs_lack = _hand(_THEIRS.findall(text), size, "the partner's knowledge of their card")
    hand = Hand(seat=PARTNER, cards=tuple(seen[slot] for slot in range(size)), known=knowledge)
    numbers = dict[str, int]()
    for name, pattern in _NUMBERS.items():
        if not (match := pattern.search(text)):
            raise NotAPosition(f"it does not give the {name.replace('_', ' ')}")
        numbers[name] = int(match[1])
    pile = _DISCARDS.search(text)
    red, yellow, green, white, blue = (stacks[colour] for colour in COLOURS)
    plays, discards = (tuple(kind(slot=slot) for slot in range(size)) for kind in (Play, Discard))
    view = View(
        players=2,
        seat=ME,
        turn=1,
        fireworks=(red, yellow, green, white, blue),
        discards=tuple(_card(colour, rank) for colour, rank in _CARD.findall(pile[1])) if pile else (),
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


def _hand(text: Iterable[tuple[str, str]], size: int, whose: str) -> tuple[tuple[Knowledge, ...], list[str]]:
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
    """Return the move that an option names: `Play Card 0.`, `Reveal Bob's rank 1 cards.`; None for any other text."""
    if match := _OWN.search(option):
        return (Play if match[1].lower() == "play" else Discard)(slot=int(match[2]))
    if not (match := _HINT.search(option)):
        return None
    if match[1]:
        return HintColour(to=PARTNER, colour=_NAMES[match[1].lower()])
    return HintRank(to=PARTNER, rank=int(match[2]))
