"""A figure of a report: the table that it shows, and how it is drawn from that table."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any

from experiments.report.run_data import RunData

Cell = str | int | float | None


@dataclass(frozen=True)
class FigureTable:
    """The data of a figure, with a row for each mark; it is written as CSV beside the picture."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def csv(self) -> str:
        out = StringIO()
        write = csv.writer(out, lineterminator="\n")
        write.writerow(self.columns)
        write.writerows([_written(cell) for cell in row] for row in self.rows)
        return out.getvalue()

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _written(cell: Cell) -> Cell:
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else cell


@dataclass(frozen=True)
class Figure:
    name: str
    """The name of its files."""
    title: str
    caption: str
    """What it shows, in a sentence or two."""
    data: Callable[[RunData], FigureTable]
    """Raises NothingToDrawError when there is nothing to draw."""
    paint: Callable[[FigureTable, RunData], Any]
    """Returns a matplotlib figure."""
    arm: str | None = None
    """The arm that it shows, where its table has more."""
