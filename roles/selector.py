"""Selector: picks one of K candidates (Best-of-K, appendix E.1)."""

from collections import Counter

from orchestrator.moves import parse
from roles.base import Notes, role
from roles.position import NEEDS
from roles.proposer import WHOLE
from roles.replies import AnyChoice, Choice
from roles.sections import LegalMoves
from roles.told import Told


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def selector(told: Told, notes: Notes) -> Choice:
    """Selects the best of several candidate moves; its program takes the most frequent."""
    legal = told[LegalMoves].moves
    candidates = [note for replies in notes.values() for note in replies if isinstance(note, AnyChoice)]
    counts = Counter(str(note.action) for note in candidates if note.action in legal)
    if not counts:
        return Choice(action=legal[0], reason="no candidate is left; this is the first legal move")
    text, times = counts.most_common(1)[0]
    return Choice(action=parse(text), reason=f"{times} of {len(candidates)} answers chose it")
