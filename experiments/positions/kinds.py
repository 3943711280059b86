"""The kind of a position: what banks are stratified by, and what effects are reported by."""

from collections.abc import Iterator
from typing import Literal

from experiments.marks.position import Position
from experiments.marks.rollout_store import RolloutStore
from experiments.marks.turn_values import values_at
from orchestrator.hanabi.cards import HAND_SIZES
from orchestrator.hanabi.moves import Discard, Move, Play
from orchestrator.hanabi.view import View
from orchestrator.values import Frozen

Phase = Literal["early", "middle", "end"]
CARDS = 50


class Kind(Frozen):
    players: int
    phase: Phase
    """By the cards that are left to draw: more than two thirds of them, more than one third, fewer."""
    tokens: Literal["0", "1-3", "4-8"]
    lives: int
    best: Literal["play", "discard", "hint"]
    """The move with the highest one-step value, or the best by rollouts where the bank was drawn so."""

    def values(self) -> Iterator[tuple[str, str]]:
        """Each dimension with its value."""
        for name in type(self).model_fields:
            yield name, str(getattr(self, name))


def kind_of(view: View, best: Move) -> Kind:
    tokens: Literal["0", "1-3", "4-8"] = "0" if not view.tokens else "1-3" if view.tokens < 4 else "4-8"
    what: Literal["play", "discard", "hint"] = (
        "play" if isinstance(best, Play) else "discard" if isinstance(best, Discard) else "hint"
    )
    return Kind(players=view.players, phase=phase(view), tokens=tokens, lives=view.lives, best=what)


def phase(view: View) -> Phase:
    share = view.deck_size / (CARDS - view.players * HAND_SIZES[view.players])
    return "early" if share > 2 / 3 else "middle" if share > 1 / 3 else "end"


def best_move(position: Position, rollouts: int = 0, store: RolloutStore | None = None) -> Move:
    """The best move by exact one-step values, or by rollouts."""
    return values_at(position, None, rollouts, "strict", store or RolloutStore(), every=False).best
