"""A graph of programs, node by node.

LangGraph's scheduler costs as much as such programs do. Where no model is asked there is nothing to wait for, so the
nodes are called one after another, in the order of LangGraph's steps and with the same routing; the notes are the same,
which a test compares.
"""

from dataclasses import dataclass
from graphlib import TopologicalSorter

from graphs.asking import SeatRuntime, ask
from graphs.attempts import SAFETY, Attempt, attempts, role_node, safety_node
from graphs.config import NOBODY, PROGRAM, GraphConfig
from graphs.node import RoleNode, SeatState
from roles import Verdict
from roles.reply_types import Choice


@dataclass(frozen=True)
class Round:
    """One attempt: the nodes that are asked in it, then the judges."""

    decides: str
    nodes: tuple[RoleNode, ...]
    judges: tuple[RoleNode, ...]


@dataclass(frozen=True)
class Walk:
    rounds: tuple[Round, ...]

    async def __call__(self, state: SeatState, runtime: SeatRuntime) -> SeatState:
        """The state with everybody's notes, or with what ended the turn."""
        for round in self.rounds:
            for node in round.nodes:
                if not await _run(node, state, runtime):
                    return state
            for judge in round.judges:
                if not await _run(judge, state, runtime):
                    return state
                (choice,), (verdict,) = state["notes"][round.decides], state["notes"][judge.name]
                if not isinstance(choice, Choice):
                    return state
                if isinstance(verdict, Verdict) and not verdict.accept:
                    break
            else:
                return state
        return state


async def _run(node: RoleNode, state: SeatState, runtime: SeatRuntime) -> bool:
    """Adds the node's note to the state; False when something ended the turn."""
    note = await ask(node, state, runtime)
    state["notes"] = {**state["notes"], node.name: note}
    return not runtime.failed


def walk(config: GraphConfig) -> Walk | None:
    """The walk through a config, which is as it is at the player count; None when it asks a model."""
    if any(node.model not in (PROGRAM, NOBODY) for node in config.nodes.values()):
        return None
    return Walk(tuple(_round(config, attempt) for attempt in attempts(config)))


def _round(config: GraphConfig, attempt: Attempt) -> Round:
    again = [name for name in _order(config) if attempt.number == 1 or name in attempt.path]
    judging = set(attempt.judges)
    judges = [
        safety_node(config, attempt) if name == SAFETY else role_node(config, name, attempt) for name in attempt.judges
    ]
    nodes = tuple(role_node(config, name, attempt) for name in again if name not in judging)
    return Round(attempt.name(config.decides), nodes, tuple(judges))


def _order(config: GraphConfig) -> list[str]:
    """The nodes in the order of the steps in which LangGraph runs them."""
    sorter = TopologicalSorter({name: node.reads for name, node in config.nodes.items()})
    sorter.prepare()
    names: list[str] = []
    while sorter.is_active():
        ready = sorter.get_ready()
        names += [name for name in config.nodes if name in ready]
        sorter.done(*ready)
    return names
