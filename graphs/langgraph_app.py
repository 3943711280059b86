"""A seat's graph for LangGraph's own tools: `langgraph.json` names the factory, the input is plain JSON.

The input is `{"view": {...}}`, a view as a journal's `turn_started` line holds it, and `memory` if the graph has one.
What the tools call `configurable` may name `graph`, `model` (both as on the command line) and `players`.
"""

from dataclasses import dataclass
from operator import add
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict  # before Python 3.12 no form can be made of typing's own

import graphs
from graphs.compile import wired
from graphs.node import RoleNode, SeatRuntime, merge
from orchestrator.errors import UserError
from orchestrator.hanabi.referee import check_players
from orchestrator.hanabi.view import View
from orchestrator.models.settings import PROGRAM


class Input(TypedDict):
    view: dict[str, Any]
    memory: dict[str, Any]


class State(Input):
    """The state of a seat, as plain data for the tools' forms."""

    notes: Annotated[dict[str, Any], merge]
    failed: Annotated[list[Any], add]


@dataclass(frozen=True)
class Plain:
    """A node that takes its view as plain data and has its models already."""

    node: RoleNode
    runtime: SeatRuntime
    players: int

    async def __call__(self, state: State) -> dict[str, Any]:
        view = View.model_validate(state["view"])
        if view.players != self.players:
            raise UserError(f"the view is of {view.players} players; set `players` to that, not {self.players}")
        memory = state.get("memory") or {}
        whole = {"view": view, "memory": memory, "notes": state["notes"], "failed": state["failed"]}
        return await self.node(whole, Runtime(context=self.runtime))  # type: ignore[arg-type]  # its keys are all there


def house(config: RunnableConfig) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph of a seat. Raises UserError for a graph, a model or a player count that cannot be."""
    wanted = config.get("configurable") or {}
    players = check_players(wanted.get("players", 3))
    seat = graphs.seat(wanted.get("graph", "house"), wanted.get("model", PROGRAM))
    runtime, here = SeatRuntime(seat.brains, seat.game), graphs.at(seat.config, players)
    empty = StateGraph(State, input_schema=Input)
    return wired(empty, here, lambda node: Plain(node, runtime, players)).compile(name=here.name)
