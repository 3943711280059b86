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
from typing_extensions import TypedDict  # before Python 3.12 no form can be made of typing's own

from graphs.ablate import at
from graphs.asking import SeatRuntime, ask
from graphs.graph_seat import seat
from graphs.langgraph_compile import wired
from graphs.node import RoleNode, SeatState, merge
from orchestrator.errors import UserError
from orchestrator.hanabi.referee import check_players
from orchestrator.hanabi.view import View
from orchestrator.models.settings import PROGRAM


class AppInput(TypedDict):
    view: dict[str, Any]
    memory: dict[str, Any]


class AppState(AppInput):
    """The state of a seat, as plain data for the tools' forms."""

    notes: Annotated[dict[str, Any], merge]
    failed: Annotated[list[Any], add]


@dataclass(frozen=True)
class JsonNode:
    """A node that takes its view as plain data and has its models already."""

    node: RoleNode
    runtime: SeatRuntime
    players: int

    async def __call__(self, state: AppState) -> dict[str, Any]:
        view = View.model_validate(state["view"])
        if view.players != self.players:
            raise UserError(f"the view is of {view.players} players; set `players` to that, not {self.players}")
        memory = state.get("memory") or {}
        seat_state: SeatState = {"view": view, "memory": memory, "notes": state["notes"], "failed": state["failed"]}
        return await ask(self.node, seat_state, self.runtime)


def house(config: RunnableConfig) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph of a seat. Raises UserError for an unknown graph or model and a wrong player count."""
    options = config.get("configurable") or {}
    players = check_players(options.get("players", 3))
    seated = seat(options.get("graph", "house"), options.get("model", PROGRAM))
    runtime, graph = SeatRuntime(seated.brains, seated.game), at(seated.config, players)
    empty = StateGraph(AppState, input_schema=AppInput)
    return wired(empty, graph, lambda node: JsonNode(node, runtime, players)).compile(name=graph.name)
