"""/api/values and /api/marks: what moves of a turn were worth, and how right its roles were, when
somebody asks."""

from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from threading import Lock

from hanabi_orchestrator.experiments.page import spoken
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.report import turn_marks
from hanabi_orchestrator.experiments.values import TurnValues, turn_values
from hanabi_orchestrator.experiments.values.marking import MARKS, MarkStore
from hanabi_orchestrator.experiments.values.move_values import TITLES
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore

MOST = 500
"""Turns whose values are kept in memory."""
GAMES_IN_MEMORY = 8
"""Games whose marks are kept in memory."""
WAITING = "Marks look at what came after a turn, so they wait until the game has ended."


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
                values = turn_values(game.with_next(), turn, metric=self.metric, store=self._store)
                self._turns[key] = plain(values)
            while len(self._turns) > MOST:
                self._turns.popitem(last=False)
            return self._turns[key]


def plain(values: TurnValues) -> Json:
    """Return the values of a turn for the browser."""
    mistake = values.mistake
    names = ("one_step", "rollout", "kept", "error", "deals", "rank")
    moves = []
    for value in values.moves:
        moves.append(
            {"move": spoken.move(value.move), **{name: getattr(value, name) for name in names}}
        )
    return {
        **{name: getattr(values, name) for name in ("basis", "metric", "loss", "error")},
        "moves": moves,
        "usual": spoken.move(values.usual),
        "played": spoken.move(values.played) if values.played else None,
        "best": spoken.move(values.best),
        "mistake": mistake
        and {"kind": mistake.kind, "title": TITLES[mistake.kind], "text": mistake.text},
    }


class RoleMarks:
    """Computes the marks of finished games, one at a time, and keeps them."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of values; marks are kept in a folder inside."""
        self._store = MarkStore(folder / MARKS)
        self._lock = Lock()
        self._of = lru_cache(GAMES_IN_MEMORY)(self._store.of)

    def of_turn(self, game: Game, turn: int) -> Json:
        """Return a turn's marks. Raises UserError when the game has no such turn, and for a journal
        that cannot be read."""
        game.board(turn)
        if game.result is None:
            return {"ready": False, "why": WAITING, "marks": [], "faults": []}
        with self._lock:
            return {"ready": True, "why": None, **turn_marks.data(self._of(game.path), turn)}

    def is_ready(self, game: Game) -> bool:
        """Return whether the marks of a game need not be computed."""
        return game.result is None or self._store.has(game.path)
