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

_truths: dict[str, PositionTruth] = {}


def open_truth(bank: Path) -> None:
    """Read the truth of a bank, for an arm that cheats."""
    _truths.clear()
    _truths.update(truths(bank))


def note(kind: type[Reply], position: BankPosition, recorded: Sequence[object]) -> Reply:
    """Return the own hand as a note of a role's type, with what a program's recorded note says of the partners.

    Raises UserError for a role whose note cannot say it, and for a bank without its truth.
    """
    truth = _truths.get(position.name)
    if truth is None:
        raise UserError(
            f"the bank does not hold the truth of position {position.name}, so own_hand has nothing to tell"
        )
    hand = ", ".join(f"slot {slot} is {card.value}" for slot, card in enumerate(truth.own))
    data: dict[str, Any] = {"insights": [f"Your own hand: {hand}."]}
    if issubclass(kind, HistoryReport):
        cards = [{"slot": slot, "reason": "seen", "cards": [card]} for slot, card in enumerate(truth.own)]
        trust = next((reply.trust for reply in recorded if isinstance(reply, HistoryReport)), ())
        data = {"insights": [], "inferred": cards, "summary": f"Your own hand: {hand}.", "trust": trust}
    try:
        return kind.model_validate(data)
    except ValidationError:
        raise UserError(
            f"own_hand needs a node that reports on the past, and {kind.__name__} is no such report"
        ) from None


def values(position: BankPosition, scene: Scene) -> dict[Move, float]:
    """Return the one-step values of the legal moves by the true hand, for a player who was told it."""
    hand = (tuple(int(card is held) for card in CARDS) for held in _truths[position.name].own)
    seen = replace(scene)
    seen.__dict__["beliefs"] = tuple(Slot(weights, scene.piles) for weights in hand)  # in place of its own
    return one_step_values(seen)
