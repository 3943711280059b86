"""What an arm decided on a position beside the baseline."""

from dataclasses import dataclass

from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition


@dataclass(frozen=True)
class Outcome:
    """An arm on a position, compared with the baseline over all pairs of their samples."""

    position: BankPosition
    flipped: float
    """The share of pairs whose moves differ."""
    better: float
    """The share of pairs in which the arm's move is worth more, by one-step values."""
    worse: float
    regret: float
    """Points that the best move is worth more than the arm's, by one-step values."""
    loss: float
    """Points that the baseline's move is worth more, by one-step values; negative where the arm's
    is."""
    rolled: float | None = None
    """The same in points of the final score, by rollouts; None without them."""
    rerated: float | None = None
    """The mean change of a move's rating; None where either rates no move."""
    forced: float = 0.0
    """The share of samples in which no choice was accepted."""
    keeps: float | None = None
    """The share of samples whose move keeps the convention that a probe asks about; None for a turn
    of a game."""
    kept: float | None = None
    """The same of the baseline."""

    @property
    def keeps_less(self) -> float | None:
        """How much less often than the baseline it keeps the convention."""
        if self.keeps is None or self.kept is None:
            return None
        return self.kept - self.keeps

    @property
    def judged(self) -> float:
        """The loss by rollouts, or without them by one-step values."""
        if self.rolled is None:
            return self.loss
        return self.rolled
