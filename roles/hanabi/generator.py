"""Generator: CAC's deciding role (appendix C.1)."""

from collections.abc import Iterator

from hanabi_orchestrator.roles.hanabi.cac_interpreter import Interpretation
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions, Rules
from hanabi_orchestrator.roles.hanabi.sections.history import OwnActions, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice
from hanabi_orchestrator.roles.sections import Sections


@role(
    reply=Choice,
    takes=(Rules, Conventions, *TAKES, OwnActions, Remembered, NextPlayable, FinalRound),
    needs=NEEDS,
)
def generator(sections: Sections, notes: Notes) -> Choice:
    """Chooses a move by the conventions and the report on the others' minds.

    Its program plays what fits for certain or likely, gives the hint that the interpreter suggests, else discards what
    the team can best spare. Without an interpreter it gives the first hint of the list that helps somebody to play.
    """
    position = Position.read(sections)
    move, why = next(_advised(sections, position, notes))
    return Choice(action=move, reason=why)


def _advised(sections: Sections, position: Position, notes: Notes) -> Iterator[own_rule.Reasoned]:
    """The moves that are left, in the order in which it takes them."""
    yield from literal_play.ranked_plays(position)
    reports: list[MindReport | Interpretation] = of_type(notes, MindReport, Interpretation)
    for note in reports:
        if isinstance(note, MindReport):
            suggested = [hint for hint in position.hints if hint == note.hint]
        else:
            suggested = [hint for hint in position.hints if note.suggestion.startswith(str(hint))][
                :1
            ]
        yield from ((hint, f"the interpreter's hint: {note.suggestion}") for hint in suggested)
    if not reports:
        yield from own_rule.hints(position)
    yield from (
        (move, literal_play.why_discard(position, move))
        for move in literal_play.by_spareness(position)
    )
    yield from own_rule.rest(position)
