"""Marks of a recorded turn: each role's scores of its replies, now that the hidden cards are known."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import BaseModel

import roles
from graphs.ablate import at
from graphs.attempts import attempts
from graphs.config import GraphConfig, checked
from graphs.fixed_notes import unrolled
from graphs.missing_notes import with_missing
from graphs.node import RoleNode
from graphs.recorded_notes import notes_of
from orchestrator.errors import UserError
from orchestrator.journal.events import Decided, Event, GameStarted, Memory, Moved, TurnStarted
from roles import Notes, Sections
from roles.hanabi.truth import Truth, truths

Marked = Mapping[str, tuple[Mapping[str, float] | None, ...]]
"""By the node's name in its attempt: the marks of each of its samples."""


def marks_at(events: Sequence[Event], number: int) -> Marked:
    """The marks of a turn of a whole journal, which holds the deal, the moves and the seats' graphs.

    Raises UserError when the journal has no such turn; empty for a seat that is no graph.
    """
    started, turn = events[0], [event for event in events if getattr(event, "turn", None) == number]
    if not isinstance(started, GameStarted) or not turn:
        raise UserError(f"this journal has no turn {number}")
    seat = next(event.seat for event in turn if isinstance(event, TurnStarted))
    if (resolved := started.seat_at(seat, number).config) is None:
        return {}
    moves = [event.past.move for event in events if isinstance(event, Moved)]
    decided = [event for event in events if isinstance(event, Decided) and event.turn < number]
    memories = [event.memory for event in decided if event.seat == seat]
    config = at(checked(dict(resolved), f"the graph of seat {seat}"), started.players)
    memory = memories[-1] if memories else None
    kept = [*[{}] * (number - 1), memory or {}]
    truth = next(islice(truths(started.players, started.deck, moves, kept), number - 1, None))
    return marks(config, turn, truth, memory)


def marks(config: GraphConfig, turn: Iterable[Event], truth: Truth, memory: Memory | None = None) -> Marked:
    """The marks of a turn's events, the `turn_started` among them; nodes whose role has no mark are left out.

    `config` is the graph as it is at the game's player count (see `at`); `memory` is what the seat remembered.
    """
    found: dict[str, tuple[Mapping[str, float] | None, ...]] = {}
    for one in replies(config, turn, memory):
        if one.node.role.mark is not None:
            scored = roles.mark(one.node.role, one.reply, one.sections, truth)
            found[one.node.name] = (*found.get(one.node.name, ()), scored)
    return found


@dataclass(frozen=True)
class RecordedReply:
    """What a node replied in a recorded turn, with all that it had before it."""

    node: RoleNode
    sample: int
    reply: BaseModel
    sections: Sections
    notes: Notes
    """Those it read."""


def replies(config: GraphConfig, turn: Iterable[Event], memory: Memory | None = None) -> Iterator[RecordedReply]:
    """All replies of a turn's events, by attempt and sample; see `marks` for the arguments. Those of programs that a
    lean journal leaves out are computed again."""
    events = list(turn)
    view = next(event.view for event in events if isinstance(event, TurnStarted))
    notes, nodes = with_missing(config, view, events, notes_of(config, events), memory), unrolled(config)
    for attempt in attempts(config):
        for name in config.nodes if attempt.number == 1 else attempt.path:
            node = nodes[attempt.name(name)]
            if node.name in notes:
                sections, read = node.sections(view, notes, memory), node.notes_read(notes)
                for sample, reply in enumerate(notes[node.name]):
                    yield RecordedReply(node, sample, reply, sections, read)


def program_marks(one: RecordedReply, truth: Truth) -> Mapping[str, float]:
    """The marks that the role's program would have had with the same sections and notes; empty where it has none, or
    cannot answer."""
    reply = program_reply(one)
    return {} if reply is None else roles.mark(one.node.role, reply, one.sections, truth) or {}


def program_reply(one: RecordedReply) -> BaseModel | None:
    """What the role's program would have replied with the same sections and notes; None where it has none, or cannot
    answer."""
    if one.node.role.solve is None:
        return None
    try:
        return one.node.role.solve(one.sections, one.notes)
    except (KeyError, ValueError):
        return None
