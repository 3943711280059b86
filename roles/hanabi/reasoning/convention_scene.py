"""Play by the conventions, for roles that get them and read a report on what the past means by them."""

from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, Hands
from orchestrator.hanabi.convention.hint_convention import ADAPTING, STRANGER, Convention
from orchestrator.hanabi.convention.policy import Scene
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
    hands = _hands(position)
    common = CommonKnowledge(
        conventions=tuple(customs),
        turn=0,
        piles=position.piles,
        tokens=position.tokens,
        lives=position.lives,
        deck=position.deck_size,
        literal=_hands(Position.of(sections)),
        known=hands,
        cards=tuple(tuple(range(10 * seat, 10 * seat + len(hand))) for seat, hand in enumerate(hands)),
    )
    return Scene(position.seat, common, position.hands, position.moves, position.turns_left)


def _hands(position: Position) -> Hands:
    """What each seat knows of its cards."""
    return tuple(position.own if seat == position.seat else position.known[seat] for seat in range(position.players))
