"""The deals and the moves that a search tries beside convention players."""

from collections.abc import Sequence
from random import Random

from hanabi_orchestrator.orchestrator.hanabi import search
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import is_certain
from hanabi_orchestrator.orchestrator.hanabi.convention.past_moves import past_moves
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act
from hanabi_orchestrator.orchestrator.hanabi.view import Past

CHECKED = 8
"""Deals on which nobody may be misled by a move."""


class Deals(search.Deals[RolloutGame]):
    """Deals of a position as a convention player sees it. Raises ValueError when no hand fits."""

    def __init__(self, scene: Scene, chance: Random, history: Sequence[Past] = ()) -> None:
        """`history`: all past turns; without them, what the partners did tells nothing of the own hand."""
        self.scene = scene
        game = RolloutGame(scene.knowledge, scene.seat, scene.turns_left)
        masks = tuple(slot.possible for slot in scene.beliefs)
        super().__init__(
            game, scene.hands, masks, chance, past_moves(scene, history) if history else None
        )

    def candidates(self, usual: Move) -> list[Move]:
        return candidates(self.scene, usual)

    def readable(self, moves: Sequence[Move]) -> list[Move]:
        """Return the first move, and the others by which nobody is misled on any of a few deals: that would make
        everybody rule out what somebody else's card is."""
        deals = [deal for _ in range(CHECKED) if (deal := self.draw())]
        rest = (m for m in moves[1:] if not any(deal.misleads(act(m)) for deal in deals))
        return [moves[0], *rest]


def candidates(scene: Scene, usual: Move) -> list[Move]:
    """Return the usual move, then the legal moves that may be better: plays that are likely to fit (on the last life,
    certain to), discards of what is not known to be critical, and all hints to players with a turn left.

    Nothing is discarded while an own card is commonly known to fit, which a discard would deny.
    """
    least = 1.0 if scene.knowledge.lives == 1 else search.WORTH_A_TRY
    owed = any(
        is_certain(mask, scene.piles.playable) for mask in scene.knowledge.common[scene.seat]
    )
    beliefs = scene.beliefs

    def may_be_better(move: Move) -> bool:
        if isinstance(move, Play):
            return beliefs[move.slot].playable >= least
        return (
            beliefs[move.slot].critical < 1.0 and not owed
            if isinstance(move, Discard)
            else scene.has_turn(move.to)
        )

    return list(dict.fromkeys((usual, *filter(may_be_better, scene.legal))))
