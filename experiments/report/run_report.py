"""Writes the report of a run folder: report.html and report.md, and its figures with their tables."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.analysis import adhoc_teams, conclusions, role_controls
from experiments.analysis.adhoc_teams import AdHocTeams
from experiments.analysis.analysis import Analysis, analyse
from experiments.analysis.role_controls import RoleControls
from experiments.record import run_folder
from experiments.record.files import locked, write_atomically
from experiments.record.rows import Peeked
from experiments.report import adhoc_section, latex, marked_run, page, roles_section
from experiments.report.figures import drawing
from experiments.report.marked_run import MarkedRun, Unmarked
from experiments.report.roles_section import RolesSection
from experiments.report.run_data import run_data
from experiments.statistics.estimates import Interval
from experiments.study.metric import Headline, headline
from experiments.study.references import named, unfit
from experiments.tasks.games.experiment_run import ExperimentDone as Done

HTML, MARKDOWN, LATEX = "report.html", "report.md", "tables.tex"


@dataclass(frozen=True)
class Report:
    """What was written."""

    folder: Path
    analysis: Analysis
    headline: Headline
    drawn: tuple[drawing.DrawnFigure, ...]
    left: tuple[drawing.LeftOut, ...]
    """Figures without data, and those that could not be drawn."""
    tex: bool = False
    """Whether tables for LaTeX were written."""
    teams: tuple[AdHocTeams, ...] = ()
    roles: RolesSection = RolesSection(None)  # noqa: RUF009  # frozen
    controls: tuple[RoleControls, ...] = ()
    """Each role's effect beside its controls."""
    unfit: tuple[str, ...] = ()
    """Which references are not shown, and why."""

    @property
    def html(self) -> Path:
        return self.folder / HTML

    def data(self) -> dict[str, Any]:
        return {
            "report": [str(self.html), str(self.folder / MARKDOWN)],
            "latex": str(self.folder / LATEX) if self.tex else None,
            "metric": asdict(self.headline),
            "figures": [str(self.folder / (one.picture if one.svg else one.csv)) for one in self.drawn],
            "references_left_out": list(self.unfit),
            "left_out": [asdict(one) for one in self.left],
            "analysis": conclusions.as_data(self.analysis),
            "roles": self.roles.data(),
            **({"adhoc": adhoc_teams.data(self.teams)} if self.teams else {}),
            **({"controls": role_controls.data(self.controls)} if self.controls else {}),
        }


def write(
    folder: Path,
    *,
    known: Mapping[Path, Peeked] | None = None,
    interval: Interval = "t",
    metric: str | None = None,
    png: bool = True,
    tex: bool = False,
    marks: bool | None = None,
    reference: Sequence[str] = (),
) -> Report:
    """Write the report of a run folder into it, while no other shard of the run does.

    `known`: its journals, as far as they have been read already; `interval`: the method of the 95 % intervals;
    `metric`: what arms are compared by, if it is not to be the run's own; `png`: write PNG files beside the SVG files;
    `tex`: write the tables for LaTeX; `marks`: as `compute` of `marked_run.prepare`; `reference`: names of published
    scores to show, beside those that the experiment names. Raises UserError for a folder without finished games.
    """
    run_folder.run(folder)  # what is wrong with run.yaml is said before anything else
    why = marked_run.prepare(folder, run_folder.read_rows(folder, known), compute=marks)  # long, so before the lock
    with locked(folder) if folder.is_dir() else nullcontext():
        left = Unmarked(why) if why else None
        return _write(folder, known or {}, interval, metric, reference, left, png=png, tex=tex)


def _write(
    folder: Path,
    known: Mapping[Path, Peeked],
    interval: Interval,
    metric: str | None,
    reference: Sequence[str],
    unmarked: Unmarked | None,
    *,
    png: bool,
    tex: bool,
) -> Report:
    run = run_folder.run(folder)
    games = tuple(run_folder.read_rows(folder, known))
    asked = named([*_asked(run), *reference])
    data = replace(run_data(folder, games, run, metric, interval), references=asked)
    roles = roles_section.section(marked := unmarked or marked_run.ready(data))
    data = replace(data, marked=marked.games if isinstance(marked, MarkedRun) else ())
    drawn, left = drawing.draw(data, png=png)
    report = Report(
        folder,
        data.analysis,
        data.headline,
        tuple(drawn),
        tuple(left),
        tex,
        tuple(adhoc_section.found(data)),
        roles,
        tuple(role_controls.role_controls(data.analysis, run)),
        tuple(unfit(data.references, data.players(), data.metric)),
    )
    contents = page.contents(data, report.drawn, report.left, roles)
    write_atomically(report.html, page.html(contents))
    write_atomically(folder / MARKDOWN, page.markdown(contents))
    if tex:
        write_atomically(folder / LATEX, latex.document(data, contents))
    return report


def _asked(run: Mapping[str, Any]) -> list[str]:
    """The references that an experiment names, one or a list."""
    found = (run.get("experiment") or {}).get("reference") or []
    return [found] if isinstance(found, str) else list(found)


def of_run(
    done: Done, *, interval: Interval = "t", metric: str | None = None, marks: bool | None = None
) -> tuple[Analysis, Headline, RolesSection]:
    """Write the report of a run that was just played; the analysis, what it is about, and its roles."""
    folder = done.plan.folder
    if not done.rows or done.unwritten:
        shown = headline({"metric": done.plan.metric}, metric)
        return analyse(done.rows, score=shown.score), shown, RolesSection(None)
    made = write(folder, known=done.games, interval=interval, metric=metric, png=False, marks=marks)
    return made.analysis, made.headline, made.roles


def show(report: Report, console: Console) -> None:
    """What was written, and what was left out."""
    pictures = sum(one.svg is not None for one in report.drawn)
    figures = f"{len(report.drawn)} tables and {pictures} pictures in {report.folder / drawing.FOLDER}"
    console.print(
        Text(f"report   {report.html}\n         {report.folder / MARKDOWN}\nfigures  {figures}"), soft_wrap=True
    )
    if report.tex:
        console.print(Text(f"LaTeX    {report.folder / LATEX}"), soft_wrap=True)
    for sentence in (report.headline.sentence, *report.unfit):
        console.print(Text(sentence), soft_wrap=True)
    for one in report.left:
        console.print(Text(f"left out {one.title}: {one.why}", style="dim"), soft_wrap=True)
    if not drawing.there():
        console.print(Text(drawing.MISSING, style="dim"), soft_wrap=True)
