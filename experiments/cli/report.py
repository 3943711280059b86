"""`report`: what a run showed, whatever it asked; the marks of its roles; the errors of its
simulated models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
    Full,
    Intervals,
    MetricOf,
    Output,
    progress,
    say,
)
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.roles.words import many

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.document.blocks import Block, Document

R = TypeVar("R", contravariant=True)

LEAST = 50
"""Rollouts that can judge a move."""


def report(
    paths: Annotated[
        list[Path] | None,
        Argument(
            metavar="[RUN]...",
            help="A run's folder, default the newest in runs/; several of probes or of questions "
            "stand side by side.",
            show_default=False,
            autocompletion=completion.run,
        ),
    ] = None,
    marks: Annotated[
        bool | None,
        Option(
            "--marks/--no-marks",
            help="Mark the roles' responses against the hidden cards, about a second a game: of a "
            "run, games or one game. Default: as a part of the report where that is quick.",
            show_default=False,
        ),
    ] = None,
    errors: Annotated[
        bool, Option("--errors", help="Instead: what became of the errors of simulated models.")
    ] = False,
    out: Annotated[
        Path | None,
        Option(
            help="Also write here: with --marks every mark as CSV; of questions, probes, judges a "
            "folder."
        ),
    ] = None,
    metric: MetricOf = None,
    interval: Intervals = "t",
    reference: Annotated[
        list[str] | None,
        Option(help="Show a published score beside the run's; repeatable; see `list references`."),
    ] = None,
    latex: Annotated[
        bool, Option("--latex", help="Also write all tables for LaTeX (booktabs).")
    ] = False,
    role: Annotated[
        str | None, Option(help="With --marks: only this role.", autocompletion=completion.role)
    ] = None,
    arm: Annotated[str | None, Option(help="With --marks: only this arm.")] = None,
    rollouts: Annotated[
        int,
        Option(
            min=0,
            help="Also value moves by this many rollouts each: with --marks, and of positions.",
        ),
    ] = 0,
    games: Annotated[
        Path | None,
        Option(
            metavar="RUN",
            help="Of positions: a run of whole games with arms of the same names, beside it.",
        ),
    ] = None,
    human: Annotated[
        Path | None,
        Option(
            metavar="CSV", help="Of a judge: ratings by people: game, turn, the aspects, and rater."
        ),
    ] = None,
    workers: Annotated[int, Option(min=1, help="With --marks: worker processes.")] = 1,
    full: Full = False,
    *,
    output: Output,
) -> None:
    """Print a run's verdict, and write its report or its marks.

    A run of whole games, positions, probes, questions or a judge; the newest in runs/ if none is
    named. The report is written into its folder as report.html and report.md.
    """
    from hanabi_orchestrator.experiments.tasks import run_kinds

    folders = paths or [_newest()]
    if errors:
        from hanabi_orchestrator.experiments.report import error_counts

        arms = error_counts.count_run(folders[0])
        output.show(error_counts.data(arms), [error_counts.block(arms)])
        return
    kind = run_kinds.kind(folders[0])
    options: dict[str, object] = {
        "--metric": metric,
        "--reference": reference,
        "--interval": interval != "t",
        "--latex": latex,
        "--full": full,
        "--rollouts": rollouts,
        "--games": games,
        "--human": human,
        "--out": out,
        "--role": role,
        "--arm": arm,
        "--workers": workers > 1,
        "--marks": marks,
    }
    _check(kind, folders, options, marks=bool(marks))
    if kind not in OPTIONS:
        own = OwnReports(kind)
        print_task(own, own.read(folders), out or folders[0], output)
    elif kind == POSITIONS:
        from hanabi_orchestrator.experiments.tasks.positions import position_report as positions

        if rollouts:
            output.before_rollouts()
        changes = positions.read(folders[0], rollouts=rollouts, games=games, tex=latex)
        print_task(positions, changes, folders[0], output)
    elif kind == PROBES:
        from hanabi_orchestrator.experiments.tasks.probes import probe_report as probes

        print_task(
            probes, probes.read(folders), out, output, **({"folder": str(out)} if out else {})
        )
    elif kind == QUESTIONS:
        from hanabi_orchestrator.experiments.tasks.questions import question_report as questions

        print_task(questions, questions.read(folders), out, output)
    elif kind == JUDGE:
        from hanabi_orchestrator.experiments.tasks.judge import human_ratings
        from hanabi_orchestrator.experiments.tasks.judge import judge_report as judge

        ratings = human_ratings.read(human) if human else ()
        print_task(judge, judge.read(folders[0], ratings), out, output)
    elif marks and (role or arm or rollouts or out or not (folders[0] / RUN).is_file()):
        _marks(folders[0], role, arm, rollouts, out, workers, output)
    else:
        wishes = {
            "metric": metric,
            "interval": interval,
            "tex": latex,
            "reference": reference or (),
        }
        _games(folders[0], output, workers, marks=marks, full=full, **wishes)


def _check(
    kind: str, folders: Sequence[Path], options: Mapping[str, object], *, marks: bool
) -> None:
    """Raise UserError for an option of another kind of run, and for several folders of a kind that
    takes one."""
    known = (*OPTIONS.get(kind, OF_OWN), *(WITH_MARKS if marks else ()))
    if wrong := next(
        (name for name, value in options.items() if value and name not in known), None
    ):
        note = "; it is for --marks" if wrong in WITH_MARKS and "--marks" in known else ""
        raise UserError(
            f"{wrong} is not for the report of {kind}, which takes {', '.join(known)}{note}"
        )
    if len(folders) > 1 and kind in OPTIONS and kind not in SEVERAL:
        raise UserError(
            f"report takes several folders of {' or of '.join(SEVERAL)}, and one of {kind}"
        )


GAMES = "games"
POSITIONS = "positions"
PROBES = "probes"
QUESTIONS = "questions"
JUDGE = "judge"
SEVERAL = (PROBES, QUESTIONS)
OPTIONS = {
    GAMES: ("--metric", "--interval", "--reference", "--latex", "--marks", "--full"),
    POSITIONS: ("--rollouts", "--games", "--latex"),
    PROBES: ("--out",),
    QUESTIONS: ("--out",),
    JUDGE: ("--out", "--human"),
}
OF_OWN = ("--out",)
"""Of a task of a package of others."""
WITH_MARKS = ("--role", "--arm", "--rollouts", "--out", "--workers")
RUN = "run.yaml"


def _newest() -> Path:
    """Return the run below runs/ whose record was written last. Raises UserError where there is
    none."""
    from hanabi_orchestrator.experiments.tasks import run_kinds

    records = list(
        chain.from_iterable(Path("runs").glob(f"**/{name}") for name in run_kinds.records())
    )
    if not records:
        raise UserError("there is no run in runs/; name a run's folder")
    return max(records, key=lambda path: path.stat().st_mtime).parent


def _games(
    folder: Path, output: Output, workers: int, *, marks: bool | None, full: bool, **wishes: Any
) -> None:
    """Write the report of a run; where marks are asked for, print their table as well."""
    from hanabi_orchestrator.experiments.report import marked_run, marks_table, run_report
    from hanabi_orchestrator.experiments.tasks.judge import judge_report

    marked = (
        marked_run.marked(marked_run.read(folder), workers, progress("marks of game"))
        if marks
        else None
    )
    written = run_report.write(
        folder, marks=marks, **wishes, tasks=judge_report.blocks_of_run(folder)
    )
    data = run_report.json_value(written)
    blocks = [*run_report.files(written, full=full)]
    if marked:
        data = {**marks_table.data(marked), **data}
        blocks = [*marks_table.blocks(marked), *blocks]
    output.show(data, blocks)


def _marks(
    path: Path,
    role: str | None,
    arm: str | None,
    rollouts: int,
    out: Path | None,
    workers: int,
    output: Output,
) -> None:
    from hanabi_orchestrator.experiments.report import marked_run, marks_table

    if 0 < rollouts < LEAST:
        raise UserError(
            f"--rollouts is {rollouts}; fewer than {LEAST} say nothing, and 0 plays none"
        )
    games = marked_run.read(path, arm)
    if rollouts:
        output.before_rollouts()
    table = marks_table.CsvFile(out, role) if out else None
    add = table.add if table else lambda row, marks: None
    run = marked_run.marked(games, workers, progress("marks of game"), rollouts, add)
    run = run.role(role) if role else run
    if table:
        table.end()
    data = marks_table.data(run) | (
        {"csv": str(table.path), "rows": table.written} if table else {}
    )
    output.show(data, marks_table.blocks(run))
    if table and not output.as_json:
        say(f"\n{many(table.written, 'mark')}  {table.path}")


@dataclass(frozen=True)
class OwnReports:
    """The reports of a task of one's own, as those of a packaged one."""

    name: str

    def read(self, folders: Sequence[Path]) -> "Document":
        """Return the report of the runs in some folders. Raises UserError."""
        from hanabi_orchestrator.experiments.document.blocks import Document
        from hanabi_orchestrator.experiments.tasks import task_kinds

        task = task_kinds.kinds.get(self.name)
        if task.report is None:
            raise UserError(f"the task {self.name!r} has no report")
        return Document(self.name, tuple(task.report(folders)))

    def blocks(self, report: "Document", /) -> "Iterable[Block]":
        """Return what the terminal shows."""
        return report.unfolded

    def json_value(self, report: "Document", /) -> dict[str, Any]:
        """Return what `--json` prints."""
        from hanabi_orchestrator.experiments.document import data

        return data.json_value(report)

    def write(self, report: "Document", folder: Path, /) -> list[Path]:
        """Write the report as Markdown and HTML. Raises OSError."""
        from hanabi_orchestrator.experiments.document import html, markdown
        from hanabi_orchestrator.experiments.record.files import write_all

        texts = {"report.md": markdown.text(report), "report.html": html.page(report)}
        return write_all(folder, texts)


class TaskReports(Protocol[R]):
    """A task's module of reports."""

    def blocks(self, report: R, /) -> "Iterable[Block]": ...
    def json_value(self, report: R, /) -> dict[str, Any]: ...
    def write(self, report: R, folder: Path, /) -> list[Path]: ...


def print_task(
    reports: TaskReports[R], report: R, out: Path | None, output: Output, **more: Any
) -> None:
    """Print the report of another task than games, and write it into a folder; `more` stands before
    its data."""
    written = reports.write(report, out) if out else []
    output.show({**more, **reports.json_value(report)}, reports.blocks(report))
    if written and not output.as_json:
        say(f"\n{out}/: {', '.join(path.name for path in written)}")
