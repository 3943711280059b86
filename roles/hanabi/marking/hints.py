"""What a hint would tell, and what its receiver did with it."""

from orchestrator.hanabi.cards import INDEX
from orchestrator.hanabi.moves import Discard, Hint, HintColour, HintRank, Play
from orchestrator.hanabi.view import Past
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.position import Position
from roles.hanabi.truth import Truth


def says_something(position: Position, hint: Hint) -> bool:
    """Whether a hint says something new of a card that can be played, or of a critical one that its receiver would
    discard next; by what it says outright, no convention."""
    taught = literal_play.lesson(position, hint)
    return bool(taught.plays or taught.points or taught.saves)


def answer_to(truth: Truth) -> tuple[Past, Past] | None:
    """The hint that the seat gave, and its receiver's next move; None where it gave none, or the game ended before."""
    hint = truth.past
    if hint is None or not isinstance(hint.move, HintColour | HintRank):
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
    return any(truth.piles.critical >> INDEX[card] & 1 for hand in hands if hand.seat == seat for card in hand.cards)
