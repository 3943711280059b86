"""The folder of a run of questions: a record of what was asked of whom, the questions, and the journal of calls.

The journal alone is enough to go on after a stop.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import yaml
from pydantic import Field, ValidationError

from experiments.record.files import write_atomically
from orchestrator.errors import UserError, shortened, user_error
from orchestrator.journal.events import Call
from orchestrator.journal.file import Journal, read
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.values import Frozen
from orchestrator.yaml_files import from_file, loaded


class AnswerRecord(Frozen):
    """What was asked, of whom: what the records of all such runs share."""

    v: Literal[1] = 1
    model: str
    settings: dict[str, Any] = {}
    """Those that decide the answers; empty for the program."""
    trials: int = Field(ge=1)
    versions: dict[str, str] = {}
    """Those of the first command."""

    @property
    def label(self) -> str | None:
        """What answers, where that is no language model."""
        if self.model == PROGRAM:
            return "program"
        return "simulated" if is_simulated(self.model) else None


R = TypeVar("R", bound=AnswerRecord)
S = TypeVar("S", bound=Frozen)


class Paid(NamedTuple):
    """What calls took of what is paid for."""

    tokens_in: int
    tokens_out: int
    usd: float | None
    """None where a price is not known."""


def paid(calls: Iterable[Call]) -> Paid:
    """The sums of all calls that were paid for."""
    found = [call for call in calls if call.paid]
    prices = [call.usd for call in found]
    usd = None if None in prices else sum(usd for usd in prices if usd is not None)
    return Paid(sum(call.tokens_in for call in found), sum(call.tokens_out for call in found), usd)


@dataclass(frozen=True)
class AnswerRun(Generic[R]):
    """Whose answers a folder holds."""

    folder: Path
    record: R
    fake: bool
    """Whether the package's fake server answered."""

    @property
    def name(self) -> str:
        """The model, without its server, and what it is where that is no language model."""
        model = self.record.model.partition("@http")[0]
        return model if self.label is None else f"{model} ({self.label})"

    @property
    def label(self) -> str | None:
        """What answered, where that is no language model."""
        if self.fake:
            return "fake server"
        return None if self.record.model == self.record.label else self.record.label


CALLS = "calls.jsonl"


@dataclass(frozen=True)
class AnswerFolder(Generic[R, S]):
    """Where a kind of such runs keeps what."""

    kind: type[R]
    asked: type[S]
    """A question as the folder keeps it."""
    record: str
    """The record's file, such as `qa.yaml`."""
    questions: str
    what: str
    """Such as `run of questions`, for messages."""
    head: str
    fixed: tuple[str, ...]
    """What a command must say again to go on with a run."""

    def begin(self, folder: Path, wanted: R, questions: Iterable[S]) -> R:
        """Write the record of a new run, or check that a run goes on; the record as it stands then.

        A run without any answer counts as new. For a folder with another run, raises UserError, which names the first
        difference.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / self.record).exists() and self.calls(folder):
            before = self.record_of(folder)
            self._check_same(folder, before, wanted)
            kept = {"versions": before.versions, "trials": max(before.trials, wanted.trials)}
            wanted = wanted.model_copy(update=kept)
        elif any(path.name not in (self.record, self.questions, CALLS) for path in folder.iterdir()):
            raise UserError(f"{str(folder)!r} holds other files, and no {self.record}; give another --out")
        plain = yaml.safe_dump(wanted.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120)
        lines = (json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in questions)
        write_atomically(folder / self.questions, "".join(f"{line}\n" for line in lines))
        write_atomically(folder / self.record, self.head + plain)
        return wanted

    def _check_same(self, folder: Path, before: R, now: R) -> None:
        for name in self.fixed:
            old, new = getattr(before, name), getattr(now, name)
            if old != new:
                raise UserError(
                    f"{str(folder)!r} holds a run with another {name.replace('_', ' ')}: {shortened(_said(old))}, not "
                    f"{shortened(_said(new))}; give another --out"
                )

    def record_of(self, folder: Path) -> R:
        """The record of a folder. Raises UserError when it holds no such run."""
        path = folder / self.record
        if not path.exists():
            raise UserError(f"there is no {self.what} in {str(folder)!r}: it has no {self.record}")
        try:
            return self.kind.model_validate(loaded(from_file(path, "the run"), str(path)))
        except ValidationError as error:
            raise user_error(str(path), error) from None

    def questions_of(self, folder: Path) -> list[S]:
        """Raises UserError for a file that holds something else."""
        path = folder / self.questions
        try:
            lines = from_file(path, "the questions").removesuffix("\n").split("\n")
            return [self.asked.model_validate_json(line) for line in lines if line]
        except ValidationError as error:
            raise user_error(str(path), error) from None

    def calls(self, folder: Path) -> list[Call]:
        """Every call of a run, oldest first; none before the first answer. Raises UserError for what is no journal."""
        path = folder / CALLS
        return [event for event in read(path) if isinstance(event, Call)] if path.exists() else []

    def journal(self, folder: Path) -> Journal:
        """The journal of calls, to be continued; one program at a time may hold it. Raises UserError."""
        return Journal(folder / CALLS)


def by_trial(calls: Iterable[Call], names: Iterable[str]) -> Mapping[tuple[str, int], list[Call]]:
    """The calls about these questions, by question and trial, sorted."""
    there, found = {*names}, dict[tuple[str, int], list[Call]]()
    for call in calls:
        if call.node in there:
            found.setdefault((call.node, call.sample), []).append(call)
    return dict(sorted(found.items()))


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else repr(value)
