"""How likely a card is what it should be, and by what that is reckoned."""

from experiments.values.position import Position
from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.moves import Discard, Move, Play
from orchestrator.hanabi.view import View
from roles.words import percent


def certainty(view: View, move: Move) -> str:
    """Return how likely a move is playable, dead or critical; empty for hints.

    The first chance is by hints and counting alone. Where the conventions, as far as the partners keep to them, give
    another one, it follows: `playable 33% by hints, 100% by conventions`.
    """
    if not isinstance(move, Play | Discard):
        return ""
    position = Position(view, {})
    by_hints, by_conventions = (_chance(slots[move.slot], move) for slots in (position.by_hints, position.own))
    if by_hints == by_conventions:
        return f"{by_hints} by hints"
    (word, _), (again, share) = by_hints.split(), by_conventions.split()
    return f"{by_hints} by hints, {share if word == again else by_conventions} by conventions"


def _chance(slot: Slot, move: Play | Discard) -> str:
    if isinstance(move, Play):
        return f"playable {percent(slot.playable)}"
    return f"dead {percent(slot.dead)}" if slot.dead == 1.0 else f"critical {percent(slot.critical)}"
