"""Columns of games and a table of marks on demand, beside those that every run has.

Columns are added at the end and never change the others: `marks` gives the mean of each mark of
each role in a game, `quality` the number of its moves with each known fault.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import parquet, run_folder
from hanabi_orchestrator.experiments.record.files import write_csv
from hanabi_orchestrator.experiments.record.parquet import MoreColumns
from hanabi_orchestrator.experiments.record.rows import COLUMNS, Row
from hanabi_orchestrator.experiments.values import marking
from hanabi_orchestrator.experiments.values.game_marks import GameMarks, all_baselines
from hanabi_orchestrator.experiments.values.mark_tally import tallied
from hanabi_orchestrator.experiments.values.marking import Done
from hanabi_orchestrator.experiments.values.mistakes import KINDS
from hanabi_orchestrator.orchestrator.errors import UserError

MARKS = {
    **parquet.GAME,
    **{name: parquet.CALLS[name] for name in ("turn", "seat", "node", "role", "model", "sample")},
    **{"mark": "string", "other": "string", "value": "float64"},
}
"""The columns of marks.parquet, with a row for every mark of every reply; its baselines follow."""


@dataclass(frozen=True)
class Wanted:
    """What is to be added, and how it is computed."""

    names: Collection[str]
    """`marks`, `quality`."""
    workers: int = 1
    done: Done | None = None

    def marks(self, folder: Path, rows: Sequence[Row]) -> Iterator[GameMarks]:
        """Return the marks of the games, in their order. Raises UserError without their
        journals."""
        paths = [folder / row.journal for row in rows]
        if missing := [path for path in paths if not path.exists()]:
            raise UserError(
                f"{str(missing[0])!r} is not there; marks are computed from the journals"
            )
        return marking.marked(paths, self.workers, self.done)


def columns(folder: Path, rows: Sequence[Row], choice: Wanted) -> MoreColumns:
    """Return the columns that are to be added to a run's games."""
    cells = dict[str, dict[str, float | int]]()
    for row, marks in zip(
        rows, choice.marks(folder, rows) if choice.names else (), strict=bool(choice.names)
    ):
        of_game = cells.setdefault(row.journal, {})
        if "quality" in choice.names:
            of_game |= {f"fault_{kind}": marks.quality[kind] for kind in KINDS}
        # `mark_analyst_play_brier`; about another role `mark_aggregator_agrees_analyst`
        if "marks" in choice.names:
            for key, tally in tallied(marks).items():
                of_game["_".join(filter(None, ("mark", key.role, key.name, key.other)))] = (
                    tally.mean
                )
    names = dict.fromkeys(chain.from_iterable(cells.values()))
    types = {}
    for name in sorted(names):
        types[name] = "int16" if name.startswith("fault_") else "float64"
    return MoreColumns(types, cells)


def write_results(folder: Path, out: Path, choice: Wanted) -> tuple[int, int]:
    """Write the columns of results.csv and those that are wanted; returns how many rows and
    columns."""
    rows = run_folder.read_rows(folder)
    more = columns(folder, rows, choice)
    added = (more.cells.get(row.journal, {}) for row in rows)
    lines = []
    for row, cells in zip(rows, added, strict=True):
        lines.append([*map(partial(getattr, row), COLUMNS), *map(cells.get, more.types)])
    write_csv(out, (*COLUMNS, *more.types), lines)
    return len(rows), len(COLUMNS) + len(more.types)


def write_tables(folder: Path, out: Path, choice: Wanted, *, texts: bool = False) -> dict[str, int]:
    """Write the tables of a run with what is wanted; returns how many rows each has. Raises as
    `parquet.export`."""
    rows = run_folder.read_rows(folder)
    written = parquet.export(folder, out, texts=texts, more=columns(folder, rows, choice))
    if "marks" in choice.names:
        written["marks"] = parquet.write(
            out / "marks.parquet", mark_types(), _marks(folder, rows, choice)
        )
    return written


def mark_types() -> dict[str, str]:
    """Return the columns of marks.parquet with their types."""
    return {**MARKS, **dict.fromkeys(all_baselines(), "float64")}


def _marks(folder: Path, rows: Sequence[Row], choice: Wanted) -> Iterator[dict[str, Any]]:
    names = all_baselines()
    for row, marks in zip(rows, choice.marks(folder, rows), strict=True):
        game = {name: getattr(row, name) for name in parquet.GAME}
        for mark in marks.marks:
            reply = mark.model_dump(exclude={"name", "baselines"})
            baselines = {name: mark.baselines.get(name) for name in names}
            yield {**game, **reply, "mark": mark.name, **baselines}
