"""Notes that are held fixed in a turn: those of nodes that are not asked again, since what they read is the same."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from graphlib import TopologicalSorter

from pydantic import BaseModel

from graphs.attempts import SAFETY, attempts, role_node, safety_node
from graphs.config import PROGRAM, GraphConfig, Same
from graphs.node import Fixed, FixedReply, RoleNode
from graphs.recorded_notes import reply_of
from orchestrator.errors import UserError
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Event
from orchestrator.models.request import Absent
from orchestrator.replies import writer
from orchestrator.replies.reply import Reply

Note = tuple[BaseModel, ...]
"""A reply for each sample of a node: of its role's type, or `Absent`."""


def unrolled(config: GraphConfig) -> Mapping[str, RoleNode]:
    """The nodes of all attempts by their names (`generate-2`), each after those that it depends on.

    `config` is the graph as it is at the player count (see `at`).
    """
    return _unrolled(Same(config))


@lru_cache(maxsize=64)
def _unrolled(same: Same) -> Mapping[str, RoleNode]:
    config = same.config
    order = list(TopologicalSorter({name: node.reads for name, node in config.nodes.items()}).static_order())
    found: dict[str, RoleNode] = {}
    for attempt in attempts(config):
        asked = [name for name in order if attempt.number == 1 or name in attempt.path]
        found |= {attempt.name(name): role_node(config, name, attempt) for name in asked}
        if SAFETY in attempt.judges:
            found[attempt.name(SAFETY)] = safety_node(config, attempt)
    return found


def depending(config: GraphConfig, changed: Collection[str]) -> frozenset[str]:
    """The nodes, by their names in their attempts, whose notes may change with those of `changed`, themselves left out:
    they read a changed note, judge a changed choice, or decide again after a verdict that may change."""
    found = set[str]()
    for name, node in unrolled(config).items():
        if _needs(node) & {*changed, *found}:
            found.add(name)
    return frozenset(found - set(changed))


def _needs(node: RoleNode) -> set[str]:
    return {*(key for _, key in node.reads), *node.refusals, *((node.judges,) if node.judges else ())}


def recorded(config: GraphConfig, turn: Iterable[Event], asked: Collection[str]) -> dict[tuple[str, int], FixedReply]:
    """The replies of a recorded turn, without those of the nodes that are to be asked.

    The calls are marked as those of another game. A node whose role is another one now has no reply.
    """
    nodes = unrolled(config)
    calls: dict[tuple[str, int], list[Call]] = {}
    for event in turn:
        if isinstance(event, Call) and event.outcome != "failed" and _same(nodes.get(event.node), event):
            calls.setdefault((event.node, event.sample), []).append(event)
    return {
        (name, sample): FixedReply(
            reply_of(config, said[-1]), tuple(call.model_copy(update={"fixed": "recorded"}) for call in said)
        )
        for (name, sample), said in calls.items()
        if name not in asked and said[-1].outcome != "reasked"
    }


def _same(node: RoleNode | None, call: Call) -> bool:
    return node is not None and node.role.name == call.role


def edited(
    config: GraphConfig, view: View, turn: Iterable[Event], notes: Mapping[str, Note]
) -> dict[tuple[str, int], FixedReply]:
    """Notes in the place of a node's own, as replies with a call each; `turn` has the calls that they stand for.

    Raises UserError for a node that the graph does not have, and for a reply of another type or number.
    """
    nodes, calls = unrolled(config), [event for event in turn if isinstance(event, Call)]
    found = {}
    for name, note in notes.items():
        node = nodes[known(config, name)]
        if len(note) != node.samples:
            times = "once" if node.samples == 1 else f"{node.samples} times"
            raise UserError(f"node {name!r} answers {times}, so its note has as many replies, not {len(note)}")
        for sample, reply in enumerate(note):
            old = next((call for call in calls if (call.node, call.sample) == (name, sample)), None)
            found[name, sample] = FixedReply(reply, (_call(node, view, sample, _checked(node, reply), old),))
    return found


def known(config: GraphConfig, name: str) -> str:
    """The name of a node in an attempt. Raises UserError for one that the graph does not have."""
    if name not in (there := unrolled(config)):
        firsts = [one for one in there if "-" not in one and one != SAFETY]
        raise UserError(f"graph {config.name!r} has no node {name!r}; its nodes are: {', '.join(firsts)}")
    return name


def _checked(node: RoleNode, reply: BaseModel) -> BaseModel:
    if not isinstance(reply, node.role.reply | Absent):
        wanted = node.role.reply.__name__
        raise UserError(f"a note of node {node.name!r} is a {wanted}, not a {type(reply).__name__}")
    return reply


def _call(node: RoleNode, view: View, sample: int, reply: BaseModel, old: Call | None) -> Call:
    """The call of an edited note: that of its node, as if it had said this."""
    said = Call(
        turn=view.turn,
        seat=view.seat,
        node=node.name,
        role=node.role.name,
        sample=sample,
        model=node.model,
        reply=None if isinstance(reply, Absent) else reply.model_dump(mode="json"),
        fixed="edited",
    )
    if old is not None and old.of_model:
        shown = {"prompt_hash": old.prompt_hash, "messages": old.messages, "text": _text(node, reply)}
        said = said.model_copy(update=shown)
    if isinstance(reply, Absent):
        said = said.model_copy(update={"outcome": "fallback", "error": reply.reason})
    return said


def _text(node: RoleNode, reply: BaseModel) -> str:
    """What a model would have written."""
    if not isinstance(reply, Reply):
        return ""
    form = node.context.answer_format if node.context else "json_schema"
    return reply.text if reply.text is not None else writer.text_of(reply, form)


def models_asked(config: GraphConfig, fixed: Fixed) -> set[str]:
    """The models of the nodes that are asked, programs left out."""
    there = {name for name, _ in fixed}
    return {node.model for name, node in unrolled(config).items() if name not in there} - {PROGRAM}


def differing(old: GraphConfig, new: GraphConfig) -> frozenset[str]:
    """The nodes of the new graph that are asked something else than in the old one, whatever their models."""

    def question(config: GraphConfig, name: str) -> tuple[object, ...]:
        node = config.nodes[name].model_copy(update={"model": ""})
        return node, config.context_of(name), config.without_sections

    return frozenset(n for n in new.nodes if n not in old.nodes or question(old, n) != question(new, n))
