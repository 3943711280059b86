"""What the calls of each role took: a table of a report, and usage.csv."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hanabi_orchestrator.experiments.document.blocks import Column, Table, listing
from hanabi_orchestrator.experiments.document.data import csv_text
from hanabi_orchestrator.experiments.document.formats import COUNT, PERCENT, number
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.report.answerers import RoleUsage
from hanabi_orchestrator.experiments.report.run_data import RunData

USAGE = "usage.csv"
"""The file of a run folder with a row for every arm, role and model."""
CAPTION = (
    "Sums over the finished games of an arm, second asks included. Tokens and dollars are of "
    "what was paid for: answers of a cache and of simulated models count as calls alone. "
    "*cached*: tokens in that a provider had in its cache. *reasoning*: tokens out that a "
    "provider reported as reasoning. *share*: of the dollars of the arm, or of its tokens where "
    "a price is not known. Dollars stay empty where the price of a call is not known."
)


@dataclass(frozen=True)
class UsageRow:
    """What the calls of a role to a model took in an arm."""

    arm: str
    role: str
    model: str
    calls: int
    tokens_in: int | None
    """None, like the next ones, where nothing was paid for."""
    tokens_out: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    usd: float | None
    share: float | None
    """Of the arm's dollars, or of its tokens where a price is not known."""


def rows(data: RunData) -> Iterator[UsageRow]:
    """Yield the rows in the order of the report's arms, in an arm the dearest role first."""
    by_arm: dict[str, list[tuple[str, str, RoleUsage]]] = defaultdict(list)
    for (arm, role, model), usage in data.asked.usage.items():
        by_arm[arm].append((role, model, usage))
    for arm in data.arms:
        usages = by_arm.get(arm, [])
        priced = all(usage.usd is not None for _, _, usage in usages)
        weights = [_weight(usage, priced=priced) for _, _, usage in usages]
        whole = sum(weights)
        ordered = sorted(
            zip(weights, usages, strict=True), key=lambda pair: (-pair[0], pair[1][0], pair[1][1])
        )
        for weight, (role, model, usage) in ordered:
            yield _row(arm, role, model, usage, weight / whole if whole else None)


def _weight(usage: RoleUsage, *, priced: bool) -> float:
    """Return the dollars of a role where all are known, else its tokens."""
    if priced:
        return usage.usd or 0.0
    return usage.tokens_in + usage.tokens_out


def _row(arm: str, role: str, model: str, usage: RoleUsage, share: float | None) -> UsageRow:
    paid = usage.paid > 0
    return UsageRow(
        arm=arm,
        role=role,
        model=model,
        calls=usage.calls,
        tokens_in=usage.tokens_in if paid else None,
        tokens_out=usage.tokens_out if paid else None,
        cached_tokens=usage.cached_tokens if paid else None,
        reasoning_tokens=usage.reasoning_tokens if paid else None,
        usd=usage.usd if paid else None,
        share=share if paid else None,
    )


def table(data: RunData) -> Table:
    """Return the table; without a row where no model was asked."""
    columns = (
        Column("arm", "arm", constant=True),
        Column("role", "role", constant=True),
        Column("model", "model"),
        Column("calls", "calls", COUNT),
        Column("tokens_in", "tokens in", COUNT),
        Column("tokens_out", "out", COUNT),
        Column("cached_tokens", "cached", COUNT),
        Column("reasoning_tokens", "reasoning", COUNT),
        Column("usd", "USD", number(4)),
        Column("share", "share", PERCENT),
    )
    return listing("usage", columns, rows(data), title="Tokens and money by role", caption=CAPTION)


def write(folder: Path, usage: Table) -> None:
    """Write usage.csv; not for a run in which no model was asked."""
    if usage.rows:
        write_atomically(folder / USAGE, csv_text(usage))
