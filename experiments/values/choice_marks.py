"""The marks of roles that choose, advise on the choice or judge it, by exact values of moves.

A role's own marks need the truth alone and stand in its file. These need what each legal move was worth as far as the
seat could know, so they are reckoned here, for all roles whose replies are of a kind that names or judges moves.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

import roles
from experiments.values import judge_marks, move_marks
from experiments.values.marked_turn import ADVISING, MarkedTurn
from experiments.values.role_mark import RoleMark
from experiments.values.rollout_store import RolloutStore
from roles.marks import MarkInfo, infos
from roles.reply_types import Choice, Judgement, Shortlist


def choice_marks(turn: MarkedTurn, rollouts: int = 0, store: RolloutStore | None = None) -> Iterator[RoleMark]:
    """Yield the marks of a turn. `rollouts`: games played to judge a chosen move, up to half a second each."""
    store = store or RolloutStore()
    yield from move_marks.choices(turn, rollouts, store)
    yield from move_marks.ratings(turn)
    yield from move_marks.several_answers(turn)
    yield from move_marks.lists(turn)
    yield from move_marks.advised(turn)
    yield from judge_marks.verdicts(turn, rollouts, store)


INFOS: Sequence[tuple[tuple[type[BaseModel], ...], tuple[MarkInfo, ...]]] = (
    ((Choice,), (*move_marks.CHOICE, *move_marks.RATING, *move_marks.SEVERAL)),
    ((Shortlist,), (*move_marks.LISTED, *move_marks.RATING)),
    ((Judgement,), judge_marks.INFOS),
    (ADVISING, move_marks.ADVISED),
)
"""By the kinds of replies, the marks that they have here."""


def mark_infos(role: str) -> Mapping[str, MarkInfo]:
    """Return what the marks of a role are, by name: those of its own file, and those that its kind of reply has.

    Raises UserError for a role that is not registered.
    """
    definition = roles.get(role)
    more = (info for kinds, group in INFOS if issubclass(definition.reply, kinds) for info in group)
    return {**infos(definition.mark), **{info.name: info for info in more}}
