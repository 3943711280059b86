"""Marks of roles that choose a move: proposers, generators, planners, aggregators, selectors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from experiments.values.advice import Advice
from experiments.values.marked_turn import ROUNDING, MarkedTurn, MarkKey, MoveMarks, averaged, beside
from experiments.values.role_mark import RoleMark
from experiments.values.rollout_store import RolloutStore
from experiments.values.turn_values import lost
from graphs.attempts import base
from graphs.recorded import RecordedReply
from orchestrator.hanabi.moves import Move
from roles.legal_moves import LegalMoves
from roles.marks import MarkInfo
from roles.reply_types import Choice

REGRET = MarkInfo(
    "regret", "What the best move it could name was worth more at once than the move it chose.", "points", 0, False
)
RANK = MarkInfo(
    "rank", "The rank of its move among those it could name, by value at once; 1 is the best.", "rank", 1, False
)
CHOSE_BEST = MarkInfo("chose_best", "Whether no move that it could name was worth more at once.", "share", 1)
ROLLOUT_REGRET = MarkInfo(
    "rollout_regret", "What the best move was worth more by rollouts than the move it chose.", "points", 0, False
)
AGREES = MarkInfo("agrees", "Whether it chose what another role puts first.", "share", None)
LISTED_RANK = MarkInfo("listed_rank", "The rank that a recommender gave its move.", "rank", None)
OUTSIDE_LIST = MarkInfo(
    "outside_list",
    "Whether it named a move that is not on its recommender's list, first or finally.",
    "share",
    0,
    False,
)
SELECTION_REGRET = MarkInfo(
    "selection_regret",
    "What the best candidate it read was worth more at once than the move it chose, where candidates differ.",
    "points",
    0,
    False,
)
INFOS = (REGRET, RANK, CHOSE_BEST, ROLLOUT_REGRET, AGREES, LISTED_RANK, OUTSIDE_LIST, SELECTION_REGRET)


def marks(turn: MarkedTurn, rollouts: int, store: RolloutStore) -> Iterator[RoleMark]:
    """Of all choices of a turn. Moves of a refused choice leave the list of the next one."""
    losses = dict[Move, float]()
    for recorded in turn.replies:
        if not isinstance(recorded.reply, Choice) or (move := recorded.reply.action) not in turn.values:
            continue
        yield from _marks(turn, recorded, move)
        if rollouts:
            if move not in losses:
                losses[move], _ = lost(turn.position, move, rollouts, store)
            yield turn.mark(recorded, (ROLLOUT_REGRET.name, None), losses[move])


def _marks(turn: MarkedTurn, recorded: RecordedReply, move: Move) -> Iterator[RoleMark]:
    case = _Case.of(turn, recorded)
    solved = turn.program(recorded)
    program = case.marks(solved.action) if isinstance(solved, Choice) and solved.action in turn.values else None
    uniform = averaged([case.marks(other) for other in case.options])
    for key, value in case.marks(move).items():
        yield turn.mark(recorded, key, value, beside(key, program, uniform))
    if case.listed_only:
        first = turn.calls(recorded)[:1]
        outside = move not in case.options or any(call.cause == "illegal" for call in first)
        yield turn.mark(recorded, (OUTSIDE_LIST.name, None), float(outside))


@dataclass(frozen=True)
class _Case:
    """A choice that is to be made, and what a move would be marked with."""

    turn: MarkedTurn
    options: Sequence[Move]
    candidates: Sequence[Move]
    """Those it read, where they differ."""
    colleagues: Mapping[str, Sequence[Advice]]
    """By role: what its replies put first."""
    listed_only: bool
    """Whether it could choose from a recommender's list alone."""

    @classmethod
    def of(cls, turn: MarkedTurn, recorded: RecordedReply) -> "_Case":
        options, legal = turn.options(recorded), recorded.sections.get(LegalMoves)
        read = {note.action for replies in recorded.notes.values() for note in replies if isinstance(note, Choice)}
        colleagues: dict[str, list[Advice]] = {}
        for role, node, advice in turn.advice:
            if node != base(recorded.node.name):
                colleagues.setdefault(role, []).append(advice)
        candidates = [move for move in options if move in read]
        from_list = legal is not None and legal.legal is not None
        return cls(turn, options, candidates if len(candidates) > 1 else (), colleagues, from_list)

    @cached_property
    def worth(self) -> Sequence[float]:
        """What the options are worth."""
        return [self.turn.values[move] for move in self.options]

    @cached_property
    def best_candidate(self) -> float | None:
        return self.turn.best(self.candidates) if self.candidates else None

    def marks(self, move: Move) -> MoveMarks:
        value = self.turn.values[move]
        rank = 1 + sum(other > value + ROUNDING for other in self.worth)
        scores: dict[MarkKey, float] = {
            (REGRET.name, None): max(*self.worth, value) - value,
            (RANK.name, None): rank,
            (CHOSE_BEST.name, None): float(rank == 1),
        }
        if self.best_candidate is not None:
            scores[SELECTION_REGRET.name, None] = max(0.0, self.best_candidate - value)
        if ranks := [place for shortlist in self.turn.lists if (place := shortlist.rank(move)) is not None]:
            scores[LISTED_RANK.name, None] = ranks[0]
        for role, puts_first in self.colleagues.items():
            if concerned := [advice for advice in puts_first if advice.concerns(move)]:
                scores[AGREES.name, role] = sum(advice.move == move for advice in concerned) / len(concerned)
        return scores
