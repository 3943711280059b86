"""Prompts on demand: what the nodes of a graph would be asked about a position, without asking a model."""

from collections.abc import Iterable

from pydantic import BaseModel

from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.node import RoleNode
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Event, Memory, VerdictGiven
from orchestrator.models.request import Absent, ModelRequest
from roles import Notes, Verdict


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


def notes_of(config: GraphConfig, turn: Iterable[Event]) -> Notes:
    """The notes of a recorded turn, by node and sample."""
    replies: dict[str, dict[int, BaseModel]] = {}
    for event in turn:
        if isinstance(event, Call):
            replies.setdefault(event.node, {})[event.sample] = _reply(config, event)
        if isinstance(event, VerdictGiven):
            replies[event.node] = {0: Verdict(move=event.move, accept=event.accepted, reason=event.why)}
    return {node: tuple(by_sample[i] for i in sorted(by_sample)) for node, by_sample in replies.items()}


def _reply(config: GraphConfig, call: Call) -> BaseModel:
    node = _node(config, call.node)
    if call.reply is None or node is None:
        return Absent(reason=call.error or "")
    assert node.context is not None
    kind = node.context.reply(node.role) if call.text is not None else node.role.reply
    return kind.model_validate(call.reply).of_text(call.text)


def _node(config: GraphConfig, called: str) -> RoleNode | None:
    """The node of a name such as `generate-2`; None for the graph's own safety node."""
    for attempt in attempts(config):
        for name in config.nodes:
            if attempt.name(name) == called:
                return role_node(config, name, attempt)
    return None
