"""Roles as nodes of a `StateGraph` of one's own, beside plain functions, loops, `Send` and graphs inside the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs import attempts
from hanabi_orchestrator.graphs.asking import SeatRuntime
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.graphs.graph_seat import Model, seat
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.graphs.role_step import RoleStep, said_by
from hanabi_orchestrator.graphs.turn_state import TurnState, newest, replies, view, visits
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.values import as_list
from hanabi_orchestrator.roles import Choice, Notes, Verdict

NODE = "asked"
DECIDES = "decides"


def role_node(
    role: str,
    model: Model = PROGRAM,
    *,
    reads: str | Sequence[str] = (),
    judges: str | None = None,
    samples: int = 1,
    context: str = "house",
    options: Mapping[str, Any] | None = None,
    layer: ModelLayer | None = None,
) -> "FreeStep":
    """Return a role as a node for any `StateGraph` over `TurnState`: it adds its note to the state.

    `reads`: the nodes whose newest notes it gets; moves that a verifier among them refused leave its legal moves.
    `judges`: for a verifier, the node whose choice it judges. The other arguments are those
    of a node in a graph file. Raises UserError for an unknown role and for a model or context that cannot be used.
    """
    seated = seat(_alone(role, samples, context, options or {}), model, layer=layer)
    runtime = SeatRuntime(seated.brains, seated.game, models=seated.models)
    node = attempts.role_node(seated.config, NODE, attempts.attempts(seated.config)[0])
    return FreeStep(node, runtime, reads=tuple(as_list(reads)), judges=judges)


def _alone(role: str, samples: int, context: str, options: Mapping[str, Any]) -> GraphConfig:
    """A graph with that node alone, which checks its settings; where its role decides nothing, with one that does."""
    nodes: dict[str, Any] = {NODE: {"role": role, "samples": samples, "options": dict(options)}}
    decides = NODE if samples == 1 and issubclass(roles.get(role).reply, Choice) else DECIDES
    if decides == DECIDES:
        nodes[DECIDES] = {"role": "proposer", "model": PROGRAM, "reads": [NODE]}
    return checked(
        {"name": role, "context": context, "nodes": nodes, "decides": decides},
        f"node of role {role!r}",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FreeStep(RoleStep):
    """A node whose graph decides when it is asked and how often: each of its visits has a name of its own."""

    reads: tuple[str, ...] = ()
    judges: str | None = None

    async def __call__(self, state: TurnState, config: RunnableConfig) -> dict[str, Any]:
        """Return the node's note, under `analyst`, or `analyst-2` where it has said something in this turn.

        Raises TurnError where nobody can answer, UserError for a name that is none of a node.
        """
        name = str(config["metadata"]["langgraph_node"])
        if not name.isidentifier():
            raise UserError(f"{name!r} cannot name the node of a role: letters, digits and _")
        view(state)
        kind, place, *_ = config["metadata"]["langgraph_path"]
        sent = (
            int(place) if kind == "__pregel_push" and isinstance(place, int) else 0
        )  # among those of one `Send`
        number = max(visits(state, name), default=0) + 1 + sent
        node, notes = self._in_this_visit(state, attempts.nth(name, number))
        note = await said_by(self, node, state, notes, config)
        return {"notes": {node.name: note}} if note else {}

    def _in_this_visit(self, state: TurnState, name: str) -> tuple[RoleNode, Notes]:
        """Return the node as it is asked now, and what it reads."""
        newest_notes = {read: newest(state, read) for read in self.reads}
        reports = {
            read: tuple(reply for note in newest_notes[read] for reply in replies(note))
            for read in self.reads
        }
        every = {
            attempts.nth(read, n): replies(note)
            for read in self.reads
            for n, note in visits(state, read).items()
        }
        refusals = {
            name: note
            for name, note in every.items()
            if any(isinstance(reply, Verdict) for reply in note)
        }
        judged = {
            read
            for read, note in reports.items()
            if any(isinstance(reply, Verdict) for reply in note)
        }
        notes: dict[str, Any] = {
            read: note for read, note in reports.items() if note and read not in judged
        } | refusals
        reads = tuple((key, key) for key in notes)
        if self.judges is not None:
            if not (choices := newest(state, self.judges)):
                raise UserError(
                    f"{name!r} judges {self.judges!r}, which has said nothing in this turn"
                )
            notes[self.judges] = replies(choices[-1])[:1]
        node = replace(
            self.node,
            name=name,
            reads=reads,
            refusals=tuple(refusals),
            judges=self.judges,
            refuses_unread=self.judges is not None,
            colleagues={
                read: roles.get(them[-1]["role"]) for read, them in newest_notes.items() if them
            },
        )
        return node, notes
