"""Rollouts of convention players."""

from typing import TYPE_CHECKING

import lazy_loader

from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    NEWEST,
    Convention,
    Focus,
    between,
)
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import NONE, Rollout

if TYPE_CHECKING:
    from hanabi_orchestrator.orchestrator.hanabi.convention import rollout_play as rollout_play
    from hanabi_orchestrator.orchestrator.hanabi.convention import rollout_table as table
else:  # when the first rollout is played: numba takes a third of a second to import
    rollout_play = lazy_loader.load(f"{__package__}.rollout_play", suppress_warning=True)
    table = lazy_loader.load(f"{__package__}.rollout_table", suppress_warning=True)

FOCUS: dict[Focus | None, int] = {None: NONE, "oldest": 0, "newest": 1}
"""By what stands in HINTS and READS of the table."""


class RolloutGame(Rollout):
    """A game of convention players."""

    __slots__ = ("conventions",)

    def __init__(self, knowledge: CommonKnowledge, seat: int, turns_left: int | None) -> None:
        super().__init__(knowledge, seat, turns_left)
        self._keep_to(knowledge.conventions)

    def _keep_to(self, conventions: tuple[Convention, ...]) -> None:
        self.conventions = conventions
        for seat, giver in enumerate(conventions):
            keeps = giver.hints is not None or giver.reads is not None
            self.state[table.KEEPS + seat] = (giver.hints is not None) | 2 * keeps | 4 * giver.waits
            for other, reader in enumerate(conventions):
                hints, reads = between(giver, reader)
                self.state[table.HINTS + 5 * seat + other] = FOCUS[hints]
                self.state[table.READS + 5 * seat + other] = FOCUS[reads]

    def taken_over(self) -> "RolloutGame":
        """Seat convention players everywhere from now on; what is known by then stays known."""
        self._keep_to((NEWEST,) * self.players)
        return self

    def apply(self, act: int) -> None:
        table.apply(self.state, act)

    def decide(self) -> int:
        """Return the move of a convention player."""
        return int(rollout_play.decide(self.state))

    def finish(self) -> int:
        """Play to the end by the conventions; returns the stable."""
        return int(rollout_play.finish(self.state))

    def outcome(self, act: int) -> int:
        """Return the score after a move if convention players then play to the end; the game stays as it is."""
        return int(rollout_play.outcome(self.state, act, self.room))

    def misleads(self, act: int) -> bool:
        """Return whether a move makes everybody rule out what a card of a partner is, which nobody did before."""
        return bool(table.misleads(self.state, act, self.room))
