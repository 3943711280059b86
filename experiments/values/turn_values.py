"""The values of the legal moves of a turn.

Rollouts are spent where they decide something. A few moves that a good player might make, and the
one that was made, are tried on a few deals; those that are behind drop out. The best of the rest is
then tried against the move that was made on deals that had no part in choosing it, until the
difference is clear: so the loss is not the luck of a choice among many. The remaining moves are
tried on a few deals, for the table alone.
"""

from typing import Any

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.values.mistakes import SURE, WORTH, mistake
from hanabi_orchestrator.experiments.values.move_values import MoveValue, TurnValues
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.rollouts import (
    SeatRollouts,
    mean,
    mean_and_error,
    points,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.search import candidates
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.view import Past

ROLLOUTS = 400
"""Games that are played for a turn at most, the moves that only complete the table left out."""


def turn_values(
    story: Game,
    number: int,
    *,
    rollouts: int = ROLLOUTS,
    metric: Metric = "strict",
    store: RolloutStore | None = None,
    every: bool = True,
) -> TurnValues:
    """Return the values of the legal moves of a turn, and whether the move played was a mistake.

    `rollouts`: the most games played to judge the move; 0 for one-step values alone. `every`:
    whether moves that no good player would make get a rollout value, too. The same position, budget
    and move give the same values, with any store. Raises UserError when the game has no such turn.
    """
    position = Position.of(story, number)
    moved = story.turn(number).moved
    return values_at(
        position, moved.past if moved else None, rollouts, metric, store or RolloutStore(), every
    )


def values_at(
    position: Position,
    past: Past | None,
    rollouts: int,
    metric: Metric,
    store: RolloutStore,
    every: bool,
) -> TurnValues:
    """Return the values of a position's moves; see `turn_values`."""
    played = past.move if past else None
    one_step = one_step_values(position.scene)
    facts: dict[str, Any] = {
        "turn": position.view.turn,
        "seat": position.view.seat,
        "metric": metric,
    }
    facts |= {"usual": position.usual, "played": played}
    if not rollouts:
        ordered = sorted(
            one_step, key=lambda move: (-one_step[move], move != played, move != position.usual)
        )
        moves = []
        for rank, move in enumerate(ordered, 1):
            moves.append(MoveValue(move=move, one_step=one_step[move], rank=rank))
        return TurnValues(basis=ONE_STEP, moves=tuple(moves), best=ordered[0], **facts)
    search = _Search(position, played or position.usual, rollouts, metric, store, one_step)
    challenger, loss, error, deals = search.judged()
    rest = [move for move in one_step if move not in search.tried] if every else ()
    values = {move: search.value(move) for move in (*search.tried, *rest)}
    values[challenger] = search.compared(challenger, loss, error, deals)
    search.trials.keep()
    best = challenger if loss > 0 else search.played
    moves = []
    for move in one_step:
        moves.append(values.get(move) or MoveValue(move=move, one_step=one_step[move], rank=1))
    moves.sort(
        key=lambda each: (
            each.move != best,
            1.0 if each.rollout is None else -each.rollout,
            -each.one_step,
        )
    )
    result = TurnValues(
        basis=BASIS,
        moves=tuple(value.model_copy(update={"rank": rank}) for rank, value in enumerate(moves, 1)),
        best=best,
        loss=max(loss, 0.0) if played else None,
        error=error if played else None,
        rollouts=search.used,
        **facts,
    )
    if past:
        return result.model_copy(update={"mistake": mistake(position, past, result)})
    return result


def lost(position: Position, move: Move, rollouts: int, store: RolloutStore) -> tuple[float, float]:
    """Return what another move was worth more than a legal one by rollouts, whether or not it was
    played; and the standard error. 0 where none was, as `TurnValues.loss`; by the strict score."""
    search = _Search(position, move, rollouts, "strict", store, one_step_values(position.scene))
    _, loss, error, _ = search.judged()
    search.trials.keep()
    return max(loss, 0.0), error


BASIS = (
    "expected final score when the partners read the move as they have read others and "
    "convention players go on, on deals that the seat cannot tell from the true one"
)
ONE_STEP = (
    "points that a move scores or gives away at once, from the exact belief of the seat; "
    "no rollouts"
)


class _Search:
    """The rollouts of a turn, and which moves they compare. Every move is tried on the `first`
    deals, the better half on `second`; the best is compared with the move played on at most four
    times `batch`."""

    def __init__(
        self,
        position: Position,
        played: Move,
        rollouts: int,
        metric: Metric,
        store: RolloutStore,
        one_step: dict[Move, float],
    ) -> None:
        self.played = played
        self.metric = metric
        self.one_step = one_step
        self.first = max(2, rollouts // 50)
        self.second = 3 * self.first
        self.batch = 4 * self.first
        self.trials = SeatRollouts(position, store)
        self.used = 0
        self._counted: dict[Move, int] = {}
        ordered = sorted(one_step, key=lambda move: -one_step[move])
        of_kinds = {move.kind: move for move in reversed(ordered)}  # the best of each kind
        likely = (*candidates(position.scene, position.usual), *ordered[:3], *of_kinds.values())
        self.tried = list(dict.fromkeys((played, *likely)))

    def judged(self) -> tuple[Move, float, float, int]:
        """Return the move that is likeliest better than the one played, what it is worth more, its
        error, and the deals."""
        first = self.first
        second = self.second
        rivals = [move for move in self.tried if move != self.played]
        if not rivals:
            return self.played, 0.0, 0.0, first
        ranked = sorted(rivals, key=lambda move: -mean(self._gains(move, 0, first)))
        ahead = ranked[: (len(rivals) + 1) // 2]
        challenger = max(ahead, key=lambda move: mean(self._gains(move, 0, second)))
        gains = self._gains(challenger, 0, second)
        if mean(gains) <= 0:
            return challenger, *mean_and_error(gains), second
        gains = []
        # fresh deals, as many as make clear on which side of the bar the mean lies
        for _ in range(4):
            start = second + len(gains)
            gains += self._gains(challenger, start, start + self.batch)
            loss, error = mean_and_error(gains)
            if abs(loss - WORTH) > SURE * error:
                break
        return challenger, loss, error, len(gains)

    def _gains(self, move: Move, first: int, last: int) -> list[float]:
        """Return what a move is worth more than the one played, deal by deal."""
        pairs = zip(
            self._scores(move, first, last), self._scores(self.played, first, last), strict=True
        )
        return [value - base for value, base in pairs]

    def _scores(self, move: Move, first: int, last: int, metric: Metric | None = None) -> list[int]:
        self.used += max(0, last - self._counted.get(move, 0))
        self._counted[move] = max(last, self._counted.get(move, 0))
        return points(self.trials.ends(move, first, last), metric or self.metric)

    def value(self, move: Move) -> MoveValue:
        """On all deals on which a move was tried, beside the move played on the same."""
        deals = self._counted.get(move, 0) or self.first
        gain, error = mean_and_error(self._gains(move, 0, deals))
        return self._value(move, gain, 0.0 if move == self.played else error, range(deals))

    def compared(self, challenger: Move, gain: float, error: float, deals: int) -> MoveValue:
        """Return the same for the best, on the deals that had no part in choosing it."""
        last = self._counted.get(challenger, deals)
        return self._value(challenger, gain, error, range(last - deals, last))

    def _value(self, move: Move, gain: float, error: float, deals: range) -> MoveValue:
        every = max(self._counted[self.played], deals.stop)
        moves = move, self.played
        kept, kept_played = (
            mean(self._scores(each, deals.start, deals.stop, "kept")) for each in moves
        )
        score = mean(self._scores(self.played, 0, every)) + gain
        kept_score = mean(self._scores(self.played, 0, every, "kept")) + (kept - kept_played)
        return MoveValue(
            move=move,
            one_step=self.one_step[move],
            # a game can end with 0 to 25: the sum of two means on different deals may lie a little
            # beyond
            rollout=min(max(score, 0.0), 25.0),
            kept=min(max(kept_score, 0.0), 25.0),
            error=error,
            deals=len(deals),
            rank=1,
        )
