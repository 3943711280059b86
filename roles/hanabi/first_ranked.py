"""First ranked: the baseline of every planner, which takes what the recommender puts first."""

from roles.hanabi.action_recommender import by_rank
from roles.hanabi.reasoning import own_rule
from roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Sections


@role(reply=Choice, takes=TAKES, needs=NEEDS)
def first_ranked(sections: Sections, notes: Notes) -> Choice:
    """Chooses what the recommender ranks first of the moves that are left.

    Where nobody recommends, it goes by the simple rules of `own_rule`.
    """
    position = Position.of(sections)
    for entry in by_rank(notes):
        if entry.action in position.moves:
            return Choice(action=entry.action, reason=f"rank {entry.rank} of the recommender's list: {entry.why}")
    move, why = own_rule.choose(sections, position)
    return Choice(action=move, reason=f"nobody recommends; {why}")
