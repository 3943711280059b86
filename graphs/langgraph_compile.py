"""GraphConfig -> a compiled LangGraph graph.

Three traps shape it. A fan-in is one list edge: separate edges would run a node once per path of another length. A redo
is no loop: a loop back into a fan-in that also waits for a node outside the loop never fires again and says nothing.
So the nodes of later attempts are nodes of their own, the graph is acyclic, and a drawing of it folds them into the
loop that they are. And LangGraph's recursion limit is far too high to notice a mistake: the graph brings its own.

Importing LangGraph takes longer than a game of programs: what plays programs or reads graphs imports neither this file
nor another that imports LangGraph.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from langchain_core.runnables.graph import Edge, Graph, Node
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graphs.ablate import at
from graphs.asking import SeatRuntime
from graphs.attempts import SAFETY, Attempt, attempts, base, nth, role_node, safety_node, waits_for
from graphs.config import GraphConfig
from graphs.decision import decided
from graphs.node import RoleNode
from graphs.role_step import AT_TABLE, RoleStep, seen_by
from graphs.turn_state import TurnInput, TurnOutput, TurnState, decision_data, plain_view, typed
from orchestrator.hanabi.view import View

Builder: TypeAlias = StateGraph[TurnState, Any, TurnInput, TurnOutput]
MOVE = "played-move"
"""The last node: it makes the decision of what the others said. No node of a config can have its name."""


class TurnGraph(CompiledStateGraph[TurnState, Any, TurnInput, TurnOutput]):
    """The compiled graph of a turn, which is drawn with one loop for its redos."""

    def stream(self, input: Any, *args: Any, **options: Any) -> Any:
        """As LangGraph's own, of a `View` too."""
        return super().stream(plain(input), *args, **options)

    def astream(self, input: Any, *args: Any, **options: Any) -> Any:
        """As LangGraph's own, of a `View` too."""
        return super().astream(plain(input), *args, **options)

    def get_graph(self, config: Any = None, *, xray: int | bool = False) -> Graph:
        """Return a drawable graph."""
        return folded(super().get_graph(config, xray=xray))

    async def aget_graph(self, config: Any = None, *, xray: int | bool = False) -> Graph:
        """Return a drawable graph."""
        return folded(await super().aget_graph(config, xray=xray))


def plain(given: Any) -> Any:
    """Return what a graph is given as plain data: a checkpointer keeps it before any channel does."""
    if isinstance(given, Mapping) and isinstance(given.get("view"), View):
        return {**given, "view": plain_view(None, given["view"])}
    return given


class TurnBuilder(StateGraph[TurnState, Any, TurnInput, TurnOutput]):
    """The graph of a turn before it is compiled."""

    def compile(self, *args: Any, **options: Any) -> TurnGraph:
        """Return it compiled; see LangGraph for the options."""
        graph = TurnGraph(**vars(super().compile(*args, **options)))
        limited = graph.with_config({"recursion_limit": len(graph.nodes) + 5})
        assert isinstance(limited, TurnGraph)
        return limited


def folded(graph: Graph) -> Graph:
    """Return a drawing in which later attempts are the nodes of the first, so that a redo is a loop."""
    nodes: dict[str, Node] = {}
    for name, node in graph.nodes.items():
        if name == MOVE or base(name) == name:  # without what its traces say of it
            metadata = {key: value for key, value in (node.metadata or {}).items() if key not in TRACED}
            nodes[name] = node._replace(metadata=metadata or None)

    def first(name: str) -> str:
        return name if name in nodes else base(name)

    edges: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        ends = first(edge.source), first(edge.target)
        edges.setdefault(ends, Edge(*ends, data=edge.data, conditional=edge.conditional))
    return Graph(nodes=nodes, edges=list(edges.values()))


TRACED = ("role", "model")


@lru_cache(maxsize=256)
def compiled(config_json: str, players: int) -> TurnGraph:
    """The graph of a bound config (see `bind`), as JSON, at a player count; made once, for seats to say who answers."""
    config = at(GraphConfig.model_validate_json(config_json), players)
    return wired(config).compile(name=config.name)


def wired(
    config: GraphConfig, own: SeatRuntime | None = None, players: int | None = None, form: type | None = None
) -> TurnBuilder:
    """The nodes and edges of a config, which is as it is at the player count.

    `own` and `players`: see `RoleStep`. `form`: what tools let people fill in beside the input.
    """
    graph, tries = TurnBuilder(TurnState, form, input_schema=TurnInput, output_schema=TurnOutput), attempts(config)

    def add(node: RoleNode) -> None:
        step: Any = RoleStep(node, own, players)
        graph.add_node(node.name, step, metadata={"role": node.role.name, "model": node.model})

    for attempt in tries:
        for name in config.nodes if attempt.number == 1 else [name for name in config.nodes if name in attempt.path]:
            add(role_node(config, name, attempt))
            if name not in attempt.judges and (attempt.number == 1 or name != config.redo):
                _edge(graph, _inside(config, attempt, name), attempt.name(name))
        if SAFETY in attempt.judges:
            add(safety_node(config, attempt))
        _judging(graph, config, attempt, last=attempt is tries[-1])
    move: Any = _move(config)
    graph.add_node(MOVE, move)
    graph.add_edge(MOVE, END)
    return graph


def _edge(graph: Builder, before: list[str], name: str) -> None:
    """An edge from each node before; a single one as such, since tools show the next node of no other."""
    graph.add_edge(before if len(before) > 1 else before[0] if before else START, name)


def _inside(config: GraphConfig, attempt: Attempt, name: str) -> list[str]:
    """The nodes of this attempt that a node waits for: the others answered in the first."""
    return [attempt.name(other) for other in waits_for(config, name) if attempt.number == 1 or other in attempt.path]


def _judging(graph: Builder, config: GraphConfig, attempt: Attempt, *, last: bool) -> None:
    """From the decision through its judges to the move, or to the next attempt."""
    decides = attempt.name(config.decides)
    if not attempt.judges:
        graph.add_edge(decides, MOVE)
        return
    _edge(graph, _inside(config, attempt, attempt.judges[0]), attempt.name(attempt.judges[0]))
    again = MOVE if last else nth(config.redo, attempt.number + 1)
    for judge, following in zip(attempt.judges, (*attempt.judges[1:], MOVE), strict=True):
        passed = MOVE if following == MOVE else attempt.name(following)
        route = _route(decides, attempt.name(judge), passed, again)
        graph.add_conditional_edges(attempt.name(judge), route, list(dict.fromkeys((passed, again, MOVE))))


def _route(decides: str, judge: str, passed: str, again: str) -> Callable[[TurnState], Awaitable[str]]:
    async def route(state: TurnState) -> str:  # LangGraph runs a plain function in a thread
        notes = state.get("notes", {})
        if (failed := AT_TABLE.get()) and failed.failed:
            return MOVE
        if "absent" in notes[decides]["replies"][0]:
            return MOVE
        return again if notes[judge]["replies"][0].get("accept") is False else passed

    return route


def _move(config: GraphConfig) -> Callable[[TurnState], Awaitable[dict[str, Any]]]:
    """What makes the decision. A thread may hold notes of an earlier run: those are older than what is said first."""
    root = next(name for name, node in config.nodes.items() if not node.reads)

    async def move(state: TurnState) -> dict[str, Any]:
        if (table := AT_TABLE.get()) and table.failed:
            return {}
        said = state.get("notes", {})
        notes = typed(said, [name for name in said if said[name]["step"] >= said[root]["step"]])
        decision = decided(config, seen_by(state), notes)
        return {"decision": decision_data(decision, notes), "memory": dict(decision.memory)}

    return move
