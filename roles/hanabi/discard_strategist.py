"""Discard strategist: which own cards the team can spare (mixture of agents, agent 4; the rubric of appendix I.5)."""

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import INDEX, name
from orchestrator.hanabi.convention import policy
from orchestrator.replies.reply import BELOW, EACH, MOST
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import CardCounts, Conventions, ProbabilityAdvice, Rules
from roles.hanabi.sections.table import FinalRound, State
from roles.hanabi.truth import Truth
from roles.marks import Marks, brier
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Chance, Reply
from roles.sections import Sections

Criticality = Literal["very-high", "high", "medium", "low", "very-low"]


class CardRisk(Reply):
    """One own card, judged."""

    unique = "slot"

    slot: int = Field(ge=0, le=4, description="the slot, 0 is the oldest card", json_schema_extra={BELOW: "slots"})
    duplicates: str = Field(description='copies in sight of what it may be, and where, or "none"')
    reason: str = Field(description="why")
    criticality: Criticality = Field(description="how critical it may be")
    safety: Chance = Field(description="the probability that the team can spare the card")
    recommendation: Literal["discard", "keep"] = Field(description="what to do with it if somebody must discard")


class DiscardReport(Reply):
    """Every card of the own hand, then the summary."""

    conclusion = ("safest_first", "summary")
    example = {
        "cards": [
            {
                "slot": 0,
                "safety": 0.9,
                "criticality": "low",
                "duplicates": "1 of 3 white 1s seen: P2 slot 1",
                "recommendation": "discard",
                "reason": "never hinted, and most of what it can be has other copies left",
            }
        ],
        "safest_first": [0, 3, 1, 2],
        "summary": "Slot 0 is the card to lose; slot 2 is a 5 and must stay.",
    }

    cards: tuple[CardRisk, ...] = Field(
        description="one entry for EVERY slot of your hand, slot 0 first", json_schema_extra={EACH: "slots"}
    )
    safest_first: tuple[Annotated[int, Field(ge=0, le=4, json_schema_extra={BELOW: "slots"})], ...] = Field(
        description="your slots, from the safest to lose to the one to protect most", json_schema_extra={MOST: "slots"}
    )
    summary: str = Field(description="the safest discards, the cards to protect, what is used up, and why")


def spared(report: DiscardReport, sections: Sections, truth: Truth) -> Marks | None:
    """`safety_brier`: of `safety` as the chance that the card is not critical; lower is better."""
    critical = ((card.safety, truth.within(card.slot, truth.piles.critical)) for card in report.cards)
    score = brier((safety, None if lost is None else not lost) for safety, lost in critical)
    return None if score is None else {"safety_brier": score}


@role(
    reply=DiscardReport,
    takes=(Rules, Conventions, ConventionFacts, *TAKES, FinalRound, CardCounts, ProbabilityAdvice),
    needs=(State,),
    mark=spared,
)
def discard_strategist(sections: Sections, notes: Notes) -> DiscardReport:
    """Judges whether the team can spare each own card."""
    position, at = understood(sections, notes)
    order = sorted(
        range(len(position.slots)), key=lambda i: (position.slots[i].dead < 1, *literal_play.spare(position.slots[i]))
    )
    if at is not None:
        order = list(dict.fromkeys((*(move.slot for move, _ in policy.discard(at)), *order)))
    order.sort(key=lambda i: position.slots[i].playable == 1.0)  # what can be played is no card to lose
    return DiscardReport(
        cards=tuple(_risk(position, i, slot, first=i == order[0]) for i, slot in enumerate(position.slots)),
        safest_first=tuple(order),
        summary=_summary(position, order),
    )


def _summary(position: Position, order: list[int]) -> str:
    dead = [i for i, slot in enumerate(position.slots) if slot.dead == 1.0]
    critical = [i for i, slot in enumerate(position.slots) if slot.critical == 1.0]
    known = [f"slot {i} is known dead" for i in dead] + [f"slot {i} is known critical" for i in critical]
    return f"Safest to lose: slot {order[0]}. {'; '.join(known) or 'No card is known dead or critical'}."


def _risk(position: Position, number: int, slot: Slot, *, first: bool) -> CardRisk:
    return CardRisk(
        slot=number,
        safety=1.0 - slot.critical,
        criticality=_criticality(slot),
        duplicates=_duplicates(position, slot),
        recommendation="discard" if slot.dead == 1.0 or (first and slot.critical < 1.0) else "keep",
        reason=f"dead with probability {slot.dead:.2f}, critical with {slot.critical:.2f}",
    )


def _criticality(slot: Slot) -> Criticality:
    if slot.critical == 1.0:
        return "very-high"
    if slot.dead == 1.0:
        return "very-low"
    return "high" if slot.critical >= 0.5 else "medium" if slot.critical >= 0.2 else "low"


def _duplicates(position: Position, slot: Slot) -> str:
    """Copies in sight of the likeliest card."""
    card = next(iter(slot.likely()))
    gone = position.piles.gone[INDEX[card]]
    held = [f"P{seat} slot {i}" for seat, hand in position.hands.items() for i, c in enumerate(hand) if c == card]
    places = [*([f"{gone} played or discarded"] if gone else []), *held]
    return f"{gone + len(held)} of {card.copies} {name(card)}s seen: {', '.join(places)}" if places else "none"
