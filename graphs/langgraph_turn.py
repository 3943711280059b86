"""A turn of a seat on LangGraph: View in, Decision out."""

from typing import Any

from graphs.asking import SeatRuntime
from graphs.role_step import AT_TABLE
from graphs.turn_state import decision, plain_view
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.table.seat import Decision


async def play(graph: Any, view: View, memory: Memory, runtime: SeatRuntime) -> Decision:
    """Return the decision of a compiled graph. Raises TurnError when something ended the turn."""
    token = AT_TABLE.set(runtime)
    try:
        done = await graph.ainvoke({"view": plain_view(None, view), "memory": dict(memory)})
    finally:
        AT_TABLE.reset(token)
    if runtime.failed:
        raise runtime.failed[0]
    return decision({**done, "view": view}, done["memory"])
