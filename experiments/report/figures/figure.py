"""A kind of figure: the table that it is drawn from, and how it is drawn from that table alone."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any

from experiments.report.run_data import RunData

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """What a figure shows, a row for each of its marks."""

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
    """Of its files."""
    title: str
    caption: str
    """What is drawn, in a sentence or two."""
    data: Callable[[RunData], Table]
    """Raises NothingToDrawError when there is nothing to draw."""
    paint: Callable[[Table, RunData], Any]
    """A matplotlib figure."""
