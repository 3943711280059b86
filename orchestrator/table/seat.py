"""What sits at the table: View in, Decision out. A graph, a rule player, a recording and a person are all Seats."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Memory, SeatInfo, Sink, nowhere
from orchestrator.models.request import Key

BEFORE = "before"
"""The key of a given memory that holds public records of past games, oldest first: see hanabi/public_record.py."""


@dataclass(frozen=True)
class Decision:
    """What a seat does; made by the seat, never by a model."""

    move: Move
    why: str = ""
    ratings: Mapping[str, float] | None = None
    """By the text of the move, -1 to 1."""
    forced: bool = False
    """No choice passed, or none came: the seat played the safest legal move."""
    node: str | None = None
    """The node whose choice it is."""
    votes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How many answers of each node that was asked several times chose a move."""
    rank: int | None = None
    """Of the move in a recommender's list, 1 for the best; None where nobody recommends, or not this move."""
    memory: Memory = field(default_factory=dict)


async def at_once() -> None:
    """Where nothing has to be kept."""


@dataclass(frozen=True)
class GameContext:
    """What a table gives a seat for one game; nothing in it tells of a hidden card."""

    emit: Sink = nowhere
    """Hears how the seat decides."""
    hash: str = ""
    """A one-way hash of the players, the deal's label and the repeat."""
    repeat: int = 1
    kept: Callable[[], Awaitable[None]] = at_once
    """Waits until what was emitted outlives the machine: asked for before an answer is used."""
    answered: Mapping[Key, Call] = field(default_factory=dict)
    """In a game that goes on: the model calls of its unfinished turn that an answer came to."""


class Seat(Protocol):
    async def __call__(self, view: View, memory: Memory, /) -> Decision: ...


@runtime_checkable
class JournaledSeat(Protocol):
    """A seat that can say who it is, and tell how it decides."""

    @property
    def info(self) -> SeatInfo: ...

    def bind(self, context: GameContext) -> Self:
        """The same seat in one game."""

    async def __call__(self, view: View, memory: Memory, /) -> Decision: ...

    async def aclose(self) -> None: ...


def describe(seat: Seat) -> SeatInfo:
    """Who sits there; a plain function is known by its name."""
    if isinstance(seat, JournaledSeat):
        return seat.info
    return SeatInfo(graph=getattr(seat, "__name__", type(seat).__name__), model="program")
