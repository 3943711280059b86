"""GraphConfig -> a compiled LangGraph graph.

Three traps shape it. A fan-in is one list edge: separate edges would run a node once per path of another length. A redo
is no loop: a loop back into a fan-in that also waits for a node outside the loop never fires again and says nothing.
So the nodes of later attempts are nodes of their own, and the graph is acyclic. And LangGraph's recursion limit is far
too high to notice a mistake: a seat passes its node count instead.

Importing LangGraph takes longer than a game of programs: this file and langgraph_app.py alone do it, and what plays
programs or reads graphs imports neither.
"""

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.ablate import at
from graphs.asking import SeatRuntime, ask
from graphs.attempts import SAFETY, Attempt, attempts, nth, role_node, safety_node, waits_for
from graphs.config import GraphConfig
from graphs.node import RoleNode, SeatState
from roles.reply_types import Choice, Verdict

SeatGraph = CompiledStateGraph[SeatState, SeatRuntime, SeatState, SeatState]


def build(config: GraphConfig, players: int) -> SeatGraph:
    """The compiled LangGraph graph of a bound config (see `bind`) at a player count; made once."""
    return _built(config.model_dump_json(), players)


@lru_cache(maxsize=256)
def _built(config_json: str, players: int) -> SeatGraph:
    config = at(GraphConfig.model_validate_json(config_json), players)
    graph = wired(StateGraph(SeatState, context_schema=SeatRuntime), config, _scheduled)
    return graph.compile(name=config.name)


def _scheduled(node: RoleNode) -> Callable[[SeatState, Runtime[SeatRuntime]], Awaitable[dict[str, Any]]]:
    """A node as LangGraph calls it."""

    async def run(state: SeatState, runtime: Runtime[SeatRuntime]) -> dict[str, Any]:
        return await ask(node, state, runtime.context)

    return run


async def run_turn(graph: SeatGraph, state: SeatState, runtime: SeatRuntime) -> SeatState:
    """The state after a turn."""
    limit: RunnableConfig = {"recursion_limit": len(graph.nodes) + 5}
    done: Any = await graph.ainvoke(state, limit, context=runtime)
    return cast(SeatState, done)


Graph = TypeVar("Graph", bound=StateGraph[Any, Any, Any, Any])
AsNode = Callable[[RoleNode], Any]
"""Makes of a role's node what LangGraph is given."""


def wired(graph: Graph, config: GraphConfig, as_node: AsNode) -> Graph:
    """An empty graph with the nodes and edges of a config, which is as it is at the player count."""
    tries = attempts(config)
    for name in config.nodes:
        graph.add_node(name, as_node(role_node(config, name, tries[0])))
        if name not in tries[0].judges:
            graph.add_edge(list(waits_for(config, name)) or START, name)
    for attempt in tries[1:]:
        _again(graph, config, attempt, as_node)
    for attempt in tries:
        if SAFETY in attempt.judges:
            graph.add_node(attempt.name(SAFETY), as_node(safety_node(config, attempt)))
        _judging(graph, config, attempt, last=attempt is tries[-1])
    return graph


def _again(graph: Graph, config: GraphConfig, attempt: Attempt, as_node: AsNode) -> None:
    """The nodes of a later attempt; `redo` is entered by the verdict before it."""
    for name in config.nodes:
        if name in attempt.path:
            graph.add_node(attempt.name(name), as_node(role_node(config, name, attempt)))
            if name != config.redo and name not in attempt.judges:
                graph.add_edge(_inside(config, attempt, name), attempt.name(name))


def _inside(config: GraphConfig, attempt: Attempt, name: str) -> list[str]:
    """The nodes of this attempt that a node waits for: the others answered in the first."""
    return [attempt.name(other) for other in waits_for(config, name) if attempt.number == 1 or other in attempt.path]


def _judging(graph: Graph, config: GraphConfig, attempt: Attempt, *, last: bool) -> None:
    """From the decision through its judges to the end, or to the next attempt."""
    decides = attempt.name(config.decides)
    if attempt.judges:
        graph.add_edge(_inside(config, attempt, attempt.judges[0]), attempt.name(attempt.judges[0]))
    else:
        graph.add_edge(decides, END)
        return
    again = END if last else nth(config.redo, attempt.number + 1)
    for judge, following in zip(attempt.judges, (*attempt.judges[1:], END), strict=True):
        passed = END if following == END else attempt.name(following)
        route = _route(decides, attempt.name(judge), passed, again)
        graph.add_conditional_edges(attempt.name(judge), route, list(dict.fromkeys((passed, again, END))))


def _route(decides: str, judge: str, passed: str, again: str) -> Callable[[SeatState], Awaitable[str]]:
    async def route(state: SeatState) -> str:  # LangGraph runs a plain function in a thread
        if state["failed"]:
            return END
        (choice,), (verdict,) = state["notes"][decides], state["notes"][judge]
        if not isinstance(choice, Choice):
            return END
        return again if isinstance(verdict, Verdict) and not verdict.accept else passed

    return route
