"""The tables of `experiment policy`: which action follows which, or ranks of chosen moves in recommenders' lists."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.analysis import action_tables, list_ranks
from experiments.analysis.action_tables import By
from experiments.document import terminal
from experiments.document.blocks import Note
from experiments.record import run_folder
from experiments.record.files import write_atomically
from experiments.report.figures import list_ranks as rank_figure
from experiments.report.figures import picture_file, policy
from orchestrator.errors import UserError


@dataclass(frozen=True)
class Wanted:
    """What is asked for."""

    arm: str | None = None
    players: int | None = None
    by: By = "player"
    list_ranks: bool = False
    csv: Path | None = None
    figure: Path | None = None


@dataclass(frozen=True)
class Tables:
    """The tables that were found, as data and for a terminal."""

    data: list[dict[str, Any]]
    show: Callable[[Console], None]


def make(folder: Path, wanted: Wanted) -> Tables:
    """Reckon the tables of a run folder, and write the files that are asked for.

    Raises UserError when there is no such table, and for a file that cannot be written.
    """
    if wanted.figure:
        picture_file.check(wanted.figure)
    rows = run_folder.read_rows(folder)
    if wanted.list_ranks:
        ranks = list_ranks.chosen(list_ranks.tables(folder, rows, by=wanted.by), wanted.arm, wanted.players)
        found = Tables(list_ranks.data(ranks), lambda console: list_ranks.show(ranks, console))
        table, paint = rank_figure.table_of(ranks), rank_figure.paint
    else:
        pairs = action_tables.chosen(action_tables.tables(folder, rows, by=wanted.by), wanted.arm, wanted.players)
        found = Tables(action_tables.data(pairs), lambda console: action_tables.show(pairs, console))
        table, paint = policy.table_of(pairs), policy.paint
    shown = {(row["arm"], row["players"]) for row in table.records()}
    games = [row for row in rows if (row.arm, row.players) in shown]
    if wanted.csv:
        try:
            write_atomically(wanted.csv, table.csv())
        except OSError as error:
            raise UserError(f"{str(wanted.csv)!r} cannot be written: {error.strerror}") from None
    if wanted.figure:
        picture_file.write(wanted.figure, lambda: paint(table), games)
    return Tables(found.data, lambda console: _labelled(found, picture_file.label(games), console))


def _labelled(tables: Tables, label: str, console: Console) -> None:
    """Print the tables, and which games no language model played."""
    tables.show(console)
    terminal.show([Note(label, "no model")] if label else [], console)
