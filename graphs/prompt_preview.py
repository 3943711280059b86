"""Prompts on demand: what the nodes of a graph would be asked about a position, without asking a model."""

from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.node import RoleNode
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.models.request import ModelRequest
from roles import Notes


def requests(config: GraphConfig, view: View, notes: Notes, memory: Memory | None = None) -> dict[str, ModelRequest]:
    """The request of every node that has a template, by its name in its attempt; of attempts that the notes reached.

    `config` is the graph as it is at the view's player count (see `at`).
    """
    found = {}
    for attempt in attempts(config):
        if attempt.number > 1 and attempt.name(config.decides) not in notes:
            break
        for name in config.nodes:
            node = role_node(config, name, attempt)
            judges_nothing = node.judges is not None and node.judges not in notes
            if node.role.template is None or judges_nothing:
                continue
            if attempt.number == 1 or name in attempt.path:
                found[node.name] = request_of(node, view, notes, memory)
    return found


def request_of(node: RoleNode, view: View, notes: Notes, memory: Memory | None = None) -> ModelRequest:
    """A node's request, given the notes of the turn and what the seat remembers."""
    return node.request(0, node.sections(view, notes, memory), node.notes_read(notes))
