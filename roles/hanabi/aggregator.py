"""Aggregator: decides from the colleagues' reports (mixture of agents, agent 6)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hanabi_orchestrator.orchestrator.hanabi.convention.policy import GAMBLES
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.roles.hanabi.analysis import Analysis
from hanabi_orchestrator.roles.hanabi.discard_report import DiscardReport
from hanabi_orchestrator.roles.hanabi.history_report import PastReport, by_history
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.hanabi.proposer import STEPS, WHOLE
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, Position
from hanabi_orchestrator.roles.hanabi.selector import by_frequency, support
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice
from hanabi_orchestrator.roles.sections import Sections

Advice = Iterator[tuple[Move, str]]


@dataclass(frozen=True)
class Case:
    """What the program decides by."""

    sections: Sections
    position: Position
    """By hints and counting; narrowed by a report on the past that does not say itself what may be played."""
    notes: Notes


@role(reply=Choice, takes=WHOLE, needs=NEEDS, options=STEPS)
def aggregator(sections: Sections, notes: Notes) -> Choice:
    """Decides by the colleagues' reports and repeats no refused move.

    Its program takes plays from the historian and the analyst, hints from the interpreter and the analyst, then the
    move that is proposed most often, and discards from the strategist. Where nobody reports on plays, hints or
    discards, it goes in this matter by a simple rule, which the prompt states: a card that by hints and counting is
    playable, the first hint of the list that touches playable cards alone and says something new, the oldest card that
    no hint touched.
    """
    position = Position.read(sections)
    case = Case(sections, position, notes)
    if not of_type(notes, PastReport):  # which says itself what follows for the own cards
        case = Case(sections, position := by_history(position, notes), notes)
    return own_rule.advised(
        sections,
        position,
        (pair for advice in ADVICE for pair in advice(case)),
        "no colleague helps",
    )


def _urgent(case: Case) -> Advice:
    for mind in of_type(case.notes, MindReport):
        if mind.urgent and mind.hint is not None:
            yield mind.hint, f"the interpreter's hint comes first: {mind.suggestion}"
        elif mind.urgent:
            yield from ((move, f"the play waits: {mind.suggestion}") for move, _ in _spared(case))


def _play(case: Case) -> Advice:
    """What a report calls surely playable; where none does, what is so by hints and counting, or worth a life."""
    histories = of_type(case.notes, PastReport)
    analyses = of_type(case.notes, Analysis)
    for history in histories:
        yield from (
            (Play(slot=slot), "by the historian's report it is playable")
            for slot in history.playable
        )
    for analysis in analyses:
        chances = {a.action: a.chance or 0.0 for a in analysis.moves if isinstance(a.action, Play)}
        least = literal_play.LIKELY if case.position.lives > 1 else 1.0
        good = sorted(
            (m for m, chance in chances.items() if chance >= least), key=lambda move: -chances[move]
        )
        yield from (
            (move, f"by the analyst's report it fits with {chances[move]:.2f}") for move in good
        )
    if not histories and not analyses:
        yield from literal_play.ranked_plays(case.position)


def _hint(case: Case) -> Advice:
    """What a report calls the best hint; where nobody says which hint helps, by a simple rule."""
    for mind in of_type(case.notes, MindReport):
        if mind.hint is not None:
            yield mind.hint, f"the interpreter's hint: {mind.suggestion}"
    for report in of_type(case.notes, Analysis):
        worthy = {
            str(a.action)
            for a in report.moves
            if a.hint_value in ("immediate-play", "critical-save")
        }
        yield from ((m, "the analyst's best hint") for m in report.best if str(m) in worthy)
    if not of_type(case.notes, MindReport, Analysis, Choice):
        yield from own_rule.plain_hints(case.position)


def _gamble(case: Case) -> Advice:
    """The likeliest play when the game is nearly over and a life is to spare."""
    histories = of_type(case.notes, PastReport)
    position = case.position
    if position.lives < 2 or position.deck_size > GAMBLES[position.lives]:
        return
    likeliest = [history.likeliest for history in histories if history.likeliest is not None]
    if not histories:
        best = max(
            position.plays, key=lambda move: position.slots[move.slot].playable, default=None
        )
        likeliest = [best.slot] if best and position.slots[best.slot].playable else []
    yield from (
        (Play(slot=slot), "the game is nearly over, and it is the likeliest play")
        for slot in likeliest
    )


def _rest(case: Case) -> Advice:
    """The move that is proposed most often; the discard strategist's card, or one by a simple rule; a spent token."""
    proposed = of_type(case.notes, Choice)
    yield from ((move, support(times, len(proposed))) for move, times in by_frequency(proposed))
    yield from _spared(case)
    yield from own_rule.spent_tokens(case.position)


def _spared(case: Case) -> Advice:
    """The discard strategist's cards; where nobody reports on them, those by a simple rule."""
    reports = of_type(case.notes, DiscardReport)
    for report in reports:
        yield from (
            (Discard(slot=slot), "the discard strategist's safest card")
            for slot in report.safest_first
        )
    if not reports:
        yield from own_rule.discards(case.sections, case.position)


ADVICE: tuple[Callable[[Case], Advice], ...] = (_urgent, _play, _hint, _gamble, _rest)
"""The steps of its instruction, in their order."""
