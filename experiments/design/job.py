"""One game of an experiment as plain data, and what became of it: both are sent between processes."""

from dataclasses import dataclass
from pathlib import Path

from experiments.design.arms import Before, Deal
from orchestrator.hanabi.public_record import Record
from orchestrator.journal.events import Result


@dataclass(frozen=True)
class Job:
    arm: str
    deal: Deal
    cast: tuple[str, ...]
    """The keys of the sitters, by seat."""
    journal: Path | None
    """None for a game that need not be kept."""
    before: tuple[tuple[int, Before], ...] = ()
    lean: bool = False
    recorded: bool = False
    """Whether its public record is wanted."""

    @property
    def name(self) -> str:
        return f"{self.arm}/{Path(self.deal.file).stem}"


@dataclass(frozen=True)
class Outcome:
    """What became of a game: one of the three, or none when it was not begun; its record when it was wanted."""

    job: Job
    result: Result | None = None
    failed: str | None = None
    """Why it could not be finished."""
    suspended: str | None = None
    """Why it stopped; the same command goes on with it."""
    held: bool = False
    """Whether the run itself stopped it."""
    refused: bool = False
    """Whether a server refused for good before anything was answered."""
    record: Record | None = None
