"""The marks of roles that choose, advise on the choice or judge it, by exact values of moves.

A role's own marks need the truth alone and stand in its file. These need what each legal move was worth as far as the
seat could know, so they are reckoned here, for all roles whose replies are of a kind that names or judges moves.
"""

from collections.abc import Iterator, Mapping

import roles
from experiments.values import best_of_k, choosers, colleagues, judges, ratings, shortlists
from experiments.values.advice import advises
from experiments.values.marked_turn import MarkedTurn
from experiments.values.role_mark import RoleMark
from experiments.values.rollout_store import RolloutStore
from roles.marks import MarkInfo, infos
from roles.reply_types import Choice, Judgement, Shortlist


def choice_marks(turn: MarkedTurn, rollouts: int = 0, store: RolloutStore | None = None) -> Iterator[RoleMark]:
    """The marks of a turn. `rollouts`: games played to judge a chosen move, which takes up to half a second each."""
    yield from choosers.marks(turn, rollouts, store or RolloutStore())
    yield from ratings.marks(turn)
    yield from best_of_k.marks(turn)
    yield from shortlists.marks(turn)
    yield from colleagues.marks(turn)
    yield from judges.marks(turn, rollouts, store or RolloutStore())


def mark_infos(role: str) -> Mapping[str, MarkInfo]:
    """What the marks of a role are, by name: those of its own file, and those that its kind of reply has.

    Raises UserError for a role that is not registered.
    """
    definition = roles.get(role)
    kind, more = definition.reply, tuple[MarkInfo, ...]()
    if issubclass(kind, Choice):
        more += (*choosers.INFOS, *ratings.INFOS, *best_of_k.INFOS)
    if issubclass(kind, Shortlist):
        more += (*shortlists.INFOS, *ratings.INFOS)
    if issubclass(kind, Judgement):
        more += judges.INFOS
    if advises(kind):
        more += colleagues.INFOS
    return {**infos(definition.mark), **{info.name: info for info in more}}
