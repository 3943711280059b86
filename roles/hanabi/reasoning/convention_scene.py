"""Play by the conventions, for roles that get them and read a report on what the past means by them."""

from collections.abc import Sequence
from dataclasses import replace

from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    ADAPTING,
    STRANGER,
    Convention,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import Hands
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport, by_history
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.sections import Sections


def understood(sections: Sections, notes: Notes) -> tuple[Position, Scene | None]:
    """The position narrowed by the past, and as a convention player sees it where there are conventions.

    The past is what the section of the conventions' facts says. Without it, it is read from a note that a program
    wrote (a model's says nothing of how far each partner keeps to the conventions); without both, all hints are read
    literally.
    """
    facts = sections.get(ConventionFacts)
    if facts is not None:
        at = facts.scene
        common = {seat: at.knowledge.common[seat] for seat in at.hands}
        narrowed = replace(Position.read(sections), own=at.knowledge.common[at.seat], known=common)
        return narrowed, replace(at, legal=narrowed.moves)
    position = by_history(Position.read(sections), notes)
    conventions = sections.get(Conventions)
    partners = (partner for report in of_type(notes, HistoryReport) for partner in report.trust)
    trust = {
        partner.seat: Convention(partner.hints, partner.reads, waits=partner.waits)
        for partner in partners
    }
    if not trust or conventions is None or not conventions.agreed:
        return position, None
    customs = [
        ADAPTING if seat == position.seat else trust.get(seat, STRANGER)
        for seat in range(position.players)
    ]
    return position, scene_of(position, customs, literal=_hands(Position.read(sections)))


def scene_of(
    position: Position, conventions: Sequence[Convention], *, literal: Hands | None = None
) -> Scene:
    """A position whose players keep to these conventions, by seat.

    `literal`: what hints alone say of all hands; by default, no more is known than that.
    """
    hands = _hands(position)
    common = CommonKnowledge.of_position(
        conventions,
        position.piles,
        tokens=position.tokens,
        lives=position.lives,
        deck=position.deck_size,
        literal=hands if literal is None else literal,
        common=hands,
    )
    return Scene(position.seat, common, position.hands, position.moves, position.turns_left)


def _hands(position: Position) -> Hands:
    """What each seat knows of its cards."""
    return tuple(
        position.own if seat == position.seat else position.known[seat]
        for seat in range(position.players)
    )
