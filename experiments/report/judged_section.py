"""The judges of state tracking in the report of a run: what `judge run` wrote beside its games."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.report.tables import Grid
from experiments.tasks.judge import judge_report


@dataclass(frozen=True)
class JudgedSection:
    """One judge's tables."""

    judge: str
    folder: str
    """Below the run's."""
    scores: Grid
    agreement: Grid | None
    notes: tuple[str, ...]


def found(run: Path) -> tuple[JudgedSection, ...]:
    """The judges of a run; none where nobody was asked."""
    return tuple(
        JudgedSection(
            one.judge,
            folder.relative_to(run).as_posix(),
            _grid(one.scores),
            _grid(one.agreement) if one.agreement else None,
            one.notes,
        )
        for folder, one in judge_report.summaries(run)
    )


def _grid(table: Sequence[tuple[str, ...]]) -> Grid:
    return Grid(table[0], tuple(table[1:]), words=2)
