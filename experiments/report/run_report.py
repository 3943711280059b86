"""Writes the report of a run folder: report.html and report.md, and its figures with their tables."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.report import page
from experiments.report.figures import drawing
from experiments.report.run_data import RunData, in_order
from experiments.results import run_folder
from experiments.results.files import write_atomically
from experiments.results.rows import Row
from experiments.statistics import conclusions
from experiments.statistics.analysis import Analysis, analyse
from experiments.statistics.estimates import Interval

HTML, MARKDOWN = "report.html", "report.md"


@dataclass(frozen=True)
class Report:
    """What was written."""

    folder: Path
    analysis: Analysis
    drawn: tuple[drawing.DrawnFigure, ...]
    left: tuple[drawing.LeftOut, ...]
    """Figures without data, and those that could not be drawn."""

    @property
    def html(self) -> Path:
        return self.folder / HTML

    def data(self) -> dict[str, Any]:
        return {
            "report": [str(self.html), str(self.folder / MARKDOWN)],
            "figures": [str(self.folder / (one.picture if one.svg else one.csv)) for one in self.drawn],
            "left_out": [asdict(one) for one in self.left],
            "analysis": conclusions.as_data(self.analysis),
        }


def write(folder: Path, *, rows: Sequence[Row] | None = None, interval: Interval = "t", png: bool = True) -> Report:
    """Write the report of a run folder into it.

    `rows`: the finished games, if they have been read already; `interval`: the method of the 95 % intervals; `png`:
    write PNG files beside the SVG files. Raises UserError for a folder without finished games.
    """
    run = run_folder.run(folder)
    games = tuple(run_folder.read_rows(folder) if rows is None else rows)
    arms = in_order(list(run.get("arms", {})), games)
    analysis = analyse(games, run.get("baseline"), arms, interval=interval)
    data = RunData(folder, games, analysis, run, arms)
    drawn, left = drawing.draw(data, png=png)
    report = Report(folder, analysis, tuple(drawn), tuple(left))
    contents = page.contents(data, report.drawn, report.left)
    write_atomically(report.html, page.html(contents))
    write_atomically(folder / MARKDOWN, page.markdown(contents))
    return report


def show(report: Report, console: Console) -> None:
    """What was written, and what was left out."""
    pictures = sum(one.svg is not None for one in report.drawn)
    figures = f"{len(report.drawn)} tables and {pictures} pictures in {report.folder / drawing.FOLDER}"
    console.print(
        Text(f"report   {report.html}\n         {report.folder / MARKDOWN}\nfigures  {figures}"), soft_wrap=True
    )
    for one in report.left:
        console.print(Text(f"left out {one.title}: {one.why}", style="dim"), soft_wrap=True)
    if not drawing.there():
        console.print(Text(drawing.MISSING, style="dim"), soft_wrap=True)
