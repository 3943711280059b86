"""The journals of a position-level ablation: `decisions/ARM/POSITION.jsonl`, one for each arm and position.

A journal holds the calls of every sample, its verdicts and its decision, which ends the sample. Notes that are held
fixed are not written again: the bank has them. Notes that were put in the place of others are, marked `fixed: edited`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import UserError
from orchestrator.journal.events import Call, Decided, Event
from orchestrator.journal.file import Journal
from orchestrator.journal.file import read as read_journal
from orchestrator.journal.recorded_answers import answered
from orchestrator.models.request import Key
from orchestrator.models.usage import Usage

FOLDER = "decisions"


def path_of(folder: Path, arm: str, position: str) -> Path:
    return folder / FOLDER / arm / f"{position}.jsonl"


@dataclass(frozen=True)
class Sample:
    """What was asked and decided once."""

    events: tuple[Event, ...]

    @property
    def decided(self) -> Decided | None:
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Decided) else None

    @property
    def calls(self) -> list[Call]:
        """Requests to models that were answered, each once."""
        return [call for call in answered(self.events).values() if call.fixed is None]

    @property
    def usage(self) -> list[Usage]:
        return [call.usage for call in self.calls if call.paid]


def samples(events: Iterable[Event]) -> list[Sample]:
    """The samples of a journal, oldest first; the last may be without a decision."""
    found, open_ = list[Sample](), list[Event]()
    for event in events:
        open_.append(event)
        if isinstance(event, Decided):
            found.append(Sample(tuple(open_)))
            open_ = []
    return [*found, Sample(tuple(open_))] if open_ else found


def read(folder: Path, arm: str, position: str) -> list[Sample]:
    """The samples of an arm on a position; none before the first answer. Raises UserError for what is no journal."""
    path = path_of(folder, arm, position)
    return samples(read_journal(path)) if path.exists() else []


def check(folder: Path) -> None:
    """Raise UserError for a folder without any decision."""
    if next((folder / FOLDER).glob("*/*.jsonl"), None) is None:
        raise UserError(f"nothing is decided yet in {str(folder)!r}; `positions run` goes on with it")


@dataclass
class Writer:
    """The journal of an arm on a position, while one sample is decided."""

    journal: Journal
    known: dict[Key, Call] = field(default_factory=dict)
    """The calls of this sample that were answered before the run stopped."""

    @classmethod
    def of(cls, journal: Journal, before: Sequence[Sample]) -> "Writer":
        unfinished = [one for one in before if one.decided is None]
        return cls(journal, answered(unfinished[-1].events) if unfinished else {})

    def __call__(self, event: Event) -> None:
        if isinstance(event, Call):
            held = self.known.get(event.key)
            if event.fixed == "recorded" or (held is not None and held.outcome == event.outcome):
                return
        self.journal(event)

    async def kept(self) -> None:
        await self.journal.flush()
