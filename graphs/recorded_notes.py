"""The notes of a turn, read back from its journal."""

from collections.abc import Iterable
from functools import lru_cache

from pydantic import BaseModel

from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig, Same
from graphs.node import RoleNode
from orchestrator.journal.events import Call, Event, VerdictGiven
from orchestrator.models.request import Absent
from roles import Notes, Verdict


def notes_of(config: GraphConfig, turn: Iterable[Event]) -> Notes:
    """The notes of a recorded turn, by node and sample."""
    replies: dict[str, dict[int, BaseModel]] = {}
    for event in turn:
        if isinstance(event, Call):
            replies.setdefault(event.node, {})[event.sample] = reply_of(config, event)
        if isinstance(event, VerdictGiven):
            said = event.why if event.told is None else event.told
            replies[event.node] = {0: Verdict(move=event.move, accept=event.accepted, reason=said)}
    return {node: tuple(by_sample[i] for i in sorted(by_sample)) for node, by_sample in replies.items()}


def reply_of(config: GraphConfig, call: Call) -> BaseModel:
    """The reply of a call, typed; absent where it was unusable, or where the graph has no such node."""
    node = _node(config, call.node)
    if call.reply is None or node is None:
        return Absent(reason=call.error or "")
    assert node.context is not None
    kind = node.context.reply(node.role) if call.text is not None else node.role.reply
    return kind.model_validate(call.reply).with_text(call.text)


def _node(config: GraphConfig, called: str) -> RoleNode | None:
    """The node of a name such as `generate-2`; None for the graph's own safety node."""
    return _nodes(Same(config)).get(called)


@lru_cache(maxsize=64)
def _nodes(same: Same) -> dict[str, RoleNode]:
    config = same.config
    tries = attempts(config)
    return {
        attempt.name(name): role_node(config, name, attempt) for attempt in reversed(tries) for name in config.nodes
    }
