"""A report on which own cards the team can spare, and the words of the strategist's rubric (appendix I.5)."""

from typing import Literal

from pydantic import Field

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.replies.reply import EACH, MOST
from hanabi_orchestrator.roles.reply_types import Chance, Reply, Slot

Criticality = Literal["very-high", "high", "medium", "low", "very-low"]


class CardRisk(Reply):
    """One own card, judged."""

    unique = "slot"

    slot: Slot = Field(description="the slot, 0 is the oldest card")
    reason: str = Field(description="why, with the copies in sight of what it may be")
    criticality: Criticality = Field(description="how critical it may be")
    safety: Chance = Field(description="the probability that the team can spare the card")


class DiscardReport(Reply):
    """Every card of the own hand, then the summary."""

    example = {
        "cards": [
            {
                "slot": 0,
                "safety": 0.9,
                "criticality": "low",
                "reason": "never hinted; 1 of 3 white 1s seen, and most of what it can be has other copies left",
            }
        ],
        "safest_first": [0, 3, 1, 2],
        "summary": "Slot 0 is the card to lose; slot 2 is a 5 and must stay.",
    }

    cards: tuple[CardRisk, ...] = Field(
        description="one entry for EVERY slot of your hand, slot 0 first",
        json_schema_extra={EACH: "slots"},
    )
    safest_first: tuple[Slot, ...] = Field(
        description="your slots, from the safest to lose to the one to protect most",
        json_schema_extra={MOST: "slots"},
    )
    summary: str = Field(
        description="the safest discards, the cards to protect, what is used up, and why"
    )


def criticality_of(slot: belief.Slot) -> Criticality:
    """How critical a card may be, very-high and very-low only when it is certain."""
    if slot.critical == 1.0:
        return "very-high"
    if slot.dead == 1.0:
        return "very-low"
    return "high" if slot.critical >= 0.5 else "medium" if slot.critical >= 0.2 else "low"
