"""What figures are drawn from: the games of a run's folder, their statistics, and what their turns add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.design.adhoc import EVALUATED
from experiments.design.cross_play import WITH
from experiments.report.turn_tally import Tally
from experiments.results import turn_rows
from experiments.results.rows import Row
from experiments.statistics.analysis import Analysis, Summary

ROWS = 24
"""Arms, at most, that a figure with a row for each of them shows."""


class NothingToDrawError(Exception):
    """There is nothing to draw; says why."""


@dataclass(frozen=True)
class RunData:
    folder: Path
    rows: tuple[Row, ...]
    analysis: Analysis
    run: Mapping[str, Any]
    """run.yaml; empty when it is not there."""
    arms: tuple[str, ...]
    """In their order."""

    @cached_property
    def pairs(self) -> list[str]:
        """The arms of cross-play."""
        return [arm for arm in self.arms if WITH in arm and not arm.startswith(f"{EVALUATED}{WITH}")]

    def shown(self) -> list[str]:
        """The arms that have a row each. Raises NothingToDrawError when they are too many."""
        kept = [arm for arm in self.arms if arm not in self.pairs] or self.arms
        if len(kept) > ROWS:
            what = (
                "pairs are too many for a row each; see cross-play"
                if self.pairs
                else "arms are too many for a row each"
            )
            raise NothingToDrawError(f"{len(kept)} {what}")
        return list(kept)

    def of(self, arm: str) -> list[Row]:
        return [row for row in self.rows if row.arm == arm]

    def summaries(self) -> list[Summary]:
        """Of the arms that have a row each. Raises NothingToDrawError."""
        shown = set(self.shown())
        return [summary for summary in self.analysis.summaries if summary.arm in shown]

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What no model played, by arm."""
        found = {}
        for arm in self.arms:
            of = [summary for summary in self.analysis.summaries if summary.arm == arm]
            found[arm] = "sim." if any(s.simulated for s in of) else "prog." if all(s.program for s in of) else ""
        return found

    @cached_property
    def label(self) -> str:
        """What must stand under every figure that is not of models alone; empty otherwise."""
        kinds = set(self.kinds.values())
        if len(kinds) == 1:
            return ALONE[kinds.pop()]
        return "; ".join(f"({kind}): {ALONE[kind]}" for kind in sorted(kinds) if kind)

    def name(self, arm: str) -> str:
        """An arm's name on an axis."""
        short = arm.removeprefix(EVALUATED + ".") if arm.startswith(f"{EVALUATED}{WITH}") else arm
        short = short if len(short) <= LONGEST else f"{short[: LONGEST - 1]}…"
        mixed = len(set(self.kinds.values())) > 1
        return f"{short} ({self.kinds[arm]})" if mixed and self.kinds[arm] else short

    @cached_property
    def tallies(self) -> Mapping[tuple[str, int], Tally]:
        """What the turns come to, by arm and players, of arms with a row each. Raises as `shown`, and UserError."""
        shown = self.shown()
        found: dict[tuple[str, int], Tally] = {}
        for row in self.rows:
            if row.arm in shown:
                if not (self.folder / row.journal).exists():
                    raise NothingToDrawError("the journals are not in this folder")
                found.setdefault((row.arm, row.players), Tally()).add(turn_rows.of(self.folder, row))
        return found

    def players(self) -> list[int]:
        return sorted({row.players for row in self.rows})


ALONE = {"sim.": "simulated models, no language models", "prog.": "programs, no language model", "": ""}

LONGEST = 22
"""Letters of an arm's name on an axis."""


def in_order(arms: Sequence[str], rows: Sequence[Row]) -> tuple[str, ...]:
    """The arms that have games, in a given order; others come last."""
    played = {row.arm: None for row in rows}
    return (*(arm for arm in arms if arm in played), *(arm for arm in played if arm not in arms))
