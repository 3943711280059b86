"""A proposed sample size in sentences, as a table and as data."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.costs import cost_estimate, early_stops
from experiments.costs.dry_run import bill_data, money
from experiments.costs.sample_size import Proposal, Size, command
from experiments.document.terminal import plain_table
from experiments.statistics.power import pairs_needed

DETECTABLE = "smallest effect detectable with {:.0f} % power at alpha .05{}"


def sentences(proposal: Proposal) -> list[str]:
    """What the proposal is based on, and what follows from it."""
    options, size = proposal.options, proposal.size
    found = [f"SD of paired differences: {options.spread.sd:.1f} points; {options.spread.basis}"]
    found += [f"costs are based on: {options.basis}"]
    found += cost_estimate.assumptions() if cost_estimate.PROBED in options.basis else []
    found += cost_estimate.about_prices(options.models)
    if not options.models:
        found.append("no model on a server is asked: games cost only time")
    if size is None:
        return [*found, _nothing(proposal)]
    return [*found, *_about(proposal, size)]


def _nothing(proposal: Proposal) -> str:
    """Why nothing is proposed."""
    options = proposal.options
    if not options.goal.limited or not options.models:
        return "nothing is proposed: give --effect POINTS, or a budget (--max-usd, --max-tokens)"
    deals = options.fewest(options.cheapest)
    bill = options.deal(options.cheapest) * deals
    price = f", ${money(bill.usd)}" if bill.usd is not None else ""
    return (
        f"{options.goal.budget} do not buy an experiment that can show anything: with {len(options.arms)} arms no p "
        f"can be below .05 on fewer than {deals} deals, and at {options.cheapest[0]} players these take "
        f"{bill.tokens:,.0f} tokens{price}. Use fewer arms or a cheaper model"
    )


def _about(proposal: Proposal, size: Size) -> list[str]:
    options = proposal.options
    found = [_shortfall(proposal, size)] if proposal.suffices is False else []
    if len(size.players) < len(options.players):
        found.append(f"only {size.players[0]} players: the results will hold for {size.players[0]} players only")
    if len(size.players) > 1 and not options.spread.correlation:
        found.append("a seed's differences at several player counts are taken as independent of each other")
    if options.experiment.stop and size.deals > 1:
        tests = options.tests(size.players)
        found += early_stops.of_size(options.experiment.stop, size.deals, tests, options.spread, len(size.players))
    if options.experiment.repeats > 1:
        found.append("repeats: 1, because another deal is more informative than another game of the same deal")
    return found


def _shortfall(proposal: Proposal, size: Size) -> str:
    """How far the budget is from the effect, and what would help."""
    options, goal = proposal.options, proposal.options.goal
    needed = options.wanted(options.cheapest)
    assert needed is not None and goal.effect is not None  # otherwise there is no shortfall
    share = goal.share(needed.bill)
    alone = pairs_needed(options.spread.sd, goal.effect, goal.power, step=1.0)
    pair = goal.share(options.pair(needed.players) * alone)
    price = f", ${money(needed.bill.usd)}" if needed.bill.usd is not None else ""
    two = "would fit" if pair <= 1 else f"would still cost {pair:.1f} times the budget"
    return (
        f"{goal.budget} do not suffice for an effect of {goal.effect:g} points: it needs {needed.deals} deals at "
        f"{needed.players[0]} players, {needed.bill.tokens:,.0f} tokens{price}. The baseline and one arm "
        f"({alone} deals) {two}; a model at 1/{share:.1f} of the cost would fit; the proposed size detects "
        f"{_points(size.pooled)} points"
    )


def data(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None) -> dict[str, Any]:
    options, typed = proposal.options, command(proposal, name, settings, out)
    return {
        "arms": options.arms,
        "sd": round(options.spread.sd, 3),
        "sd_basis": options.spread.basis,
        "cost_basis": options.basis,
        "power": options.goal.power,
        "sizes": [_size(proposal, size) for size in proposal.sizes],
        "proposed": None if proposal.size is None else _size(proposal, proposal.size),
        "suffices": proposal.suffices,
        "said": sentences(proposal),
        "command": None if typed is None else shlex.join(typed),
    }


def _size(proposal: Proposal, size: Size) -> dict[str, Any]:
    seen = {"effect_each": _rounded(size.each), "effect": _rounded(size.pooled)}
    counts = {"players": list(size.players), "deals": size.deals, "repeats": 1, "games": size.games}
    return {**counts, **seen, **bill_data(size.bill), "proposed": size == proposal.size}


def _rounded(effect: float | None) -> float | None:
    return None if effect is None else round(effect, 3)


def show(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None, console: Console) -> None:
    options = proposal.options
    several = len(proposal.players) > 1
    counts = ", ".join(map(str, proposal.players))
    detectable = DETECTABLE.format(100 * options.goal.power, _corrected(options.tests(proposal.players)))
    console.print(Text(f"{len(options.arms)} arms, {counts} players: {detectable}"))
    effects = ["at each count", "pooled"] if several else ["points"]
    table = plain_table("deals", "games", *effects, "tokens", "usd", "", words=("",))
    for size in proposal.sizes:
        seen = [_points(effect) for effect in ((size.each, size.pooled) if several else (size.pooled,))]
        mine = size == proposal.size
        row = f"{size.deals}", f"{size.games:,}", *seen, f"{size.bill.tokens:,.0f}", money(size.bill.usd)
        table.add_row(*row, "proposed" if mine else "", style="bold" if mine else "")
    console.print(table)
    for sentence in sentences(proposal):
        console.print(Text(sentence, style="dim"))
    if typed := command(proposal, name, settings, out):
        console.print(Text(f"\nnext  {shlex.join(typed)}"))


def _corrected(tests: int) -> str:
    return f", with Holm's correction for {tests} arms" if tests > 1 else ""


def _points(effect: float | None) -> str:
    return "-" if effect is None else f"{effect:.1f}"
