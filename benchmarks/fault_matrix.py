"""Do marks name the role that errs? Errors are put into one role at a time, and all roles' marks are looked at.

Run it as `python -m benchmarks.fault_matrix DIR [--roles NAME ...] [--games 40] [--rates 0 0.1 0.3 0.6]
[--players 3] [--graph NAME] [--processes 1] [--own-games] [--all-marks]`. DIR keeps the games: the same command again
plays none twice. At a rate, every kind of error of the simulated models has that probability in each answer of the
role; all other roles are exact programs. By default the role answers again at turns of games in which nobody errs, so
that all rates meet the same positions; with `--own-games` it errs all game long. Nothing here is a language model.
"""

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.fault_changes import Fault, collected, info
from benchmarks.fault_games import Deal, Mark, Played, played
from benchmarks.fault_graphs import hosting, marked_roles, upstream
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    Estimate,
    clip,
    estimate_mean,
    unseen_share,
)
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.orchestrator.errors import UserError

RATES = (0.0, 0.1, 0.3, 0.6)
READINGS = {False: "against rate 0", True: "against the program on the same turns"}
SHOWN = 2
"""Marks of a role that are shown unless all are asked for."""


def faults(asked: Namespace) -> list[Fault]:
    """The games of each role that is to err."""
    games = [game for role in asked.roles or marked_roles() for game in _games(role, asked)]
    by_role: dict[str, list[Played]] = {}
    for one in played(games, asked.folder, asked.processes):
        by_role.setdefault(one.game.role, []).append(one)
    return [collected(role, found) for role, found in by_role.items()]


def _games(role: str, asked: Namespace) -> list[Deal]:
    config, _ = hosting(role, asked.graph)
    players = asked.players if asked.players in config.players else max(config.players)
    places = [
        (rate, seed) for seed in range(1, asked.games + 1) for rate in sorted(set(asked.rates))
    ]
    return [Deal(role, rate, seed, players, asked.graph, asked.own_games) for rate, seed in places]


def matrix(found: Sequence[Fault], console: Console, *, every: bool) -> None:
    """The role's worst marks at each rate, a line each; or `every` mark of it."""
    rates = sorted(found[0].games)
    table = plain_table(
        "role that errs", "its mark", *(f"rate {rate:g}" for rate in rates), "best", "falls"
    )
    for fault in found:
        for mark in fault.worst_own(len(fault.own) if every else SHOWN):
            cells = (
                _interval(estimate_mean(fault.values(mark, rate)), info(mark).unit)
                for rate in rates
            )
            falls = "yes" if fault.falls(mark) else "no" if fault.touched(mark) else "never moved"
            table.add_row(fault.role, mark[1], *cells, f"{info(mark).best:.2g}", falls)
    console.print(table)


def naming(
    found: Sequence[Fault], hosts: Mapping[str, tuple[str, set[str]]], console: Console
) -> None:
    """For each role: how often it erred, how its marks and those of others moved, and whom the worst names."""
    rates = found[0].rates
    named = [
        f"named at {', '.join(f'{rate:g}' for rate in rates)}, {what}" for what in READINGS.values()
    ]
    table = plain_table(
        "role that errs",
        "in graph",
        "answers with errors",
        "own marks that fall",
        "others worse",
        "of them, apart",
        *named,
    )
    for fault in found:
        graph, apart = hosts[fault.role]
        others = [one for one in fault.changes(rates[-1]) if one.mark[0] != fault.role]
        away = [one for one in others if one.mark[0] in apart]
        falling = sum(fault.falls(mark) for mark in fault.own)
        table.add_row(
            f"{fault.role} ({fault.deals} deals)",
            graph,
            ", ".join(f"{fault.erred(rate):.0%}" for rate in rates),
            f"{falling} of {len(fault.own)}",
            f"{sum(one.worse for one in others)} of {len(others)}",
            f"{sum(one.worse for one in away)} of {len(away)}",
            *(", ".join(_name(fault, rate, beside) for rate in rates) for beside in READINGS),
        )
    console.print(table)


def _name(fault: Fault, rate: float, beside: bool) -> str:
    name = fault.named(rate, beside=beside)
    return "it" if name == fault.role else name or "nobody"


def _interval(estimate: Estimate | None, unit: str) -> str:
    if estimate is None:
        return "-"
    least, most = (
        (0, 1)
        if unit in ("share", "chance")
        else (-1, 1)
        if unit == "correlation"
        else (0, math.inf)
    )
    low, high = clip(estimate.interval, least, most)
    if not estimate.error:
        if math.isinf(most):
            return f"{estimate.mean:.3f}"
        missed = unseen_share(
            estimate.n
        )  # all deals alike: in how many of them another value may have gone unseen
        low = estimate.mean - missed * (estimate.mean - least)
        high = estimate.mean + missed * (most - estimate.mean)
    return f"{estimate.mean:.3f} ({low:.3f} to {high:.3f})"


def summary(found: Sequence[Fault], console: Console) -> None:
    """How often the worst mark names the role that errs, and which of its own marks fall."""
    for beside, what in READINGS.items():
        for rate in found[0].rates:
            right = sum(fault.named(rate, beside=beside) == fault.role for fault in found)
            console.print(
                f"rate {rate:g}, {what}: the right role in {right} of {len(found)}", highlight=False
            )
    own = [(fault, mark) for fault in found for mark in fault.own]
    moved = [(fault, mark) for fault, mark in own if fault.touched(mark)]
    worse = [
        one for one in moved if (last := one[0].change(one[1], one[0].rates[-1])) and last.worse
    ]
    rising = [(fault, mark) for fault, mark in moved if not fault.falls(mark)]
    console.print(
        f"own marks: {len(own)}; never moved by these errors: {len(own) - len(moved)}; of the other {len(moved)}, "
        f"{len(moved) - len(rising)} worsen at each step, and {len(worse)} are worse at the highest rate (95 %)",
        highlight=False,
    )
    for fault, mark in rising:
        console.print(
            f"  not at each step: {fault.role} {mark[1]}, {_moves(fault, mark)}",
            highlight=False,
            markup=False,
        )


def _moves(fault: Fault, mark: Mark) -> str:
    """How a mark moved at each rate; positive is better."""
    steps = ((rate, fault.change(mark, rate)) for rate in fault.rates)
    told = ((rate, one.estimate.mean, one.estimate.interval) for rate, one in steps if one)
    return "; ".join(
        f"{rate:g}: {mean:+.3f} ({low:+.3f} to {high:+.3f})" for rate, mean, (low, high) in told
    )


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument(
        "--roles", nargs="+", help="the roles that err, one after the other; all that are marked"
    )
    parser.add_argument("--games", type=int, default=40, help="deals, from seed 1 on; at least 2")
    parser.add_argument(
        "--rates", type=float, nargs="+", default=RATES, help="0 to 1; the lowest is the baseline"
    )
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--graph", help="the graph in which they err, where it has the role")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--own-games", action="store_true", help="let the role err all game long")
    parser.add_argument(
        "--all-marks", action="store_true", help="all marks of the role, not only the worst two"
    )
    asked = parser.parse_args()
    if (
        asked.games < 2
        or len(set(asked.rates)) < 2
        or not all(0 <= rate <= 1 for rate in asked.rates)
    ):
        parser.error(
            "an interval needs at least 2 games, and a comparison at least 2 rates from 0 to 1"
        )
    try:
        found = faults(asked)
    except UserError as error:
        parser.error(str(error))
    console = Console(width=240)
    places = {fault.role: hosting(fault.role, asked.graph) for fault in found}
    matrix(found, console, every=asked.all_marks)
    naming(
        found,
        {role: (config.name, upstream(config, nodes)) for role, (config, nodes) in places.items()},
        console,
    )
    console.print()
    summary(found, console)


if __name__ == "__main__":
    main()
