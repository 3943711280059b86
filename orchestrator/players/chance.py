"""Players that are controls: a team needs to be better than these."""

from random import Random

from orchestrator.hanabi.view import View
from orchestrator.players.base import Partner, ReasonedMove


def random(view: View, rng: Random) -> ReasonedMove:
    """Any legal move, all alike."""
    return rng.choice(view.legal), "any legal move"


PARTNERS = (Partner("random", random, "a control: any legal move"),)
