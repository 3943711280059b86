"""What a task is to the engine: how its units are asked in one process, and what its run folder
holds of them.

A unit is a sample of an arm (`experiments.study.job`). A new kind of task says three things: a
`Task`, which is plain data and opens an `Asker` in every process that asks; the units; and
`Records`, which reads the run's folder. The engine (`runner`) does the rest alike for all: budgets,
servers that refuse, interrupts, live control, workers, shards.
"""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, Protocol, TypeVar

from hanabi_orchestrator.experiments.study.job import Unit
from hanabi_orchestrator.orchestrator.journal.events import Sink
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer, limit_of
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.table.game_loop import Gate

U = TypeVar("U", bound=Unit, contravariant=True)


def limits_of(brains: Iterable[object]) -> set[Limit]:
    """Return the limits of the models behind some brains."""
    return {limit for limit in map(limit_of, brains) if limit is not None}


class Measured(NamedTuple):
    """What progress shows of a unit that has ended."""

    score: float | None = None
    turns: int = 0


class Asker(Protocol[U]):
    """A task in one process, with everything that its units share, such as seats and
    connections."""

    def limits(self, unit: U) -> Iterable[Limit]:
        """Return the limits of the models that a unit asks."""

    async def ask(self, unit: U, gate: Gate, sink: Sink) -> Any:
        """Ask a unit from where it stopped to its end, and return that; never None.

        It enters `gate` before each turn and leaves it at the end, and passes every event to
        `sink`, first those that its journal holds. Raises Suspended or ModelError when it stops
        before its end, and any other error when it cannot be finished.
        """

    async def aclose(self) -> None:
        """Close its connections."""


class Task(Protocol[U]):
    """What a run asks; plain data, which every process of the run is given."""

    @property
    def things(self) -> str:
        """The plural of what its units are called: `games`, `answers`."""

    @property
    def measure(self) -> str:
        """What the score of a unit is called."""

    @property
    def may_end_process(self) -> bool:
        """Whether code of others is asked, which may end its process; then it gets one of its
        own."""

    def open(self, layer: ModelLayer) -> Asker[U]:
        """Make what the units share. Raises UserError when they cannot be asked."""

    def measured(self, unit: U, result: Any) -> Measured:
        """Return what progress shows of a unit that has ended."""


class Records(Protocol):
    """What a run's folder holds of its units; each method reads it anew, for other shards may have
    changed it."""

    def finished(self) -> Collection[str]:
        """Return the names of the units that are over."""

    def begun(self) -> Collection[str]:
        """Return the names of the units that have begun and are not over."""

    def answered(self) -> bool:
        """Return whether anything has been answered, so that there is something to continue."""

    def remember(self, budget: Budget) -> None:
        """Count what earlier commands spent."""
