"""Selector: picks one of K candidates (Best-of-K, appendix E.1)."""

from collections import Counter

from orchestrator.moves import parse
from roles import literal
from roles.base import Notes, role
from roles.position import NEEDS, Position
from roles.proposer import WHOLE
from roles.replies import Choice
from roles.told import Told


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def selector(told: Told, notes: Notes) -> Choice:
    """Selects the best of several candidate moves; its program takes the most frequent that does no certain harm."""
    position = Position.of(told)
    candidates = [note for replies in notes.values() for note in replies if isinstance(note, Choice)]
    counts = Counter(str(note.action) for note in candidates)
    for text, times in counts.most_common():
        move = parse(text)
        if move in position.moves and literal.harmless(position, move):
            return Choice(action=move, reason=f"{times} of {len(candidates)} answers chose it")
    move, why = literal.best(position)
    return Choice(action=move, reason=f"no candidate will do; {why}")
