"""First ranked: the baseline of every planner, which takes what the recommender puts first."""

from roles import literal
from roles.action_recommender import by_rank
from roles.base import Notes, role
from roles.position import NEEDS, TAKES, Position
from roles.replies import Choice
from roles.told import Told


@role(reply=Choice, takes=TAKES, needs=NEEDS)
def first_ranked(told: Told, notes: Notes) -> Choice:
    """Chooses what the recommender ranks first of the moves that are left; literal play where nobody recommends."""
    position = Position.of(told)
    for entry in by_rank(notes):
        if entry.action in position.moves:
            return Choice(action=entry.action, reason=f"rank {entry.rank} of the recommender's list: {entry.why}")
    move, why = literal.best(position)
    return Choice(action=move, reason=f"nobody recommends; {why}")
