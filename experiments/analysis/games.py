"""Games as a sample: by arm, complete over player counts, and as one value for each deal.

Repeats of a deal are not independent deals, so they are averaged first. A seed is the same deck at all player counts,
so pooled results are over seeds. When there is a single deal, its repeats are the sample.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Literal, Protocol

from experiments.analysis.statistics.clusters import cluster_means, groups
from experiments.record.rows import Row

Unit = Literal["deals", "repeats"]
Value = Callable[[Row], float | None]


class Sampled(Protocol):
    """A game, or a decision on a position, as samples of deals have it: what a value is of."""

    @property
    def arm(self) -> str: ...
    @property
    def players(self) -> int | None:
        """None where samples are not divided by player counts."""

    @property
    def seed(self) -> int:
        """The number of the deal."""

    @property
    def repeat(self) -> int:
        """Which of the deal it is, at that player count: arms are paired by it."""

    @property
    def game(self) -> tuple[object, ...]:
        """The moves, as far as they tell what is the same from what is not."""

    @property
    def moves(self) -> tuple[float, float]:
        """Moves of seats that ask a model, and of these its own."""


def by_arm(rows: Iterable[Row], order: Sequence[str] = ()) -> Mapping[str, list[Row]]:
    """Return the games of each arm: first the arms in the given order, then the others by name."""
    rows = list(rows)
    arms = dict.fromkeys((*order, *sorted({row.arm for row in rows})))
    return {arm: games for arm in arms if (games := [row for row in rows if row.arm == arm])}


def player_counts(games: Iterable[Sampled]) -> tuple[int, ...]:
    """Return the player counts, ascending."""
    return tuple(sorted({row.players for row in games if row.players is not None}))


def complete(games: Sequence[Row]) -> list[Row]:
    """Return the games of seeds played at all player counts; of a single seed, of repeats played at all of them."""
    at = [[row for row in games if row.players == n] for n in player_counts(games)]
    seeds = set.intersection(*({row.seed for row in some} for some in at)) if at else set()
    repeats = set.intersection(*({row.repeat for row in some if row.seed in seeds} for some in at)) if at else set()
    return [row for row in games if row.seed in seeds and (len(seeds) != 1 or row.repeat in repeats)]


def unit(games: Iterable[Row]) -> Unit:
    """Return the unit of sampling: repeats where there is a single deal."""
    return "repeats" if len({row.seed for row in games}) == 1 else "deals"


def repetitive(games: Iterable[Row], value: Value | None = None) -> bool:
    """Return whether deals were played more than once, and always in the same way: their repeats say nothing new.

    `value`: a number that games with the same moves may differ in.
    """
    deals = groups(games, attrgetter("players", "seed")).values()
    return all(len(rows) > 1 and len({(row.game, value and value(row)) for row in rows}) == 1 for rows in deals)


def one_game(games: Sequence[Row], value: Value | None = None) -> bool:
    """Return whether there is a single deal whose repeats are all the same game, which says nothing about a spread."""
    return unit(games) == "repeats" and repetitive(games, value)


def by_unit(games: Sequence[Row]) -> dict[int, list[Row]]:
    """Return the games of each deal, or of each repeat of a single deal."""
    return groups(games, attrgetter("repeat" if unit(games) == "repeats" else "seed"))


def unit_values(games: Sequence[Row], value: Value) -> list[float]:
    """Return a value for each seed (each repeat of a single seed), averaged over repeats, then over player counts."""
    values = []
    for _, rows in sorted(by_unit(games).items()):
        numbers = ((row.players, number) for row in rows if (number := value(row)) is not None)
        if at_counts := cluster_means(numbers):
            values.append(fmean(at_counts.values()))
    return values
