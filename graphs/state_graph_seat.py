"""A LangGraph graph of somebody's own as a seat: View in, Decision out, its nodes in the journal."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from hanabi_orchestrator.graphs import tracing
from hanabi_orchestrator.graphs.answerers import SimulatedModel
from hanabi_orchestrator.graphs.asking import SeatRuntime
from hanabi_orchestrator.graphs.config import PROGRAM
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Memory, Result, SeatInfo
from hanabi_orchestrator.orchestrator.models.request import Brain
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext

if TYPE_CHECKING:  # LangGraph takes a second to import, and a game of programs needs none of it
    from hanabi_orchestrator.graphs.role_step import RoleStep

UNNAMED = "LangGraph"
"""The name of a compiled graph that was given none."""


def is_state_graph(target: object) -> bool:
    """Whether it is a LangGraph graph, compiled or not; LangGraph is not imported to find out."""
    return hasattr(target, "add_conditional_edges") or (
        hasattr(target, "builder") and hasattr(target, "astream")
    )


@dataclass(frozen=True)
class StateGraphSeat:
    """A compiled graph over `TurnState` that plays.

    It plays its `decision`, or the last choice of its nodes; where there is none, or a judge refused it, the safest
    legal move, marked as forced.
    """

    graph: Any
    name: str
    game: GameContext = field(default_factory=GameContext)
    callbacks: tuple[Any, ...] = ()
    """LangChain's callback handlers, which see its games."""

    async def __call__(self, view: AnyView, memory: Memory, /) -> Decision:
        """Raises ModelError when a model gave no answer, TurnError when a node failed or the graph did not end."""
        from hanabi_orchestrator.graphs.langgraph_compile import play_own

        return await play_own(self.graph, view, memory, SeatRuntime({}, self.game))

    async def around(self, started: GameStarted, game: Callable[[], Awaitable[Result]]) -> Result:
        """Play a game in one trace, where somebody listens: its turns nest in it."""
        return await tracing.around(started, game, self.callbacks)

    @cached_property
    def _runtimes(self) -> list[SeatRuntime]:
        return [step.runtime for step in steps(self.graph) if step.runtime]

    @property
    def brains(self) -> Mapping[str, Brain | SimulatedModel]:
        """The models of its roles' nodes, by name."""
        return {name: brain for runtime in self._runtimes for name, brain in runtime.brains.items()}

    @cached_property
    def info(self) -> SeatInfo:
        return SeatInfo(
            graph=self.name,
            model="+".join(self.brains) or PROGRAM,
            models={
                name: dict(deciding)
                for runtime in self._runtimes
                for name, deciding in runtime.models.items()
            },
            drawing=self.graph.get_graph(xray=True).draw_mermaid(),
        )

    def bind(self, context: GameContext) -> Self:
        return replace(self, game=context)

    async def aclose(self) -> None:
        for runtime in self._runtimes:
            for brain in runtime.brains.values():
                await brain.aclose()


def steps(graph: Any) -> "Iterator[RoleStep]":
    """The nodes of roles in a compiled graph and in the graphs inside it."""
    from hanabi_orchestrator.graphs.role_step import RoleStep

    inner = [subgraph for _, subgraph in graph.get_subgraphs(recurse=True)]
    for level in (graph, *inner):
        for spec in level.builder.nodes.values():
            for called in (
                getattr(spec.runnable, "func", None),
                getattr(spec.runnable, "afunc", None),
            ):
                step = getattr(called, "__self__", called)
                if isinstance(step, RoleStep):
                    yield step
                    break


def of_graph(graph: Any, name: str | None = None, callbacks: Sequence[Any] = ()) -> StateGraphSeat:
    """The seat of a `StateGraph`, compiled or not. Raises UserError for anything else."""
    if not is_state_graph(graph):
        raise UserError(
            f"{graph!r} is no graph: give a name, a YAML file, a GraphConfig or a LangGraph StateGraph"
        )
    compiled = graph if hasattr(graph, "astream") else graph.compile()
    if missing := [
        key for key in ("view", "memory", "notes", "decision") if key not in compiled.channels
    ]:
        raise UserError(
            f"the graph's state has no {missing[0]!r}; build it as StateGraph(graphs.TurnState)"
        )
    graph_name = compiled.get_name()
    named = name or (graph_name if graph_name != UNNAMED else "state_graph")
    return StateGraphSeat(compiled, named, callbacks=tuple(callbacks))
