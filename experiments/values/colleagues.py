"""Marks of roles that advise on a choice: were they followed, and were they right when they were not?

A role is credited with what its reply puts first; see `advice`.
"""

from collections.abc import Iterator

from experiments.values.advice import Advice, advice
from experiments.values.marked_turn import CLEAR, ROUNDING, MarkedTurn, MoveMarks, averaged, beside
from experiments.values.role_mark import RoleMark
from graphs.attempts import base
from roles.marks import MarkInfo

FOLLOWED = MarkInfo("followed", "Whether what it put first was played.", "share", None)
OVERRULED_RIGHT = MarkInfo(
    "overruled_right",
    f"Whether another move was played although what it put first was worth at least {CLEAR} points more at once.",
    "share",
    0,
    False,
)
FOLLOWED_WRONG = MarkInfo(
    "followed_wrong",
    f"Whether what it put first was played although another move was worth at least {CLEAR} points more at once.",
    "share",
    0,
    False,
)
INFOS = (FOLLOWED, OVERRULED_RIGHT, FOLLOWED_WRONG)


def marks(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Of all nodes of a turn but the deciding one, by their replies in the last attempt in which they were asked."""
    for recorded in turn.last:
        first = advice(recorded.reply)
        if first is None or base(recorded.node.name) == turn.config.decides or first.move not in turn.values:
            continue
        scored = _marks(turn, first)
        solved = turn.program(recorded) if scored else None
        program = advice(solved) if solved else None
        program_scores = _marks(turn, program) if program and program.move in turn.values else None
        guesses = [Advice(move, first.only) for move in turn.options(recorded) if scored and first.concerns(move)]
        uniform = averaged([_marks(turn, guess) for guess in guesses])
        for key, value in scored.items():
            yield turn.mark(recorded, key, value, beside(key, program_scores, uniform))


def _marks(turn: MarkedTurn, put_first: Advice) -> MoveMarks:
    """Nothing where another kind of move was played than the advice is about, or none."""
    if turn.played is None or not put_first.concerns(turn.played):
        return {}
    followed, played = put_first.move == turn.played, turn.values[turn.played]
    best = max(value for move, value in turn.values.items() if put_first.concerns(move))
    return {
        (FOLLOWED.name, None): float(followed),
        (OVERRULED_RIGHT.name, None): float(turn.values[put_first.move] - played > CLEAR - ROUNDING),
        (FOLLOWED_WRONG.name, None): float(followed and best - played > CLEAR - ROUNDING),
    }
