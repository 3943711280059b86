"""The samples behind an analysis: the scores of deals, and the pairs of deals that two arms share.

Repeats of a deal are not independent deals, so they are averaged first. A seed is the same deck at all player counts,
so pooled results are over seeds. When there is a single deal, its repeats are the sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Literal

from experiments.record import measures
from experiments.record.measures import Measure
from experiments.record.rows import Row
from experiments.statistics.estimates import Estimate, of_one, of_two
from experiments.statistics.permutation import DRAWS, Permuted, by_groups, by_signs

Unit = Literal["deals", "repeats"]


def arranged(rows: Sequence[Row], order: Sequence[str] = ()) -> Mapping[str, list[Row]]:
    """The games by arm: first the arms in the given order, then the others by name."""
    found: dict[str, list[Row]] = {arm: [] for arm in (*order, *sorted({row.arm for row in rows}))}
    for row in rows:
        found[row.arm].append(row)
    return {arm: games for arm, games in found.items() if games}


def counts(games: Sequence[Row]) -> tuple[int, ...]:
    """The player counts."""
    return tuple(sorted({row.players for row in games}))


def complete(games: Sequence[Row]) -> list[Row]:
    """The games of seeds that were played at all player counts; of a single seed, of repeats played at all of them."""
    at = [[row for row in games if row.players == n] for n in counts(games)]
    seeds = set.intersection(*({row.seed for row in some} for some in at)) if at else set()
    found = [row for row in games if row.seed in seeds]
    if len(seeds) != 1:
        return found
    repeats = set.intersection(*({row.repeat for row in some if row.seed in seeds} for some in at))
    return [row for row in found if row.repeat in repeats]


def unit(games: Sequence[Row]) -> Unit:
    return "repeats" if len({row.seed for row in games}) == 1 else "deals"


def repetitive(games: Sequence[Row]) -> bool:
    """Whether a deal was played more than once, and always in the same way: repeats of it say nothing new."""
    found: dict[tuple[int, int], list[tuple[object, ...]]] = {}
    for row in games:
        found.setdefault((row.players, row.seed), []).append(row.game)
    return all(len(each) > 1 and len(set(each)) == 1 for each in found.values())


def scores(games: Sequence[Row], measure: Measure = measures.STRICT) -> list[float]:
    """One value per seed (per repeat, when there is one seed) of complete games, averaged over repeats, then counts."""
    by_repeat = unit(games) == "repeats"
    found: dict[int, dict[int, list[float]]] = {}
    for row in games:
        at = found.setdefault(row.repeat if by_repeat else row.seed, {})
        if (value := measure.of(row)) is not None:
            at.setdefault(row.players, []).append(value)
    return [fmean(map(fmean, at.values())) for _, at in sorted(found.items())]


@dataclass(frozen=True)
class Pairs:
    """The games that two arms share: same player count, seed and repeat."""

    games: tuple[list[Row], list[Row]]
    """Of the first arm and of the second."""
    left_out: int
    """Number of games of both arms that are in no pair."""
    measure: Measure = measures.STRICT

    @classmethod
    def match(
        cls, ours: Sequence[Row], theirs: Sequence[Row], players: Sequence[int], measure: Measure = measures.STRICT
    ) -> "Pairs":
        """Pair the games of two arms, pooled over these player counts. A game without a value is in no pair."""
        at = [[row for row in games if row.players in players] for games in (ours, theirs)]
        known = [[row for row in games if measure.of(row) is not None] for games in at]
        shared = set.intersection(*({_game(row) for row in games} for games in known))
        one, other = (complete([row for row in games if _game(row) in shared]) for games in at)
        return cls((one, other), sum(map(len, at)) - len(one) - len(other), measure)

    @cached_property
    def unit(self) -> Unit:
        return unit(self.games[0])

    @cached_property
    def scores(self) -> tuple[list[float], list[float]]:
        one, other = (scores(games, self.measure) for games in self.games)
        return one, other

    @cached_property
    def deltas(self) -> list[float]:
        return [one - other for one, other in zip(*self.scores, strict=True)]

    @cached_property
    def alike(self) -> int:
        """In how many units all games of one arm are the same as those of the other, move by move; 0 where the measure
        may differ all the same."""
        if not self.measure.by_moves:
            return 0
        by_unit: dict[int, list[tuple[Row, Row]]] = {}
        for one, other in zip(*(sorted(games, key=_game) for games in self.games), strict=True):
            by_unit.setdefault(one.repeat if self.unit == "repeats" else one.seed, []).append((one, other))
        return sum(all(one.game == other.game for one, other in pairs) for pairs in by_unit.values())

    @property
    def tells(self) -> bool:
        """Whether the games can count as evidence: not when every pair is one game played twice, nor when all repeats
        of a single deal are the same game in both arms."""
        repeated = self.unit == "repeats" and self.measure.by_moves and all(map(repetitive, self.games))
        return self.estimate is not None and self.alike < len(self.deltas) and not repeated

    @cached_property
    def estimate(self) -> Estimate | None:
        return of_two(*self.scores) if self.unit == "repeats" else of_one(self.deltas)

    def test(self, draws: int = DRAWS) -> Permuted | None:
        """The permutation test of no difference; None for a single pair, and for games that are no evidence."""
        if not self.tells:
            return None
        return by_groups(*self.scores, draws) if self.unit == "repeats" else by_signs(self.deltas, draws)


def _game(row: Row) -> tuple[int, int, int]:
    return row.players, row.seed, row.repeat
