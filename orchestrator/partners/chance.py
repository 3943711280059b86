"""Players that are controls: a team needs to be better than these."""

from random import Random

from orchestrator.moves import Move
from orchestrator.partners.base import Partner
from orchestrator.view import View


def random(view: View, rng: Random) -> tuple[Move, str]:
    """Any legal move, all alike."""
    return rng.choice(view.legal), "any legal move"


PARTNERS = (Partner("random", random, "a control: any legal move"),)
