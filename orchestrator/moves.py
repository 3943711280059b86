"""Moves: the four kinds, one text that a person and a model both read, and the way back from an answer.

The text of a move is `play slot 0`, `discard slot 2`, `hint P1 red`, `hint P1 rank 3`.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema

from orchestrator.cards import COLOUR_NAMES, Colour
from orchestrator.frozen import Frozen


class Play(Frozen):
    kind: Literal["play"] = "play"
    slot: int = Field(ge=0, le=4)

    def __str__(self) -> str:
        return f"play slot {self.slot}"


class Discard(Frozen):
    kind: Literal["discard"] = "discard"
    slot: int = Field(ge=0, le=4)

    def __str__(self) -> str:
        return f"discard slot {self.slot}"


class HintColour(Frozen):
    kind: Literal["hint_colour"] = "hint_colour"
    to: int = Field(ge=0, le=4)
    """The seat that is told."""
    colour: Colour

    def __str__(self) -> str:
        return f"hint P{self.to} {COLOUR_NAMES[self.colour]}"


class HintRank(Frozen):
    kind: Literal["hint_rank"] = "hint_rank"
    to: int = Field(ge=0, le=4)
    """The seat that is told."""
    rank: int = Field(ge=1, le=5)

    def __str__(self) -> str:
        return f"hint P{self.to} rank {self.rank}"


Hint = HintColour | HintRank
Move = Play | Discard | HintColour | HintRank

_COLOURS: dict[str, Colour] = {name: letter for letter, name in COLOUR_NAMES.items()}
_EXACT = re.compile(
    r"(?P<own>play|discard) slot (?P<slot>[0-4])"
    rf"|hint P(?P<to>[0-4]) (?:(?P<colour>{'|'.join(_COLOURS)})|rank (?P<rank>[1-5]))"
)


def parse(text: str) -> Move:
    """The move of an exact text, e.g. `hint P1 red`; any other text is a ValueError."""
    if not (found := _EXACT.fullmatch(text)):
        raise ValueError(f"{text!r} is not a move; moves read like 'play slot 0' or 'hint P1 rank 3'")
    if found["own"]:
        return (Play if found["own"] == "play" else Discard)(slot=int(found["slot"]))
    if found["colour"]:
        return HintColour(to=int(found["to"]), colour=_COLOURS[found["colour"]])
    return HintRank(to=int(found["to"]), rank=int(found["rank"]))


_NUMBER = re.compile(r"(?:move|action|option|number|#|\s)*\(?(\d+)\)?\s*(?:[.:)]\s*(?P<text>.*))?", re.DOTALL)
_VERBS = {"play": ("play",), "discard": ("discard",), "hint": ("hint", "clue", "reveal", "tell")}
_SLOT = re.compile(r"\b(?:slot|card|index|position)\s*#?\s*([0-9])\b")
_DIGIT = re.compile(r"\b([0-9])\b")
_TARGET = re.compile(r"\bp(?:layer)?\s*([0-4])(?:'s|s)?\b")
_RELATIVE = re.compile(r"\+\s*[0-9]")
_RANK = re.compile(r"\b([1-5])(?:'?s)?\b")
_COLOUR = re.compile(rf"\b(?:({'|'.join(_COLOURS)})s?|colou?r\s+([rygwb]))\b")


Numbered = Mapping[int, Move]
"""Legal moves by their numbers. A move that was refused is missing; the others keep their numbers."""


def ground(answer: object, legal: Numbered) -> Move:
    """The legal move that an answer means: its number, its exact text, or a paraphrase that fits just one.

    Raises ValueError with a sentence that a model can mend its answer by.
    """
    if isinstance(answer, Play | Discard | HintColour | HintRank):
        return _legal(answer, legal)
    if not isinstance(answer, str | int) or isinstance(answer, bool):
        raise ValueError(f"{answer!r} is not a legal move now; answer with one of the legal moves, copied exactly")
    text = str(answer).strip().strip("\"'`*. ")
    if by_text := [move for move in legal.values() if str(move).lower() == text.lower()]:
        return by_text[0]
    if found := _NUMBER.fullmatch(text):
        return _numbered(int(found[1]), found["text"], legal)
    exact = {str(parse(found[0])) for found in _EXACT.finditer(text)}
    fitting = [m for m in legal.values() if str(m) in exact] if exact else _paraphrased(text.lower(), legal)
    if len(fitting) == 1:
        return fitting[0]
    which = "is not a legal move now" if not fitting else f"may mean {' or '.join(str(m) for m in fitting[:3])}"
    raise ValueError(f"{text[:80]!r} {which}; answer with one of the legal moves, copied exactly")


def _legal(move: Move, legal: Numbered) -> Move:
    if move not in legal.values():
        raise ValueError(f"{str(move)!r} is not a legal move now; answer with one of the legal moves, copied exactly")
    return move


def _numbered(number: int, text: str | None, legal: Numbered) -> Move:
    """`7`, `#7`, `(7)` or `7: play slot 0`; a number and a text that disagree mean nothing."""
    if number not in legal:
        known = ", ".join(map(str, legal))
        raise ValueError(f"{number} is not the number of a legal move; the numbers are {known}")
    move = legal[number]
    if text and text.strip() and ground(text, legal) != move:
        raise ValueError(f"number {number} is {str(move)!r}, not {text.strip()[:60]!r}; answer with one legal move")
    return move


def _paraphrased(text: str, legal: Numbered) -> list[Move]:
    """The legal moves that fit every verb, target, slot, colour and rank of the text."""
    verbs = {kind for kind, words in _VERBS.items() if any(re.search(rf"\b{w}(?:s|ing|ed)?\b", text) for w in words)}
    if len(verbs) != 1 or _RELATIVE.search(text):  # "player +1" counts from a seat that the text does not name
        return []
    (verb,) = verbs
    if verb != "hint":
        slots = {int(slot) for slot in _SLOT.findall(text) or _DIGIT.findall(text)}
        return [m for m in legal.values() if isinstance(m, Play | Discard) and m.kind == verb and slots == {m.slot}]
    targets = {int(seat) for seat in _TARGET.findall(text)}
    rest = _TARGET.sub(" ", text)
    colours = {_COLOURS.get(word, letter.upper()) for word, letter in _COLOUR.findall(rest)}
    ranks = {int(rank) for rank in _RANK.findall(rest)}
    return [
        m
        for m in legal.values()
        if isinstance(m, HintColour | HintRank)
        and (not targets or targets == {m.to})
        and (colours, ranks) == (({m.colour}, set()) if isinstance(m, HintColour) else (set(), {m.rank}))
    ]


def _grounded(answer: Any, info: ValidationInfo) -> Any:
    legal = (info.context or {}).get("moves")
    if legal is not None:
        return ground(answer, legal)
    return parse(answer) if isinstance(answer, str) else answer


Grounded = Annotated[
    Move,
    BeforeValidator(_grounded),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "description": "One of the legal moves, copied without its number."}),
]
"""A move as a reply names it: text in JSON; grounded in the legal moves when `context={"moves": ...}` is given."""
