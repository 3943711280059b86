"""Action recommender: the few best moves, which is all that a planner gets to choose from (Guandan, section 3.2).

The paper's is a value network trained by reinforcement learning; ours is literal play. The planner does not see how
well a move scores, nor its rank when the list is shuffled.
"""

import random
from itertools import islice

from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, State
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, Recommended, Shortlist
from hanabi_orchestrator.roles.role_options import AllowedValues, defaults
from hanabi_orchestrator.roles.sections import Sections

OPTIONS: AllowedValues = {"k": (5, 3, "all", range(1, 51)), "shuffle": (False, True)}
"""`k`: how many moves it lists; `all` of them stand as the legal moves do, so that their order says nothing of ranks.
`shuffle`: shown in an order that says nothing of them either, the same whenever the same seat stands before the same
moves on the same turn."""


@role(reply=Shortlist, takes=(*TAKES, FinalRound), needs=NEEDS, options=OPTIONS)
def action_recommender(sections: Sections, notes: Notes) -> Shortlist:
    """Lists the best k legal moves; roles that read the list can choose no other."""
    options = defaults(OPTIONS) | dict(sections.options)
    position = Position.read(sections)
    k = options["k"]
    best = islice(literal_play.ranked(position), k if isinstance(k, int) else None)
    entries = [
        Recommended(action=move, rank=rank, why=why) for rank, (move, why) in enumerate(best, 1)
    ]
    if k == "all":
        entries.sort(key=lambda entry: position.moves.index(entry.action))
    if options["shuffle"]:
        seen = f"{sections[State].turn} {position.seat} {', '.join(map(str, position.moves))}"
        random.Random(seen).shuffle(entries)
    return Shortlist(entries=tuple(entries))


def by_rank(notes: Notes) -> list[Recommended]:
    """What was recommended, the best first."""
    entries = (entry for shortlist in of_type(notes, Shortlist) for entry in shortlist.entries)
    return sorted(entries, key=lambda entry: entry.rank)


@role(reply=Choice, takes=TAKES, needs=NEEDS)
def first_ranked(sections: Sections, notes: Notes) -> Choice:
    """Chooses what the recommender ranks first of the moves that are left.

    It is the baseline of every planner. Where nobody recommends, it goes by the simple rules of `own_rule`.
    """
    position = Position.read(sections)
    for entry in by_rank(notes):
        if entry.action in position.moves:
            return Choice(
                action=entry.action,
                reason=f"rank {entry.rank} of the recommender's list: {entry.why}",
            )
    move, why = own_rule.choose(sections, position)
    return Choice(action=move, reason=f"nobody recommends; {why}")
