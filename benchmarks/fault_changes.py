"""What the errors of one role did to the marks of all roles, and whom the worst mark names."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.fault_games import Mark, Played
from benchmarks.fault_graphs import naming_marks
from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Estimate, estimate_mean
from hanabi_orchestrator.roles.marks import MarkInfo


def info(mark: Mark) -> MarkInfo:
    return naming_marks(mark[0])[mark[1]]


@dataclass(frozen=True)
class Change:
    """How a mark differs between a rate and none, over the deals that both have; positive is better."""

    mark: Mark
    estimate: Estimate

    @property
    def standardised(self) -> float:
        """Mean over standard error; infinite where all deals changed alike."""
        one = self.estimate
        if not one.error:
            return 0.0 if not one.mean else math.copysign(math.inf, one.mean)
        return one.mean / one.error

    @property
    def worse(self) -> bool:
        """Whether the 95 % interval lies below 0."""
        return self.estimate.interval[1] < 0


@dataclass(frozen=True)
class Fault:
    """All games in which one role erred."""

    role: str
    games: Mapping[float, Mapping[int, Played]]
    """By rate and seed."""

    @property
    def rates(self) -> list[float]:
        """Above the lowest, with which they are compared."""
        return sorted(self.games)[1:]

    @property
    def deals(self) -> int:
        return len(self.games[min(self.games)])

    def values(self, mark: Mark, rate: float) -> list[float]:
        return [one.marks[mark] for one in self.games[rate].values() if mark in one.marks]

    def erred(self, rate: float) -> float:
        """The share of the role's answers with an error."""
        found = [one.erred for one in self.games[rate].values()]
        return sum(found) / len(found)

    @property
    def marks(self) -> list[Mark]:
        """Those that can name a role and that games at every rate have, in the roles' own order."""
        sets = [
            {mark for one in games.values() for mark in one.marks} for games in self.games.values()
        ]
        common = set.intersection(*sets)
        return [
            (role, name)
            for role in roles.names("hanabi")
            for name in naming_marks(role)
            if (role, name) in common
        ]

    @property
    def own(self) -> list[Mark]:
        return [mark for mark in self.marks if mark[0] == self.role]

    def change(self, mark: Mark, rate: float, *, beside: bool = False) -> Change | None:
        """Against the lowest rate. `beside`: of what the mark differs from the program's on the same turns."""
        first = self.games[min(self.games)]
        now = self.games[rate]
        found = []
        for seed in sorted(set(first) & set(now)):
            one, other = (
                game.beside if beside else game.marks for game in (first[seed], now[seed])
            )
            if mark in one and mark in other:
                found.append((other[mark] - one[mark]) * (1 if info(mark).higher else -1))
        estimate = estimate_mean(found)
        return None if estimate is None else Change(mark, estimate)

    def changes(self, rate: float, *, beside: bool = False) -> list[Change]:
        """Of all marks, the worst first."""
        every = (self.change(mark, rate, beside=beside) for mark in self.marks)
        return sorted((one for one in every if one is not None), key=lambda one: one.standardised)

    def named(self, rate: float, *, beside: bool = False) -> str:
        """The role with the mark that worsened most, standardised; empty where none did."""
        worst = next(iter(self.changes(rate, beside=beside)), None)
        return worst.mark[0] if worst and worst.standardised < 0 else ""

    def worst_own(self, number: int) -> list[Mark]:
        """The role's marks that worsened most at the highest rate."""
        found = [one.mark for one in self.changes(max(self.games)) if one.mark[0] == self.role]
        return found[:number]

    def touched(self, mark: Mark) -> bool:
        """Whether errors at the highest rate moved a mark in any deal at all."""
        change = self.change(mark, max(self.games))
        return change is not None and bool(change.estimate.mean or change.estimate.error)

    def falls(self, mark: Mark) -> bool:
        """Whether the mean of a mark worsens from each rate to the next."""
        steps = [self.change(mark, rate) for rate in self.rates]
        means = [0.0, *(one.estimate.mean for one in steps if one)]
        return all(later < sooner for sooner, later in pairwise(means))


def collected(role: str, found: Iterable[Played]) -> Fault:
    """The games of one role, sorted."""
    games: dict[float, dict[int, Played]] = {}
    for one in found:
        games.setdefault(one.game.rate, {})[one.game.seed] = one
    return Fault(role, games)
