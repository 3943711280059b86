"""Aggregator: decides from the colleagues' reports (mixture of agents, agent 6)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from orchestrator.hanabi.cards import mask
from orchestrator.hanabi.convention import policy
from orchestrator.hanabi.convention.hint_convention import is_certain
from orchestrator.hanabi.convention.policy import GAMBLES, Scene
from orchestrator.hanabi.moves import Discard, Move, Play
from roles.hanabi.analysis import Analysis
from roles.hanabi.discard_report import DiscardReport
from roles.hanabi.history_report import HistoryReport
from roles.hanabi.mind_report import MindReport
from roles.hanabi.proposer import WHOLE
from roles.hanabi.reasoning import literal_play, own_rule
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.literal_play import LIKELY
from roles.hanabi.reasoning.position import NEEDS, Position
from roles.hanabi.selector import by_frequency, candidates, support
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Choice
from roles.role_options import AllowedValues
from roles.sections import Sections

R = TypeVar("R", bound=BaseModel)


OPTIONS: AllowedValues = {"discard_by": ("strategist", "itself")}
"""`discard_by`: whose choice of a discard its program takes: a strategist's, or where none reports `itself`, by the
conventions or by what the team can best spare."""


@dataclass(frozen=True)
class Case:
    """What the program decides by."""

    sections: Sections
    position: Position
    """Narrowed by the past."""
    at: Scene | None
    """The same as a convention player sees it, where there are conventions."""
    notes: Notes
    discards: bool
    """Whether it chooses discards by itself where no strategist reports."""


@role(reply=Choice, takes=WHOLE, needs=NEEDS, options=OPTIONS)
def aggregator(sections: Sections, notes: Notes) -> Choice:
    """Decides by the colleagues' reports and repeats no refused move.

    Its program takes plays from the analyst and from its own belief about its cards, narrowed by the history analyst's
    note or by the section `convention_facts`; hints from the interpreter and the analyst; discards from the strategist;
    and the most frequent proposal. Where nobody reports on plays, hints or discards, it goes in this matter by the
    simple rules of `own_rule`: the first hint of the list that helps somebody to play, the oldest card that no hint
    touched.
    """
    position, at = understood(sections, notes)
    case = Case(sections, position, at, notes, discards=sections.options.get("discard_by") == "itself")
    for advice in BY_CONVENTION if at and not at.among_strangers else LITERALLY:
        for move, why in advice(case):
            if move in position.moves and literal_play.harmless(position, move):
                return Choice(action=move, reason=why)
    move, why = own_rule.choose(sections, position, at)
    return Choice(action=move, reason=f"no colleague helps; {why}")


Advice = Iterator[tuple[Move, str]]


def _urgent(case: Case) -> Advice:
    for mind in _all(case.notes, MindReport):
        if mind.hint is not None and mind.urgent:
            yield mind.hint, f"the interpreter's hint cannot wait: {mind.suggestion}"


def _sure_play(case: Case) -> Advice:
    reports = _all(case.notes, Analysis)
    for report in reports:
        sure = [a.action for a in report.moves if isinstance(a.action, Play) and a.chance == 1.0]
        best = [move for move in report.best if move in sure]
        yield from ((move, "the analyst is certain that it fits") for move in (*best, *sure))
    if not reports:
        yield from (
            policy.play(case.at)
            if case.at
            else ((move, f"slot {move.slot} is known to fit") for move in literal_play.certain_plays(case.position))
        )


def _inferred_play(case: Case) -> Advice:
    """Plays of cards that by the history analyst's report can only fit."""
    for report in _all(case.notes, HistoryReport):
        for inference in report.inferred:
            if is_certain(mask(inference.cards), case.position.piles.playable):
                yield Play(slot=inference.slot), f"by the historian's note it fits: {inference.reason}"


def _likely_play(case: Case) -> Advice:
    for move, chance in _chances(case) if case.position.lives > 1 else ():
        if chance >= LIKELY:
            yield move, f"it fits with {chance:.2f}, and there is a life to spare"


def _gamble(case: Case) -> Advice:
    """The likeliest play when the game is nearly over and a life is to spare."""
    if case.position.lives > 1 and case.position.deck_size <= GAMBLES[case.position.lives]:
        for move, chance in _chances(case):
            if chance > 0:
                yield move, f"the game is nearly over, and it fits with {chance:.2f}"


def _chances(case: Case) -> list[tuple[Move, float]]:
    """The chances of plays, the likeliest first: the analyst's, or without one those of the position."""
    chances = [(a.action, a.chance or 0.0) for report in _all(case.notes, Analysis) for a in report.moves]
    slots = case.position.slots
    chances = chances or [(move, slots[move.slot].playable) for move in case.position.plays]
    return sorted(((m, chance) for m, chance in chances if isinstance(m, Play)), key=lambda item: -item[1])


def _hint(case: Case) -> Advice:
    for mind in _all(case.notes, MindReport):
        if mind.hint is not None:
            yield mind.hint, f"the interpreter's hint: {mind.suggestion}"
    for report in _all(case.notes, Analysis):
        worthy = {str(a.action) for a in report.moves if a.hint_value in ("immediate-play", "critical-save")}
        yield from ((m, "the analyst's best hint") for m in report.best if str(m) in worthy)


def _own_hint(case: Case) -> Advice:
    """By a simple rule, where nobody says which hint helps."""
    if not (_all(case.notes, MindReport, Analysis) or candidates(case.notes)):
        yield from own_rule.hints(case.position, case.at)


def _own_discard(case: Case) -> Advice:
    """By a simple rule, where nobody says which card the team can spare."""
    if not _all(case.notes, DiscardReport):
        yield from own_rule.discards(case.sections, case.position)


def _proposal(case: Case) -> Advice:
    """The most frequent proposal; a proposed discard leaves the choice of slot to the strategist, if there is one."""
    proposed = candidates(case.notes)
    for move, times in by_frequency(proposed):
        if not (isinstance(move, Discard) and list(_discard(case))):
            yield move, support(times, len(proposed))


def _discard(case: Case) -> Advice:
    reports = _all(case.notes, DiscardReport)
    for report in reports:
        yield from ((Discard(slot=slot), "the discard strategist's safest card") for slot in report.safest_first)
    if case.discards and not reports:
        yield from (
            policy.discard(case.at)
            if case.at
            else (
                (move, literal_play.why_discard(case.position, move))
                for move in literal_play.by_spareness(case.position)
            )
        )


LITERALLY = (_urgent, _sure_play, _likely_play, _hint, _proposal, _own_hint, _discard, _own_discard)
BY_CONVENTION = (
    _urgent, _sure_play, _inferred_play, _hint, _own_hint, _gamble, _discard, _proposal, _own_discard,
)  # fmt: skip
"""Where no report says what the past means by the conventions, hints that follow them look like any others."""


def _all(notes: Notes, *kinds: type[R]) -> list[R]:
    return [note for replies in notes.values() for note in replies if isinstance(note, kinds)]
