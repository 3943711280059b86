"""Draws the figures of a run, each with its table as a CSV file beside it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hanabi_orchestrator.experiments.document import blocks, plots
from hanabi_orchestrator.experiments.document.data import csv_text
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.report.figures import (
    calibration,
    choices,
    coalitions,
    maps,
    relations,
    scores,
)
from hanabi_orchestrator.experiments.report.figures.figure import Figure, Rows
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.logs import log


def all_figures(data: RunData) -> list[Figure]:
    """Return the figures in the order of the report."""
    return [
        *coalitions.figures(data),
        *scores.FIGURES,
        relations.DEALS,
        *([scores.ADHOC] if data.teams else []),
        *maps.cross_play(data),
        relations.SAMPLES,
        relations.TURNS,
        scores.ENDS,
        relations.COST,
        *choices.FIGURES,
        *calibration.FIGURES,
        choices.LIST_RANKS,
        *maps.policy(data),
    ]


FOLDER = "figures"
BROAD = 64
"""Cells from which a map is wider than a text."""


@dataclass(frozen=True)
class LeftOut:
    title: str
    why: str


class Drawable(Protocol):
    """The data of figures."""

    @property
    def folder(self) -> Path:
        """The folder into which they are drawn."""

    @property
    def label(self) -> str:
        """The note under every figure; empty without one."""


def draw(data: RunData, *, png: bool = True) -> tuple[list[blocks.Figure], list[LeftOut]]:
    """Write all figures of a run that have data, and their tables; also returns which were left
    out, and why."""
    return draw_each(all_figures(data), data, png=png)


def draw_each(
    those: Iterable[Figure], data: Drawable, *, png: bool = True
) -> tuple[list[blocks.Figure], list[LeftOut]]:
    """Write figures that have data, and their tables; also returns which were left out, and why.

    A figure that fails does not stop the others: its table has no picture.
    """
    figures = list[blocks.Figure]()
    left_out = list[LeftOut]()
    failed = list[LeftOut]()
    for figure in those:
        try:
            table = figure.data(data)
        except Exception as error:
            left_out.append(_failed(figure, error))
            continue
        csv = f"{FOLDER}/{figure.name}.csv"
        picture = f"{FOLDER}/{figure.name}.svg"
        svg = ""
        try:
            write_atomically(data.folder / csv, csv_text(table, digits=4))
            svg = plots.inline(
                _picture(figure, table, data, png=png),
                figure.name,
                f"{figure.title}. {figure.caption}",
            )
        except Exception as error:
            failed.append(_failed(figure, error))
        broad = figure.name.startswith(("cross-play", "policy")) and len(table) > BROAD
        heads = figure.name, figure.title, figure.caption
        figures.append(blocks.Figure(*heads, csv, picture if svg else "", svg, broad))
    return figures, [*left_out, *failed]


def _failed(figure: Figure, error: Exception) -> LeftOut:
    if isinstance(error, UserError | NothingToDrawError):
        return LeftOut(figure.title, str(error))
    if isinstance(error, OSError):
        return LeftOut(figure.title, f"it cannot be written: {error.strerror}")
    log.warning("a figure failed", figure=figure.name, exc_info=True)
    return LeftOut(figure.title, f"it failed: {type(error).__name__}: {error}")


def _picture(figure: Figure, table: Rows, data: Drawable, *, png: bool) -> str:
    """Draw a figure into its files; returns the SVG."""
    stem = data.folder / FOLDER / figure.name
    svg = plots.picture(
        lambda: figure.paint(table, data), data.label, stem.with_suffix(".png") if png else None
    )
    write_atomically(stem.with_suffix(".svg"), svg)
    return svg
