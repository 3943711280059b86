"""Marks of the K answers of a node that is asked several times: what a perfect selector could make of them."""

from collections.abc import Iterator, Sequence

from experiments.values.marked_turn import CLEAR, ROUNDING, MarkedTurn, MoveMarks, beside
from experiments.values.role_mark import RoleMark
from graphs.recorded import RecordedReply
from orchestrator.hanabi.moves import Move
from roles.marks import MarkInfo
from roles.reply_types import Choice

PASS = MarkInfo("pass_at_k", "Whether the best move at once is among its K answers.", "share", 1)
NEAR = MarkInfo(
    "near_at_k", f"Whether a move less than {CLEAR} points below the best at once is among its K answers.", "share", 1
)
ORACLE_REGRET = MarkInfo(
    "oracle_regret", "What the best move was worth more at once than the best of its K answers.", "points", 0, False
)
INFOS = (PASS, NEAR, ORACLE_REGRET)


def marks(turn: MarkedTurn) -> Iterator[RoleMark]:
    """One of each for a node that gave several choices."""
    by_node: dict[str, list[RecordedReply]] = {}
    for recorded in turn.replies:
        if recorded.node.samples > 1 and isinstance(recorded.reply, Choice) and recorded.reply.action in turn.values:
            by_node.setdefault(recorded.node.name, []).append(recorded)
    for first, *more in by_node.values():
        options = turn.options(first)
        moves = [recorded.reply.action for recorded in (first, *more) if isinstance(recorded.reply, Choice)]
        uniform = guessed_of([turn.values[move] for move in options], len(moves))
        solved = turn.program(first)
        program = _marks(turn, options, [solved.action]) if isinstance(solved, Choice) else None
        for key, value in _marks(turn, options, moves).items():
            yield turn.mark(first, key, value, beside(key, program, uniform)).model_copy(update={"sample": 0})


def _marks(turn: MarkedTurn, options: Sequence[Move], moves: Sequence[Move]) -> MoveMarks:
    regret = turn.best([*options, *moves]) - turn.best(moves)
    return _of_regret(regret)


def _of_regret(regret: float) -> MoveMarks:
    return {
        (PASS.name, None): float(regret < ROUNDING),
        (NEAR.name, None): float(regret < CLEAR - ROUNDING),
        (ORACLE_REGRET.name, None): regret,
    }


def guessed_of(values: Sequence[float], k: int) -> MoveMarks:
    """What K uniform guesses among moves of these values score on average: the best of them is the i-th or a worse one
    with probability ((n - i) / n)^K."""
    ordered, n = sorted(values, reverse=True), len(values)
    reached = [((n - i) / n) ** k - ((n - i - 1) / n) ** k for i in range(n)]
    each = [_of_regret(ordered[0] - value) for value in ordered]
    return {key: sum(p * scores[key] for p, scores in zip(reached, each, strict=True)) for key in each[0]}
