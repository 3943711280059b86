"""The rules of Collab Capture as functions of plain positions (LLM-Coordination, section 2.1, appendices D and E.3).

Alice (seat 0) and Bob (seat 1) chase a thief through nine rooms; all three act at once, and everything is visible. Two
ways have doors, which buttons in other rooms open and close.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from hanabi_orchestrator.orchestrator.collab.maps import BUTTONS, DOORS, Doors, Map, capture_map
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.values import Value

ROUNDS = 30
"""Rounds after which the thief has got away."""
PLAYERS = 2

# Moves


class MoveTo(Value):
    """Walk through an open way."""

    kind: Literal["move_to"] = "move_to"
    room: int

    def __str__(self) -> str:
        return f"move to room {self.room}"


class Stay(Value):
    """Stay in one's room."""

    kind: Literal["stay"] = "stay"
    room: int

    def __str__(self) -> str:
        return f"stay in room {self.room}"


class Press(Value):
    """Press the button in one's room. Its door opens or closes after the moves of the round."""

    kind: Literal["press"] = "press"
    room: int

    def __str__(self) -> str:
        return f"press the button in room {self.room}"


Move = MoveTo | Stay | Press
"""Any move of Collab Capture; `str(move)` is its text."""

_TEXT = re.compile(r"(move to|stay in|press the button in) room ([1-9])")
_KINDS: dict[str, type[MoveTo] | type[Stay] | type[Press]] = {
    "move to": MoveTo,
    "stay in": Stay,
    "press the button in": Press,
}


def parse(text: str) -> Move | None:
    """Return the move of an exact text, e.g. `move to room 2`; None for any other text."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    if match[1] == "press the button in" and int(match[2]) not in BUTTONS:
        return None
    return _KINDS[match[1]](room=int(match[2]))


def read(move: object) -> object:
    """Return the move of a text, and anything else as it is. Raises ValueError for a text that is no move."""
    if not isinstance(move, str):
        return move
    if (parsed := parse(move)) is None:
        raise ValueError(f"{move!r} is not a move of Collab Capture")
    return parsed


# Positions


class Position(NamedTuple):
    """Where everybody is, and which doors are open."""

    rooms: tuple[int, int]
    """The rooms of Alice and Bob."""
    thief: int
    doors: Doors

    @property
    def map(self) -> Map:
        """The map with its closed doors left out."""
        return capture_map(self.doors)


ThiefRule = Literal["distance", "numbers"]
"""How the thief flees. `distance`: to the room farthest, by open ways, from the nearer player, its own room included;
of equal rooms its own, then the lowest number. `numbers`, the rule of the authors' code: to the accessible room whose
number differs most from the nearer number of the rooms that the players are about to enter, and it moves if it can; of
equal rooms the lowest number."""


def start(doors: Doors) -> Position:
    """Return the first position: Alice in room 1, Bob in 6, the thief in 2."""
    return Position((1, 6), 2, doors)


@cache
def legal(position: Position, seat: int) -> tuple[Move, ...]:
    """Return the moves of a seat: rooms by number, then staying, then the button."""
    room = position.rooms[seat]
    moves: list[Move] = [MoveTo(room=neighbour) for neighbour in position.map.neighbours[room]]
    moves.append(Stay(room=room))
    if room in BUTTONS:
        moves.append(Press(room=room))
    return tuple(moves)


def flight(position: Position, rooms: Sequence[int], rule: ThiefRule) -> int:
    """Return the thief's next room; `rooms`: where the players will be after the round."""
    accessible = position.map.neighbours[position.thief]
    if rule == "numbers":
        return max(
            accessible or (position.thief,),
            key=lambda room: (min(abs(room - entered) for entered in rooms), -room),
        )
    distances = position.map.distances

    def preference(room: int) -> tuple[int, bool, int]:
        nearer = min(distances[player][room] for player in position.rooms)
        return nearer, room == position.thief, -room

    return max((position.thief, *accessible), key=preference)


def after(position: Position, moves: Sequence[Move], rule: ThiefRule) -> Position:
    """Return the position after a round: everybody moves through the ways as they were, then doors change."""
    rooms = (moves[0].room, moves[1].room)
    doors = list(position.doors)
    for move in moves:
        if isinstance(move, Press):
            door = BUTTONS[move.room]
            doors[door] = not doors[door]
    return Position(rooms, flight(position, rooms, rule), (doors[0], doors[1]))


def caught(before: Position, later: Position) -> bool:
    """Say whether a round caught the thief: somebody is in its room, or changed rooms with it."""
    if later.thief in later.rooms:
        return True
    paths = zip(before.rooms, later.rooms, strict=True)
    return (later.thief, before.thief) in paths


# Deals

DOOR_STATES: tuple[Doors, ...] = ((True, True), (False, True), (True, False), (False, False))
"""The doors at the start, by deal: 1 to 4. The paper does not say how they stand; its rates are multiples of a quarter
(table 7), as of one game for each of the four."""
_STATE = {True: "open", False: "closed"}
_RULES: tuple[ThiefRule, ...] = ("distance", "numbers")


def deal(seed: int, thief: str = "distance") -> tuple[str, ...]:
    """Return the deal of a number from 1 to 4: the doors at the start, and the thief's rule.

    Raises UserError for another number or rule.
    """
    if type(seed) is not int or not 1 <= seed <= len(DOOR_STATES):
        raise UserError(f"Collab Capture has the deals 1 to {len(DOOR_STATES)}, not {seed}")
    return check_deal((*_door_texts(DOOR_STATES[seed - 1]), f"thief: {thief}"))


def deal_name(deck: Sequence[str]) -> str:
    """Return what a deal is called: its doors in the order of DOORS, and the thief's rule if it is not the usual."""
    doors, rule = read_deal(deck)
    states = ", ".join(_STATE[is_open] for is_open in doors)
    return states if rule == "distance" else f"{states}, thief: {rule}"


def check_deal(deck: Sequence[str]) -> tuple[str, ...]:
    """Return a deal as it is stored. Raises UserError for one that is not of this game."""
    doors, rule = read_deal(deck)
    return (*_door_texts(doors), f"thief: {rule}")


def read_deal(deck: Sequence[str]) -> tuple[Doors, ThiefRule]:
    """Return the doors and the thief's rule of a deal. Raises UserError for one that is not of this game."""
    for doors in DOOR_STATES:
        for rule in _RULES:
            if tuple(deck) == (*_door_texts(doors), f"thief: {rule}"):
                return doors, rule
    example = ", ".join(repr(text) for text in (*_door_texts((True, True)), "thief: distance"))
    raise UserError(
        f"{list(deck)} is no deal of Collab Capture; it has two doors, open or closed, and the thief's rule, "
        f"{' or '.join(_RULES)}: {example}"
    )


def _door_texts(doors: Doors) -> tuple[str, ...]:
    names = (f"door {first}-{second}" for first, second in DOORS)
    return tuple(f"{name}: {_STATE[is_open]}" for name, is_open in zip(names, doors, strict=True))
