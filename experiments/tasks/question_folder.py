"""The folder of a run of questions: its record, the questions with their keys, and the journal of
calls.

`calls.jsonl` alone is enough to go on after a stop; processes that ask at the same time have a
journal each (`calls-2.jsonl` ...).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import Field, ValidationError

from hanabi_orchestrator.experiments.document.blocks import Note
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.record.run_folder import RunFolder
from hanabi_orchestrator.experiments.running.progress import run_status
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.journal.file import InUse, Journal, read
from hanabi_orchestrator.orchestrator.journal.recorded_answers import answered
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.settings import settings as settings_of
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE, Usage
from hanabi_orchestrator.orchestrator.values import Frozen


class Named(Protocol):
    @property
    def name(self) -> str:
        """What no other question of the run is called: the node of its calls."""


class QuestionRecord(Frozen):
    """What was asked, of whom: what the records of all kinds share."""

    v: Literal[1] = 1
    model: str
    settings: dict[str, Any] = {}
    """Those that decide the answers; empty for the program."""
    trials: int = Field(ge=1)
    versions: dict[str, str] = {}
    """Those of the first command."""


R = TypeVar("R", bound=QuestionRecord)
S = TypeVar("S", bound=Frozen)

CALLS = "calls.jsonl"


@dataclass(frozen=True)
class Answer(Generic[S]):
    """A trial that has ended."""

    question: S
    trial: int
    """From 0."""
    reply: Mapping[str, Any] | None
    """None when no answer could be read."""
    asks: int
    """How many times the question was put."""
    error: str | None
    usage: Usage


@dataclass(frozen=True)
class AnswerRun(Generic[R, S]):
    """A run of questions as its folder holds it, as far as it has come."""

    folder: Path
    record: R
    label: str
    """What answered where that is no language model: `program`, `simulated` or `fake server`; else
    empty."""
    questions: tuple[S, ...]
    answers: tuple[Answer[S], ...]

    @property
    def name(self) -> str:
        """The model, without its server, and what it is where that is no language model."""
        model = self.record.model.partition("@http")[0]
        if self.label in ("", model):
            return model
        return f"{model} ({self.label})"

    @property
    def missing(self) -> int:
        """Trials that have not ended."""
        return len(self.questions) * self.record.trials - len(self.answers)


def distinct_names(runs: Sequence[tuple[str, Path]]) -> tuple[str, ...]:
    """Return what runs are called in a report, given their names and folders: by both where several
    have a name."""
    several = Counter(name for name, _ in runs)
    return tuple(name if several[name] == 1 else f"{name} in {folder}" for name, folder in runs)


ANSWERED = {
    "fake server": "answered by the package's fake server, which is no language model.",
    "simulated": "no language model, but the program with errors at stated rates.",
}
"""By the label of a run: what answered in the place of a language model."""


def notes_of(texts: Iterable[str]) -> list[Note]:
    """Return sentences of a report as notes; those on what is no language model are marked."""
    notes = list[Note]()
    for text in texts:
        notes.append(Note(text, "no model" if "no language model" in text else "aside"))
    return notes


@dataclass(frozen=True)
class QuestionFolder(RunFolder[R], Generic[R, S]):
    """How a kind of questions keeps its runs."""

    question: type[S] = field(kw_only=True)
    """A question as the folder keeps it."""
    questions_file: str = field(kw_only=True)

    def write(self, folder: Path, record: R, questions: Iterable[Named]) -> R:
        """Begin a run of these questions, or go on with one, as `begin` does; the record as it
        stands then."""
        record = self.begin(folder, record, begun=bool(calls(folder)))
        fields = self.question.model_fields
        keys = []
        for question in questions:
            keys.append(self.question(**{name: getattr(question, name) for name in fields}))
        lines = (json.dumps(key.model_dump(mode="json"), ensure_ascii=False) for key in keys)
        write_atomically(folder / self.questions_file, "".join(f"{line}\n" for line in lines))
        return record

    def run(self, folder: Path) -> AnswerRun[R, S]:
        """Return the run in a folder. Raises UserError when it holds none."""
        record = self.read(folder)
        path = folder / self.questions_file
        try:
            lines = regular_files.text(path).removesuffix("\n").split("\n")
            questions = tuple(self.question.model_validate_json(line) for line in lines if line)
        except OSError as error:
            raise UserError(f"cannot read the questions {str(path)!r}: {error.strerror}") from None
        except ValidationError as error:
            raise user_error(str(path), error) from None
        every = calls(folder)
        by_name: dict[str, S] = {getattr(question, "name", ""): question for question in questions}
        answers = list[Answer[S]]()
        for (name, trial), asked in sorted(by_trial(every).items()):
            if name in by_name and (last := last_call(asked)):
                asks = len({call.ask for call in asked})
                usage = sum((call.usage for call in asked), NO_USAGE)
                answers.append(Answer(by_name[name], trial, last.reply, asks, last.error, usage))
        labels = Provenance.of_models(record.model, fake=any(call.fake for call in every)).labels
        return AnswerRun(folder, record, next(reversed(labels), ""), questions, tuple(answers))

    def recorded_model(self, folder: Path) -> ModelSettings:
        """Return the model whose answers a folder holds. Raises UserError when no model answered
        there."""
        record = self.read(folder)
        if not record.settings or Provenance.of_models(record.model) != Provenance.MODEL:
            raise UserError(
                f"{str(folder)!r} has no answers of a model to replay; its answers are those "
                f"of {record.model}"
            )
        return settings_of(record.settings)

    def status(self, folder: Path) -> dict[str, Any]:
        """Return how the run in a folder stands, as plain data."""
        run = self.run(folder)
        spent = sum((call.usage for call in calls(folder)), NO_USAGE)
        counts = {"finished": len(run.answers), "begun": len(AnswerRecords(folder).begun())}
        trials = len(run.questions) * run.record.trials
        return run_status(
            f"{self.what}, {run.name}", spent, games=trials, **counts, things="answers"
        )


def calls(folder: Path) -> list[Call]:
    """Return every call of a run, oldest first; none before the first answer. Raises UserError for
    no journal."""
    paths = sorted(
        regular_files.below(folder, "calls*.jsonl"), key=lambda path: (len(path.name), path.name)
    )
    events = list[Call]()
    for path in paths:
        for event in read(path):
            if isinstance(event, Call):
                events.append(event)
    return events


def by_trial(each: Iterable[Call]) -> dict[tuple[str, int], list[Call]]:
    """Return calls by question and trial."""
    trials: dict[tuple[str, int], list[Call]] = {}
    for call in each:
        trials.setdefault((call.node, call.sample), []).append(call)
    return trials


def last_call(trial: Sequence[Call]) -> Call | None:
    """Return the call that ends a trial, with an answer that was read or without one for good; None
    while it lasts."""
    return next(
        (call for call in reversed(trial) if call.outcome in ("ok", "repaired", "fallback")), None
    )


def unit_name(question: str, trial: int) -> str:
    return f"{question} trial {trial + 1}"


@dataclass(frozen=True)
class AnswerRecords:
    """What a folder holds of the units of a run."""

    folder: Path

    def finished(self, *, ended: bool = True) -> set[str]:
        trials = by_trial(calls(self.folder)).items()
        return {unit_name(*key) for key, trial in trials if bool(last_call(trial)) == ended}

    def begun(self) -> set[str]:
        return self.finished(ended=False)

    def answered(self) -> bool:
        return bool(answered(calls(self.folder)))

    def remember(self, budget: Budget) -> None:
        budget.remember([call.usage] for call in answered(calls(self.folder)).values())


def free_journal(folder: Path) -> Journal:
    """Open the first journal of calls that no other process writes. Raises UserError."""
    for number in count(1):
        with suppress(InUse):
            return Journal(folder / (CALLS if number == 1 else f"calls-{number}.jsonl"))
    raise AssertionError
