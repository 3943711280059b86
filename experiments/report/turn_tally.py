"""Sums over the turns of an arm's games, added game by game, so that no turn has to be kept."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from experiments.results.turn_rows import TurnRow

LONGEST = 128
"""Turns that are counted separately; no game of Hanabi has as many."""


@dataclass
class TurnTally:
    games: int = 0
    turns: int = 0
    longest: int = 0
    scores: list[int] = field(default_factory=lambda: [0] * LONGEST)
    """By turn, the sum over games; a finished game keeps its score."""
    squares: list[int] = field(default_factory=lambda: [0] * LONGEST)
    lost: list[int] = field(default_factory=lambda: [0] * LONGEST)
    """By turn, the sum of the lives lost until then."""
    ranks: Counter[int] = field(default_factory=Counter)
    agreements: Counter[float] = field(default_factory=Counter)
    proposed: dict[str, list[float]] = field(default_factory=dict)
    """By node: the sum of the shares of its samples that proposed the move, and the number of turns."""

    def add(self, turns: Sequence[TurnRow]) -> None:
        """The turns of a game, in order."""
        if not turns:
            return
        self.games += 1
        self.turns += len(turns)
        self.longest = min(max(self.longest, len(turns)), LONGEST)
        for number in range(LONGEST):
            turn = turns[min(number, len(turns) - 1)]
            self.scores[number] += turn.score
            self.squares[number] += turn.score**2
            self.lost[number] += 3 - turn.lives
        for turn in turns:
            self._choice(turn)

    def _choice(self, turn: TurnRow) -> None:
        if turn.rank is not None:
            self.ranks[turn.rank] += 1
        if turn.agreement is not None:
            self.agreements[turn.agreement] += 1
        for node, share in turn.proposals.items():
            kept = self.proposed.setdefault(node, [0.0, 0])
            kept[0] += share
            kept[1] += 1

    def score(self, turn: int) -> tuple[float, float]:
        """Mean score after a turn, and its standard error; turn 1 is the first."""
        mean = self.scores[turn - 1] / self.games
        variance = max(self.squares[turn - 1] / self.games - mean**2, 0.0)
        return mean, math.sqrt(variance / max(self.games - 1, 1))

    def lives_lost(self, turn: int) -> float:
        return self.lost[turn - 1] / self.games
