"""The kind of a position: what banks are stratified by, and what effects are reported by."""

from collections.abc import Iterator
from typing import Literal

from experiments.values.position import Position
from experiments.values.rollout_store import RolloutStore
from experiments.values.turn_values import values_at
from orchestrator.hanabi.cards import DECK_SIZE, HAND_SIZES
from orchestrator.hanabi.move_reading import Grounded
from orchestrator.hanabi.moves import Discard, Move, Play
from orchestrator.hanabi.view import View
from orchestrator.values import Frozen

Phase = Literal["early", "middle", "end"]


class AskedConvention(Frozen):
    """The convention that a probe asks about. Nothing of it is shown to whoever decides."""

    probe: str
    """`newest/chop/3p-1`."""
    name: str
    """With its pack: `newest/chop`."""
    answers: tuple[Grounded, ...]
    """The moves that keep it, by the acting seat's View alone."""


class Kind(Frozen):
    players: int
    phase: Phase
    """By the cards that are left to draw: more than two thirds of them, more than one third, fewer."""
    tokens: Literal["0", "1-3", "4-8"]
    lives: int
    best: Literal["play", "discard", "hint"]
    """The move with the highest one-step value, or the best by rollouts where the bank was drawn so."""
    convention: str | None = None
    """The one that a probe asks about: `newest/chop`; None in games."""

    def values(self) -> Iterator[tuple[str, str]]:
        """Yield each dimension that it has, with its value."""
        for name in type(self).model_fields:
            if (value := getattr(self, name)) is not None:
                yield name, str(value)


def kind_of(view: View, best: Move, convention: str | None = None) -> Kind:
    """Return the kind of a position whose best move is this one."""
    return Kind(
        players=view.players,
        phase=phase(view),
        tokens="0" if not view.tokens else "1-3" if view.tokens < 4 else "4-8",
        lives=view.lives,
        best="play" if isinstance(best, Play) else "discard" if isinstance(best, Discard) else "hint",
        convention=convention,
    )


def phase(view: View) -> Phase:
    """Return the phase of a game by the cards that are left to draw."""
    share = view.deck_size / (DECK_SIZE - view.players * HAND_SIZES[view.players])
    return "early" if share > 2 / 3 else "middle" if share > 1 / 3 else "end"


def best_move(position: Position, rollouts: int = 0) -> Move:
    """Return the best move by exact one-step values, or by rollouts."""
    return values_at(position, None, rollouts, "strict", RolloutStore(), every=False).best
