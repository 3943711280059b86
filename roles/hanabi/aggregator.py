"""Aggregator: decides from the colleagues' reports (mixture of agents, agent 6)."""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel

from orchestrator.hanabi.cards import mask
from orchestrator.hanabi.convention.hint_convention import known
from orchestrator.hanabi.convention.policy import GAMBLES
from orchestrator.hanabi.moves import Discard, Move, Play
from roles.hanabi.analyst import Analysis
from roles.hanabi.discard_strategist import DiscardReport
from roles.hanabi.history_report import HistoryReport, by_history
from roles.hanabi.proposer import WHOLE
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import scene
from roles.hanabi.reasoning.literal_play import LIKELY
from roles.hanabi.reasoning.position import NEEDS, Position
from roles.hanabi.selector import by_frequency, candidates
from roles.hanabi.tom_interpreter import MindReport
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.sections import Sections

R = TypeVar("R", bound=BaseModel)


@role(reply=Choice, takes=WHOLE, needs=NEEDS)
def aggregator(sections: Sections, notes: Notes) -> Choice:
    """Decides by the colleagues' reports; its program adds nothing to them and repeats no refused move."""
    position = by_history(Position.of(sections), notes)
    at = scene(sections, position, notes)
    for advice in BY_CONVENTION if at and not at.among_strangers else LITERALLY:
        for move, why in advice(position, notes):
            if move in position.moves and literal_play.harmless(position, move):
                return Choice(action=move, reason=why)
    move, why = literal_play.best(position)
    return Choice(action=move, reason=f"no colleague helps; {why}")


Advice = Iterator[tuple[Move, str]]


def _urgent(position: Position, notes: Notes) -> Advice:
    for mind in _all(notes, MindReport):
        if mind.hint is not None and mind.urgent:
            yield mind.hint, f"the interpreter's hint cannot wait: {mind.suggestion}"


def _sure_play(position: Position, notes: Notes) -> Advice:
    for report in _all(notes, Analysis):
        sure = [a.action for a in report.moves if isinstance(a.action, Play) and a.chance == 1.0]
        best = [move for move in report.best if move in sure]
        yield from ((move, "the analyst is certain that it fits") for move in (*best, *sure))


def _inferred_play(position: Position, notes: Notes) -> Advice:
    """Plays of cards that by the history analyst's report can only fit."""
    for report in _all(notes, HistoryReport):
        for found in report.inferred:
            if known(mask(found.cards), position.piles.playable):
                yield Play(slot=found.slot), f"by the historian's note it fits: {found.reason}"


def _likely_play(position: Position, notes: Notes) -> Advice:
    for move, chance in _chances(notes) if position.lives > 1 else ():
        if chance >= LIKELY:
            yield move, f"the analyst gives it {chance:.2f}, and there is a life to spare"


def _gamble(position: Position, notes: Notes) -> Advice:
    """The likeliest play when the game is nearly over and a life is to spare."""
    if position.lives > 1 and position.deck_size <= GAMBLES[position.lives]:
        for move, chance in _chances(notes):
            if chance > 0:
                yield move, f"the game is nearly over, and the analyst gives it {chance:.2f}"


def _chances(notes: Notes) -> list[tuple[Move, float]]:
    """The analyst's chances of plays, the likeliest first."""
    found = [(a.action, a.chance or 0.0) for report in _all(notes, Analysis) for a in report.moves]
    return sorted(((m, chance) for m, chance in found if isinstance(m, Play)), key=lambda item: -item[1])


def _hint(position: Position, notes: Notes) -> Advice:
    for mind in _all(notes, MindReport):
        if mind.hint is not None:
            yield mind.hint, f"the interpreter's hint: {mind.suggestion}"
    for report in _all(notes, Analysis):
        worthy = {str(a.action) for a in report.moves if a.hint_value in ("immediate-play", "critical-save")}
        yield from ((m, "the analyst's best hint") for m in report.best if str(m) in worthy)


def _proposal(position: Position, notes: Notes) -> Advice:
    """The most frequent proposal; a proposed discard leaves the choice of slot to the strategist, if there is one."""
    proposed = candidates(notes)
    for move, times in by_frequency(proposed):
        if not (isinstance(move, Discard) and list(_discard(position, notes))):
            yield move, f"proposed by {times} of {len(proposed)} proposals"


def _discard(position: Position, notes: Notes) -> Advice:
    for report in _all(notes, DiscardReport):
        yield from ((Discard(slot=slot), "the discard strategist's safest card") for slot in report.safest_first)


LITERALLY = (_urgent, _sure_play, _likely_play, _hint, _proposal, _discard)
BY_CONVENTION = (_urgent, _sure_play, _inferred_play, _hint, _gamble, _discard, _proposal)
"""Where no report says what the past means by the conventions, hints that follow them look like any others."""


def _all(notes: Notes, *kinds: type[R]) -> list[R]:
    return [note for replies in notes.values() for note in replies if isinstance(note, kinds)]
