"""Play by the conventions, for roles that get them and read a report on what the past means by them."""

from collections.abc import Sequence

from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from orchestrator.hanabi.convention.hint_convention import ADAPTING, STRANGER, Convention
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.literal_knowledge import Hands
from roles.hanabi.history_report import HistoryReport
from roles.hanabi.reasoning.position import Position
from roles.hanabi.sections.fixed import Conventions
from roles.notes_text import Notes
from roles.sections import Sections


def scene(sections: Sections, position: Position, notes: Notes) -> Scene | None:
    """The position as a convention player sees it; None without conventions, or without a report that says how far
    each partner keeps to them.

    `position`: narrowed by that report.
    """
    conventions = sections.get(Conventions)
    reports = [note for replies in notes.values() for note in replies if isinstance(note, HistoryReport)]
    trust = {one.seat: Convention(one.hints, one.reads) for report in reports for one in report.trust}
    if not trust or conventions is None or not conventions.agreed:
        return None
    customs = [ADAPTING if seat == position.seat else trust.get(seat, STRANGER) for seat in range(position.players)]
    return scene_of(position, customs, literal=_hands(Position.of(sections)))


def scene_of(position: Position, conventions: Sequence[Convention], *, literal: Hands | None = None) -> Scene:
    """A position whose players keep to these conventions, by seat.

    `literal`: what hints alone say of all hands; by default, no more is known than that.
    """
    known = _hands(position)
    common = CommonKnowledge.of_position(
        conventions,
        position.piles,
        tokens=position.tokens,
        lives=position.lives,
        deck=position.deck_size,
        literal=known if literal is None else literal,
        known=known,
    )
    return Scene(position.seat, common, position.hands, position.moves, position.turns_left)


def _hands(position: Position) -> Hands:
    """What each seat knows of its cards."""
    return tuple(position.own if seat == position.seat else position.known[seat] for seat in range(position.players))
