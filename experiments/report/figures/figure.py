"""A figure of a report: the table that it shows, and how it is drawn from that table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from hanabi_orchestrator.experiments.analysis.statistics import clusters
from hanabi_orchestrator.experiments.document import plots

Rows: TypeAlias = list[dict[str, Any]]
"""The data of a figure, with a row for each mark; it is written as CSV beside the picture."""


EXPERIENCED = (18, 23)
"""Scores of experienced players, from the paper on Sherlock (section 4)."""
SOURCE = (
    "experienced players score 18–23 (“Sparks of Cooperative Reasoning: LLMs as Strategic "
    "Hanabi Agents”, section 4)"
)


def experienced(axes: Any) -> None:
    """Draw a faint band where experienced players score."""
    axes.axvspan(*EXPERIENCED, color=plots.FAINT, alpha=0.45, linewidth=0, zorder=0)


def by_players(rows: Iterable[dict[str, Any]]) -> Rows:
    """Return rows by player count, pooled ones last; otherwise in their order."""
    return sorted(rows, key=lambda row: row["players"] or 9)


def groups(table: Rows, *keys: str) -> dict[Any, Rows]:
    """Return the rows of a table by their values of these columns, by default by their player
    counts."""
    return clusters.groups(table, itemgetter(*keys or ("players",)))


@dataclass(frozen=True)
class Figure:
    name: str
    """The name of its files."""
    title: str
    caption: str
    """What it shows, in a sentence or two."""
    data: Callable[[Any], Rows]
    """Takes the data that is drawn: of most figures `RunData`. Raises NothingToDrawError for
    nothing to draw."""
    paint: Callable[[Rows, Any], Any]
    """Returns a matplotlib figure of these rows and that data."""
    arm: str | None = None
    """The arm that it shows, where its table has more."""
