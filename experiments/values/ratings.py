"""Marks of ratings, expected gains and ranks that a reply gives to moves, against what the moves were worth at once."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from experiments.values.marked_turn import ROUNDING, MarkedTurn, MarkKey, beside
from experiments.values.role_mark import RoleMark
from orchestrator.hanabi.moves import Move
from roles.hanabi.plan_evaluator import PlannedChoice
from roles.marks import MarkInfo
from roles.reply_types import Choice, RatedChoice, Shortlist

CORRELATION = MarkInfo(
    "rating_correlation",
    "Spearman's rank correlation of its ratings, gains or ranks of moves with what the moves were worth at once.",
    "correlation",
    1,
)
RATED_BELOW = MarkInfo("rated_below", "Whether it chose a move that it rated below another.", "share", 0, False)
GAIN_ERROR = MarkInfo(
    "gain_error",
    "How far the gains that it expects of moves lie from what these were worth at once, on average.",
    "points",
    0,
    False,
)
INFOS = (CORRELATION, RATED_BELOW, GAIN_ERROR)


def ratings(reply: BaseModel) -> Mapping[Move, float]:
    """What a reply gives to moves, higher for better ones; empty where it rates none."""
    if isinstance(reply, RatedChoice):
        return {rating.action: rating.rating for rating in reply.ratings}
    if isinstance(reply, PlannedChoice):
        return {plan.action: plan.gain for plan in reply.plans}
    if isinstance(reply, Shortlist):
        return {entry.action: -float(entry.rank) for entry in reply.entries}
    return {}


def marks(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Of all replies of a turn that rate several moves."""
    for recorded in turn.replies:
        scores = _marks(turn, recorded.reply)
        solved = turn.program(recorded) if scores else None
        program = _marks(turn, solved) if solved else {}
        for key, value in scores.items():
            yield turn.mark(recorded, key, value, beside(key, program, _guessed(turn, recorded.reply)))


def _marks(turn: MarkedTurn, reply: BaseModel) -> dict[MarkKey, float]:
    rated = {move: rating for move, rating in ratings(reply).items() if move in turn.values}
    if len(rated) < 2:
        return {}
    scores: dict[MarkKey, float] = {}
    if (same_order := correlation(list(rated.values()), [turn.values[move] for move in rated])) is not None:
        scores[CORRELATION.name, None] = same_order
    if isinstance(reply, Choice) and reply.action in rated:
        scores[RATED_BELOW.name, None] = float(rated[reply.action] < max(rated.values()))
    if isinstance(reply, PlannedChoice):
        scores[GAIN_ERROR.name, None] = sum(abs(gain - turn.values[m]) for m, gain in rated.items()) / len(rated)
    return scores


def _guessed(turn: MarkedTurn, reply: BaseModel) -> dict[MarkKey, float]:
    """Ratings at random are as often in the right order as in the wrong one; a choice at random goes by no ratings."""
    rated = [rating for move, rating in ratings(reply).items() if move in turn.values]
    below = sum(rating < max(rated) for rating in rated) / len(rated)
    return {(CORRELATION.name, None): 0.0, (RATED_BELOW.name, None): below}


def correlation(scores: list[float], values: list[float]) -> float | None:
    """Spearman's; ties share their mean rank. None where either side is all equal."""
    if max(scores) - min(scores) < ROUNDING or max(values) - min(values) < ROUNDING:
        return None
    from scipy.stats import spearmanr  # a second to import

    return float(spearmanr(_rounded(scores), _rounded(values)).statistic)


def _rounded(values: list[float]) -> list[float]:
    """Without rounding errors, which would break ties."""
    return [round(value, 9) for value in values]
