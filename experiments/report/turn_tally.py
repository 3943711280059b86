"""Sums over the turns of an arm's games, added game by game, so that no turn has to be kept."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from experiments.analysis.statistics.estimates import Estimate, Matrix, estimate_mean
from experiments.record.turn_rows import TurnRow

LONGEST = 128
"""Turns that are counted separately; no game of Hanabi has as many."""


@dataclass
class TurnTally:
    games: int = 0
    longest: int = 0
    deals: dict[int, list[Matrix]] = field(default_factory=dict)
    """By seed, for each repeat: the points after every turn; a finished game keeps its points."""
    lost: list[int] = field(default_factory=lambda: [0] * LONGEST)
    """By turn, the sum of the lives lost until then."""
    ranks: Counter[int] = field(default_factory=Counter)
    agreements: Counter[float] = field(default_factory=Counter)
    proposed: dict[str, list[float]] = field(default_factory=dict)
    """By node: the sum of the shares of its samples that proposed the move, and the number of turns."""
    list_ranks: dict[int, dict[tuple[int, int], Counter[int]]] = field(default_factory=dict)
    """By seat, then by seed and repeat: ranks of chosen moves in a recommender's list, as `TurnRow.list_rank`."""

    def add(self, turns: Sequence[TurnRow], seed: int = 0) -> None:
        """Add the turns of a game of the deal of this seed, in order."""
        if not turns:
            return
        self.games += 1
        self.longest = min(max(self.longest, len(turns)), LONGEST)
        each = [turns[min(number, len(turns) - 1)] for number in range(LONGEST)]
        self.deals.setdefault(seed, []).append(np.array([turn.score for turn in each], dtype=np.uint8))
        for number, turn in enumerate(each):
            self.lost[number] += 3 - turn.lives
        for turn in turns:
            if turn.rank is not None:
                self.ranks[turn.rank] += 1
            if turn.agreement is not None:
                self.agreements[turn.agreement] += 1
            for node, share in turn.proposals.items():
                sums = self.proposed.setdefault(node, [0.0, 0])
                sums[0] += share
                sums[1] += 1
            if turn.list_rank is not None:
                by_game = self.list_ranks.setdefault(turn.seat, {})
                by_game.setdefault((turn.seed or seed, turn.repeat), Counter())[turn.list_rank] += 1

    @cached_property
    def units(self) -> Matrix:
        """The points after every turn, a row for each deal, repeats averaged; of a single deal, for each repeat."""
        deals = list(self.deals.values())
        return np.array(deals[0] if len(deals) == 1 else [np.mean(games, axis=0) for games in deals], dtype=float)

    def score(self, turn: int) -> Estimate | float:
        """Return mean points after a turn, over deals; a bare mean for a single one. Turn 1 is the first."""
        points = self.units[:, turn - 1].tolist()
        return estimate_mean(points) or float(points[0])

    def lives_lost(self, turn: int) -> float:
        return self.lost[turn - 1] / self.games
