"""What the arms of a run are compared by, for its report: the metric, all the others, and the run's stop rule."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.analysis import role_controls, stopping
from experiments.analysis.analysis import OTHER, Analysis, analyse
from experiments.record import measures
from experiments.record.measures import MARK, METRICS, Measure
from experiments.record.rows import Row
from experiments.report.mark_metric import of_mark
from experiments.statistics.estimates import Interval
from experiments.study.metric import Headline


def of_runs(name: str, folders: Sequence[Path], games: Sequence[Sequence[Row]]) -> Measure:
    """Return the metric of this name; that of a mark is read from the journals of the games. Raises UserError."""
    return of_mark(name, folders, games) if name.startswith(MARK) else measures.metric(name)


def second(headline: Headline) -> Measure:
    """Return what the second columns of a table of differences show: the other score, or the score beside another
    metric."""
    return measures.metric(OTHER[headline.score] if headline.metric == headline.score else headline.score)


DERIVED = ("lives", "tokens")
"""Metrics that follow from others: lives are 3 less misplays, tokens a sum. They would be tested twice."""


def others(name: str) -> list[Measure]:
    """Return all metrics but those that other tables show, the one of this name and both scores, and those that
    follow."""
    return [measure for measure in METRICS.values() if measure.key not in (name, "strict", "kept", *DERIVED)]


def compared(
    headline: Headline,
    run: Mapping[str, Any],
    games: Sequence[Row],
    folders: Sequence[Path],
    arms: Sequence[str],
    interval: Interval,
) -> Analysis:
    """Return the analysis of a run's games by its metric, and by its stop rule where it has one."""
    measure = of_runs(headline.metric, folders, [games])
    return analyse(
        games,
        run.get("baseline"),
        arms,
        interval=interval,
        metric=measure,
        score=headline.score,
        stopped=stopping.of_run(run, games),
        contrasts=role_controls.contrasts(run),
    )
