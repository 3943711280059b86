"""The journals of a position-level ablation: `decisions/ARM/POSITION.jsonl`, one for each arm and
position.

A journal holds the calls of every sample, its verdicts and its decision, which ends the sample.
Notes that are held fixed are not written again: the bank has them. Notes that were put in the place
of others are, marked `fixed: edited`.
"""

from dataclasses import dataclass
from pathlib import Path

from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event
from hanabi_orchestrator.orchestrator.journal.recorded_answers import answered

FOLDER = "decisions"
DECIDED = b'"event": "decided"'


def path_of(folder: Path, arm: str, position: str) -> Path:
    return folder / FOLDER / arm / f"{position}.jsonl"


@dataclass(frozen=True)
class Sample:
    """What was asked and decided once."""

    events: tuple[Event, ...]

    @property
    def decided(self) -> Decided | None:
        last = self.events[-1] if self.events else None
        if isinstance(last, Decided):
            return last
        return None

    @property
    def calls(self) -> list[Call]:
        """Requests to models that were answered, each once."""
        return [call for call in answered(self.events).values() if call.fixed is None]


def samples(path: Path) -> list[Sample]:
    """Return the samples of a journal, oldest first; the last may be without a decision. Raises
    UserError."""
    rows: list[list[Event]] = [[]]
    for event in file.read(path):
        rows[-1].append(event)
        if isinstance(event, Decided):
            rows.append([])
    return [Sample(tuple(events)) for events in rows if events]


def read(folder: Path, arm: str, position: str) -> list[Sample]:
    """Return the samples of an arm on a position; none before the first answer. Raises UserError
    for no journal."""
    path = path_of(folder, arm, position)
    if path.exists():
        return samples(path)
    return []


def number(path: Path) -> int:
    """Return how many samples of a journal are decided. Raises UserError when it cannot be read."""
    return sum(DECIDED in line for line in file.lines(path))
