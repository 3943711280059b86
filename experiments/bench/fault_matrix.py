"""Do marks name the role that errs? Errors are put into one role at a time, and all roles' marks are looked at.

Run it as `python -m experiments.bench.fault_matrix DIR [--roles NAME ...] [--games 40] [--rates 0 0.1 0.3 0.6]
[--players 3] [--graph NAME] [--processes 1]`. DIR keeps the games: the same command again plays none twice. At a rate,
every kind of error of the simulated models has that probability in each answer of the role; all other roles are exact
programs. Nothing here is a language model.
"""

import math
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console

import roles
from experiments.bench.fault_games import Game, Mark, Played, faulty, marked_roles, played
from experiments.show.terminal import plain_table
from experiments.statistics.estimates import Estimate, of_one, within
from graphs.config import GraphConfig
from roles.marks import infos

RATES = (0.0, 0.1, 0.3, 0.6)


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


@dataclass(frozen=True)
class Fault:
    """All games in which one role erred."""

    role: str
    games: Mapping[float, Mapping[int, Played]]
    """By rate and seed."""

    def values(self, mark: Mark, rate: float) -> list[float]:
        return [one.marks[mark] for one in self.games[rate].values() if mark in one.marks]

    @property
    def marks(self) -> list[Mark]:
        """Those that games at every rate have, in the roles' own order."""
        sets = [{mark for one in games.values() for mark in one.marks} for games in self.games.values()]
        common = set.intersection(*sets)
        order = [(role, name) for role in roles.names() for name in infos(roles.get(role).mark)]
        return sorted(common, key=lambda mark: order.index(mark) if mark in order else len(order))

    def change(self, mark: Mark, rate: float, *, beside: bool = False) -> Change | None:
        """Against the lowest rate. `beside`: of what the mark differs from the program's on the same turns."""
        first, now = self.games[min(self.games)], self.games[rate]
        info = infos(roles.get(mark[0]).mark)[mark[1]]
        found = []
        for seed in sorted(set(first) & set(now)):
            one, other = (game.beside if beside else game.marks for game in (first[seed], now[seed]))
            if mark in one and mark in other:
                found.append((other[mark] - one[mark]) * (1 if info.higher else -1))
        estimate = of_one(found)
        return None if estimate is None else Change(mark, estimate)

    def changes(self, rate: float, *, beside: bool = False) -> list[Change]:
        every = (self.change(mark, rate, beside=beside) for mark in self.marks)
        return [one for one in every if one is not None]

    def named(self, rate: float, *, beside: bool = False) -> str:
        """The role with the mark that worsened most, standardised; empty where none did."""
        worst = min(self.changes(rate, beside=beside), key=lambda one: one.standardised, default=None)
        return worst.mark[0] if worst and worst.standardised < 0 else ""

    def falls(self, mark: Mark) -> bool:
        """Whether the mean of a mark worsens from each rate to the next."""
        steps = [self.change(mark, rate) for rate in sorted(self.games)[1:]]
        means = [0.0, *(one.estimate.mean for one in steps if one)]
        return all(later < sooner for sooner, later in pairwise(means))


def upstream(config: GraphConfig, nodes: Sequence[str]) -> set[str]:
    """The roles of the nodes that learn nothing of these nodes' replies in the same attempt."""
    below = set(nodes)
    while more := {name for name, node in config.nodes.items() if below & set(node.reads)} - below:
        below |= more
    return {node.role for name, node in config.nodes.items() if name not in below}


def show(fault: Fault, apart: set[str], console: Console) -> None:
    """The marks of the role that errs at each rate, then what the others did."""
    rates = sorted(fault.games)
    console.print(f"\n**{fault.role}** errs ({len(fault.games[rates[0]])} deals)\n", markup=False)
    table = plain_table("mark", *(f"rate {rate:g}" for rate in rates), "best", "worsens at each step", words=("mark",))
    for mark in fault.marks:
        if mark[0] == fault.role:
            info = infos(roles.get(mark[0]).mark)[mark[1]]
            cells = (_interval(of_one(fault.values(mark, rate)), info.unit) for rate in rates)
            table.add_row(mark[1], *cells, f"{info.best:.2g}", "yes" if fault.falls(mark) else "no")
    console.print(table)
    moved, all_apart = moved_apart(fault, apart)
    console.print(f"marks of roles that learn nothing of it, worse at rate {rates[-1]:g}: {moved} of {all_apart}")
    for beside, what in ((False, "against rate 0"), (True, "against the program on the same turns")):
        names = (f"{rate:g} {fault.named(rate, beside=beside) or 'nobody'}" for rate in rates[1:])
        console.print(f"the worst mark {what} names: {', '.join(names)}", markup=False, highlight=False)


def moved_apart(fault: Fault, apart: set[str]) -> tuple[int, int]:
    """Of the marks of roles apart, how many worsened at the highest rate, so that the 95 % interval leaves out 0."""
    changes = [one for one in fault.changes(max(fault.games)) if one.mark[0] in apart]
    return sum(one.estimate.interval[1] < 0 for one in changes), len(changes)


def _interval(estimate: Estimate | None, unit: str) -> str:
    if estimate is None:
        return "-"
    low, high = within(estimate.interval, 0, 1 if unit in ("share", "chance") else math.inf)
    return f"{estimate.mean:.3f} ({low:.3f} to {high:.3f})"


def summary(faults: Sequence[Fault], console: Console) -> None:
    """How often the worst mark names the role that errs."""
    for beside, what in ((False, "against rate 0"), (True, "against the program on the same turns")):
        for rate in sorted(faults[0].games)[1:]:
            right = sum(fault.named(rate, beside=beside) == fault.role for fault in faults)
            console.print(f"rate {rate:g}, {what}: the right role in {right} of {len(faults)}", highlight=False)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument("--roles", nargs="+", help="the roles that err, one after the other; all that are marked")
    parser.add_argument("--games", type=int, default=40, help="deals, from seed 1 on; at least 2")
    parser.add_argument("--rates", type=float, nargs="+", default=RATES, help="0 to 1; the lowest is the baseline")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--graph", help="the graph in which they err, where it has the role")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    if asked.games < 2 or len(set(asked.rates)) < 2 or not all(0 <= rate <= 1 for rate in asked.rates):
        parser.error("an interval needs at least 2 games, and a comparison at least 2 rates from 0 to 1")
    console, faults = Console(width=160), []
    for role in asked.roles or marked_roles():
        config, nodes = faulty(role, asked.graph)
        players = asked.players if asked.players in config.players else max(config.players)
        seeds = range(1, asked.games + 1)
        games = [Game(role, rate, seed, players, asked.graph) for rate in sorted(set(asked.rates)) for seed in seeds]
        faults.append(collected(role, played(games, asked.folder, asked.processes)))
        show(faults[-1], upstream(config, nodes), console)
    console.print()
    summary(faults, console)


def collected(role: str, found: Iterable[Played]) -> Fault:
    """The games of one role, sorted."""
    games: dict[float, dict[int, Played]] = {}
    for one in found:
        games.setdefault(one.game.rate, {})[one.game.seed] = one
    return Fault(role, games)


if __name__ == "__main__":
    main()
