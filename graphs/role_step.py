"""A role's node as LangGraph calls it: the state of the turn is plain data, the node and its role have types."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig

from hanabi_orchestrator.graphs.asking import SeatRuntime, ask, resumed
from hanabi_orchestrator.graphs.node import RoleNode, SeatState
from hanabi_orchestrator.graphs.turn_state import Note, TurnState, note, typed, view
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Notes

AT_TABLE: ContextVar[SeatRuntime | None] = ContextVar("at_table", default=None)
"""The runtime of the seat whose turn it is; None where a graph runs by itself."""


@contextmanager
def at_table(runtime: SeatRuntime) -> Iterator[None]:
    """Have the nodes of a turn ask by the runtime of the seat whose turn it is."""
    token = AT_TABLE.set(runtime)
    try:
        yield
    finally:
        AT_TABLE.reset(token)


def seen_by(state: TurnState) -> AnyView:
    """Return what the seat sees: the table's own object where there is one, since sections are made once for each."""
    table = AT_TABLE.get()
    return table.view if table and table.view else view(state)


@dataclass(frozen=True, eq=False)
class RoleStep:
    """One node of a seat's graph."""

    node: RoleNode
    runtime: SeatRuntime | None = None
    """Who answers where no seat says so."""
    players: int | None = None
    """The player count that the graph is for; None for any."""

    async def __call__(self, state: TurnState, config: RunnableConfig) -> dict[str, Any]:
        """Return the node's note. Raises TurnError where nobody can answer, UserError for another player count."""
        seen = seen_by(state)
        node = self.node
        if self.players not in (None, seen.players):
            raise UserError(
                f"the view is of {seen.players} players; set `players` to that, not {self.players}"
            )
        keys = {
            *(key for _, key in node.reads),
            *node.refusals,
            *([node.judges] if node.judges else []),
        }
        answers = await said_by(self, node, state, typed(state.get("notes", {}), keys), config)
        return {"notes": {node.name: answers}} if answers else {}


async def said_by(
    step: RoleStep, node: RoleNode, state: TurnState, notes: Notes, config: RunnableConfig
) -> Note | None:
    """Return what the node of a step says, given the notes that it may read; None where the turn ended before.

    Raises TurnError outside a seat: a checkpointer then keeps what the nodes beside it have said.
    """
    table = AT_TABLE.get()
    runtime = table or replace(step.runtime or SeatRuntime({}, GameContext()), failed=[])
    if table and step.runtime:
        runtime = replace(table, brains=resumed(step.runtime.brains, table.game))
    *outer, run = config["metadata"]["langgraph_checkpoint_ns"].split("|")
    runtime.node_runs.add(run.partition(":")[2])
    named = replace(node, name=f"{inside(outer, runtime)}{node.name}")
    seen: SeatState = {"view": seen_by(state), "memory": state.get("memory") or {}, "notes": notes}
    replies = await ask(named, seen, runtime)
    if runtime.failed and table is None:
        raise runtime.failed[0]
    return (
        note(node.role.name, seen["view"].turn, config["metadata"]["langgraph_step"], replies)
        if replies
        else None
    )


def inside(outer: Sequence[str], runtime: SeatRuntime) -> str:
    """Return what stands before a node's name in journals: `house.` where it is in a graph inside the graph,
    `house#2.` when that runs for the second time in a turn. `outer`: the runs of graphs around it, as `name:id`."""
    names: tuple[str, ...] = ()
    for depth, run in enumerate(outer, 1):
        place = (*names, run.partition(":")[0])
        path = "|".join(outer[:depth])
        runs = runtime.graphs.setdefault(place, [])
        if path not in runs:
            runs.append(path)
        names = (*names, place[-1] if path == runs[0] else f"{place[-1]}#{runs.index(path) + 1}")
    return "".join(f"{name}." for name in names)
