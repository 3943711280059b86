"""What slips and strangers cost a player who models its partners, in pairs, with three ways to trust.

Run it as `nice python -m benchmarks.slips [--games 40] [--first 1] [--before REVISION] [--with 0.05 --with piers]`.
The player decides by the rules that the roles of `house` share, from what the partner model concludes. Beside a rate,
both seats are this player, and on each turn whoever moves makes a random legal move instead with that probability, the
same turns for every way. Beside a rule player it sits first, and nobody makes slips. `blind` believes every partner,
whatever they do; `before` is the partner model of a revision; `now` that of the working tree. Differences are paired by
deal, with 95 % t intervals.
"""

import statistics
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import ModuleType
from unittest.mock import patch

from rich.console import Console

from hanabi_orchestrator.experiments.analysis.statistics.estimates import estimate_mean
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.convention import partner_model
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import Convention
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import PartnerModel
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import HOUSE_STEPS, Scene, decide
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.players.base import ReasonedMove

TABLES = ("0", "0.02", "0.05", "0.1", "0.2", "piers", "iggi", "smart_oldest", "literal")
"""Rates of slips, and rule players."""

Judge = Callable[..., PartnerModel]


def judges(revision: str) -> Mapping[str, Judge]:
    """Return the ways to judge a partner: each takes the place of the partner model's function."""
    old = _old(revision)
    now = partner_model._judged
    return {
        "blind": lambda *args: PartnerModel(args[3], Convention(), 1.0),
        "before": lambda *args: old._judged(
            *args[:4], old.NOTHING_KNOWN
        ),  # `understand` hands over today's odds
        "now": now,
    }


def _old(revision: str) -> ModuleType:
    """Return the partner model of a revision as a module of its own."""
    path = "orchestrator/hanabi/convention/partner_model.py"
    shown = subprocess.run(["git", "show", f"{revision}:{path}"], capture_output=True, text=True)
    if shown.returncode:
        raise UserError(
            f"revision {revision} is not in this clone; `git fetch --unshallow` fetches the whole history"
        )
    module = ModuleType("old_partner_model")
    sys.modules[module.__name__] = module  # its dataclasses look there
    exec(shown.stdout, module.__dict__)
    return module


def adapting(view: View, rng: Random) -> ReasonedMove:
    """Choose a move by the conventions that the partner model finds."""
    hands = {hand.seat: hand.cards for hand in view.hands}
    knowledge = partner_model.understand(view.history, view.players, view.seat, hands).knowledge
    return decide(Scene(view.seat, knowledge, hands, view.legal, view.turns_left), HOUSE_STEPS)


def strict(table: str, seed: int) -> int:
    """Return the strict score of one game."""
    rule, rate = (
        (partners.get(table).rule, 0.0) if table in partners.PARTNERS else (adapting, float(table))
    )
    referee = Referee(2, deal(seed))
    while not referee.over:
        view = referee.view()
        chance = Random(f"{seed} {referee.turn}")
        slips = chance.random() < rate
        player = rule if view.seat else adapting
        referee.apply(chance.choice(view.legal) if slips else player(view, chance)[0])
    return referee.score_strict


def paired(ours: Sequence[int], theirs: Sequence[int]) -> str:
    """Return the mean difference by deal and its interval, in words."""
    estimate = estimate_mean([our - their for our, their in zip(ours, theirs, strict=True)])
    if estimate is None:
        return ""  # a single deal
    low, high = estimate.interval
    return f"{estimate.mean:+.2f} ({low:+.2f} to {high:+.2f})"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--with", dest="tables", action="append", help="a rate or a rule player; all if not given"
    )
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="the seed of the first deal")
    parser.add_argument(
        "--before", default="HEAD", help="the revision whose partner model is `before`"
    )
    given = parser.parse_args()
    console = Console(width=120)
    rows = plain_table("slips or partner", "blind", "before", "now", "now - blind", "now - before")
    for table in given.tables or TABLES:
        scores: dict[str, list[int]] = {}
        for name, judge in judges(given.before).items():
            with patch.object(partner_model, "_judged", judge):
                scores[name] = [
                    strict(table, seed) for seed in range(given.first, given.first + given.games)
                ]
        means = [f"{name} {statistics.mean(points):.2f}" for name, points in scores.items()]
        console.print(table, *means)
        differences = (paired(scores["now"], scores[name]) for name in ("blind", "before"))
        rows.add_row(table, *(words.split()[1] for words in means), *differences)
    console.print(rows)


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
