"""A proposal in words, as a table and as data."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.costs import estimate
from experiments.costs.dry_run import bill_data, money
from experiments.costs.sample_size import Proposal, Size, command
from experiments.statistics.power import ALPHA, mde

SEEN = "the smallest difference that {:.0%} of such experiments would show"


def said(proposal: Proposal) -> list[str]:
    """What it rests on, and what follows from it, in sentences."""
    market, size = proposal.market, proposal.size
    found = [f"spread of paired differences {market.spread.sd:.1f} points, {market.spread.basis}"]
    found += [f"costs by {market.basis}"]
    found += estimate.grounds() if "pictures" in market.basis else []
    if unpriced := estimate.unpriced(market.models):
        found.append(unpriced)
    if not market.models:
        found.append("no model of a server is asked: games cost time alone")
    if size is None:
        return [*found, _nothing(proposal)]
    return [*found, *_about(proposal, size)]


def _nothing(proposal: Proposal) -> str:
    """Why nothing is proposed."""
    market = proposal.market
    if not market.wish.limited or not market.models:
        return "nothing is proposed: say --effect, in points, or a budget that limits it"
    bill = market.deal(market.cheapest) * 2
    price = f", ${money(bill.usd)}" if bill.usd is not None else ""
    return (
        f"{market.wish.budget} do not buy two deals: in {len(market.arms)} arms at {market.cheapest[0]} players these "
        f"take {bill.tokens:,.0f} tokens{price}. Take fewer arms, or a cheaper model"
    )


def _about(proposal: Proposal, size: Size) -> list[str]:
    market = proposal.market
    found = [_shortfall(proposal, size)] if proposal.suffices is False else []
    if len(size.players) < len(market.players):
        found.append(f"at {size.players[0]} players alone: what is found holds for {size.players[0]} players alone")
    others = len(market.bills[size.players[0]]) - 1
    strict = mde(market.spread.sd, size.deals * len(size.players), market.wish.power, ALPHA / others)
    if others > 1 and strict is not None:
        found.append(
            f"{others} arms are compared with one: corrected for that (Holm), a difference is sure to be seen as often "
            f"only from {strict:.1f} points on"
        )
    if market.experiment.repeats > 1:
        found.append("repeats: 1, for another deal tells more than another game of the same deal")
    return found


def _shortfall(proposal: Proposal, size: Size) -> str:
    """What is lacking for the effect, and what would help."""
    market, wish = proposal.market, proposal.market.wish
    lacking = market.wanted(market.cheapest)
    assert lacking is not None and wish.effect is not None  # else nothing could be lacking
    share = wish.share(lacking.bill)
    pair = wish.share(market.pair(lacking.players) * lacking.deals)
    price = f", ${money(lacking.bill.usd)}" if lacking.bill.usd is not None else ""
    two = "would do" if pair <= 1 else f"would still take {pair:.1f} times as much"
    return (
        f"{wish.budget} do not suffice for a difference of {wish.effect:g}: that takes {lacking.deals} deals at "
        f"{lacking.players[0]} players, {lacking.bill.tokens:,.0f} tokens{price}. The baseline and one arm alone "
        f"{two}; so would a model of 1/{share:.1f} of the cost; what is proposed shows {size.pooled:.1f} points"
    )


def data(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None) -> dict[str, Any]:
    market, typed = proposal.market, command(proposal, name, settings, out)
    return {
        "arms": market.arms,
        "sd": round(market.spread.sd, 3),
        "sd_basis": market.spread.basis,
        "cost_basis": market.basis,
        "power": market.wish.power,
        "sizes": [_size(proposal, size) for size in proposal.sizes],
        "proposed": None if proposal.size is None else _size(proposal, proposal.size),
        "suffices": proposal.suffices,
        "said": said(proposal),
        "command": None if typed is None else shlex.join(typed),
    }


def _size(proposal: Proposal, size: Size) -> dict[str, Any]:
    seen = {"effect_each": _rounded(size.each), "effect": _rounded(size.pooled)}
    counts = {"players": list(size.players), "deals": size.deals, "repeats": 1, "games": size.games}
    return {**counts, **seen, **bill_data(size.bill), "proposed": size == proposal.size}


def _rounded(effect: float | None) -> float | None:
    return None if effect is None else round(effect, 3)


def show(proposal: Proposal, name: str, settings: Sequence[str], out: Path | None, console: Console) -> None:
    market = proposal.market
    several = len(proposal.players) > 1
    counts = ", ".join(map(str, proposal.players))
    console.print(Text(f"{len(market.arms)} arms, {counts} players: {SEEN.format(market.wish.power)}"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    effects = ["at each count", "over all"] if several else ["points"]
    for column in ("deals", "games", *effects, "tokens", "usd", ""):
        table.add_column(column, justify="right" if column else "left")
    for size in proposal.sizes:
        seen = [_points(effect) for effect in ((size.each, size.pooled) if several else (size.pooled,))]
        mine = size == proposal.size
        row = f"{size.deals}", f"{size.games:,}", *seen, f"{size.bill.tokens:,.0f}", money(size.bill.usd)
        table.add_row(*row, "proposed" if mine else "", style="bold" if mine else "")
    console.print(table)
    for sentence in said(proposal):
        console.print(Text(sentence, style="dim"))
    if typed := command(proposal, name, settings, out):
        console.print(Text(f"\nnext  {shlex.join(typed)}"))


def _points(effect: float | None) -> str:
    return "-" if effect is None else f"{effect:.1f}"
