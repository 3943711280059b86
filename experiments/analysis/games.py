"""Games as a sample: by arm, complete over player counts, and as one value for each deal.

Repeats of a deal are not independent deals, so they are averaged first. A seed is the same deck at
all player counts, so pooled results are over seeds. When there is a single deal, its repeats are
the sample.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Any, Literal, Protocol, TypeVar

from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means, groups
from hanabi_orchestrator.experiments.record.rows import Row

Unit = Literal["deals", "repeats"]
Value = Callable[[Row], float | None]
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)


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
    games_of = groups(rows, attrgetter("arm"))
    return {arm: games_of[arm] for arm in arms if arm in games_of}


def shared_keys(samples: Iterable[Iterable[R]], key: Callable[[R], K]) -> set[K]:
    """Return the keys that rows of every sample have."""
    return set.intersection(*(set(map(key, rows)) for rows in samples))


def having(
    samples: Iterable[Iterable[R]], key: Callable[[R], Any], values: Container[Any]
) -> list[list[R]]:
    """Return of every sample the rows whose key is one of these values."""
    kept = []
    for rows in samples:
        kept.append([row for row in rows if key(row) in values])
    return kept


def player_counts(games: Iterable[Sampled]) -> tuple[int, ...]:
    """Return the player counts, ascending."""
    return tuple(sorted({row.players for row in games if row.players is not None}))


def complete(games: Sequence[Row]) -> list[Row]:
    """Return the games of seeds played at all player counts; of a single seed, of repeats played at
    all of them."""
    by_count = groups((row for row in games if row.players is not None), attrgetter("players"))
    seeds = set[int]()
    repeats = set[int]()
    if by_count:
        seeds = shared_keys(by_count.values(), attrgetter("seed"))
        of_seeds = having(by_count.values(), attrgetter("seed"), seeds)
        repeats = shared_keys(of_seeds, attrgetter("repeat"))
    rows = list[Row]()
    for row in games:
        if row.seed in seeds and (len(seeds) != 1 or row.repeat in repeats):
            rows.append(row)
    return rows


def unit(games: Iterable[Row]) -> Unit:
    """Return the unit of sampling: repeats where there is a single deal."""
    if len({row.seed for row in games}) == 1:
        return "repeats"
    return "deals"


def repetitive(games: Iterable[Row], value: Value | None = None) -> bool:
    """Return whether deals were played more than once, and always in the same way: their repeats
    say nothing new.

    `value`: a number that games with the same moves may differ in.
    """
    for rows in groups(games, attrgetter("players", "seed")).values():
        outcomes = {(row.game, value and value(row)) for row in rows}
        if len(rows) == 1 or len(outcomes) > 1:
            return False
    return True


def one_game(games: Sequence[Row], value: Value | None = None) -> bool:
    """Return whether there is a single deal whose repeats are all the same game, which says nothing
    about a spread."""
    return unit(games) == "repeats" and repetitive(games, value)


def by_unit(games: Sequence[Row]) -> dict[int, list[Row]]:
    """Return the games of each deal, or of each repeat of a single deal."""
    return groups(games, attrgetter("repeat" if unit(games) == "repeats" else "seed"))


def unit_values(games: Sequence[Row], value: Value) -> list[float]:
    """Return a value for each seed (each repeat of a single seed), averaged over repeats, then over
    player counts."""
    values = []
    for _, rows in sorted(by_unit(games).items()):
        valued = ((row.players, value(row)) for row in rows)
        numbers = ((players, number) for players, number in valued if number is not None)
        if at_counts := cluster_means(numbers):
            values.append(fmean(at_counts.values()))
    return values
