"""/api/marks: how right each role's answers of a turn were; computed when somebody asks, for finished games alone."""

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from experiments.page.spoken import Json
from experiments.record.game import Game
from experiments.values.game_marks import GameMarks
from experiments.values.mark_store import MARKS, MarkStore
from experiments.values.mark_tally import Key
from experiments.values.role_mark import RoleMark
from orchestrator.models.settings import PROGRAM
from roles.marks import MarkInfo

GAMES_IN_MEMORY = 8
"""Games whose marks are kept in memory."""
ROUNDING = 1e-9
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
            "marks": [_mark(mark) for mark in marks.marks if mark.turn == turn],
            "faults": [fault.text for fault in marks.faults if fault.turn == turn],
        }

    def is_ready(self, game: Game) -> bool:
        """Return whether the marks of a game need not be computed."""
        return game.result is None or game.name in self._games or self._store.has(game.path)


def _mark(mark: RoleMark) -> Json:
    key = Key.of(mark)
    good, why = quality(mark, key.info)
    return {
        "node": mark.node,
        "role": mark.role,
        "sample": mark.sample,
        "name": key.title,
        "value": mark.value,
        "says": key.info.says if key.info else None,
        "unit": key.info.unit if key.info else None,
        "best": key.info.best if key.info else None,
        "baselines": dict(mark.baselines),
        "good": good,
        "stands": why,
    }


def quality(mark: RoleMark, info: MarkInfo | None) -> tuple[bool | None, str]:
    """Return whether a mark is good, and why in words; None where neither direction is better, or nothing is beside
    it."""
    if info is None or info.best is None:
        return None, ""
    if abs(mark.value - info.best) < ROUNDING:
        return True, "best value"
    sign = 1 if info.higher else -1
    for name, title in ((PROGRAM, "its program"), ("uniform", "a uniform guess")):
        if name in mark.baselines:
            ahead = sign * (mark.value - mark.baselines[name])
            if abs(ahead) < ROUNDING:
                return True, f"equals {title}"
            return ahead > 0, f"{'better' if ahead > 0 else 'worse'} than {title}"
    return None, ""
