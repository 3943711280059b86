"""What a user may change of a run while it is played. Executors pass each change on to the processes that play."""

from collections.abc import Iterator
from dataclasses import dataclass

from experiments.study.job import Job


@dataclass(frozen=True)
class PauseRun:
    """Begin no call, no turn and no game until the run is resumed."""


@dataclass(frozen=True)
class ResumeRun:
    """Go on."""


@dataclass(frozen=True)
class LimitCalls:
    """Another number of calls to a model at a time."""

    model: tuple[str, str]
    """Its server and its name."""
    most: int


@dataclass(frozen=True)
class CancelGame:
    """Suspend a game at the end of its turn, or do not begin it; it is left out until the next command."""

    name: str


@dataclass(frozen=True)
class RetryGame:
    """Play a game that failed or was suspended, also if its model is taken to be down or it was cancelled."""

    job: Job


Change = PauseRun | ResumeRun | LimitCalls | CancelGame | RetryGame

CANCELLED = "cancelled by hand"
"""Why a cancelled game is suspended."""


class Standing:
    """The changes that hold now: a process that takes the place of another is told them."""

    def __init__(self) -> None:
        self._changes: dict[object, Change] = {}

    def __iter__(self) -> Iterator[Change]:
        return iter(tuple(self._changes.values()))

    def add(self, change: Change) -> None:
        match change:
            case PauseRun():
                self._changes[PauseRun] = change
            case ResumeRun():
                self._changes.pop(PauseRun, None)
            case LimitCalls():
                self._changes[change.model] = change
            case CancelGame():
                self._changes[change.name] = change
            case RetryGame():
                self._changes.pop(change.job.name, None)
