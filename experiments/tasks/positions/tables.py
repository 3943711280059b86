"""What the terminal shows of banks and of position-level ablations."""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import console, plain_table
from experiments.tasks.positions import position_report as reports
from experiments.tasks.positions.bank import Bank
from experiments.tasks.positions.position_report import Report


def show(report: Report, screen: Console) -> None:
    """The table of arms, whole games beside them where asked for, and the sentences."""
    _print(screen, reports.columns(report), list(reports.rows(report)))
    if report.games:
        screen.print(Text(f"\nbeside the games of {report.games.folder}"))
        _print(screen, reports.GAMES, list(reports.game_rows(report.games)))
        if report.games.correlations:
            screen.print()
            _print(screen, reports.CORRELATED, list(reports.correlation_rows(report.games)))
    dim = set(reports.notes(report))
    for line in reports.said(report):
        screen.print()
        screen.print(Text(line, style="dim" if line in dim else ""))


def _print(screen: Console, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    table = plain_table(*heads, words=heads[:1], fixed=heads)
    for line in lines:
        table.add_row(*line, style="magenta" if line[0].endswith("(cheats)") else None)
    screen.print(table)


# A bank


def bank_data(bank: Bank) -> dict[str, Any]:
    """What a bank holds, as plain data, without its positions' views."""
    head = bank.head
    counts: dict[str, dict[str, int]] = {}
    for (name, value), many in sorted(Counter(one for p in bank.positions for one in p.kind.values()).items()):
        counts.setdefault(name, {})[value] = many
    return {
        **head.model_dump(mode="json", exclude={"seats"}),
        "graphs": sorted({info.graph for info in head.seats}),
        "models": sorted({info.model for info in head.seats}),
        "deals": len({one.deal for one in bank.positions}),
        "kinds": counts,
        "nodes": sorted({call.node for one in bank.positions for call in one.calls}),
    }


def show_bank(bank: Bank, screen: Console) -> None:
    """What is in a bank, and where it is from."""
    data, head = bank_data(bank), bank.head
    lines = [
        ("bank", f"{head.name}: {head.positions} positions of {data['deals']} deals"),
        ("made by", head.made_by or "hand"),
        ("from", "; ".join(f"{one.name}, {one.games} games, {one.digest}" for one in head.sources)),
        ("notes of", f"{head.label}: {', '.join(data['graphs'])} on {', '.join(data['models'])}"),
        ("nodes", ", ".join(data["nodes"])),
        ("versions", ", ".join(f"{name} {version}" for name, version in head.versions.items())),
        ("digest", head.digest),
    ]
    for name, said in lines:
        screen.print(Text(f"{name:<10}{said}"))
    screen.print()
    table = plain_table("by", "is", "positions", words=("by", "is"))
    for name, counts in data["kinds"].items():
        for value, many in counts.items():
            table.add_row(name, value, str(many))
    screen.print(table)


def show_position(bank: Bank, name: str) -> dict[str, Any]:
    """One position as plain data."""
    found = next((one for one in bank.positions if one.name == name), None)
    return {} if found is None else found.model_dump(mode="json", exclude_defaults=True)


EVERY_S = 10.0
"""Seconds between two lines; on a terminal the line is renewed each second."""


@dataclass
class Progress:
    """A line on stderr that says how many decisions are made."""

    quiet: bool = False
    _shown_at: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int) -> None:
        terminal, now = sys.stderr.isatty(), time.monotonic()
        if self.quiet or (now - self._shown_at < (1.0 if terminal else EVERY_S) and done < total):
            return
        self._shown_at = now
        end = "\r" if terminal and done < total else "\n"
        console(err=True).print(Text(f"positions: {done} of {total} decisions"), end=end, soft_wrap=True)
