"""Tracker: Mycroft's agent, which itself lists what the hints leave of every card (section 5, appendix I.6)."""

from collections.abc import Iterable
from dataclasses import replace

from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, HAND_SIZES, Mask
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import hinted, shifted
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi import list_changes, list_marks
from hanabi_orchestrator.roles.hanabi.card_words import read, written
from hanabi_orchestrator.roles.hanabi.proposer import WHOLE
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import DeductionRules
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.marks import Marker
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Deduction, TrackedChoice
from hanabi_orchestrator.roles.sections import Sections

Lists = dict[int, list[Mask]]
"""By seat: what the hints leave of each slot."""


TRACKING = Marker(
    list_marks.score,
    (*list_marks.INFOS, *list_changes.INFOS),
    list_marks.guess,
    baselines={list_marks.NOTHING_EXCLUDED: list_marks.nothing_excluded},
)
"""The marks of one reply; those that need the seat's last turn too are reckoned by a reader of whole games."""


@role(
    reply=TrackedChoice,
    takes=(*WHOLE, DeductionRules),
    needs=(*NEEDS, History),
    mark=TRACKING,
    rests_on=("own_hand", "past_moves"),
)
def tracker(sections: Sections, notes: Notes) -> TrackedChoice:
    """Keeps its own track of what everybody knows, and chooses a move (Mycroft)."""
    state = sections[State]
    lists = tracked(state, sections[History].moves, sections.get(Remembered))
    partners = {seat: tuple(masks) for seat, masks in lists.items() if seat != state.seat}
    by_hints = Position.read(sections)
    position = replace(by_hints, own=tuple(lists[state.seat]), known=partners)
    if not position.possible:  # an old list that is wrong: what was told outright is not
        position = replace(position, own=by_hints.own)
    move, why = literal_play.best(position)
    deductions = tuple(
        Deduction(seat=seat, slots=tuple(map(written, masks)))
        for seat, masks in sorted(lists.items())
    )
    return TrackedChoice(ratings=(), deductions=deductions, reason=why, action=move)


def tracked(state: State, moves: Iterable[Past], remembered: Remembered | None) -> Lists:
    """The list of the last turn, brought up to date by the moves since then; all open where it says nothing."""
    lists = {seat: [ANY] * HAND_SIZES[state.players] for seat in range(state.players)}
    notes = remembered.memory.get("notes", {}) if remembered else {}
    for reply in (reply for replies in notes.values() for reply in replies):
        lists |= {
            entry["seat"]: [read(text) for text in entry["slots"]]
            for entry in reply.get("deductions", ())
        }
    for past in moves:
        if isinstance(past.move, Play | Discard):
            lists[past.seat] = [*shifted(lists[past.seat], past.move.slot, [ANY])]
        else:
            after = hinted(lists[past.move.to], past.move, past.slots)
            lists[past.move.to] = [
                types or ANY for types in after
            ]  # nothing is left: the old list was wrong
    sizes = {seat: len(cards) for seat, cards in state.hands.items()} | {state.seat: len(state.own)}
    # a card that is drawn can be anything, so that those which an empty deck did not give are the last
    return {
        seat: (masks + [ANY] * size)[:size]
        for seat, size in sizes.items()
        for masks in (lists[seat],)
    }
