"""What a partner is: a rule that chooses moves, its name, and its source."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Self

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import Convention
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory, SeatInfo
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext

PREFIX = "partner:"

ReasonedMove = tuple[Move, str]
"""A move and the reason for it, in words."""

Rule = Callable[[View, Random], ReasonedMove]
"""Chooses a move. Its random numbers are the same whenever the same seat is at the same turn of the same game, and do
not depend on hidden cards."""


@dataclass(frozen=True)
class Partner:
    """A rule player as a seat. It keeps no memory: its views hold the whole history."""

    name: str
    rule: Rule
    source: str
    """Who described the player, and where."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    convention: Convention | None = None
    """How it gives and reads hints; None for a player without such a convention."""
    game: GameContext = field(default_factory=GameContext)
    plays: str = DEFAULT
    """The name of the game that it plays."""

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        move, why = self.rule(
            view, Random(f"{self.game.hash} {self.game.repeat} {view.seat} {view.turn}")
        )
        return Decision(move, why)

    @property
    def info(self) -> SeatInfo:
        return SeatInfo(graph=f"{PREFIX}{self.name}", model="program", game=self.plays)

    def bind(self, context: GameContext) -> Self:
        return replace(self, game=context)

    async def aclose(self) -> None:
        """Nothing to close."""
