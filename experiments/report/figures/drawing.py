"""Draws the figures of a run, each with its table as a CSV file beside it."""

from dataclasses import dataclass

from experiments.document import plots
from experiments.document.data import csv_text
from experiments.record.files import write_atomically
from experiments.report.figures import calibration, choices, maps, relations, scores
from experiments.report.figures.figure import Figure, Rows
from experiments.report.run_data import NothingToDrawError, RunData
from orchestrator.errors import UserError
from orchestrator.logs import log


def all_figures(data: RunData) -> list[Figure]:
    """Return the figures in the order of the report."""
    return [
        *scores.FIGURES,
        relations.DEALS,
        *([scores.ADHOC] if data.teams else []),
        *maps.cross_play(data),
        *(relations.SAMPLES, relations.TURNS, scores.ENDS, relations.COST),
        *choices.FIGURES,
        *calibration.FIGURES,
        choices.LIST_RANKS,
        *maps.policy(data),
    ]


FOLDER = "figures"


@dataclass(frozen=True)
class DrawnFigure:
    """A figure and its table, as they were written."""

    figure: Figure
    table: Rows
    svg: str | None
    """None when it could not be drawn."""

    @property
    def csv(self) -> str:
        return f"{FOLDER}/{self.figure.name}.csv"

    @property
    def picture(self) -> str:
        return f"{FOLDER}/{self.figure.name}.svg"


@dataclass(frozen=True)
class LeftOut:
    title: str
    why: str


def draw(data: RunData, *, png: bool = True) -> tuple[list[DrawnFigure], list[LeftOut]]:
    """Write all figures that have data, and their tables; also returns which were left out, and why.

    A figure that fails does not stop the others.
    """
    painted, left_out, failed = list[DrawnFigure](), list[LeftOut](), list[LeftOut]()
    for figure in all_figures(data):
        try:
            table = figure.data(data)
        except Exception as error:
            left_out.append(_failed(figure, error))
            continue
        write_atomically(data.folder / FOLDER / f"{figure.name}.csv", csv_text(table, digits=4))
        svg = None
        try:
            svg = _picture(figure, table, data, png=png)
        except Exception as error:
            failed.append(_failed(figure, error))
        painted.append(DrawnFigure(figure, table, svg))
    return painted, [*left_out, *failed]


def _failed(figure: Figure, error: Exception) -> LeftOut:
    if isinstance(error, UserError | NothingToDrawError):
        return LeftOut(figure.title, str(error))
    log.warning("a figure failed", figure=figure.name, exc_info=True)
    return LeftOut(figure.title, f"it failed: {type(error).__name__}: {error}")


def _picture(figure: Figure, table: Rows, data: RunData, *, png: bool) -> str:
    """Draw a figure into its files; returns the SVG."""
    with plots.set_up():
        painted = figure.paint(table, data)
        plots.footnote(painted, data.label)
        plots.settle(painted)
        svg, stem = plots.svg(painted), data.folder / FOLDER / figure.name
        write_atomically(stem.with_suffix(".svg"), svg)
        if png:
            plots.write_png(painted, stem.with_suffix(".png"))
        return svg
