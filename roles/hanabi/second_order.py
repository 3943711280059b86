"""Second-order beliefs: what the others believe of me, and how they would read my moves (Guandan, section 3.3 and
appendix B.3).
"""

from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import is_certain
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.roles.hanabi.beliefs import Mirror, MoveReading, SecondOrder
from hanabi_orchestrator.roles.hanabi.first_order import SEEN, narrowed
from hanabi_orchestrator.roles.hanabi.marking.mind_marks import MIRROR
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, Position
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import Words


@role(
    reply=SecondOrder,
    takes=SEEN,
    needs=NEEDS,
    mark=MIRROR,
    rests_on=("own_hand", "partner_knowledge"),
)
def second_order(sections: Sections, notes: Notes) -> SecondOrder:
    """Says what each partner believes of this seat, and how each move of the list would be read."""
    position = Position.read(sections)
    words = sections.words
    sees = narrowed(position.own, words)
    expects = _expected(position, words)
    return SecondOrder(
        mirrors=tuple(Mirror(seat=seat, sees=sees, expects=expects) for seat in position.hands),
        readings=tuple(_reading(position, move, words) for move in position.moves),
    )


def _expected(position: Position, words: Words) -> str:
    """What hints alone, which everybody knows, would have this seat do."""
    sure = [
        slot
        for slot, types in enumerate(position.own)
        if is_certain(types, position.piles.playable)
    ]
    if sure:
        return words("you play slot $slot, which the hints show to fit", slot=sure[0])
    slot = literal_play.next_discard(position.own) or 0
    return words(
        "you give a hint, or discard slot $slot" if position.tokens else "you discard slot $slot",
        slot=slot,
    )


def _reading(position: Position, move: Move, words: Words) -> MoveReading:
    """A literal reader takes a hint for what it says, and a move of one's own for what it looks like."""
    if isinstance(move, Play):
        sure = is_certain(position.own[move.slot], position.piles.playable)
        reading = (
            "they know that it was known to fit"
            if sure
            else "they take it for a risk, or for more than hints told"
        )
        return MoveReading(action=move, reading=words(reading), understood=0.9)
    if isinstance(move, Discard):
        return MoveReading(
            action=move, reading=words("they take it for a card that can be spared"), understood=0.9
        )
    return _of_hint(literal_play.lesson(position, move), words)


def _of_hint(lesson: literal_play.Lesson, words: Words) -> MoveReading:
    if lesson.plays:
        reading = "P$seat will know a card that they can play, and play it"
        understood = 0.9
    elif lesson.saves:
        reading = "P$seat will keep the card that they would have discarded next"
        understood = 0.6
    elif lesson.points:
        reading = "P$seat learns of a playable card, but cannot be sure that it is"
        understood = 0.6
    else:
        reading = "P$seat learns of nothing that they can play"
        understood = 0.6
    return MoveReading(
        action=lesson.hint, reading=words(reading, seat=lesson.hint.to), understood=understood
    )
