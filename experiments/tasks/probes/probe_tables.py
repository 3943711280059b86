"""What the terminal shows of probes and of runs of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.show.live_table import picture
from experiments.show.terminal import turn_line
from experiments.tasks.probes import bank, probe_report, scores
from experiments.tasks.probes.probe import Probe
from experiments.tasks.probes.probe_report import Report
from roles.words import percent


def show(report: Report, screen: Console) -> None:
    """The table and the notes."""
    columns = probe_report.columns(report)
    table = plain_table(*columns, words=("pack", "convention", "else plays like"), fixed=columns[:-1])
    for row in probe_report.rows(report):
        table.add_row(*row, style="bold" if row[1] == scores.ALL else None)
    screen.print(table)
    screen.print()
    for note in probe_report.notes(report):
        screen.print(Text(note, style="magenta" if "no language model" in note else "dim"))


def listed(probes: Sequence[Probe], packs: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each convention of these packs, with its probes."""
    rows = []
    for name in packs:
        for convention in bank.pack(name).conventions:
            here = [one for one in probes if (one.pack, one.convention) == (name, convention.name)]
            if here:
                rows.append(_row(name, convention.name, convention.rule, here))
    return rows


def _row(pack: str, convention: str, rule: str, here: Sequence[Probe]) -> dict[str, Any]:
    guessing = sum(one.chance for one in here) / len(here)
    apart = here[0].apart
    return {
        "pack": pack,
        "convention": convention,
        "probes": len(here),
        "guessing": round(guessing, 3),
        "tells from": ", ".join(apart),
        "rule": rule,
    }


def show_probe(probe: Probe, screen: Console) -> None:
    """The story, the position, the question, and what keeps the convention."""
    for turn in probe.story.turns:
        if turn.decided and turn.moved:
            screen.print(turn_line(turn.started.view, turn.decided, turn.moved.past, None, screen.width))
    screen.print(picture(probe.view))
    other = [f"{name}: {' or '.join(map(str, moves))}" for name, moves in probe.others.items()]
    lines = [
        ("asked", f"P{probe.seat}: {probe.question}"),
        ("keeps it", " or ".join(map(str, probe.answers))),
        ("because", probe.why),
        ("guessing", f"{percent(probe.chance)} of the {len(probe.view.legal)} legal moves"),
        ("others", "; ".join(one if len(one) < LONG else f"{one[:LONG]} ..." for one in other)),
    ]
    for name, text in lines:
        screen.print(Text.assemble((f"{name:<10}", "dim"), text), soft_wrap=True)


LONG = 100
"""Characters of what one other player may do."""


def plain(probe: Probe) -> Mapping[str, Any]:
    """A probe as data, with its question, position, answers and what others do."""
    return {
        **probe.model_dump(mode="json"),
        "turn": probe.turn,
        "seat": probe.seat,
        "legal": [str(move) for move in probe.view.legal],
        "chance": probe.chance,
    }
