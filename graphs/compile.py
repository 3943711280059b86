"""GraphConfig -> a compiled LangGraph graph.

Three traps shape it. A fan-in is one list edge: separate edges would run a node once per path of another length. A redo
is no loop: a loop back into a fan-in that also waits for a node outside the loop never fires again and says nothing.
So later attempts are nodes of their own, `generate-2`, `check-2`, and the graph is acyclic. And LangGraph's recursion
limit is far too high to notice a mistake: a seat passes its node count instead.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

import roles
from graphs.ablate import at
from graphs.config import PROGRAM, GraphConfig, between
from graphs.node import RoleNode, SeatRuntime, SeatState
from roles import Verdict
from roles.hanabi.history_report import HistoryReport
from roles.hanabi.safety import Safety, judged
from roles.replies import Choice

Seated = CompiledStateGraph[SeatState, SeatRuntime, SeatState, SeatState]

SAFETY = "safety"


def nth(node: str, attempt: int) -> str:
    """A node's name in an attempt: `check`, `check-2`."""
    return node if attempt == 1 else f"{node}-{attempt}"


@dataclass(frozen=True)
class Attempt:
    """Who is who in one attempt to decide."""

    number: int
    path: frozenset[str]
    """The nodes asked again in every attempt after the first."""
    judges: tuple[str, ...]
    """The judging nodes in the order in which a decision must pass them."""

    def name(self, node: str) -> str:
        """Where a node's note of this attempt lies: its own, or that of the first attempt."""
        return nth(node, self.number if node in self.path or node in self.judges else 1)


def attempts(config: GraphConfig) -> tuple[Attempt, ...]:
    """All attempts of a turn, the first included; the last verdicts lead to a forced move."""
    judges = (config.check.judge,) if config.check else ()
    path = frozenset(between(config, config.redo, config.check.judge) if config.check else [config.decides])
    whole = (*judges, SAFETY) if config.verify.rule == "safety" else judges
    return tuple(Attempt(number, path, whole) for number in range(1, config.at_most + 2))


@dataclass(frozen=True)
class Built:
    """A config as it is at a player count, and its compiled graph."""

    config: GraphConfig
    graph: Seated


def build(config: GraphConfig, players: int) -> Seated:
    """The compiled LangGraph graph of a bound config (see `bind`) at a player count."""
    return built(config, players).graph


def built(config: GraphConfig, players: int) -> Built:
    """The same with its config; made once."""
    return _built(config.model_dump_json(), players)


@lru_cache(maxsize=256)
def _built(config_json: str, players: int) -> Built:
    config = at(GraphConfig.model_validate_json(config_json), players)
    graph = wired(StateGraph(SeatState, context_schema=SeatRuntime), config, lambda node: node)
    return Built(config, graph.compile(name=config.name))


Graph = TypeVar("Graph", bound=StateGraph[Any, Any, Any, Any])
Dress = Callable[[RoleNode], Any]
"""What a node becomes before it is added."""


def wired(graph: Graph, config: GraphConfig, dress: Dress) -> Graph:
    """An empty graph with the nodes and edges of a config, which is as it is at the player count."""
    tries = attempts(config)
    for name, node in config.nodes.items():
        graph.add_node(name, dress(role_node(config, name, tries[0])))
        graph.add_edge(list(node.reads) or START, name)
    for attempt in tries[1:]:
        _again(graph, config, attempt, dress)
    for attempt in tries:
        if SAFETY in attempt.judges:
            graph.add_node(attempt.name(SAFETY), dress(safety_node(config, attempt)))
        _judging(graph, config, attempt, last=attempt is tries[-1])
    return graph


def _again(graph: Graph, config: GraphConfig, attempt: Attempt, dress: Dress) -> None:
    """The nodes of a later attempt; `redo` is entered by the verdict before it."""
    for name in config.nodes:
        if name in attempt.path:
            graph.add_node(attempt.name(name), dress(role_node(config, name, attempt)))
            inside = [attempt.name(read) for read in config.nodes[name].reads if read in attempt.path]
            if name != config.redo:
                graph.add_edge(inside, attempt.name(name))


def _judging(graph: Graph, config: GraphConfig, attempt: Attempt, *, last: bool) -> None:
    """From the decision through its judges to the end, or to the next attempt."""
    decides = attempt.name(config.decides)
    if SAFETY in attempt.judges and len(attempt.judges) == 1:
        graph.add_edge(decides, attempt.name(SAFETY))
    if not attempt.judges:
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


def _earlier(attempt: Attempt) -> tuple[str, ...]:
    """The verdicts of the attempts before."""
    return tuple(nth(judge, number) for number in range(1, attempt.number) for judge in attempt.judges)


def role_node(config: GraphConfig, name: str, attempt: Attempt) -> RoleNode:
    """A node of the config in one attempt."""
    node, role, context = config.nodes[name], config.role(name), config.context_of(name)
    verdicts = _earlier(attempt)
    reads = [(read, attempt.name(read)) for read in node.reads]
    reads += [(verdict, verdict) for verdict in verdicts] if name == config.redo else []
    return RoleNode(
        name=attempt.name(name),
        role=role,
        model=node.model,
        samples=node.samples,
        kinds=tuple(context.kinds(role, config.without_sections)),
        reads=tuple(reads),
        refusals=verdicts,
        judges=attempt.name(config.decides) if config.check and name == config.check.judge else None,
        context=context,
        layout=context.layout([config.role(other) for other in config.nodes]),
        options=config.options_of(name),
    )


def safety_node(config: GraphConfig, attempt: Attempt) -> RoleNode:
    """The exact rule as a node, told its own sections whatever the context leaves out: it is no part of a prompt."""
    role = roles.get(SAFETY)
    reads = [config.decides, *_trusted(config)]
    return RoleNode(
        name=attempt.name(SAFETY),
        role=role,
        model=PROGRAM,
        samples=1,
        kinds=tuple((kind, {}) for kind in role.takes),
        reads=tuple((read, attempt.name(read)) for read in reads),
        judges=attempt.name(config.decides),
        solve=partial(judged, Safety(config.verify.limits)),
    )


def _trusted(config: GraphConfig) -> list[str]:
    """The nodes whose notes on the past count as knowledge, of those that the decision hears."""
    return [
        name
        for name, node in config.nodes.items()
        if config.role(name).reply is HistoryReport
        and (node.model == PROGRAM or config.verify.trust == "models")
        and between(config, name, config.decides)
    ]
