"""Convention player: one call that knows all that the roles of a team know, step by step."""

from orchestrator.hanabi.convention import policy
from roles.hanabi.proposer import WHOLE
from roles.hanabi.reasoning import own_rule
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.position import NEEDS
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Sections


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def convention_player(sections: Sections, notes: Notes) -> Choice:
    """Decides alone, by a sheet of what the conventions would choose."""
    position, at = understood(sections, notes)
    move, why = own_rule.choose(sections, position) if at is None else policy.decide(at, policy.HOUSE_STEPS)
    return Choice(action=move, reason=why)
