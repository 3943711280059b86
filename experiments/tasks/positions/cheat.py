"""The upper line that cheats: a colleague's note that tells the own hand, as no seat may ever know it.

It shows how much there is to gain by knowing more, and nothing else. No other file of this room makes a note from the
truth, and every result of such an arm is marked as cheating.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from experiments.tasks.positions.bank import BankPosition
from experiments.tasks.positions.truth import PositionTruth, truths
from experiments.values.one_step_value import one_step_values
from orchestrator.errors import UserError
from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import CARDS
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.moves import Move
from orchestrator.replies.reply import Reply
from roles.hanabi.history_report import HistoryReport

CHEATS = "cheats: it is told the own hand, which no seat may know"
_known: dict[str, PositionTruth] = {}


def open_truth(bank: Path) -> None:
    """Read the truth of a bank, for an arm that cheats."""
    _known.clear()
    _known.update(truths(bank))


def note(kind: type[Reply], position: BankPosition, recorded: Sequence[object]) -> Reply:
    """The own hand as a note of a role's type, with what a program's recorded note says of the partners.

    Raises UserError for a role whose note cannot say it, and for a bank without its truth.
    """
    truth = _known.get(position.name)
    if truth is None:
        raise UserError(
            f"the bank does not hold the truth of position {position.name}, so own_hand has nothing to tell"
        )
    hand = ", ".join(f"slot {slot} is {card.value}" for slot, card in enumerate(truth.own))
    data: dict[str, Any] = {"insights": [f"Your own hand: {hand}."]}
    if issubclass(kind, HistoryReport):
        told = [{"slot": slot, "reason": "seen", "cards": [card]} for slot, card in enumerate(truth.own)]
        trust = [one.trust for one in recorded if isinstance(one, HistoryReport)]
        data = {"insights": [], "inferred": told, "summary": f"Your own hand: {hand}.", "trust": [*trust, ()][0]}
    try:
        return kind.model_validate(data)
    except ValidationError:
        raise UserError(
            f"own_hand needs a node that reports on the past, and {kind.__name__} is no such report"
        ) from None


def values(position: BankPosition, scene: Scene) -> dict[Move, float]:
    """The one-step values of the legal moves by the true hand, for a player who was told it."""
    truth = _known[position.name]
    ones = (tuple(int(card is own) for card in CARDS) for own in truth.own)
    seen = replace(scene)
    seen.__dict__["own"] = tuple(Slot(weights, scene.piles) for weights in ones)  # in place of the belief
    return one_step_values(seen)
