"""What sits at the table: View in, Decision out. A graph, a rule player, a recording and a person are all Seats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

from orchestrator.events import SeatCard, Sink
from orchestrator.moves import Move
from orchestrator.view import View

Memory = Mapping[str, Any]
"""JSON-plain; what a seat decided to give itself for its own next turn. Empty on its first."""


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
    memory: Memory = field(default_factory=dict)


class Seat(Protocol):
    async def __call__(self, view: View, memory: Memory, /) -> Decision: ...


@runtime_checkable
class Telling(Protocol):
    """A seat that can say who it is, and tell a sink how it decides."""

    @property
    def card(self) -> SeatCard: ...

    def telling(self, sink: Sink) -> Self: ...

    async def __call__(self, view: View, memory: Memory, /) -> Decision: ...

    async def aclose(self) -> None: ...


def card(seat: Seat) -> SeatCard:
    """Who sits there; a plain function is known by its name."""
    if isinstance(seat, Telling):
        return seat.card
    return SeatCard(graph=getattr(seat, "__name__", type(seat).__name__), model="program")
