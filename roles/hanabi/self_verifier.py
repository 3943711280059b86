"""Self-verifier: CAC's judge of a chosen move (appendix C.3)."""

from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.safety import STANDARD, chosen
from roles.hanabi.sections.fixed import Rules
from roles.hanabi.sections.table import FinalRound, NextPlayable, State
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Judgement
from roles.sections import Sections


@role(reply=Judgement, takes=(Rules, *TAKES, NextPlayable, FinalRound), needs=(State,))
def self_verifier(sections: Sections, notes: Notes) -> Judgement:
    """Accepts or refuses a chosen move: by the rules, and whether it throws the game away.

    Its program trusts no report on the past: only the graph's own verifier knows which of them programs made.
    """
    return STANDARD.judge(Position.of(sections), chosen(notes))
