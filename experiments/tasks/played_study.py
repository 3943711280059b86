"""An experiment played from Python, and what it found: `study = experiments.run(experiment)`."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis.summaries import Summary
from hanabi_orchestrator.experiments.document import html
from hanabi_orchestrator.experiments.document.blocks import Block, Note, Text
from hanabi_orchestrator.experiments.record import results
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import run_report, verdict
from hanabi_orchestrator.experiments.report.run_report import Report
from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.experiments.running.runner import Done, RunOptions
from hanabi_orchestrator.experiments.study.experiment import POSITIONS, Experiment
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.experiments.tasks.games.experiment_run import ExperimentDone
from hanabi_orchestrator.experiments.tasks.positions import position_report, position_run
from hanabi_orchestrator.experiments.tasks.run_progress import RunProgress
from hanabi_orchestrator.orchestrator.errors import UserError


class Verdict(str):
    """The sentences of a verdict, a line each; a notebook shows them with the table and the figure."""

    blocks: tuple[Block, ...]

    def __new__(cls, blocks: Sequence[Block]) -> "Verdict":
        sentences = [part.text for part in blocks if isinstance(part, Note | Text)]
        verdict = super().__new__(cls, "\n".join(sentences))
        verdict.blocks = tuple(blocks)
        return verdict

    def _repr_html_(self) -> str:
        return html.fragment(self.blocks)


@dataclass(frozen=True, repr=False)
class Study:
    """A run of an experiment as it stands: its verdict, report, tables and games."""

    experiment: Experiment
    folder: Path
    done: Done
    """How the command ended: what failed or is left, and why it stopped."""

    def __repr__(self) -> str:
        ended = self.done.total - self.done.left
        return (
            f"<study {self.experiment.name}: {ended} of {self.done.total} done, in {self.folder}>"
        )

    def _repr_html_(self) -> str:
        return self.verdict._repr_html_()

    @property
    def of_games(self) -> bool:
        """Whether whole games were played, and not positions asked."""
        return self.experiment.task != POSITIONS

    @property
    def rows(self) -> tuple[Row, ...]:
        """The finished games. Raises UserError for a study of positions."""
        return self._of_games().rows

    @property
    def games(self) -> Mapping[Path, Game]:
        """The games by their journals. Raises UserError for a study of positions."""
        return self._of_games().games

    def report(self, **options: Any) -> Report:
        """Write the report into the run's folder, as the command `report` does, and return it.

        `options` as of `run_report.write`: `metric`, `interval`, `reference`, `marks` ... Raises
        UserError for a study of positions and for a run without finished games.
        """
        games = self._of_games().games
        return run_report.write(self.folder, peeked=games, png=False, **options)

    def frame(self) -> Any:
        """Return a pandas data frame with a row for each finished game. Raises UserError without pandas or games."""
        self._of_games()
        return results.read(self.folder)

    @cached_property
    def arms(self) -> Mapping[str, Summary]:
        """What each arm scored, over all player counts where there are several."""
        summaries: dict[str, Summary] = {}
        for summary in self._report.data.analysis.summaries:
            if summary.arm not in summaries or summary.players is None:
                summaries[summary.arm] = summary
        return summaries

    @cached_property
    def verdict(self) -> Verdict:
        """What can and cannot be concluded. Raises UserError where nothing is finished."""
        if not self.of_games:
            return Verdict(position_report.blocks(position_report.read(self.folder)))
        report = self._report
        parts = list(verdict.blocks(report.data, report.roles))
        figures = [figure for figure in report.drawn if figure.key in run_report.FIRST]
        for figure in figures[:1]:
            parts.append(replace(figure, csv=f"{self.folder}/{figure.csv}"))
        return Verdict(parts)

    @cached_property
    def _report(self) -> Report:
        return self.report()

    def _of_games(self) -> ExperimentDone:
        if isinstance(self.done, ExperimentDone):
            return self.done
        raise UserError(
            f"{self.experiment.name} asks positions: it has no games, rows or report of games; `verdict` tells what it found"
        )


def run(
    experiment: Experiment,
    folder: Path | str | None = None,
    *,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Study:
    """Play what is not finished of an experiment, of games or of positions, and return what it found.

    `folder`: the run's, `runs/NAME` if not given; the same call goes on with it. `progress` is
    shown on stderr by default. In a notebook, too, where an event loop runs already. Raises
    UserError, before anything is asked, for mistakes in the experiment and for a folder of another
    one.
    """
    place = Path(folder or Path("runs", experiment.name))
    chosen = options or RunOptions()
    screen = progress or RunProgress()
    if experiment.task == POSITIONS:
        return Study(experiment, place, position_run.run(experiment, place, chosen, screen))
    done = experiment_run.run(experiment, place, options=chosen, progress=screen)
    return Study(experiment, place, done)


async def run_async(
    experiment: Experiment,
    folder: Path | str | None = None,
    *,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Study:
    """Do the same in a thread of its own, so that the caller's event loop goes on: `await run_async(...)`."""
    return await asyncio.to_thread(run, experiment, folder, options=options, progress=progress)
