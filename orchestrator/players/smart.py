"""Convention players: they give and read play hints and warnings, and draw conclusions from missing warnings."""

from collections.abc import Sequence
from random import Random

from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import common_knowledge
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    LITERAL,
    OLDEST,
    SMART,
    Convention,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    STEPS,
    PolicyStep,
    Scene,
    decide,
)
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players.base import Partner, ReasonedMove, Rule


def keeping(convention: Convention, steps: Sequence[PolicyStep] = STEPS) -> Rule:
    """Return the rule of a player who assumes that everybody keeps to a convention."""

    def rule(view: View, rng: Random) -> ReasonedMove:
        everybody = common_knowledge((convention,) * view.players, view.history)
        hands = {hand.seat: hand.cards for hand in view.hands}
        return decide(Scene(view.seat, everybody, hands, view.legal, view.turns_left), steps)

    return rule


def convention_player(
    name: str, convention: Convention, source: str, steps: Sequence[PolicyStep] = STEPS
) -> Partner:
    return Partner(name, keeping(convention, steps), source, convention=convention)


SMARTBOT = "SmartBot, measured in Bard et al. 2020, table 1"

PARTNERS = (
    convention_player("smart", SMART, SMARTBOT),
    convention_player("smart_oldest", OLDEST, f"{SMARTBOT}, with the oldest card as the focus"),
    convention_player("literal", LITERAL, f"{SMARTBOT}, hinting so but reading hints literally"),
)
