"""The seats of a probe's game: the story makes the moves before the question, and the asked player answers it."""

from dataclasses import dataclass, replace
from typing import Self

from experiments.tasks.probes.probe import BECAUSE, GIVEN, Probe
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory, SeatInfo
from orchestrator.table.seat import Decision, GameContext, JournaledSeat, Seat, describe


@dataclass(frozen=True)
class AskedSeat:
    """A seat that makes the story's moves and is itself from the question on; `who` is None for the other seats."""

    probe: Probe
    who: Seat | None = None

    @property
    def info(self) -> SeatInfo:
        return GIVEN if self.who is None else describe(self.who)

    def bind(self, context: GameContext) -> Self:
        return replace(self, who=self.who.bind(context)) if isinstance(self.who, JournaledSeat) else self

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        if view.turn < self.probe.turn:
            return Decision(self.probe.moves[view.turn - 1], BECAUSE)
        assert self.who is not None  # the game ends after the question
        return await self.who(view, memory)

    async def aclose(self) -> None:
        """The asked player is closed by whoever opened it: all probes share it."""


def table(probe: Probe, who: Seat) -> tuple[AskedSeat, ...]:
    """The seats of the probe's game, with `who` in the asked one."""
    return tuple(AskedSeat(probe, who if seat == probe.seat else None) for seat in range(probe.players))
