"""Hat players: by the information strategy of Cox et al. (2015), one hint informs every other player.

When they play, hint and discard is in `hanabi/information/policy`. Hat players need each other: to others their hints
are nearly random.
"""

from random import Random

from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition, decide
from hanabi_orchestrator.orchestrator.hanabi.information.table import table_of
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players.base import Partner, ReasonedMove


def hat(view: View, rng: Random) -> ReasonedMove:
    hands = {hand.seat: hand.cards for hand in view.hands}
    return decide(CodePosition(table_of(view.players, view.seat, hands, view.history), view.legal))


PARTNERS = (
    Partner(
        "hat",
        hat,
        "Cox et al. 2015, How to make the perfect fireworks display: two strategies for Hanabi; its information "
        "strategy with the questions of WTFWThat, and its variant for two",
    ),
)
