"""What sits at the table: View in, Decision out. Graphs, rule players and people are all Seats."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    GameStarted,
    Memory,
    Result,
    SeatInfo,
    Sink,
    nowhere,
)
from hanabi_orchestrator.orchestrator.models.request import Key

BEFORE = "before"
"""The key under which a given memory holds public records of past games, oldest first: see hanabi/public_record.py."""


@dataclass(frozen=True)
class Decision:
    """A seat's decision on its turn."""

    move: Any
    why: str = ""
    ratings: Mapping[str, float] | None = None
    """By the text of the move, -1 to 1."""
    forced: bool = False
    """True if the seat played the safest legal move because no choice was accepted, or none came."""
    node: str | None = None
    """The node that chose the move."""
    votes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each node that was asked several times: how many answers chose each move."""
    rank: int | None = None
    """The rank of the move in a recommender's list, 1 for the best; None if no recommender lists it."""
    memory: Memory = field(default_factory=dict)
    """The seat's memory for its own next turn."""


async def at_once() -> None:
    """Wait for nothing: the events of this game need not outlive the machine."""


@dataclass(frozen=True)
class GameContext:
    """What the game loop gives a seat for one game; nothing in it depends on a hidden card."""

    emit: Sink = nowhere
    """Takes the events by which the seat reports how it decides."""
    hash: str = ""
    """A one-way hash of the player count, the deal's label and the repeat."""
    repeat: int = 1
    flush: Callable[[], Awaitable[None]] = at_once
    """Waits until the emitted events are on the disk; awaited before a response is used."""
    answered: Mapping[Key, Call] = field(default_factory=dict)
    """In a resumed game: the model calls of the unfinished turn that were answered."""


class Seat(Protocol):
    """Anything that decides: `async (View, Memory) -> Decision`, with the View of its game."""

    async def __call__(self, view: Any, memory: Memory, /) -> Decision: ...


@runtime_checkable
class JournaledSeat(Protocol):
    """A seat that can describe itself and reports how it decides."""

    @property
    def info(self) -> SeatInfo: ...

    def bind(self, context: GameContext) -> Self:
        """Return a copy of the seat for one game."""

    async def __call__(self, view: Any, memory: Memory, /) -> Decision: ...

    async def aclose(self) -> None:
        """Release what the seat holds open, such as connections."""


@runtime_checkable
class Traced(Protocol):
    """A seat that can have a whole game seen as one trace."""

    async def around(self, started: GameStarted, game: Callable[[], Awaitable[Result]]) -> Result:
        """Play the game."""
        ...


def describe(seat: Seat, game: str = DEFAULT) -> SeatInfo:
    """Return the description of a seat for the journal; a plain function is described by its name, and plays whatever
    the table plays."""
    if isinstance(seat, JournaledSeat):
        return seat.info
    name = getattr(seat, "__name__", type(seat).__name__)
    return SeatInfo(graph=name, model="program", game=game)
