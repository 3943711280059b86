"""GraphConfig -> a compiled LangGraph graph, and a turn of a seat on it, or on a graph of somebody's own.

Three traps shape it. A fan-in is one list edge: separate edges would run a node once per path of another length. A redo
is no loop: a loop back into a fan-in that also waits for a node outside the loop never fires again and says nothing.
So the nodes of later attempts are nodes of their own, the graph is acyclic, and a drawing of it folds them into the
loop that they are. And LangGraph's recursion limit is far too high to notice a mistake: the graph brings its own.

Importing LangGraph takes longer than a game of programs: what plays programs or reads graphs imports neither this file
nor another that imports LangGraph.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

from langchain_core.runnables.graph import Edge, Graph, Node
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel

from hanabi_orchestrator.graphs import drawing, gate, tracing
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.asking import SeatRuntime
from hanabi_orchestrator.graphs.attempts import (
    SAFETY,
    Attempt,
    attempts,
    base,
    nth,
    role_node,
    safety_node,
    waits_for,
)
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, read
from hanabi_orchestrator.graphs.decision import decided
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.graphs.role_step import AT_TABLE, RoleStep, at_table, inside, seen_by
from hanabi_orchestrator.graphs.turn_state import (
    TurnInput,
    TurnOutput,
    TurnState,
    decision,
    decision_data,
    plain_view,
    replies,
    typed,
)
from hanabi_orchestrator.orchestrator.errors import RoleError, TurnError, UserError, in_words
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Call, Memory
from hanabi_orchestrator.orchestrator.table.seat import Decision
from hanabi_orchestrator.roles import Choice, Verdict

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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return what a notebook shows of the graph; LangGraph's own would send it to a server to be drawn."""
        return {"text/plain": repr(self), "image/svg+xml": drawing.svg(self.get_graph())}


def plain(data: Any) -> Any:
    """Return what a graph is given as plain data: a checkpointer keeps it before any channel does."""
    if isinstance(data, Mapping) and isinstance(data.get("view"), BaseModel):
        return {**data, "view": plain_view(None, data["view"])}
    return data


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
            metadata = {
                key: value for key, value in (node.metadata or {}).items() if key not in TRACED
            }
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
    config: GraphConfig,
    runtime: SeatRuntime | None = None,
    players: int | None = None,
    form: type | None = None,
) -> TurnBuilder:
    """The nodes and edges of a config, which is as it is at the player count.

    `runtime` and `players`: see `RoleStep`. `form`: what tools let people fill in beside the input.
    """
    graph = TurnBuilder(TurnState, form, input_schema=TurnInput, output_schema=TurnOutput)
    tries = attempts(config)

    def add(node: RoleNode) -> None:
        step: Any = RoleStep(node, runtime, players)
        graph.add_node(node.name, step, metadata={"role": node.role.name, "model": node.model})

    for attempt in tries:
        for name in (
            config.nodes
            if attempt.number == 1
            else [name for name in config.nodes if name in attempt.path]
        ):
            add(role_node(config, name, attempt))
            if name not in attempt.judges and (attempt.number == 1 or name != config.redo):
                _edge(graph, config, attempt, name)
        if SAFETY in attempt.judges:
            add(safety_node(config, attempt))
        _judging(graph, config, attempt, last=attempt is tries[-1])
    move: Any = _move(config)
    graph.add_node(MOVE, move)
    graph.add_edge(MOVE, END)
    return graph


def _edge(graph: Builder, config: GraphConfig, attempt: Attempt, name: str) -> None:
    """An edge from each node of this attempt that a node waits for, since the others answered in the first; a single
    one as such, since tools show the next node of no other."""
    waits = [
        node for node in waits_for(config, name) if attempt.number == 1 or node in attempt.path
    ]
    before = [attempt.name(node) for node in waits]
    graph.add_edge(
        before if len(before) > 1 else before[0] if before else START, attempt.name(name)
    )


def _judging(graph: Builder, config: GraphConfig, attempt: Attempt, *, last: bool) -> None:
    """From the decision through its judges to the move, or to the next attempt."""
    decides = attempt.name(config.decides)
    if not attempt.judges:
        graph.add_edge(decides, MOVE)
        return
    _edge(graph, config, attempt, attempt.judges[0])
    again = MOVE if last else nth(config.redo, attempt.number + 1)
    for judge, following in zip(attempt.judges, (*attempt.judges[1:], MOVE), strict=True):
        passed = MOVE if following == MOVE else attempt.name(following)
        route = _route(decides, attempt.name(judge), passed, again)
        graph.add_conditional_edges(
            attempt.name(judge), route, list(dict.fromkeys((passed, again, MOVE)))
        )


def _route(
    decides: str, judge: str, passed: str, again: str
) -> Callable[[TurnState], Awaitable[str]]:
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
        every = state.get("notes", {})
        notes = typed(every, [name for name in every if every[name]["step"] >= every[root]["step"]])
        outcome = decided(config, seen_by(state), notes)
        return {"decision": decision_data(outcome, notes), "memory": dict(outcome.memory)}

    return move


# A turn of a seat: View in, Decision out


STEPS = 100
"""Steps after which a graph of somebody's own counts as one that never ends."""


async def play(graph: Any, view: AnyView, memory: Memory, runtime: SeatRuntime) -> Decision:
    """Return the decision of a compiled graph. Raises TurnError when something ended the turn."""
    with at_table(replace(runtime, view=view)):
        data = {"view": plain_view(None, view), "memory": dict(memory)}
        done = await graph.ainvoke(data, tracing.of_turn(view, runtime.game))
    if runtime.failed:
        raise runtime.failed[0]
    return decision({**done, "view": view}, done["memory"])


async def play_own(graph: Any, view: AnyView, memory: Memory, runtime: SeatRuntime) -> Decision:
    """Return the decision of a graph of somebody's own, whose functions are journalled as calls of programs.

    Raises TurnError likewise, and when a function fails or the graph does not end.
    """
    thread = f"{runtime.game.hash}-{runtime.game.repeat}-{view.turn}-{view.seat}"
    traced = tracing.of_turn(view, runtime.game)
    config = {"configurable": {"thread_id": thread}, "recursion_limit": STEPS, **traced}
    try:
        with at_table(runtime):
            done = await _streamed(
                graph, {"view": plain_view(None, view), "memory": dict(memory)}, config, runtime
            )
    except Exception as error:
        if runtime.failed:
            raise runtime.failed[0] from None
        if isinstance(error, TurnError | UserError):
            raise
        raise RoleError(f"turn {view.turn}: the graph failed: {in_words(error)}") from error
    if runtime.failed:
        raise runtime.failed[0]
    if graph.checkpointer and (waits := (await graph.aget_state(config)).next):
        raise RoleError(
            f"turn {view.turn}: the graph waits before {waits[0]!r}, and nobody at a table can resume it"
        )
    return _own_decision({**done, "view": view})


async def _streamed(
    graph: Any, data: Mapping[str, Any], config: Mapping[str, Any], runtime: SeatRuntime
) -> dict[str, Any]:
    """Return the last state."""
    done = dict[str, Any]()
    inner = set[str]()
    visits = dict[str, int]()
    stream = graph.astream(data, config, stream_mode=["tasks", "values"], subgraphs=True)
    async for place, mode, chunk in stream:
        inner |= {run.partition(":")[2] for run in place}
        if mode == "values":
            done = done if place else chunk
        elif (
            "result" in chunk
            and chunk["id"] not in runtime.node_runs | inner
            and chunk["name"] != MOVE
        ):
            name = f"{inside(place, runtime)}{chunk['name']}"
            visits[name] = visits.get(name, 0) + 1
            added = {
                key: value
                for key, value in (chunk["result"] or {}).items()
                if key not in ("view", "memory")
            }
            reply = json.loads(json.dumps(added, default=str))
            place = {
                "turn": data["view"]["turn"],
                "seat": data["view"]["seat"],
                "node": nth(name, visits[name]),
            }
            runtime.game.emit(Call(**place, role=FUNCTION, model=PROGRAM, reply=reply))
    return done


FUNCTION = "function"
"""The role of a plain function in journals."""


def _own_decision(state: Mapping[str, Any]) -> Decision:
    view = state["view"]
    memory = dict(state.get("memory") or {})
    if state.get("decision"):
        return decision(state, memory)
    notes = {
        name: replies(note)
        for name, note in state.get("notes", {}).items()
        if note.get("turn") == view.turn
    }
    verdicts = [reply for note in notes.values() for reply in note if isinstance(reply, Verdict)]
    refused = {str(verdict.move) for verdict in verdicts if not verdict.accept}
    choices = [
        (name, note[0])
        for name, note in notes.items()
        if len(note) == 1 and isinstance(note[0], Choice)
    ]
    if (
        choices
        and isinstance(choice := choices[-1][1], Choice)
        and str(choice.action) not in refused
    ):
        return Decision(choice.action, choice.reason, node=choices[-1][0], memory=memory)
    move, why = gate.safest(read("house"), view)
    cause = "the last choice was refused" if choices else "no node made a usable choice"
    return Decision(move, f"{cause}: {why}", forced=True, memory=memory)
