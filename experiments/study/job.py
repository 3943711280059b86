"""One game of an experiment as plain data, and what became of it: both are sent between processes."""

from dataclasses import dataclass
from pathlib import Path

from experiments.study.arms import Deal, GivenNotes, GivenRecords
from orchestrator.hanabi.public_record import Record
from orchestrator.journal.events import Result


@dataclass(frozen=True)
class Job:
    """A game to play."""

    arm: str
    deal: Deal
    lineup: tuple[str, ...]
    """By seat, the key of its player spec."""
    journal: Path | None
    """None for a game that is not kept."""
    records: tuple[tuple[int, GivenRecords], ...] = ()
    """By seat, the past games that it is shown before the game."""
    notes: tuple[tuple[int, GivenNotes], ...] = ()
    """By seat, the notes of another game that its nodes are given."""
    lean: bool = False
    recorded: bool = False
    """Whether the outcome is to contain the public record."""
    again: bool = False
    """Whether this command has played it before, so that what its journal holds is counted already."""

    @property
    def name(self) -> str:
        return f"{self.arm}/{Path(self.deal.file).stem}"


@dataclass(frozen=True)
class Outcome:
    """What became of a game: a result, a failure or a suspension; none of the three when it was not started."""

    job: Job
    result: Result | None = None
    failed: str | None = None
    """Why it cannot be finished."""
    suspended: str | None = None
    """Why it stopped; the same command continues it."""
    stopped_by_run: bool = False
    """Whether the run's own budget or an interrupt suspended it."""
    unwritten: bool = False
    """Whether a file could not be written, which stops the run."""
    refused: bool = False
    """Whether a server refused permanently before any call was answered."""
    record: Record | None = None
    """When the job asked for it."""
