"""The rules of Collab Escape as functions of plain positions (LLM-Coordination, section 2.1, appendices D and E.1).

Alice (seat 0) and Bob (seat 1) repair two generators and reach the exit gate before a killer catches one of them; all
three act at once. The killer announces whom it is certain to go to, so its memory is public.
"""

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Literal, NamedTuple

from hanabi_orchestrator.orchestrator.collab.maps import ESCAPE_MAP, GATE, GENERATORS
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.values import Value, whole_number

ROUNDS = 100
"""Rounds after which nobody has escaped. The authors' code has no limit."""
PLAYERS = 2
FIXES = 2
"""Fixes in consecutive rounds that repair a generator."""

# Moves


class GoTo(Value):
    """Go to an adjacent room."""

    kind: Literal["go_to"] = "go_to"
    room: int

    def __str__(self) -> str:
        return f"go to room {self.room}"


class Fix(Value):
    """Fix the generator in one's room for a round."""

    kind: Literal["fix"] = "fix"
    room: int

    def __str__(self) -> str:
        return f"fix the generator in room {self.room}"


class Wait(Value):
    """Wait in one's room."""

    kind: Literal["wait"] = "wait"
    room: int

    def __str__(self) -> str:
        return f"wait in room {self.room}"


Move = GoTo | Fix | Wait
"""Any move of Collab Escape; `str(move)` is its text."""

_TEXT = re.compile(r"(go to|fix the generator in|wait in) room ([1-9]|10)")
_KINDS: dict[str, type[GoTo] | type[Fix] | type[Wait]] = {
    "go to": GoTo,
    "fix the generator in": Fix,
    "wait in": Wait,
}


def parse(text: str) -> Move | None:
    """Return the move of an exact text, e.g. `go to room 2`; None for any other text."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    if match[1] == "fix the generator in" and int(match[2]) not in GENERATORS:
        return None
    return _KINDS[match[1]](room=int(match[2]))


def read(move: object) -> object:
    """Return the move of a text, and anything else as it is. Raises ValueError for a text that is no move."""
    if not isinstance(move, str):
        return move
    if (parsed := parse(move)) is None:
        raise ValueError(f"{move!r} is not a move of Collab Escape")
    return parsed


# Positions


class Position(NamedTuple):
    """Where everybody is, how far the generators are, and whom the killer goes to."""

    rooms: tuple[int, int]
    """The rooms of Alice and Bob."""
    killer: int
    fixes: tuple[int, int]
    """Of each generator in the order of GENERATORS: 0, 1, or FIXES when it is repaired."""
    target: int | None
    """The seat to whose room the killer certainly goes in this round; None when it sees nobody."""

    @property
    def repaired(self) -> bool:
        """Both generators run, so that the gate is open."""
        return self.fixes == (FIXES, FIXES)

    @property
    def lost(self) -> bool:
        """The killer is in a player's room. This is looked at before `escaped`."""
        return self.killer in self.rooms

    @property
    def escaped(self) -> bool:
        return not self.lost and self.repaired and GATE in self.rooms


FixRule = Literal["once", "each"]
"""What two players count who fix the same generator in one round. `once`, the stated rule: one fix; `each`, that of the
authors' code: two."""

START = Position((1, 2), 6, (0, 0), None)
"""Alice in room 1, Bob in 2, the killer in 6, which sees neither."""


def legal(position: Position, seat: int) -> tuple[Move, ...]:
    """Return the moves of a seat: rooms by number, then fixing, then waiting."""
    return _legal(position.rooms[seat], position.fixes)


@cache
def _legal(room: int, fixes: tuple[int, int]) -> tuple[Move, ...]:
    moves: list[Move] = [GoTo(room=neighbour) for neighbour in ESCAPE_MAP.neighbours[room]]
    if room in GENERATORS and fixes[GENERATORS.index(room)] < FIXES:
        moves.append(Fix(room=room))
    moves.append(Wait(room=room))
    return tuple(moves)


@cache
def seen(killer: int, rooms: tuple[int, int]) -> tuple[int, ...]:
    """Return the seats that the killer sees: those in adjacent rooms."""
    adjacent = ESCAPE_MAP.neighbours[killer]
    return tuple(seat for seat, room in enumerate(rooms) if room in adjacent)


def next_target(before: Position, killer: int, rooms: tuple[int, int]) -> int | None:
    """Return whom the killer goes to next: the only player it sees. Of two: its target, if it saw both in the round
    before; the other one, if it saw one; Alice, if it saw nobody."""
    visible = seen(killer, rooms)
    if len(visible) < PLAYERS:
        return visible[0] if visible else None
    if before.target is None:
        return 0
    saw_both = len(seen(before.killer, before.rooms)) == PLAYERS
    return before.target if saw_both else 1 - before.target


def killer_rooms(position: Position) -> tuple[int, ...]:
    """Return the rooms to one of which the killer goes in this round, each as likely: that of its target, or all that
    are adjacent."""
    if position.target is not None:
        return (position.rooms[position.target],)
    return ESCAPE_MAP.neighbours[position.killer]


def killer_room(position: Position, seed: int, number: int) -> int:
    """Return the room to which the killer goes in a round of a game, drawn from its seed where it sees nobody."""
    return Random(f"escape {seed} {number}").choice(killer_rooms(position))


def after(position: Position, moves: Sequence[Move], killer: int, rule: FixRule) -> Position:
    """Return the position after a round; `killer`: one of its rooms."""
    rooms = (moves[0].room, moves[1].room)
    fixing = tuple(move.room for move in moves if isinstance(move, Fix))
    fixes = _fixed(position.fixes, fixing, rule)
    return Position(rooms, killer, fixes, next_target(position, killer, rooms))


@cache
def _fixed(fixes: tuple[int, int], fixing: tuple[int, ...], rule: FixRule) -> tuple[int, int]:
    """Return how far the generators are after a round; `fixing`: the rooms of those who fixed."""
    first = _fixed_once(fixes[0], fixing.count(GENERATORS[0]), rule)
    second = _fixed_once(fixes[1], fixing.count(GENERATORS[1]), rule)
    return first, second


def _fixed_once(done: int, hands: int, rule: FixRule) -> int:
    if done == FIXES:
        return FIXES
    if not hands:
        return 0
    return min(done + (1 if rule == "once" else hands), FIXES)


# Deals

_RULES: tuple[FixRule, ...] = ("once", "each")


def deal(seed: int, fixes: str = "once") -> tuple[str, ...]:
    """Return the deal of a seed: what the killer's random rooms are drawn from, and how fixes count.

    Raises UserError for a seed that is no whole number of at least 0, and for another rule.
    """
    return check_deal((f"seed: {seed}", f"fixes: {fixes}"))


def deal_name(deck: Sequence[str]) -> str:
    """Return what a deal is called."""
    seed, rule = read_deal(deck)
    return f"seed {seed}" if rule == "once" else f"seed {seed}, fixes: {rule}"


def check_deal(deck: Sequence[str]) -> tuple[str, ...]:
    """Return a deal as it is stored. Raises UserError for one that is not of this game."""
    seed, rule = read_deal(deck)
    return f"seed: {seed}", f"fixes: {rule}"


def read_deal(deck: Sequence[str]) -> tuple[int, FixRule]:
    """Return the seed and the rule of fixes of a deal. Raises UserError for one that is not of this game."""
    if len(deck) == 2:
        seed = whole_number(deck[0].removeprefix("seed: "))
        for rule in _RULES:
            if seed is not None and tuple(deck) == (f"seed: {seed}", f"fixes: {rule}"):
                return seed, rule
    raise UserError(
        f"{list(deck)} is no deal of Collab Escape; it has a seed and how fixes count, {' or '.join(_RULES)}: "
        "'seed: 1', 'fixes: once'"
    )
