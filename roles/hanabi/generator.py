"""Generator: CAC's deciding role (appendix C.1)."""

from orchestrator.hanabi.moves import Move
from roles.hanabi.cac_interpreter import Interpretation
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from roles.hanabi.sections.fixed import Conventions, Rules
from roles.hanabi.sections.history import OwnActions, Remembered
from roles.hanabi.sections.table import FinalRound, NextPlayable
from roles.hanabi.tom_interpreter import MindReport
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Sections


@role(reply=Choice, takes=(Rules, Conventions, *TAKES, OwnActions, Remembered, NextPlayable, FinalRound), needs=NEEDS)
def generator(sections: Sections, notes: Notes) -> Choice:
    """Chooses a move by the conventions and the report on the others' minds."""
    position = Position.of(sections)
    move, why = literal_play.best(position)
    if hint := _suggested(position, notes) if move in position.hints else None:
        return Choice(action=hint[0], reason=f"the interpreter's hint: {hint[1]}")
    return Choice(action=move, reason=why)


def _suggested(position: Position, notes: Notes) -> tuple[Move, str] | None:
    """The legal hint that a report on the others' minds suggests, and why."""
    for note in (note for replies in notes.values() for note in replies):
        if isinstance(note, MindReport) and note.hint in position.moves and note.hint:
            return note.hint, note.suggestion
        if isinstance(note, Interpretation):
            named = [hint for hint in position.hints if note.suggestion.startswith(str(hint))]
            return (named[0], note.suggestion) if named else None
    return None
