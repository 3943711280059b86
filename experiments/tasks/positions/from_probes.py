"""Positions that a run of convention probes asked about: the question alone is drawn, with the moves that keep the
convention.

The moves before the question are the probe's story; nobody decided them, so that they are no positions of a bank.
"""

from dataclasses import dataclass, field
from pathlib import Path

from experiments.record.story import StoryTurn
from experiments.tasks.positions.kinds import AskedConvention
from experiments.tasks.probes.probe import BECAUSE, Probe
from experiments.tasks.probes.probe_folder import PROBES, path_of, probes_of

DEPTH = 3
"""A probe's journal lies so deep in the folder of its run."""


@dataclass
class AskedProbes:
    """The probes of the runs that journals are from, each file read once."""

    _runs: dict[Path, dict[Path, Probe]] = field(default_factory=dict)

    def of(self, journal: Path) -> AskedConvention | None:
        """What a journal's last turn was asked; None for a game. Raises UserError for a run that cannot be read."""
        above = journal.resolve().parents
        if len(above) < DEPTH or not (folder := above[DEPTH - 1]).joinpath(PROBES).exists():
            return None
        if folder not in self._runs:
            self._runs[folder] = {path_of(folder, probe): probe for probe in probes_of(folder)}
        found = self._runs[folder].get(journal.resolve())
        if found is None:
            return None
        return AskedConvention(probe=found.name, name=f"{found.pack}/{found.convention}", answers=found.answers)


def is_told(turn: StoryTurn) -> bool:
    """Whether a turn's move was given by a probe's story."""
    return turn.decided is not None and turn.decided.why == BECAUSE
