"""Prompts on demand: what the nodes of a graph would be asked about a position, without asking a model."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from hanabi_orchestrator.graphs.ablate import by_programs
from hanabi_orchestrator.graphs.attempts import attempts, role_node
from hanabi_orchestrator.graphs.config import NOBODY, GraphConfig
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Event, Memory
from hanabi_orchestrator.orchestrator.models.request import Absent, Message, ModelRequest, messages
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from hanabi_orchestrator.roles import Choice, Notes


def requests(
    config: GraphConfig, view: AnyView, notes: Notes, memory: Memory | None = None
) -> dict[str, ModelRequest]:
    """Return the request of every node that would ask a model, by its name in its attempt; of attempts that the notes
    reached.

    `config` is the graph as it is at the view's player count (see `at`).
    """
    asked_nodes = {}
    for attempt in attempts(config):
        if attempt.number > 1 and attempt.name(config.decides) not in notes:
            break
        for name in config.nodes:
            node = role_node(config, name, attempt)
            judges_nothing = node.judges is not None and node.judges not in notes
            if (
                node.role.template is None
                or judges_nothing
                or (attempt.number > 1 and name not in attempt.path)
            ):
                continue
            settled = node.role.settle(node.sections(view, notes, memory), node.notes_read(notes))
            if not isinstance(settled, Absent):  # else its role has nothing to ask yet
                asked_nodes[node.name] = request_of(node, view, notes, memory)
    return asked_nodes


def recorded(
    config: GraphConfig, view: AnyView, turn: Iterable[Event], memory: Memory
) -> dict[str, tuple[Message, ...]]:
    """Return what a model was or would have been asked in a recorded turn, by the node's name in its attempt."""
    by_node = requests(config, view, notes_of(config, turn), memory)
    return {node: messages(request.parts) for node, request in by_node.items()}


def request_of(
    node: RoleNode, view: AnyView, notes: Notes, memory: Memory | None = None
) -> ModelRequest:
    """A node's request, given the notes of the turn and what the seat remembers."""
    return node.request(0, node.sections(view, notes, memory), node.notes_read(notes))


# Notes without models


class Programs:
    """The programs of a graph, as far as its roles have any: they make the notes for prompts that no model is asked."""

    def __init__(self, config: GraphConfig) -> None:
        """`config` is the graph as it is at the player count. Programs that need a section which it removes get it."""
        config = config.model_copy(
            update={"controls": config.controls.without(config.controls.replaced)}
        )
        complete = by_programs(config.model_copy(update={"without_sections": ()}))
        self.config = min(by_programs(config), complete, key=lambda programs: len(silent(programs)))
        self.seat = GraphSeat(self.config, {})

    @property
    def decide(self) -> bool:
        """Whether they choose a move themselves."""
        return self.config.nodes[self.config.decides].model != NOBODY

    async def turn(self, view: AnyView, memory: Memory) -> tuple[Notes, Decision]:
        """The notes of a turn, with an example in place of each answer that no program gives, and the decision.

        Programs never read such an example. Raises TurnError when a program fails.
        """
        events: list[Event] = []
        decision = await replace(self.seat, game=GameContext(events.append))(view, memory)
        replies = notes_of(self.config, events)
        examples = {
            name: (_example(self.config, name, view),) * self.config.nodes[name].samples
            for name in silent(self.config)
            if name not in replies
        }
        return {**replies, **examples}, decision


def silent(config: GraphConfig) -> list[str]:
    """The nodes for which nobody answers."""
    return sorted(name for name, node in config.nodes.items() if node.model == NOBODY)


class ExampleNote(BaseModel):
    """The example of a reply type in place of a reply, which says so first."""

    model_config = ConfigDict(extra="allow")

    reason: str


def _example(config: GraphConfig, name: str, view: AnyView) -> BaseModel:
    role = config.role(name)
    kind = config.context_of(name).reply(config.role(name))
    label = f"PLACEHOLDER, not an answer: no program answers for role {role.name!r} here; this is its example"
    if issubclass(kind, Choice):
        return Choice(reason=label, action=view.legal[0])
    fields: dict[str, Any] = {
        name: kind.example[name] for name in kind.answer_fields() if name in kind.example
    }
    reason = fields.pop("reason", "")
    return ExampleNote(reason=f"{label}. {reason}".removesuffix(". "), **fields)
