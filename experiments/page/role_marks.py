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

KEPT = 8
"""Games whose marks are kept in memory."""
ROUNDING = 1e-9
WAITING = "Marks look at what came after a turn, so they wait until the game has ended."


class RoleMarks:
    """Computes the marks of games, one at a time, and keeps them."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of values; marks are kept in a folder inside."""
        self._store = MarkStore(folder / MARKS)
        self._lock = Lock()
        self._kept: OrderedDict[str, GameMarks] = OrderedDict()

    def of_turn(self, game: Game, turn: int) -> Json:
        """Raises UserError when the game has no such turn, and for a journal that cannot be read."""
        game.board(turn)
        if game.result is None:
            return {"ready": False, "why": WAITING, "marks": [], "faults": []}
        found = self._of(game)
        return {
            "ready": True,
            "why": None,
            "marks": [_mark(one) for one in found.marks if one.turn == turn],
            "faults": [one.text for one in found.faults if one.turn == turn],
        }

    def kept(self, game: Game) -> bool:
        """Whether the marks of a game need not be computed."""
        return game.result is None or game.name in self._kept or self._store.has(game.path)

    def _of(self, game: Game) -> GameMarks:
        with self._lock:
            if game.name not in self._kept:
                self._kept[game.name] = self._store.of(game.path)
            self._kept.move_to_end(game.name)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[game.name]


def _mark(one: RoleMark) -> Json:
    key = Key.of(one)
    good, stands = standing(one, key.info)
    return {
        "node": one.node,
        "role": one.role,
        "sample": one.sample,
        "name": key.title,
        "value": one.value,
        "says": key.info.says if key.info else None,
        "unit": key.info.unit if key.info else None,
        "best": key.info.best if key.info else None,
        "baselines": dict(one.baselines),
        "good": good,
        "stands": stands,
    }


def standing(one: RoleMark, info: MarkInfo | None) -> tuple[bool | None, str]:
    """Whether a mark is good, and why in words; None where neither direction is better, or nothing is beside it."""
    if info is None or info.best is None:
        return None, ""
    if abs(one.value - info.best) < ROUNDING:
        return True, "best value"
    sign = 1 if info.higher else -1
    for name, title in ((PROGRAM, "its program"), ("uniform", "a uniform guess")):
        if name in one.baselines:
            ahead = sign * (one.value - one.baselines[name])
            if abs(ahead) < ROUNDING:
                return True, f"equals {title}"
            return ahead > 0, f"{'better' if ahead > 0 else 'worse'} than {title}"
    return None, ""
