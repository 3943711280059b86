"""What marks compare with: the belief that a seat could have had at best, whatever sections its graph gave the role,
and what came of hints."""

from collections.abc import Iterable

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import PACKS, ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import mean
from hanabi_orchestrator.roles.role_options import defaults
from hanabi_orchestrator.roles.sections import Sections, cut


def facts_told(sections: Sections, truth: Truth) -> ConventionFacts | None:
    """The exact reading by the convention pack that the role was told; None with another pack, or without a view."""
    conventions = sections.get(Conventions)
    return truth.facts(conventions.pack) if conventions and conventions.pack in PACKS else None


def exact(sections: Sections, truth: Truth) -> tuple[Slot, ...]:
    """The exact belief about the own hand: by all hints and all cards in sight, and where the role was told the pack
    `newest` or `information` by that as well. Sections that an ablation took away make no difference. Empty where the
    truth has no view.
    """
    facts = facts_told(sections, truth)
    return truth.by_hints if facts is None else facts.scene.beliefs


def slot_of(slots: tuple[Slot, ...], number: int) -> Slot | None:
    """None for a slot that the hand does not have."""
    return slots[number] if 0 <= number < len(slots) else None


def share_of_moves(moves: Iterable[Move], sections: Sections) -> float | None:
    """The share of the legal moves that are among these; None where they are not listed."""
    spoken_of = {*moves}
    return mean(
        move in spoken_of for move in (sections[LegalMoves].moves if LegalMoves in sections else ())
    )


def whole_position(view: View) -> Position:
    """The position by all that the seat could see."""
    return Position.read(cut(view, [(kind, defaults(kind.choices)) for kind in TAKES]))


# What a hint would tell, and what its receiver did with it


def says_something(position: Position, hint: Hint) -> bool:
    """Whether a hint says something new of a card that can be played, or of a critical one that its receiver would
    discard next; by what it says outright, no convention."""
    taught = literal_play.lesson(position, hint)
    return bool(taught.plays or taught.points or taught.saves)


def answer_to(truth: Truth) -> tuple[Past, Past] | None:
    """The hint that the seat gave, and its receiver's next move; None where it gave none, or the game ended before."""
    hint = truth.past
    if hint is None or not isinstance(hint.move, Hint):
        return None
    then = truth.next_of(hint.move.to)
    return (hint, then) if then else None


def played_after(truth: Truth) -> bool | None:
    """Whether the receiver of the seat's hint next played a card that it touched, and it fitted."""
    if (answer := answer_to(truth)) is None:
        return None
    hint, then = answer
    return isinstance(then.move, Play) and then.move.slot in hint.slots and bool(then.scored)


def kept_after(truth: Truth) -> bool | None:
    """Whether the receiver of the seat's hint next discarded no critical card."""
    if (answer := answer_to(truth)) is None:
        return None
    then = answer[1]
    lost = then.card if isinstance(then.move, Discard) else None
    return lost is None or not truth.piles.critical >> INDEX[lost] & 1


def holds_critical(truth: Truth, seat: int) -> bool:
    """Whether a partner holds a critical card."""
    hands = truth.view.hands if truth.view else ()
    return any(
        truth.piles.critical >> INDEX[card] & 1
        for hand in hands
        if hand.seat == seat
        for card in hand.cards
    )
