"""The upper line that cheats: positions as a seat sees them that sees its own cards, as no seat may
ever see them.

It shows how much there is to gain by knowing more, and nothing else. No other file of this room
shows anybody the truth, and every result of such an arm is marked as cheating.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.truth import PositionTruth, truths
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Card
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import seeing_own_hand
from hanabi_orchestrator.orchestrator.hanabi.view import View

Truth = Mapping[str, PositionTruth]
"""By position; empty where nobody cheats."""


def truth_for(arms: Iterable[Arm], bank: str) -> Truth:
    """Return the truth of a bank by position where an arm cheats; nothing for honest arms. Raises
    UserError."""
    if any(arm.cheats for arm in arms):
        return truths(bank)
    return {}


def view(position: BankPosition, truth: Truth) -> View:
    """Return the view of a position with the own hand told. Raises UserError for a bank without its
    truth."""
    return seeing_own_hand(position.view, _hand(position, truth))


def values(position: BankPosition, scene: Scene, truth: Truth) -> Mapping[Move, float]:
    """Return the one-step values of the legal moves by the true hand, for a player who was told
    it."""
    hand = (tuple(int(card is held) for card in CARDS) for held in _hand(position, truth))
    seen = replace(scene)
    # in place of its own
    seen.__dict__["beliefs"] = tuple(Slot(weights, scene.piles) for weights in hand)
    return one_step_values(seen)


def _hand(position: BankPosition, truth: Truth) -> Sequence[Card]:
    if position.name not in truth:
        raise UserError(
            f"the bank does not hold the truth of position {position.name}, so own_hand has "
            "nothing to tell"
        )
    return truth[position.name].own
