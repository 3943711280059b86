"""Controls: players that any team should beat."""

from random import Random

from orchestrator.hanabi.view import View
from orchestrator.players.base import Partner, ReasonedMove


def random(view: View, rng: Random) -> ReasonedMove:
    """Any legal move, all equally likely."""
    return rng.choice(view.legal), "any legal move"


PARTNERS = (Partner("random", random, "a control: any legal move"),)
