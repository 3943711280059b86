"""Moves: the four kinds, and the one text of each that people and models read.

The text of a move is `play slot 0`, `discard slot 2`, `hint P1 red`, `hint P1 rank 3`. `move_reading` finds the move
that an answer in any words means.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, Colour
from hanabi_orchestrator.orchestrator.values import Value


class Play(Value):
    """Play the card in an own slot, 0 to 4."""

    kind: Literal["play"] = "play"
    slot: int = Field(ge=0, le=4)

    def __str__(self) -> str:
        return f"play slot {self.slot}"


class Discard(Value):
    """Discard the card in an own slot, 0 to 4."""

    kind: Literal["discard"] = "discard"
    slot: int = Field(ge=0, le=4)

    def __str__(self) -> str:
        return f"discard slot {self.slot}"


class HintColour(Value):
    """Hint all cards of a colour in another hand."""

    kind: Literal["hint_colour"] = "hint_colour"
    to: int = Field(ge=0, le=4)
    """The seat that gets the hint."""
    colour: Colour

    def __str__(self) -> str:
        return f"hint P{self.to} {COLOUR_NAMES[self.colour]}"


class HintRank(Value):
    """Hint all cards of a rank in another hand."""

    kind: Literal["hint_rank"] = "hint_rank"
    to: int = Field(ge=0, le=4)
    """The seat that gets the hint."""
    rank: int = Field(ge=1, le=5)

    def __str__(self) -> str:
        return f"hint P{self.to} rank {self.rank}"


Hint = HintColour | HintRank
Move = Play | Discard | HintColour | HintRank
"""Any move; `str(move)` is its text, such as `play slot 0` or `hint P1 red`."""

COLOURS: dict[str, Colour] = {name: letter for letter, name in COLOUR_NAMES.items()}
PATTERN = (
    r"(?P<own>play|discard) slot (?P<slot>[0-4])"
    rf"|hint P(?P<to>[0-4]) (?:(?P<colour>{'|'.join(COLOURS)})|rank (?P<rank>[1-5]))"
)
"""The text of a move, its parts as the groups `own`, `slot`, `to`, `colour` and `rank`."""
_EXACT = re.compile(PATTERN)


@lru_cache(maxsize=1024)  # a journal names the same few moves a hundred times
def parse(text: str) -> Move:
    """Return the move of an exact text, e.g. `hint P1 red`; any other text is a ValueError."""
    if not (match := _EXACT.fullmatch(text)):
        raise ValueError(
            f"{text!r} is not a move; moves read like 'play slot 0' or 'hint P1 rank 3'"
        )
    return from_match(match)


def from_match(match: re.Match[str]) -> Move:
    """Return the move of a match of `PATTERN`."""
    if match["own"]:
        return (Play if match["own"].lower() == "play" else Discard)(slot=int(match["slot"]))
    if match["colour"]:
        return HintColour(to=int(match["to"]), colour=COLOURS[match["colour"].lower()])
    return HintRank(to=int(match["to"]), rank=int(match["rank"]))


Listed = Mapping[str, Move]
"""Legal moves by their labels in the list: `0`, `1` ... or `A`, `B` ... A move that was refused is missing; the others
keep their labels."""


def labelled(moves: Iterable[Move], *, letters: bool = False) -> Listed:
    """Moves by their labels: numbers from 0, or letters from A."""
    return {letter(number) if letters else str(number): move for number, move in enumerate(moves)}


def letter(number: int) -> str:
    """Return the label of the n-th move, from 0: A to Z, then AA."""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
