"""Discard strategist: which own cards the team can spare (mixture of agents, agent 4; the rubric of appendix I.5)."""

from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import INDEX, name
from orchestrator.hanabi.convention import policy
from roles.hanabi.discard_report import CardRisk, DiscardReport, criticality_of
from roles.hanabi.marking.discard_marks import STRATEGIST
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import CardCounts, Conventions, ProbabilityAdvice, Rules
from roles.hanabi.sections.table import FinalRound, State
from roles.notes_text import Notes
from roles.registry import role
from roles.sections import Sections


@role(
    reply=DiscardReport,
    takes=(Rules, Conventions, ConventionFacts, *TAKES, FinalRound, CardCounts, ProbabilityAdvice),
    needs=(State,),
    mark=STRATEGIST,
    rests_on=("own_hand",),
)
def discard_strategist(sections: Sections, notes: Notes) -> DiscardReport:
    """Judges whether the team can spare each own card."""
    position, at = understood(sections, notes)
    order = sorted(
        range(len(position.slots)), key=lambda i: (position.slots[i].dead < 1, *literal_play.spare(position.slots[i]))
    )
    facts = sections.get(ConventionFacts)
    if facts and facts.code:
        order = list(dict.fromkeys(move.slot for move, _ in facts.code.discards()))
    elif at is not None:
        order = list(dict.fromkeys((*(move.slot for move, _ in policy.discard(at)), *order)))
    else:
        order.sort(key=lambda i: position.slots[i].playable == 1.0)  # what can be played is no card to lose
    extremes = [f"slot {i} is known dead" for i, slot in enumerate(position.slots) if slot.dead == 1.0]
    extremes += [f"slot {i} is known critical" for i, slot in enumerate(position.slots) if slot.critical == 1.0]
    return DiscardReport(
        cards=tuple(_risk(position, i, slot, first=i == order[0]) for i, slot in enumerate(position.slots)),
        safest_first=tuple(order),
        summary=f"Safest to lose: slot {order[0]}. {'; '.join(extremes) or 'No card is known dead or critical'}.",
    )


def _risk(position: Position, number: int, slot: Slot, *, first: bool) -> CardRisk:
    return CardRisk(
        slot=number,
        safety=1.0 - slot.critical,
        criticality=criticality_of(slot),
        duplicates=_duplicates(position, slot),
        recommendation="discard" if slot.dead == 1.0 or (first and slot.critical < 1.0) else "keep",
        reason=f"dead with probability {slot.dead:.2f}, critical with {slot.critical:.2f}",
    )


def _duplicates(position: Position, slot: Slot) -> str:
    """Copies in sight of the likeliest card."""
    card = next(iter(slot.likely()))
    played = position.piles.counts[INDEX[card]]
    held = [f"P{seat} slot {i}" for seat, hand in position.hands.items() for i, c in enumerate(hand) if c == card]
    places = [*([f"{played} played or discarded"] if played else []), *held]
    return f"{played + len(held)} of {card.copies} {name(card)}s seen: {', '.join(places)}" if places else "none"
