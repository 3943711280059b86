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
    for one in turn.replies:
        found = _marks(turn, one.reply)
        solved = turn.program(one) if found else None
        program = _marks(turn, solved) if solved else {}
        for key, value in found.items():
            yield turn.mark(one, key, value, beside(key, program, _guessed(turn, one.reply)))


def _marks(turn: MarkedTurn, reply: BaseModel) -> dict[MarkKey, float]:
    given = {move: rating for move, rating in ratings(reply).items() if move in turn.values}
    if len(given) < 2:
        return {}
    found: dict[MarkKey, float] = {}
    if (same_order := correlation(list(given.values()), [turn.values[move] for move in given])) is not None:
        found[CORRELATION.name, None] = same_order
    if isinstance(reply, Choice) and reply.action in given:
        found[RATED_BELOW.name, None] = float(given[reply.action] < max(given.values()))
    if isinstance(reply, PlannedChoice):
        found[GAIN_ERROR.name, None] = sum(abs(gain - turn.values[m]) for m, gain in given.items()) / len(given)
    return found


def _guessed(turn: MarkedTurn, reply: BaseModel) -> dict[MarkKey, float]:
    """Ratings at random are as often in the right order as in the wrong one; a choice at random goes by no ratings."""
    given = [rating for move, rating in ratings(reply).items() if move in turn.values]
    below = sum(rating < max(given) for rating in given) / len(given)
    return {(CORRELATION.name, None): 0.0, (RATED_BELOW.name, None): below}


def correlation(one: list[float], other: list[float]) -> float | None:
    """Spearman's; ties share their mean rank. None where either side is all equal."""
    if max(one) - min(one) < ROUNDING or max(other) - min(other) < ROUNDING:
        return None
    from scipy.stats import spearmanr  # a second to import

    return float(spearmanr(_rounded(one), _rounded(other)).statistic)


def _rounded(values: list[float]) -> list[float]:
    """Without rounding errors, which would break ties."""
    return [round(value, 9) for value in values]
