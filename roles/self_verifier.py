"""Self-verifier: CAC's judge of a chosen move (appendix C.3)."""

from roles.base import Notes, role
from roles.position import NEEDS, TAKES
from roles.replies import Judgement
from roles.safety import STANDARD, judged
from roles.sections import FinalRound, NextPlayable, Rules
from roles.told import Told


@role(reply=Judgement, takes=(Rules, *TAKES, NextPlayable, FinalRound), needs=NEEDS)
def self_verifier(told: Told, notes: Notes) -> Judgement:
    """Accepts or refuses a chosen move: by the rules, and not throwing the game away."""
    return judged(STANDARD, told, notes)
