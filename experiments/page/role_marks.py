"""/api/marks: how right each role's answers of a turn were; computed when somebody asks, for finished games alone."""

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.report import turn_marks
from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import MARKS, MarkStore

GAMES_IN_MEMORY = 8
"""Games whose marks are kept in memory."""
WAITING = "Marks look at what came after a turn, so they wait until the game has ended."


class RoleMarks:
    """Computes the marks of games, one at a time, and keeps them."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of values; marks are kept in a folder inside."""
        self._store = MarkStore(folder / MARKS)
        self._lock = Lock()
        self._games: OrderedDict[str, GameMarks] = OrderedDict()

    def of_turn(self, game: Game, turn: int) -> Json:
        """Return a turn's marks. Raises UserError when the game has no such turn, and for a journal that cannot be
        read."""
        game.board(turn)
        if game.result is None:
            return {"ready": False, "why": WAITING, "marks": [], "faults": []}
        with self._lock:
            if game.name not in self._games:
                self._games[game.name] = self._store.of(game.path)
            self._games.move_to_end(game.name)
            while len(self._games) > GAMES_IN_MEMORY:
                self._games.popitem(last=False)
            marks = self._games[game.name]
        return {
            "ready": True,
            "why": None,
            **turn_marks.data(marks, turn),
        }

    def is_ready(self, game: Game) -> bool:
        """Return whether the marks of a game need not be computed."""
        return game.result is None or game.name in self._games or self._store.has(game.path)
