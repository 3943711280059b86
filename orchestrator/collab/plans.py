"""Exact play of both Collab games by backward induction over all positions.

Both players of a plan choose the same joint move, the first of the best in the order of legal moves, so that two
planners agree without a word.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hanabi_orchestrator.orchestrator.collab import capture, escape
from hanabi_orchestrator.orchestrator.collab.capture import DOOR_STATES, ThiefRule
from hanabi_orchestrator.orchestrator.collab.escape import FixRule
from hanabi_orchestrator.orchestrator.collab.maps import CAPTURE_ROOMS

# Collab Capture

NEVER = 1_000
"""Rounds of a capture that nobody can force: more than any game has."""

CaptureJoint = tuple[capture.Move, capture.Move]


class CapturePlan:
    """How many rounds a capture takes from every position. The thief draws no lots, so this is certain."""

    def __init__(self, rule: ThiefRule) -> None:
        self.rule = rule
        self.rounds: dict[capture.Position, int] = {}
        """Of each position from which the thief can be caught, the fewest rounds."""
        later = {position: self._later(position) for position in capture_positions()}
        open_positions = set(later)
        number = 0
        while open_positions:
            number += 1
            solved = {
                start for start in open_positions if self._solved(start, later[start], number)
            }
            if not solved:
                break
            self.rounds.update(dict.fromkeys(solved, number))
            open_positions -= solved

    def _later(self, position: capture.Position) -> list[capture.Position]:
        return [capture.after(position, moves, self.rule) for moves in capture_joints(position)]

    def _solved(self, before: capture.Position, later: list[capture.Position], number: int) -> bool:
        """Say whether a round leads to a capture with that many rounds in all."""
        return any(
            capture.caught(before, after) or self.rounds.get(after) == number - 1 for after in later
        )

    def with_moves(self, position: capture.Position, moves: CaptureJoint) -> int:
        """Return the fewest rounds of a capture that begins with a joint move; NEVER if there is none."""
        after = capture.after(position, moves, self.rule)
        if capture.caught(position, after):
            return 1
        return min(self.rounds.get(after, NEVER) + 1, NEVER)

    def with_move(self, position: capture.Position, seat: int, move: capture.Move) -> int:
        """Return the fewest rounds when a seat makes a move and its partner the best beside it."""
        joints = capture_joints(position)
        return min(self.with_moves(position, moves) for moves in joints if moves[seat] == move)

    def best(self, position: capture.Position) -> CaptureJoint:
        """Return the joint move after which the capture takes the fewest rounds."""
        return min(capture_joints(position), key=lambda moves: self.with_moves(position, moves))


def capture_positions() -> list[capture.Position]:
    """Return the 2,304 positions in which the thief is free."""
    rooms = range(1, CAPTURE_ROOMS + 1)
    return [
        capture.Position((alice, bob), thief, doors)
        for alice, bob, thief, doors in product(rooms, rooms, rooms, DOOR_STATES)
        if thief not in (alice, bob)
    ]


def capture_joints(position: capture.Position) -> list[CaptureJoint]:
    """Return the joint moves of both seats, in the order of their legal moves."""
    return list(product(capture.legal(position, 0), capture.legal(position, 1)))


@cache
def capture_plan(rule: ThiefRule = "distance") -> CapturePlan:
    """Return the plan against a thief, computed once per process."""
    return CapturePlan(rule)


# Collab Escape

EscapeJoint = tuple[escape.Move, escape.Move]

CLOSE = 1e-9
"""Probabilities that differ by less are equal."""


class EscapePlan:
    """The probability of an escape within a number of rounds, from every position that a game can reach."""

    def __init__(self, rule: FixRule) -> None:
        self.rule = rule
        self._index: dict[escape.Position, int] = {}
        self._open: list[int] = []
        """Positions in which the game goes on, by index."""
        self._joints: dict[int, int] = {}
        """Of each of them, where its joint moves begin among all."""
        self._collect()
        ended = [float(position.escaped) for position in self._index]
        self._chances: list[NDArray[np.float64]] = [np.array(ended)]
        """By number of rounds, the probability from each position."""

    def _collect(self) -> None:
        """List all positions from the start on, and what each joint move leads to."""
        queue = [escape.START]
        self._index[escape.START] = 0
        results: list[int] = []
        first_results: list[int] = []
        for position in queue:  # it grows while it is read
            if position.lost or position.escaped:
                continue
            number = self._index[position]
            self._open.append(number)
            self._joints[number] = len(first_results)
            for moves in escape_joints(position):
                first_results.append(len(results))
                for after in self._later(position, moves):
                    if after not in self._index:
                        self._index[after] = len(self._index)
                        queue.append(after)
                    results.append(self._index[after])
        self._results = np.array(results)
        self._first_results = np.array(first_results)
        self._first_joints = np.array(list(self._joints.values()))
        self._counts = np.diff([*first_results, len(results)])

    def _later(self, position: escape.Position, moves: EscapeJoint) -> Iterator[escape.Position]:
        for killer in escape.killer_rooms(position):
            yield escape.after(position, moves, killer, self.rule)

    def _joint_chances(self, rounds: int) -> NDArray[np.float64]:
        """Return the probability of an escape within some rounds that begin with each joint move."""
        later = self._table(rounds - 1)[self._results]
        sums: NDArray[np.float64] = np.add.reduceat(later, self._first_results)
        chances: NDArray[np.float64] = sums / self._counts
        return chances

    def _table(self, rounds: int) -> NDArray[np.float64]:
        while len(self._chances) <= rounds:
            table = self._chances[0].copy()
            joint = self._joint_chances(len(self._chances))
            table[self._open] = np.maximum.reduceat(joint, self._first_joints)
            self._chances.append(table)
        return self._chances[rounds]

    @property
    def positions(self) -> int:
        """The number of positions that a game can reach, ends included."""
        return len(self._index)

    def chance(self, position: escape.Position, rounds: int) -> float:
        """Return the probability of an escape within some rounds, when both play as well as can be."""
        return float(self._table(rounds)[self._index[position]])

    def rounds(self, position: escape.Position, most: int = escape.ROUNDS) -> int:
        """Return the fewest rounds, of at most so many, within which an escape is as probable as it can be."""
        best = self.chance(position, most)
        return next(n for n in range(most + 1) if self.chance(position, n) >= best - CLOSE)

    def with_moves(self, position: escape.Position, rounds: int) -> dict[EscapeJoint, float]:
        """Return the probability of an escape within some rounds, at least one, that begin with each joint move."""
        later = self._table(rounds - 1)
        joints = escape_joints(position)
        first = self._joints[self._index[position]]
        chances: dict[EscapeJoint, float] = {}
        for number, moves in enumerate(joints, first):
            start = self._first_results[number]
            results = self._results[start : start + self._counts[number]]
            chances[moves] = float(later[results].mean())
        return chances

    def with_move(
        self, position: escape.Position, seat: int, move: escape.Move, rounds: int = escape.ROUNDS
    ) -> float:
        """Return the probability when a seat makes a move and its partner the best beside it."""
        chances = self.with_moves(position, rounds)
        return max(chance for moves, chance in chances.items() if moves[seat] == move)

    def best(self, position: escape.Position, most: int = escape.ROUNDS) -> EscapeJoint:
        """Return the joint move of the fastest escape among the surest, with at most so many rounds left."""
        chances = self.with_moves(position, self.rounds(position, most) or 1)
        best = max(chances.values())
        return next(moves for moves, chance in chances.items() if chance >= best - CLOSE)


def escape_joints(position: escape.Position) -> list[EscapeJoint]:
    """Return the joint moves of both seats, in the order of their legal moves."""
    return list(product(escape.legal(position, 0), escape.legal(position, 1)))


@cache
def escape_plan(rule: FixRule = "once") -> EscapePlan:
    """Return the plan for a rule of fixes, computed once per process."""
    return EscapePlan(rule)
