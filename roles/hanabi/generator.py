"""Generator: CAC's deciding role (appendix C.1)."""

from collections.abc import Iterator

from orchestrator.hanabi.moves import Hint
from roles.hanabi.cac_interpreter import Interpretation
from roles.hanabi.mind_report import MindReport
from roles.hanabi.reasoning import literal_play, own_rule
from roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from roles.hanabi.sections.fixed import Conventions, Rules
from roles.hanabi.sections.history import OwnActions, Remembered
from roles.hanabi.sections.table import FinalRound, NextPlayable
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Sections


@role(reply=Choice, takes=(Rules, Conventions, *TAKES, OwnActions, Remembered, NextPlayable, FinalRound), needs=NEEDS)
def generator(sections: Sections, notes: Notes) -> Choice:
    """Chooses a move by the conventions and the report on the others' minds.

    Its program plays what fits for certain or likely, gives the hint that the interpreter suggests, else discards what
    the team can best spare. Without an interpreter it gives the first hint of the list that helps somebody to play.
    """
    position = Position.of(sections)
    move, why = next(_advised(sections, position, notes))
    return Choice(action=move, reason=why)


def _advised(sections: Sections, position: Position, notes: Notes) -> Iterator[own_rule.Reasoned]:
    """The moves that are left, in the order in which it takes them."""
    yield from literal_play.ranked_plays(position)
    if _reports(notes):
        yield from ((hint, f"the interpreter's hint: {why}") for hint, why in _suggested(position, notes))
    else:
        yield from own_rule.hints(position)
    yield from ((move, literal_play.why_discard(position, move)) for move in literal_play.by_spareness(position))
    yield from own_rule.rest(position)


def _reports(notes: Notes) -> list[MindReport | Interpretation]:
    every = (note for replies in notes.values() for note in replies)
    return [note for note in every if isinstance(note, MindReport | Interpretation)]


def _suggested(position: Position, notes: Notes) -> Iterator[tuple[Hint, str]]:
    """The legal hints that reports on the others' minds suggest, and why."""
    for note in _reports(notes):
        if isinstance(note, MindReport):
            yield from ((hint, note.suggestion) for hint in position.hints if hint == note.hint)
        else:
            named = [hint for hint in position.hints if note.suggestion.startswith(str(hint))]
            yield from ((hint, note.suggestion) for hint in named[:1])
