"""The notes of programs that a lean journal leaves out of a turn: they are computed again."""

from collections.abc import Iterable

from pydantic import BaseModel

from graphs.config import PROGRAM, GraphConfig
from graphs.fixed_notes import unrolled
from graphs.node import RoleNode, refused_moves
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Decided, Event, Memory
from roles import Notes
from roles.reply_types import Choice


def with_missing(
    config: GraphConfig, view: View, turn: Iterable[Event], notes: Notes, memory: Memory | None = None
) -> Notes:
    """The notes of a turn with those of its programs; as they are where the journal has these.

    As they are, too, where the programs of this version would have led to another choice than the recorded one.
    """
    events = list(turn)
    if any(isinstance(event, Call) and event.model == PROGRAM for event in events):
        return notes
    found: dict[str, tuple[BaseModel, ...]] = dict(notes)
    for name, node in unrolled(config).items():
        if name not in found and node.judges is None and _asked(node, found):
            reply = _solved(node, view, found, memory)
            found |= {name: (reply,) * node.samples} if reply is not None else {}
    return found if _as_recorded(events, found) else notes


def _asked(node: RoleNode, notes: Notes) -> bool:
    """Whether each attempt before the node's own ended with a refusal."""
    _, _, attempt = node.name.partition("-")
    return len(refused_moves(notes, node.refusals)) == int(attempt or 1) - 1


def _solved(node: RoleNode, view: View, notes: Notes, memory: Memory | None) -> BaseModel | None:
    """The reply of a node that asks no model, also where its role settles the question by itself; else None."""
    sections, read = node.sections(view, notes, memory), node.notes_read(notes)
    solve = node.solve or node.role.solve
    try:
        settled = node.role.settled(sections, read) if node.role.settled else None
        return solve(sections, read) if settled is None and solve and node.model == PROGRAM else settled
    except Exception:  # a role of this version may fail where that of the game did not
        return None


def _as_recorded(events: Iterable[Event], notes: Notes) -> bool:
    """Whether the node that decided chose the move of the record, where a node did."""
    decided = next((event for event in events if isinstance(event, Decided)), None)
    if decided is None or decided.node is None:
        return True
    return any(isinstance(note, Choice) and note.action == decided.move for note in notes.get(decided.node, ()))
