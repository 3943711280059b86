"""The tables of `experiment policy`: which action follows which, or ranks of chosen moves in recommenders' lists."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments.analysis import policies
from experiments.analysis.policies import By
from experiments.document.blocks import Block, Note
from experiments.document.data import csv_text
from experiments.record import run_folder
from experiments.record.files import write_atomically
from experiments.record.provenance import Provenance
from experiments.report.figures import list_ranks as rank_figure
from experiments.report.figures import policy, style
from orchestrator.errors import UserError

KINDS = (".svg", ".png")


def tables(
    folder: Path,
    arm: str | None,
    players: int | None,
    by: By,
    *,
    list_ranks: bool,
    csv: Path | None = None,
    figure: Path | None = None,
) -> tuple[list[dict[str, Any]], list[Block]]:
    """Return the tables of a run folder as data and as blocks, and write the files that are named.

    Raises UserError when there is no such table, and for a file that cannot be written.
    """
    if figure and figure.suffix not in KINDS:
        raise UserError(f"--out writes .csv, {' or '.join(KINDS)} files, not {figure.name!r}")
    rows = run_folder.read_rows(folder)
    if list_ranks:
        nobody = "nobody chose from a recommender's list in"
        ranks = policies.select(policies.rank_tables(folder, rows, by=by), arm, players, nobody)
        data, blocks = policies.rank_data(ranks), [*policies.rank_blocks(ranks)]
        table, paint = rank_figure.table_of(ranks), rank_figure.paint
    else:
        none = "there are no two turns of"
        pairs = policies.select(policies.action_tables(folder, rows, by=by), arm, players, none)
        data, blocks = policies.action_data(pairs), [*policies.action_blocks(pairs)]
        table, paint = policy.table_of(pairs), policy.paint
    samples = {(row["arm"], row["players"]) for row in table}
    note = Provenance.union(row.provenance for row in rows if (row.arm, row.players) in samples).note
    if csv:
        with _writing(csv):
            write_atomically(csv, csv_text(table, digits=4))
    if figure:
        with style.set_up():
            painted = paint(table)
            style.footnote(painted, note)
            style.settle(painted)
            with _writing(figure):
                figure.parent.mkdir(parents=True, exist_ok=True)
                if figure.suffix == ".png":
                    style.write_png(painted, figure)
                else:
                    with figure.open("w", encoding="utf-8") as file:
                        style.write_svg(painted, file)
    return data, [*blocks, *([Note(note, "no model")] if note else [])]


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from None
