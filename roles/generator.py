"""Generator: CAC's deciding role (appendix C.1)."""

from roles import literal
from roles.base import Notes, role
from roles.position import NEEDS, TAKES, Position
from roles.replies import Choice
from roles.sections import Conventions, FinalRound, NextPlayable, OwnActions, Remembered, Rules
from roles.told import Told
from roles.tom_interpreter import MindReport


@role(reply=Choice, takes=(Rules, Conventions, *TAKES, OwnActions, Remembered, NextPlayable, FinalRound), needs=NEEDS)
def generator(told: Told, notes: Notes) -> Choice:
    """Chooses a move by the conventions and the report on the others' minds."""
    position = Position.of(told)
    move, why = literal.best(position)
    for replies in notes.values():
        for note in replies:
            if isinstance(note, MindReport) and note.hint in position.moves and move in position.hints:
                return Choice(action=note.hint, reason=f"the interpreter's hint: {note.suggestion}")
    return Choice(action=move, reason=why)
