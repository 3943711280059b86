"""/api/values: what each legal move of a turn was worth, computed when somebody asks."""

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from experiments.page import spoken
from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.record.rows import Metric
from experiments.values import turn_values
from experiments.values.move_values import TITLES
from experiments.values.rollout_store import RolloutStore

MOST = 500
"""Turns whose values are kept in memory."""


class Values:
    """Computes the values of turns, one at a time, and keeps them."""

    def __init__(self, folder: Path, metric: Metric) -> None:
        """`folder`: where rollouts are kept."""
        self.metric = metric
        self._store = RolloutStore(folder)
        self._lock = Lock()
        self._turns: OrderedDict[tuple[str, int, int], Json] = OrderedDict()

    def of_turn(self, game: Game, turn: int) -> Json:
        """Return a turn's values. Raises UserError when the game has no such turn."""
        game.board(turn)
        key = game.name, len(game.moves), turn
        with self._lock:
            if key not in self._turns:
                self._turns[key] = self._computed(game, turn)
            while len(self._turns) > MOST:
                self._turns.popitem(last=False)
            return self._turns[key]

    def _computed(self, game: Game, turn: int) -> Json:
        values = turn_values(game.with_next(), turn, metric=self.metric, store=self._store)
        mistake, names = values.mistake, ("one_step", "rollout", "kept", "error", "deals", "rank")
        return {
            "basis": values.basis,
            "metric": values.metric,
            "moves": [
                {"move": spoken.move(value.move), **{name: getattr(value, name) for name in names}}
                for value in values.moves
            ],
            "usual": spoken.move(values.usual),
            "played": spoken.move(values.played) if values.played else None,
            "best": spoken.move(values.best),
            "loss": values.loss,
            "error": values.error,
            "mistake": mistake and {"kind": mistake.kind, "title": TITLES[mistake.kind], "text": mistake.text},
        }
