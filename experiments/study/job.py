"""Units as plain data that is sent between processes: a sample of an arm, asked once, and what
became of it."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from hanabi_orchestrator.experiments.study.arms import Deal, GivenRecords
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.journal.events import Result


@dataclass(frozen=True, kw_only=True)
class Unit(ABC):
    """A sample of an arm, which a run asks once."""

    arm: str
    journal: Path | None = None
    """The unit's own journal; None where nothing is kept of it, or units share one."""
    again: bool = False
    """Whether this command has asked it before, so that what its journal holds is counted
    already."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the unit, which no other unit of its run has."""

    @property
    @abstractmethod
    def cluster(self) -> Hashable:
        """What was drawn at random for it, such as a deal: a shard has whole clusters."""

    @property
    def turns(self) -> float | None:
        """The turns that it is expected to take, before any such unit has ended; None where it has
        none."""
        return None


U = TypeVar("U", bound=Unit)

TURNS = {2: 68, 3: 65, 4: 64, 5: 59}
"""Turns of a game of rule players, by player count."""


@dataclass(frozen=True, kw_only=True)
class Job(Unit):
    """A game to play."""

    deal: Deal
    lineup: tuple[str, ...]
    """By seat, the key of its player spec."""
    records: tuple[tuple[int, GivenRecords], ...] = ()
    """By seat, the past games that it is shown before the game."""
    notes: tuple[tuple[int, Path], ...] = ()
    """By seat, the file of the notes of other games, of which its nodes are given those of one that
    the deal draws."""
    lean: bool = False
    recorded: bool = False
    """Whether its end is to have the public record."""

    @property
    def name(self) -> str:
        return f"{self.arm}/{self.deal.file.removesuffix('.jsonl')}"

    @property
    def cluster(self) -> Hashable:
        return self.deal.seed, self.deal.players

    @property
    def turns(self) -> float:
        return TURNS[self.deal.players]


@dataclass(frozen=True)
class Played:
    """The end of a game."""

    result: Result
    record: Record | None = None
    """Where the job asked for it."""


@dataclass(frozen=True)
class Outcome(Generic[U]):
    """What became of a unit: a result, a failure or a suspension; none of the three when it was not
    begun."""

    unit: U
    result: Any = None
    """Its end as its task has it; None without one."""
    failed: str | None = None
    """Why it cannot be finished."""
    suspended: str | None = None
    """Why it stopped; the same command continues it."""
    stopped_by_run: bool = False
    """Whether the run's own budget or an interrupt suspended it."""
    unwritten: bool = False
    """Whether a file could not be written, which stops the run."""
    refused: bool = False
    """Whether a server refused for good before it answered any of its calls."""
