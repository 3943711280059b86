"""Marks of a recorded turn: what each role's mark says of each of its replies, now that the truth is known."""

from collections.abc import Iterable, Mapping

import roles
from graphs.build import attempts, role_node
from graphs.config import GraphConfig
from graphs.prompting import notes_of
from orchestrator.events import Event, TurnStarted
from orchestrator.seat import Memory
from roles import Truth

Marked = Mapping[str, tuple[Mapping[str, float] | None, ...]]
"""By the node's name in its attempt: the marks of each of its samples."""


def marks(config: GraphConfig, turn: Iterable[Event], truth: Truth, memory: Memory | None = None) -> Marked:
    """The marks of a turn's events, the `turn_started` among them; nodes whose role has no mark are left out.

    `config` is the graph as it is at the game's player count (see `at`); `memory` is what the seat remembered.
    """
    events = list(turn)
    view = next(event.view for event in events if isinstance(event, TurnStarted))
    notes, found = notes_of(config, events), {}
    for attempt in attempts(config):
        for name in config.nodes if attempt.number == 1 else attempt.path:
            node = role_node(config, name, attempt)
            if node.role.mark is not None and node.name in notes:
                told = node.told(view, notes, memory)
                found[node.name] = tuple(roles.mark(node.role, reply, told, truth) for reply in notes[node.name])
    return found
