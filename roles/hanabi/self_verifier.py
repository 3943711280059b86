"""Self-verifier: CAC's judge of a chosen move (appendix C.3)."""

from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.safety import STANDARD
from hanabi_orchestrator.roles.hanabi.sections.fixed import Rules
from hanabi_orchestrator.roles.hanabi.sections.history import OwnActions
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable, State
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Sections

OPTIONS: AllowedValues = {"reason": ("told", "unsaid")}
"""`reason`: whether it is told why the player chose the move."""


@role(
    reply=Judgement,
    takes=(Rules, *TAKES, OwnActions, NextPlayable, FinalRound),
    needs=(State,),
    options=OPTIONS,
)
def self_verifier(sections: Sections, notes: Notes) -> Judgement:
    """Accepts or refuses a chosen move: by the rules, and whether it throws the game away.

    Its program trusts no report on the past: only the graph's own verifier knows which of them programs made.
    """
    return STANDARD.judge(Position.read(sections), of_type(notes, Choice)[0].action)
