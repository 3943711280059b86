"""A figure of a report: the table that it shows, and how it is drawn from that table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from experiments.document.blocks import Cell
from experiments.report.run_data import RunData

Rows: TypeAlias = list[dict[str, Any]]
"""The data of a figure, with a row for each mark; it is written as CSV beside the picture."""


def figure_rows(columns: Iterable[str], rows: Iterable[Sequence[Cell]]) -> Rows:
    """Return the rows of a table by its columns."""
    columns = tuple(columns)
    return [dict(zip(columns, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class Figure:
    name: str
    """The name of its files."""
    title: str
    caption: str
    """What it shows, in a sentence or two."""
    data: Callable[[RunData], Rows]
    """Raises NothingToDrawError when there is nothing to draw."""
    paint: Callable[[Rows, RunData], Any]
    """Returns a matplotlib figure."""
    arm: str | None = None
    """The arm that it shows, where its table has more."""
