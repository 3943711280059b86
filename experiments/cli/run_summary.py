"""What `experiment run` prints at the end: the verdict and one table, or the whole report; also as
data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hanabi_orchestrator.experiments.document.blocks import Block, Note, Text, notes
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.report import roles_section, run_data, run_report, verdict
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun, Unmarked
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.report.run_report import Report
from hanabi_orchestrator.experiments.study import notes as study_notes
from hanabi_orchestrator.experiments.tasks.games.experiment_run import ExperimentDone
from hanabi_orchestrator.orchestrator.journal.move_origins import COUNTS
from hanabi_orchestrator.roles.words import many


@dataclass(frozen=True)
class RunSummary:
    """A run that was just played, and what its games say."""

    done: ExperimentDone
    data: RunData
    report: Report | None = None
    """None where none is written."""

    @property
    def roles(self) -> MarkedRun | Unmarked | None:
        if self.report:
            return self.report.roles
        return None


def summary(
    done: ExperimentDone,
    *,
    interval: Literal["t", "bootstrap"] = "t",
    marks: bool | None = None,
    tasks: Sequence[Block] = (),
) -> RunSummary:
    """Write the report of a run that was just played, and return what it says; options as of
    `run_report.write`."""
    folder = done.plan.folder
    if not done.rows or done.unwritten:
        return RunSummary(done, run_data.uncompared(folder, done.rows, done.plan.metric))
    report = run_report.write(
        folder, peeked=done.games, interval=interval, png=False, marks=marks, tasks=tasks
    )
    return RunSummary(done, report.data, report)


def json_value(run: RunSummary) -> dict[str, Any]:
    """Return the outcome of a run as plain data."""
    done = run.done
    status = run.done.status
    moves = {}
    for arm, counts in status.moves.items():
        moves[arm] = {name: counts[name] for name in COUNTS}
    return {
        "experiment": done.plan.experiment.name,
        "out": str(done.plan.folder),
        "question": done.plan.experiment.question,
        **run_report.analysis_data(run.data.analysis),
        "metric_why": run.data.headline.why,
        "roles": roles_section.data(run.roles),
        **run_report.findings(run.data, run.report.added if run.report else ()),
        "failed": [{"game": game, "why": why} for game, why in done.failed.items()],
        "suspended": done.suspended,
        "left": done.left,
        "this_command": {
            **{
                name: getattr(status, name)
                for name in ("answers", "unusable", "fallbacks", "tokens")
            },
            "usd": status.usd if status.priced else None,
            "fake": status.fake,
            "moves": moves,
        },
        "notes": protocol(done),
        **verdict.plain(run.data, run.roles),
    }


def blocks(run: RunSummary, *, full: bool = False) -> Iterator[Block]:
    """Return who played, the verdict, one table and where the rest is; `full`: the whole report in
    their place."""
    done = run.done
    folder = run.done.plan.folder
    if not done.rows:
        yield from notes((*protocol(done), *so_far(done)))
        yield Note(f"no game is finished yet; `orchestrator list games {folder}` lists those begun")
        return
    if full and run.report:
        yield from run.report.document.unfolded
    else:
        yield from verdict.blocks(run.data, run.roles)
        yield from notes(note for note in done.plan.notes if note.startswith(study_notes.DEPARTS))
    yield from notes(so_far(done))
    if run.report and run.report.unwritten:
        yield Note(run.report.unwritten, "caution")
    elif not done.unwritten:
        yield Text(f"report   {folder}/{run_report.HTML}\nresults  {folder}/results.csv")


def protocol(done: ExperimentDone) -> list[str]:
    """Return what a reader must know about the protocol."""
    trials = study_notes.fewest_trials(done.rows) if done.plan.experiment.adhoc else ()
    return [*done.plan.notes, *trials]


def so_far(done: ExperimentDone) -> Iterator[str]:
    """Return what the games of a stopped run say before they are finished: above all, if its models
    can be read."""
    status = done.status
    played = {row.arm for row in done.rows}
    if done.left and (
        absent := [arm.name for arm in done.plan.arms if arm.players and arm.name not in played]
    ):
        yield (
            "No game of these arms is finished yet, so nothing is said of them: "
            f"{', '.join(absent)}."
        )
    if not (done.left and status.answers):
        return
    if status.fake and not any(Provenance.FAKE_SERVER in row.provenance for row in done.rows):
        yield "The package's fake server answered, not a language model."
    yield (
        f"So far this command got {many(status.answers, 'answer')} of models, "
        f"{status.unusable:,} of them unusable; {many(status.fallbacks, 'question')} got no usable "
        "answer."
    )
    counts = {arm: (moves["own"], moves["model_moves"]) for arm, moves in status.moves.items()}
    if shares := [
        f"{arm} {chosen:,} of {moves:,}" for arm, (chosen, moves) in counts.items() if moves
    ]:
        yield f"Moves that the models chose themselves: {', '.join(shares)}."


def failed(done: ExperimentDone) -> str:
    """Return the games that failed, as one sentence."""
    return (
        f"{run_folder.failure_sentence(done.failed, len(done.plan.jobs))}. The same command tries "
        "them again"
    )
