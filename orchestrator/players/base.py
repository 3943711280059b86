"""What a partner is: a rule, its name, and where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Self

from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.view import View
from orchestrator.journal.events import SeatCard
from orchestrator.table.seat import Chair, Decision, Memory

PREFIX = "partner:"

Rule = Callable[[View, Random], tuple[Move, str]]
"""A move and the reason for it. The chance it may use is the same whenever the same seat stands at the same turn of the
same game; it says nothing of hidden cards."""


@dataclass(frozen=True)
class Partner:
    """A rule player as a seat; it remembers nothing, for its views hold the whole history."""

    name: str
    rule: Rule
    source: str
    """Who described it, and where."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    chair: Chair = field(default_factory=Chair)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        move, why = self.rule(view, Random(f"{self.chair.game} {self.chair.repeat} {view.seat} {view.turn}"))
        return Decision(move, why)

    @property
    def card(self) -> SeatCard:
        return SeatCard(graph=f"{PREFIX}{self.name}", model="program")

    def sitting(self, chair: Chair) -> Self:
        return replace(self, chair=chair)

    async def aclose(self) -> None:
        """Nothing to close."""
