"""Discard strategist: which own cards the team can spare (mixture of agents, agent 4; the rubric of appendix I.5)."""

from collections.abc import Iterator

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, name
from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles.hanabi.discard_report import CardRisk, DiscardReport, criticality_of
from hanabi_orchestrator.roles.hanabi.marking.discard_marks import STRATEGIST
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import understood
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    ProbabilityAdvice,
    Rules,
)
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, State
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import percent


def no_loss(sections: Sections, notes: Notes) -> Absent | None:
    """Return the reply of a role that judges what to discard, where no discard is legal or the game ends."""
    legal = sections.get(LegalMoves)
    final = sections.get(FinalRound)
    if legal and not any(isinstance(move, Discard) for move in legal.moves):
        return Absent(reason="no card may be discarded")
    return Absent(reason="this is the last turn") if final and final.turns_left == 1 else None


@role(
    reply=DiscardReport,
    takes=(Rules, Conventions, ConventionFacts, *TAKES, FinalRound, CardCounts, ProbabilityAdvice),
    needs=(State,),
    mark=STRATEGIST,
    settled=no_loss,
    rests_on=("own_hand",),
)
def discard_strategist(sections: Sections, notes: Notes) -> DiscardReport:
    """Judges whether the team can spare each own card."""
    position, at = understood(sections, notes)
    facts = sections.get(ConventionFacts)
    if facts and facts.code:
        order = list(dict.fromkeys(move.slot for move, _ in facts.code.discards()))
    elif at is not None:
        order = list(dict.fromkeys(move.slot for move, _ in policy.discard(at)))
    else:
        order = sorted(range(len(position.slots)), key=lambda i: _loss(position.slots[i]))
    extremes = [
        f"slot {i} is known dead" for i, slot in enumerate(position.slots) if slot.dead == 1.0
    ]
    extremes += [
        f"slot {i} is known critical"
        for i, slot in enumerate(position.slots)
        if slot.critical == 1.0
    ]
    basis = "hints and counting" if at is None else "hints, counting and the conventions"
    certainties = "; ".join(extremes) or "no card is known dead or critical"
    return DiscardReport(
        cards=tuple(_risk(position, number, slot) for number, slot in enumerate(position.slots)),
        safest_first=tuple(order),
        summary=f"Safest to lose: slot {order[0]}. By {basis} {certainties}.",
    )


def _loss(slot: Slot) -> tuple[bool, bool, float, int]:
    """Return the sort key of a card, the safest to lose first, as `policy.discard` has it."""
    return policy.is_kept(slot), slot.dead < 1.0, slot.critical, -policy.lowest(slot)


def _risk(position: Position, number: int, slot: Slot) -> CardRisk:
    chances = f"dead {percent(slot.dead)}, critical {percent(slot.critical)}"
    return CardRisk(
        slot=number,
        safety=1.0 - slot.critical,
        criticality=criticality_of(slot),
        reason="; ".join(
            (chances, *(["to be kept"] if policy.is_kept(slot) else []), *_copies(position, slot))
        ),
    )


def _copies(position: Position, slot: Slot) -> Iterator[str]:
    """Yield how many copies of the likeliest card are in sight, if any."""
    card = next(iter(slot.likely()))
    counted = position.piles.counts[INDEX[card]]
    held = [
        f"P{seat} slot {i}"
        for seat, hand in position.hands.items()
        for i, c in enumerate(hand)
        if c == card
    ]
    places = [*([f"{counted} played or discarded"] if counted else []), *held]
    if places:
        yield f"{counted + len(held)} of {card.copies} {name(card)}s seen: {', '.join(places)}"
