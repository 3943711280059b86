"""Marks of replies that name moves: what they chose, listed, rated, advised, by what the moves were
worth at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import comb

from pydantic import BaseModel

from hanabi_orchestrator.experiments.values.marked_turn import (
    CLEAR,
    ROUNDING,
    Advice,
    MarkedTurn,
    MoveMarks,
    advice,
    averaged,
)
from hanabi_orchestrator.experiments.values.role_mark import RoleMark
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.turn_values import lost
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.recorded import RecordedReply
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.roles.hanabi.plan_evaluator import PlannedChoice
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import MarkInfo
from hanabi_orchestrator.roles.reply_types import Choice, RatedChoice, Shortlist

# Roles that choose a move: proposers, generators, planners, aggregators, selectors

REGRET = MarkInfo(
    "regret",
    "One-step value of the best move it could name, minus that of the move it chose.",
    "points",
    0,
    False,
)
RANK = MarkInfo(
    "rank",
    "Rank of its move by one-step value among those it could name; 1 is the best.",
    "rank",
    1,
    False,
)
CHOSE_BEST = MarkInfo(
    "chose_best", "Whether no move that it could name had a higher one-step value.", "share", 1
)
ROLLOUT_REGRET = MarkInfo(
    "rollout_regret",
    "Rollout value of the best move, minus that of the move it chose.",
    "points",
    0,
    False,
)
AGREES = MarkInfo(
    "agrees", "Whether it chose the move that another role puts first.", "share", None
)
LISTED_RANK = MarkInfo("listed_rank", "Rank that a recommender gave to its move.", "rank", None)
OUTSIDE_LIST = MarkInfo(
    "outside_list",
    "Whether it named a move that is not on its recommender's list, first or finally.",
    "share",
    0,
    False,
)
SELECTION_REGRET = MarkInfo(
    "selection_regret",
    "One-step value of the best candidate it read, minus that of its choice, where "
    "candidates differ.",
    "points",
    0,
    False,
)
CHOICE = (REGRET, RANK, CHOSE_BEST)
RECOMMENDED = (LISTED_RANK, OUTSIDE_LIST)


def choices(turn: MarkedTurn, rollouts: int, store: RolloutStore) -> Iterator[RoleMark]:
    """Yield the marks of all choices of a turn. Moves of a refused choice leave the list of the
    next one."""
    losses = dict[Move, float]()
    for recorded in turn.replies:
        if (move := turn.choice(recorded.reply)) is None:
            continue
        options = turn.options(recorded)
        legal = recorded.sections.get(LegalMoves)
        solved = turn.choice(turn.program(recorded))
        for other, scores in _choice_scores(turn, recorded, options):
            uniform = averaged([scores[option] for option in options])
            yield from turn.marks_beside(
                recorded, scores[move], scores[solved] if solved else {}, uniform, other
            )
        if legal is not None and legal.legal is not None:
            first = turn.calls(recorded)[:1]
            outside = move not in options or any(call.cause == "illegal" for call in first)
            yield from turn.marks_beside(recorded, {OUTSIDE_LIST.name: float(outside)})
        if rollouts:
            if move not in losses:
                losses[move], _ = lost(turn.position, move, rollouts, store)
            yield from turn.marks_beside(recorded, {ROLLOUT_REGRET.name: losses[move]})


def _choice_scores(
    turn: MarkedTurn, recorded: RecordedReply, options: Sequence[Move]
) -> Iterator[tuple[str | None, Mapping[Move, MoveMarks]]]:
    """Yield the marks of each legal move in the place of a choice; of marks about another role with
    that role's name: the share of its advice that puts the move first, of that which is about such
    a move."""
    read = set()
    for replies in recorded.notes.values():
        for note in replies:
            if isinstance(note, Choice):
                read.add(note.action)
    candidates = [move for move in options if move in read]
    worth = [turn.values[option] for option in options]
    scores = dict[Move, MoveMarks]()
    for move, value in turn.values.items():
        rank = 1 + sum(other > value + ROUNDING for other in worth)
        of_move = {
            REGRET.name: max([*worth, value]) - value,
            RANK.name: rank,
            CHOSE_BEST.name: float(rank == 1),
        }
        if len(candidates) > 1:  # those that the role read, where they differ
            of_move[SELECTION_REGRET.name] = max(0.0, turn.best(candidates) - value)
        ranks = [shortlist.rank(move) for shortlist in turn.lists]
        if (first := next((rank for rank in ranks if rank is not None), None)) is not None:
            of_move[LISTED_RANK.name] = first
        scores[move] = of_move
    yield None, scores
    yield from _agreement(turn, recorded)


def _agreement(
    turn: MarkedTurn, recorded: RecordedReply
) -> Iterator[tuple[str, Mapping[Move, MoveMarks]]]:
    """Yield by colleague the share of its advice that puts each legal move first."""
    colleagues: dict[str, list[Advice]] = {}
    for role, node, put_first in turn.advice:
        if node != base(recorded.node.name):
            colleagues.setdefault(role, []).append(put_first)
    for role, pieces in colleagues.items():
        shares = dict[Move, MoveMarks]()
        for move in turn.values:
            agreeing = [piece.move == move for piece in pieces if piece.concerns(move)]
            shares[move] = {AGREES.name: sum(agreeing) / len(agreeing)} if agreeing else {}
        yield role, shares


# Ratings, expected gains and ranks that a reply gives to moves

CORRELATION = MarkInfo(
    "rating_correlation",
    "Spearman correlation of its ratings, gains or ranks of moves with their one-step values.",
    "correlation",
    1,
)
RATED_BELOW = MarkInfo(
    "rated_below", "Whether it chose a move that it rated below another.", "share", 0, False
)
GAIN_ERROR = MarkInfo(
    "gain_error",
    "Mean absolute difference of its expected gains from the one-step values.",
    "points",
    0,
    False,
)
RATING = (CORRELATION, RATED_BELOW)


def ratings(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Yield the marks of all replies of a turn that rate several moves."""
    for recorded in turn.replies:
        rated = list(_rated(turn, recorded.reply).values())
        if len(rated) > 1:
            # ratings at random are as often in the right order as in the wrong one; a choice at
            # random goes by none
            below = sum(rating < max(rated) for rating in rated) / len(rated)
            uniform = {CORRELATION.name: 0.0, RATED_BELOW.name: below}
            yield from turn.marks(recorded, partial(_rating_score, turn), uniform)


def _rated(turn: MarkedTurn, reply: BaseModel) -> Mapping[Move, float]:
    """Return what a reply gives to legal moves, higher for better ones; empty where it rates
    none."""
    rated: dict[Move, float] = {}
    if isinstance(reply, RatedChoice):
        rated = {rating.action: rating.rating for rating in reply.ratings}
    elif isinstance(reply, PlannedChoice):
        rated = {plan.action: plan.gain for plan in reply.plans}
    elif isinstance(reply, Shortlist):
        rated = {entry.action: -float(entry.rank) for entry in reply.entries}
    return {move: rating for move, rating in rated.items() if move in turn.values}


def _rating_score(turn: MarkedTurn, reply: BaseModel) -> MoveMarks:
    rated = _rated(turn, reply)
    if len(rated) < 2:
        return {}
    scores: dict[str, float] = {}
    if (
        same_order := correlation(list(rated.values()), [turn.values[move] for move in rated])
    ) is not None:
        scores[CORRELATION.name] = same_order
    if isinstance(reply, Choice) and reply.action in rated:
        scores[RATED_BELOW.name] = float(rated[reply.action] < max(rated.values()))
    if isinstance(reply, PlannedChoice):
        scores[GAIN_ERROR.name] = sum(
            abs(gain - turn.values[move]) for move, gain in rated.items()
        ) / len(rated)
    return scores


def correlation(scores: list[float], values: list[float]) -> float | None:
    """Return Spearman's; ties share their mean rank. None where either side is all equal."""
    if max(scores) - min(scores) < ROUNDING or max(values) - min(values) < ROUNDING:
        return None
    from scipy.stats import spearmanr  # a second to import

    # these would break ties
    without_errors = [
        [round(score, 9) for score in scores],
        [round(value, 9) for value in values],
    ]
    return float(spearmanr(*without_errors).statistic)


# The K answers of a node that is asked several times, and the lists of recommenders

PASS = MarkInfo(
    "pass_at_k", "Whether a move with the best one-step value is among its K responses.", "share", 1
)
NEAR = MarkInfo(
    "near_at_k",
    f"Whether a move less than {CLEAR} points below the best one-step value is among its K "
    "responses.",
    "share",
    1,
)
ORACLE_REGRET = MarkInfo(
    "oracle_regret",
    "One-step value of the best move, minus that of the best of its K responses.",
    "points",
    0,
    False,
)
SEVERAL = (PASS, NEAR, ORACLE_REGRET)
BEST_LISTED = MarkInfo(
    "best_listed",
    "Whether a move with the best one-step value is on its list (recall at k).",
    "share",
    1,
)
LIST_REGRET = MarkInfo(
    "list_regret",
    "One-step value of the best move, minus that of the best on its list.",
    "points",
    0,
    False,
)
LISTED = (BEST_LISTED, LIST_REGRET)


def several_answers(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Yield one of each mark for a node that gave several choices: what a perfect selector could
    make of them."""
    moves: dict[str, list[Move]] = {}
    firsts: dict[str, RecordedReply] = {}
    for recorded in turn.replies:
        if recorded.node.samples > 1 and (move := turn.choice(recorded.reply)) is not None:
            firsts.setdefault(recorded.node.name, recorded)
            moves.setdefault(recorded.node.name, []).append(move)
    for node, first in firsts.items():
        options = turn.options(first)
        scores = _answers_score(turn.regret(options, moves[node]))
        program = turn.choice(turn.program(first))
        program_scores = {} if program is None else _answers_score(turn.regret(options, [program]))
        uniform = guessed_answers([turn.values[move] for move in options], len(moves[node]))
        for mark in turn.marks_beside(first, scores, program_scores, uniform):
            yield mark.model_copy(update={"sample": 0})


def _answers_score(regret: float) -> MoveMarks:
    near = float(regret < CLEAR - ROUNDING)
    return {PASS.name: float(regret < ROUNDING), NEAR.name: near, ORACLE_REGRET.name: regret}


def guessed_answers(values: Sequence[float], k: int) -> MoveMarks:
    """Return what K uniform guesses among moves of these values score on average: the best of them
    is the i-th or a worse one with probability ((n - i) / n)^K."""
    n = len(values)
    return _expected(
        values, [((n - i) / n) ** k - ((n - i - 1) / n) ** k for i in range(n)], _answers_score
    )


def lists(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Yield the marks of all lists of a turn."""
    for recorded in turn.replies:
        if isinstance(recorded.reply, Shortlist):
            options = turn.options(recorded)
            listed = {*recorded.reply.moves} & turn.values.keys()
            uniform = (
                guessed_list([turn.values[move] for move in options], len(listed)) if listed else {}
            )
            yield from turn.marks(recorded, partial(_list_score, turn, options), uniform)


def _list_score(turn: MarkedTurn, options: Sequence[Move], reply: BaseModel) -> MoveMarks:
    moves = (
        [move for move in reply.moves if move in turn.values]
        if isinstance(reply, Shortlist)
        else []
    )
    if moves:
        return _listed_score(turn.regret(options, moves))
    return {}


def _listed_score(regret: float) -> MoveMarks:
    return {BEST_LISTED.name: float(regret < ROUNDING), LIST_REGRET.name: regret}


def guessed_list(values: Sequence[float], k: int) -> MoveMarks:
    """Return what a random list of k different ones among moves of these values scores on
    average."""
    n = len(values)
    k = min(k, n)
    return _expected(values, [comb(n - i - 1, k - 1) / comb(n, k) for i in range(n)], _listed_score)


def _expected(
    values: Sequence[float], chances: Sequence[float], score: Callable[[float], MoveMarks]
) -> MoveMarks:
    """Return the mean score, from the chance of each value, the highest first, to be the best
    one."""
    ordered = sorted(values, reverse=True)
    every = [score(ordered[0] - value) for value in ordered]
    expected = {}
    for key in every[0]:
        expected[key] = sum(p * scores[key] for p, scores in zip(chances, every, strict=True))
    return expected


# Roles that advise on a choice: were they followed, and were they right when they were not?

FOLLOWED = MarkInfo("followed", "Whether the move it put first was played.", "share", None)
OVERRULED_RIGHT = MarkInfo(
    "overruled_right",
    f"Whether another move was played although its first move was worth at least {CLEAR} "
    "points more (one-step value).",
    "share",
    0,
    False,
)
FOLLOWED_WRONG = MarkInfo(
    "followed_wrong",
    f"Whether its first move was played although another was worth at least {CLEAR} points "
    "more (one-step value).",
    "share",
    0,
    False,
)
ADVISED = (FOLLOWED, OVERRULED_RIGHT, FOLLOWED_WRONG)


def advised(turn: MarkedTurn) -> Iterator[RoleMark]:
    """Yield the marks of all nodes of a turn but the deciding one, by what their last replies put
    first."""
    for recorded in turn.last:
        first = advice(recorded.reply)
        if first is None or base(recorded.node.name) == turn.config.decides:
            continue
        guesses = []
        for move in turn.options(recorded):
            if first.concerns(move):
                guesses.append(Advice(move, first.only))
        uniform = averaged([_advice_score(turn, guess) for guess in guesses])
        yield from turn.marks(recorded, lambda reply: _advice_score(turn, advice(reply)), uniform)


def _advice_score(turn: MarkedTurn, put_first: Advice | None) -> MoveMarks:
    """Return nothing where another kind of move was played than the advice is about, or none."""
    if put_first is None or put_first.move not in turn.values:
        return {}
    if turn.played is None or not put_first.concerns(turn.played):
        return {}
    followed = put_first.move == turn.played
    played = turn.values[turn.played]
    best = max(value for move, value in turn.values.items() if put_first.concerns(move))
    return {
        FOLLOWED.name: float(followed),
        OVERRULED_RIGHT.name: float(turn.values[put_first.move] - played > CLEAR - ROUNDING),
        FOLLOWED_WRONG.name: float(followed and best - played > CLEAR - ROUNDING),
    }
