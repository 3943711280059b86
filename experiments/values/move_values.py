"""What is said of the moves of a turn and of the turns of a game: plain frozen values."""

from typing import Literal

from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.values import Frozen

Kind = Literal[
    "risky_misplay",
    "critical_discard",
    "missed_play",
    "empty_hint",
    "wasted_token",
    "final_round",
    "clear_loss",
]
"""What was wrong with a move; `mistakes` says when each applies."""

TITLES: dict[Kind, str] = {
    "risky_misplay": "a risky misplay",
    "critical_discard": "a critical card discarded",
    "missed_play": "a known playable card not played",
    "empty_hint": "a hint that told nothing new",
    "wasted_token": "a token wasted on dead cards",
    "final_round": "an error in the final round",
    "clear_loss": "a move clearly below the best",
}


class Mistake(Frozen):
    """A move that was worse than another one, as far as the seat could know."""

    turn: int
    seat: int
    kind: Kind
    move: Grounded
    better: Grounded
    """The best move by the values."""
    loss: float
    """Points of the expected final score that `better` is worth more, by rollouts."""
    error: float
    """Standard error of the loss."""
    text: str
    """A sentence that says what was wrong."""


class MoveValue(Frozen):
    """What a legal move was worth, from what the acting seat could know."""

    move: Grounded
    one_step: float
    """Exact points at once: see `one_step_value`."""
    rollout: float | None = None
    """Expected final score when convention players play on after it; None without rollouts."""
    kept: float | None = None
    """The same by the kept score; `rollout` is by the metric."""
    error: float | None = None
    """Standard error of the difference in `rollout` to the move that was played, 0 for that move;
    None without."""
    deals: int = 0
    """Deals on which both were tried."""
    rank: int
    """1 is the best: `rollout` decides, without rollouts `one_step`."""


class TurnValues(Frozen):
    """The legal moves of a turn, the best first."""

    turn: int
    seat: int
    basis: str
    """A sentence on the method: which values, from whose knowledge, by how many rollouts."""
    metric: Metric
    """`strict`: a game that loses its third life ends with 0 points; `kept`: with those on the
    table."""
    moves: tuple[MoveValue, ...]
    usual: Grounded
    """The move that a convention player makes there."""
    played: Grounded | None
    """None where the game stopped before a move."""
    best: Grounded
    loss: float | None = None
    """Points that the best is worth more than the move played; 0 where that is the best; None
    without either."""
    error: float | None = None
    """Standard error of the loss."""
    rollouts: int = 0
    """Games that were played to the end for these values."""
    mistake: Mistake | None = None

    def of(self, move: object) -> MoveValue | None:
        """Return the value of a move; None for one that is not legal."""
        return next((value for value in self.moves if value.move == move), None)


class Strip(Frozen):
    """The expected final score over the turns of a game, from the true hands."""

    basis: str
    metric: Metric
    start: float
    """The expected score before the first move."""
    expected: tuple[float, ...]
    """After each turn that was played, the card that was drawn included; the last of a finished
    game is its score."""
    errors: tuple[float, ...]
    """Standard errors of `expected`."""
    swings: tuple[float, ...]
    """For each turn, the change of the expected score by its move, compared with a convention
    player's move; before a card is drawn, so that the deck's luck does not count."""
    swing_errors: tuple[float, ...]
    mistakes: tuple[Mistake, ...] = ()
    """Oldest first; none where they were not asked for."""
