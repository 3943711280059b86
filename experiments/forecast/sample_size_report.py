"""A proposed sample size in sentences, as blocks of a document and as data."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments.analysis.statistics.power import pairs_needed
from experiments.document.blocks import Block, Column, Note, notes, table
from experiments.document.formats import COUNT, INT, number
from experiments.forecast import cost_estimate, spread
from experiments.forecast.dry_run import MONEY, WHOLE, bill_data
from experiments.forecast.sample_size import Proposal, Size, command

ONE_DIGIT = number(1)


def sentences(proposal: Proposal) -> list[str]:
    """Say what the proposal is based on, and what follows from it."""
    options, size = proposal.options, proposal.size
    basis = [
        f"SD of paired differences: {options.spread.sd:.1f} points; {options.spread.basis}",
        f"costs are based on: {options.basis}",
        *(cost_estimate.assumptions() if cost_estimate.PROBED in options.basis else []),
        *cost_estimate.about_prices(options.models),
        *([] if options.models else ["no model on a server is asked: games cost only time"]),
    ]
    return [*basis, *(_about(proposal, size) if size else [_nothing(proposal)])]


def _nothing(proposal: Proposal) -> str:
    """Say why nothing is proposed."""
    options = proposal.options
    if not options.goal.limited or not options.models:
        return "nothing is proposed: give --effect POINTS, or a budget, e.g. --budget 5usd"
    deals = options.fewest(options.cheapest)
    return (
        f"{options.goal.budget} do not buy an experiment that can show anything: with {len(options.arms)} arms no p "
        f"can be below .05 on fewer than {deals} deals, and at {options.cheapest[0]} players these take "
        f"{_price(options.deal(options.cheapest) * deals)}. Use fewer arms or a cheaper model"
    )


def _price(bill: cost_estimate.Bill) -> str:
    return f"{bill.tokens:,.0f} tokens" + (f", ${bill.usd:,.2f}" if bill.usd is not None else "")


def _about(proposal: Proposal, size: Size) -> Iterator[str]:
    options = proposal.options
    if proposal.suffices is False:
        yield _shortfall(proposal, size)
    if len(size.players) < len(options.players):
        yield f"only {size.players[0]} players: the results will hold for {size.players[0]} players only"
    if len(size.players) > 1 and not options.spread.correlation:
        yield "a seed's differences at several player counts are taken as independent of each other"
    if options.experiment.stop and size.deals > 1:
        arms, counts = options.tests(size.players), len(size.players)
        yield from spread.stop_of_size(options.experiment.stop, size.deals, arms, options.spread, counts)
    if options.experiment.repeats > 1:
        yield "repeats: 1, because another deal is more informative than another game of the same deal"


def _shortfall(proposal: Proposal, size: Size) -> str:
    """Say how far the budget is from the effect, and what would help."""
    options, goal = proposal.options, proposal.options.goal
    needed = options.sufficient(options.cheapest)
    assert needed is not None and goal.effect is not None  # otherwise there is no shortfall
    alone = pairs_needed(options.spread.sd, goal.effect, goal.power, step=1.0)
    pair = goal.share(options.pair(needed.players) * alone)
    fits = "would fit" if pair <= 1 else f"would still cost {pair:.1f} times the budget"
    seen = "-" if size.pooled is None else f"{size.pooled:.1f}"
    return (
        f"{goal.budget} do not suffice for an effect of {goal.effect:g} points: it needs {needed.deals} deals at "
        f"{needed.players[0]} players, {_price(needed.bill)}. The baseline and one arm ({alone} deals) {fits}; a model "
        f"at 1/{goal.share(needed.bill):.1f} of the cost would fit; the proposed size detects {seen} points"
    )


def data(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None) -> dict[str, Any]:
    """Return the proposal as plain data, with the command that runs it."""
    options, words = proposal.options, command(proposal, name, settings, out)
    return {
        "arms": options.arms,
        "sd": round(options.spread.sd, 3),
        "sd_basis": options.spread.basis,
        "cost_basis": options.basis,
        "power": options.goal.power,
        "sizes": [_size_data(proposal, size) for size in proposal.sizes],
        "proposed": None if proposal.size is None else _size_data(proposal, proposal.size),
        "suffices": proposal.suffices,
        "said": sentences(proposal),
        "command": None if words is None else shlex.join(words),
    }


def _size_data(proposal: Proposal, size: Size) -> dict[str, Any]:
    each, pooled = (None if effect is None else round(effect, 3) for effect in (size.each, size.pooled))
    return {
        "players": list(size.players),
        "deals": size.deals,
        "repeats": 1,
        "games": size.games,
        "effect_each": each,
        "effect": pooled,
        **bill_data(size.bill),
        "proposed": size == proposal.size,
    }


def blocks(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None) -> Iterator[Block]:
    """Return the table of sizes, what it is based on, and the command that runs the proposed one."""
    options, tests = proposal.options, proposal.options.tests(proposal.players)
    corrected = f", with Holm's correction for {tests} arms" if tests > 1 else ""
    several = len(proposal.players) > 1
    effects = (Column("effect_each", "at each count", ONE_DIGIT), Column("effect", "pooled", ONE_DIGIT))
    columns = (
        *(Column("deals", "deals", INT), Column("games", "games", COUNT)),
        *(effects if several else (Column("effect", "points", ONE_DIGIT),)),
        *(Column("tokens", "tokens", WHOLE), Column("usd", "usd", MONEY), Column("proposed", "")),
    )
    rows, looks = [], []
    for size in proposal.sizes:
        seen = (size.each, size.pooled) if several else (size.pooled,)
        mine = size == proposal.size
        rows.append((size.deals, size.games, *seen, size.bill.tokens, size.bill.usd, "proposed" if mine else ""))
        looks.append("strong" if mine else "plain")
    title = (
        f"{len(options.arms)} arms, {', '.join(map(str, proposal.players))} players: smallest effect detectable with "
        f"{100 * options.goal.power:.0f} % power at alpha .05{corrected}"
    )
    yield table("sizes", columns, rows, title=title, looks=tuple(looks))
    yield from notes(sentences(proposal), "aside")
    if words := command(proposal, name, settings, out):
        yield Note(f"next  {shlex.join(words)}")
