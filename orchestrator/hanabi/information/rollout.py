"""Rollouts of players who keep the code."""

from typing import TYPE_CHECKING

import lazy_loader

from hanabi_orchestrator.orchestrator.hanabi.information.table import HatTable
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import Rollout

if TYPE_CHECKING:
    from hanabi_orchestrator.orchestrator.hanabi.information import rollout_play as rollout_play
    from hanabi_orchestrator.orchestrator.hanabi.information import rollout_table as rollout_table
else:  # when the first rollout is played: numba takes a third of a second to import
    rollout_play = lazy_loader.load(f"{__package__}.rollout_play", suppress_warning=True)
    rollout_table = lazy_loader.load(f"{__package__}.rollout_table", suppress_warning=True)


class CodeRollout(Rollout):
    """A game of players who keep the code."""

    __slots__ = ()

    def __init__(self, table: HatTable, seat: int, turns_left: int | None) -> None:
        super().__init__(table, seat, turns_left)
        rollout_table.note(self.state)

    def apply(self, act: int) -> None:
        rollout_table.apply(self.state, act)

    def decide(self) -> int:
        return int(rollout_play.decide(self.state))

    def outcome(self, act: int) -> int:
        return int(rollout_play.outcome(self.state, act, self.room))
