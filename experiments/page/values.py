"""/api/values: what each legal move of a turn was worth, computed when somebody asks."""

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from experiments.page import spoken
from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.record.rows import Metric
from experiments.values import turn_values
from experiments.values.move_values import TITLES, Mistake, MoveValue
from experiments.values.rollout_store import RolloutStore

KEPT = 500
"""Turns whose values are kept in memory."""


class Values:
    """Computes the values of turns, one at a time, and keeps them."""

    def __init__(self, folder: Path, metric: Metric) -> None:
        """`folder`: where rollouts are kept."""
        self.metric = metric
        self._store = RolloutStore(folder)
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, int, int], Json] = OrderedDict()

    def of_turn(self, game: Game, turn: int) -> Json:
        """Raises UserError when the game has no such turn."""
        game.board(turn)
        key = game.name, len(game.moves), turn
        with self._lock:
            if key not in self._kept:
                self._kept[key] = self._computed(game, turn)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]

    def _computed(self, game: Game, turn: int) -> Json:
        found = turn_values(game.with_next(), turn, metric=self.metric, store=self._store)
        return {
            "basis": found.basis,
            "metric": found.metric,
            "moves": [_value(one) for one in found.moves],
            "usual": spoken.move(found.usual),
            "played": spoken.move(found.played) if found.played else None,
            "best": spoken.move(found.best),
            "loss": found.loss,
            "error": found.error,
            "mistake": _mistake(found.mistake) if found.mistake else None,
        }


def _value(one: MoveValue) -> Json:
    named = {name: getattr(one, name) for name in ("one_step", "rollout", "kept", "error", "deals", "rank")}
    return {"move": spoken.move(one.move), **named}


def _mistake(one: Mistake) -> Json:
    return {"kind": one.kind, "title": TITLES[one.kind], "text": one.text}
