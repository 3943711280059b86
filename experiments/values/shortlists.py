"""Marks of a recommender's list, by what its moves were worth at once."""

from collections.abc import Iterator, Sequence
from math import comb

from experiments.values.marked_turn import ROUNDING, MarkedTurn, MoveMarks, beside
from experiments.values.role_mark import RoleMark
from orchestrator.hanabi.moves import Move
from roles.marks import MarkInfo
from roles.reply_types import Shortlist

BEST_LISTED = MarkInfo("best_listed", "Whether the best move at once is on its list.", "share", 1)
LIST_REGRET = MarkInfo(
    "list_regret", "What the best move was worth more at once than the best on its list.", "points", 0, False
)
INFOS = (BEST_LISTED, LIST_REGRET)


def marks(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Of all lists of a turn."""
    for recorded in turn.replies:
        if not isinstance(recorded.reply, Shortlist) or not (moves := _legal(turn, recorded.reply)):
            continue
        options, solved = turn.options(recorded), turn.program(recorded)
        program_moves = _legal(turn, solved) if isinstance(solved, Shortlist) else []
        uniform = guessed_of([turn.values[move] for move in options], len(set(moves)))
        program = _marks(turn, options, program_moves) if program_moves else None
        for key, value in _marks(turn, options, moves).items():
            yield turn.mark(recorded, key, value, beside(key, program, uniform))


def _legal(turn: MarkedTurn, shortlist: Shortlist) -> list[Move]:
    return [move for move in shortlist.moves if move in turn.values]


def _marks(turn: MarkedTurn, options: Sequence[Move], moves: Sequence[Move]) -> MoveMarks:
    return _of_regret(turn.best([*options, *moves]) - turn.best(moves))


def _of_regret(regret: float) -> MoveMarks:
    return {(BEST_LISTED.name, None): float(regret < ROUNDING), (LIST_REGRET.name, None): regret}


def guessed_of(values: Sequence[float], k: int) -> MoveMarks:
    """What a random list of k different ones among moves of these values scores on average."""
    ordered, n = sorted(values, reverse=True), len(values)
    k = min(k, n)
    chances = [comb(n - i - 1, k - 1) / comb(n, k) for i in range(n)]
    each = [_of_regret(ordered[0] - value) for value in ordered]
    return {key: sum(p * scores[key] for p, scores in zip(chances, each, strict=True)) for key in each[0]}
