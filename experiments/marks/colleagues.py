"""Marks of roles that advise on a choice: were they followed, and were they right when they were not?

A role is credited with what its reply puts first in a typed field: the move chosen, the first of the moves named best,
the first of a list, a suggested hint, the card safest to lose. Free text names no move here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from experiments.marks.marked_turn import CLEAR, ROUNDING, MarkedTurn, MoveMarks, averaged, beside
from experiments.marks.role_mark import RoleMark
from graphs.attempts import base
from orchestrator.hanabi.moves import Discard, Hint, Move
from roles.hanabi.analyst import Analysis
from roles.hanabi.discard_strategist import DiscardReport
from roles.hanabi.tom_interpreter import MindReport
from roles.marks import MarkInfo
from roles.reply_types import Choice, Shortlist

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


@dataclass(frozen=True)
class Advice:
    """What a reply puts first."""

    move: Move
    only: tuple[type[Any], ...] = ()
    """The kinds of move that it is about, where it does not say what to do but how: which hint, which discard."""

    def concerns(self, move: Move) -> bool:
        return not self.only or isinstance(move, self.only)


def _hint(report: MindReport) -> Advice | None:
    return None if report.hint is None else Advice(report.hint, () if report.urgent else get_args(Hint))


def _discard(report: DiscardReport) -> Advice | None:
    return Advice(Discard(slot=report.safest_first[0]), (Discard,)) if report.safest_first else None


def _first_listed(found: Shortlist) -> Advice | None:
    best = min(found.entries, key=lambda entry: entry.rank, default=None)
    return Advice(best.action) if best else None


ADVICE: dict[type[BaseModel], Callable[[Any], Advice | None]] = {
    Choice: lambda reply: Advice(reply.action),
    Shortlist: _first_listed,
    Analysis: lambda reply: Advice(reply.best[0]) if reply.best else None,
    MindReport: _hint,
    DiscardReport: _discard,
}
"""By the type of a reply, what it puts first."""


def advises(kind: type[BaseModel]) -> bool:
    """Whether replies of a type put a move first."""
    return issubclass(kind, tuple(ADVICE))


def advice(reply: BaseModel) -> Advice | None:
    """None for a reply that puts no move first."""
    return next((put_first(reply) for kind, put_first in ADVICE.items() if isinstance(reply, kind)), None)


def marks(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Of all nodes of a turn but the deciding one, by their replies in the last attempt in which they were asked."""
    if (played := turn.played) is None:
        return
    for one in turn.last:
        found = advice(one.reply)
        if found is None or base(one.node.name) == turn.config.decides:
            continue
        if found.move not in turn.values or not found.concerns(played):
            continue
        program = advice(solved) if (solved := turn.program(one)) else None
        said = _marks(turn, program, played) if program and program.move in turn.values else None
        guesses = [Advice(move, found.only) for move in turn.values if found.concerns(move)]
        uniform = averaged([_marks(turn, guess, played) for guess in guesses])
        for key, value in _marks(turn, found, played).items():
            yield turn.mark(one, key, value, beside(key, said, uniform))


def _marks(turn: MarkedTurn, put_first: Advice, played: Move) -> MoveMarks:
    if not put_first.concerns(played):
        return {}
    followed, values = put_first.move == played, turn.values
    best = turn.best([move for move in values if put_first.concerns(move)])
    return {
        (FOLLOWED.name, None): float(followed),
        (OVERRULED_RIGHT.name, None): float(
            not followed and values[put_first.move] - values[played] > CLEAR - ROUNDING
        ),
        (FOLLOWED_WRONG.name, None): float(followed and best - values[played] > CLEAR - ROUNDING),
    }
