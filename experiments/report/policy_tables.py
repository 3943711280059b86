"""The tables of `experiment policy`: which action follows which, or ranks of chosen moves in recommenders' lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import By
from experiments.document.blocks import Block, Note
from experiments.document.data import csv_text
from experiments.record import run_folder
from experiments.record.files import write_atomically
from experiments.record.provenance import Provenance
from experiments.record.rows import Row
from experiments.report.figures import list_ranks as rank_figure
from experiments.report.figures import policy, style
from orchestrator.errors import UserError

KINDS = (".svg", ".png")


def check(path: Path) -> None:
    """Raise UserError for a file that cannot be written as a picture, before anything is reckoned."""
    if path.suffix not in KINDS:
        raise UserError(f"--out writes .csv, {' or '.join(KINDS)} files, not {path.name!r}")


def write(path: Path, paint: Callable[[], Any], rows: Sequence[Row]) -> None:
    """Draw a picture of games into a file; the note below it says where no language model played.

    Raises UserError when the file cannot be written.
    """
    with style.set_up():
        painted = paint()
        style.footnote(painted, label(rows))
        style.settle(painted)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".png":
                style.write_png(painted, path)
            else:
                with path.open("w", encoding="utf-8") as file:
                    style.write_svg(painted, file)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from None


def label(rows: Sequence[Row]) -> str:
    """Return which of these games no language model played, for the foot of a picture or a table; else empty."""
    return Provenance.union(row.provenance for row in rows).note


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
    """The tables as data and as blocks of a document."""

    data: list[dict[str, Any]]
    blocks: tuple[Block, ...]


def make(folder: Path, request: Wanted) -> Tables:
    """Compute the tables of a run folder, and write the files that are asked for.

    Raises UserError when there is no such table, and for a file that cannot be written.
    """
    if request.figure:
        check(request.figure)
    rows = run_folder.read_rows(folder)
    if request.list_ranks:
        nobody = "nobody chose from a recommender's list in"
        ranks = policies.select(policies.rank_tables(folder, rows, by=request.by), request.arm, request.players, nobody)
        data, blocks = policies.rank_data(ranks), policies.rank_blocks(ranks)
        table, paint = rank_figure.table_of(ranks), rank_figure.paint
    else:
        none = "there are no two turns of"
        pairs = policies.select(policies.action_tables(folder, rows, by=request.by), request.arm, request.players, none)
        data, blocks = policies.action_data(pairs), policies.action_blocks(pairs)
        table, paint = policy.table_of(pairs), policy.paint
    pairs_drawn = {(row["arm"], row["players"]) for row in table}
    games = [row for row in rows if (row.arm, row.players) in pairs_drawn]
    if request.csv:
        try:
            write_atomically(request.csv, csv_text(table, digits=4))
        except OSError as error:
            raise UserError(f"{str(request.csv)!r} cannot be written: {error.strerror}") from None
    if request.figure:
        write(request.figure, lambda: paint(table), games)
    note = label(games)
    return Tables(data, (*blocks, *([Note(note, "no model")] if note else [])))
