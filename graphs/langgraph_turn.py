"""A turn of a seat on LangGraph: View in, Decision out."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from graphs import gate, tracing
from graphs.asking import SeatRuntime
from graphs.attempts import nth
from graphs.config import PROGRAM, read
from graphs.langgraph_compile import MOVE
from graphs.role_step import AT_TABLE, inside
from graphs.turn_state import decision, plain_view, replies
from orchestrator.errors import RoleError, TurnError, UserError
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Memory
from orchestrator.table.seat import Decision
from roles import Choice, Verdict

STEPS = 100
"""Steps after which a graph of somebody's own counts as one that never ends."""


async def play(graph: Any, view: View, memory: Memory, runtime: SeatRuntime) -> Decision:
    """Return the decision of a compiled graph. Raises TurnError when something ended the turn."""
    with _at_table(replace(runtime, view=view)):
        data = {"view": plain_view(None, view), "memory": dict(memory)}
        done = await graph.ainvoke(data, tracing.of_turn(view, runtime.game))
    if runtime.failed:
        raise runtime.failed[0]
    return decision({**done, "view": view}, done["memory"])


@contextmanager
def _at_table(runtime: SeatRuntime) -> Iterator[None]:
    token = AT_TABLE.set(runtime)
    try:
        yield
    finally:
        AT_TABLE.reset(token)


async def play_own(graph: Any, view: View, memory: Memory, runtime: SeatRuntime) -> Decision:
    """Return the decision of a graph of somebody's own, whose functions are journalled as calls of programs.

    Raises TurnError likewise, and when a function fails or the graph does not end.
    """
    thread = f"{runtime.game.hash}-{runtime.game.repeat}-{view.turn}-{view.seat}"
    traced = tracing.of_turn(view, runtime.game)
    config = {"configurable": {"thread_id": thread}, "recursion_limit": STEPS, **traced}
    try:
        with _at_table(runtime):
            done = await _streamed(graph, {"view": plain_view(None, view), "memory": dict(memory)}, config, runtime)
    except Exception as error:
        if runtime.failed:
            raise runtime.failed[0] from None
        if isinstance(error, TurnError | UserError):
            raise
        raise RoleError(f"turn {view.turn}: the graph failed: {type(error).__name__}: {error}") from error
    if runtime.failed:
        raise runtime.failed[0]
    if graph.checkpointer and (waits := (await graph.aget_state(config)).next):
        raise RoleError(f"turn {view.turn}: the graph waits before {waits[0]!r}, and nobody at a table can resume it")
    return _own_decision({**done, "view": view})


async def _streamed(
    graph: Any, data: Mapping[str, Any], config: Mapping[str, Any], runtime: SeatRuntime
) -> dict[str, Any]:
    """Return the last state."""
    done, inner, visits = dict[str, Any](), set[str](), dict[str, int]()
    stream = graph.astream(data, config, stream_mode=["tasks", "values"], subgraphs=True)
    async for place, mode, chunk in stream:
        inner |= {run.partition(":")[2] for run in place}
        if mode == "values":
            done = done if place else chunk
        elif "result" in chunk and chunk["id"] not in runtime.asked | inner and chunk["name"] != MOVE:
            name = f"{inside(place, runtime)}{chunk['name']}"
            visits[name] = visits.get(name, 0) + 1
            added = {key: value for key, value in (chunk["result"] or {}).items() if key not in ("view", "memory")}
            reply = json.loads(json.dumps(added, default=str))
            place = {"turn": data["view"]["turn"], "seat": data["view"]["seat"], "node": nth(name, visits[name])}
            runtime.game.emit(Call(**place, role=FUNCTION, model=PROGRAM, reply=reply))
    return done


FUNCTION = "function"
"""The role of a plain function in journals."""


def _own_decision(state: Mapping[str, Any]) -> Decision:
    view, memory = state["view"], dict(state.get("memory") or {})
    if state.get("decision"):
        return decision(state, memory)
    said = {name: replies(note) for name, note in state.get("notes", {}).items() if note.get("turn") == view.turn}
    verdicts = [reply for note in said.values() for reply in note if isinstance(reply, Verdict)]
    refused = {str(verdict.move) for verdict in verdicts if not verdict.accept}
    choices = [(name, note[0]) for name, note in said.items() if len(note) == 1 and isinstance(note[0], Choice)]
    if choices and isinstance(choice := choices[-1][1], Choice) and str(choice.action) not in refused:
        return Decision(choice.action, choice.reason, node=choices[-1][0], memory=memory)
    move, why = gate.safest(read("house"), view)
    cause = "the last choice was refused" if choices else "no node made a usable choice"
    return Decision(move, f"{cause}: {why}", forced=True, memory=memory)
