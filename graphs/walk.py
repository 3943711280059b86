"""A graph of programs, node by node.

LangGraph's scheduler costs as much as such programs do. Where no model is asked there is nothing to wait for, so the
nodes are called one after another, in the order of LangGraph's steps and with the same routing; the notes are the same,
which a test compares.
"""

from dataclasses import dataclass

from hanabi_orchestrator.graphs.asking import SeatRuntime, ask
from hanabi_orchestrator.graphs.attempts import SAFETY, attempts, role_node, safety_node, steps
from hanabi_orchestrator.graphs.config import NOBODY, PROGRAM, GraphConfig
from hanabi_orchestrator.graphs.node import RoleNode, SeatState
from hanabi_orchestrator.roles import Verdict
from hanabi_orchestrator.roles.reply_types import Choice


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
            for number, node in enumerate((*round.nodes, *round.judges)):
                note = await ask(node, state, runtime)
                state["notes"] = {**state["notes"], node.name: note}
                if runtime.failed:
                    return state
                if number < len(round.nodes):
                    continue
                (choice,), (verdict,) = state["notes"][round.decides], note
                if not isinstance(choice, Choice):
                    return state
                if isinstance(verdict, Verdict) and not verdict.accept:
                    break
            else:
                return state
        return state


def walk(config: GraphConfig) -> Walk | None:
    """The walk through a config, which is as it is at the player count; None when it asks a model."""
    if any(node.model not in (PROGRAM, NOBODY) for node in config.nodes.values()):
        return None
    order = [name for step in steps(config) for name in step]
    rounds = []
    for attempt in attempts(config):
        again = [name for name in order if attempt.number == 1 or name in attempt.path]
        nodes = [role_node(config, name, attempt) for name in again if name not in attempt.judges]
        judges = [
            safety_node(config, attempt) if name == SAFETY else role_node(config, name, attempt)
            for name in attempt.judges
        ]
        rounds.append(Round(attempt.name(config.decides), tuple(nodes), tuple(judges)))
    return Walk(tuple(rounds))
