"""Tracker: Mycroft's agent, which itself lists what the hints leave of every card (section 5, appendix I.6)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from orchestrator.hanabi.cards import ANY, COLOUR_NAMES, COLOURS, HAND_SIZES, OF_COLOUR, OF_RANK, RANKS, Mask, masked
from orchestrator.hanabi.literal_knowledge import hinted, shifted
from orchestrator.hanabi.moves import Discard, Play
from orchestrator.hanabi.view import Past
from roles.hanabi.proposer import WHOLE
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.position import NEEDS, Position
from roles.hanabi.sections.fixed import DeductionRules
from roles.hanabi.sections.history import History, Remembered
from roles.hanabi.sections.table import State
from roles.notes_text import Notes
from roles.registry import role
from roles.reply_types import Deduction, TrackedChoice
from roles.sections import Sections

Lists = dict[int, list[Mask]]
"""By seat: what the hints leave of each slot."""


@role(reply=TrackedChoice, takes=(*WHOLE, DeductionRules), needs=(*NEEDS, History))
def tracker(sections: Sections, notes: Notes) -> TrackedChoice:
    """Keeps its own track of what everybody knows, and chooses a move (Mycroft)."""
    state = sections[State]
    lists = tracked(state, sections[History].moves, sections.get(Remembered))
    partners = {seat: tuple(masks) for seat, masks in lists.items() if seat != state.seat}
    position = replace(Position.of(sections), own=tuple(lists[state.seat]), known=partners)
    move, why = literal_play.best(position)
    deductions = tuple(Deduction(seat=seat, slots=tuple(map(written, masks))) for seat, masks in sorted(lists.items()))
    return TrackedChoice(ratings=(), deductions=deductions, reason=why, action=move)


def tracked(state: State, moves: Iterable[Past], remembered: Remembered | None) -> Lists:
    """The list of the last turn, brought up to date by the moves since then; all open where it says nothing."""
    lists = {seat: [ANY] * HAND_SIZES[state.players] for seat in range(state.players)}
    lists |= _kept(remembered.memory if remembered else {})
    for past in moves:
        _after(lists, past)
    sizes = {seat: len(cards) for seat, cards in state.hands.items()} | {state.seat: len(state.own)}
    # a card that is drawn can be anything, so that those which an empty deck did not give are the last
    return {seat: (masks + [ANY] * size)[:size] for seat, size in sizes.items() for masks in (lists[seat],)}


def _after(lists: Lists, past: Past) -> None:
    if isinstance(past.move, Play | Discard):
        lists[past.seat] = [*shifted(lists[past.seat], past.move.slot, [ANY])]
    else:
        lists[past.move.to] = [*hinted(lists[past.move.to], past.move, past.slots)]


def _kept(memory: Mapping[str, Any]) -> Lists:
    """The list that the seat wrote on its last turn, as far as it can be read."""
    replies = [reply for replies in memory.get("notes", {}).values() for reply in replies]
    kept = [deduction for reply in replies for deduction in reply.get("deductions", ())]
    return {one["seat"]: [read(text) for text in one["slots"]] for one in kept}


def written(mask: Mask) -> str:
    """`red/blue 1/2`, `any colour 3`, `green any rank`, or `anything`."""
    colours = [COLOUR_NAMES[colour] for colour in COLOURS if mask & OF_COLOUR[colour]]
    ranks = [str(rank) for rank in RANKS if mask & OF_RANK[rank]]
    if len(colours) == len(COLOURS) and len(ranks) == len(RANKS):
        return "anything"
    left = "/".join(colours) if len(colours) < len(COLOURS) else "any colour"
    return f"{left} {'/'.join(ranks) if len(ranks) < len(RANKS) else 'any rank'}"


def read(text: str) -> Mask:
    """The cards of a text like those of `written`; what it does not name is left open."""
    colours = [colour for colour in COLOURS if re.search(rf"\b{COLOUR_NAMES[colour]}\b", text, re.IGNORECASE)]
    ranks = [rank for rank in RANKS if re.search(rf"\b{rank}\b", text)]
    return masked(colours or COLOURS, ranks or RANKS)
