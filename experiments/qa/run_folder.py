"""The folder of a run of questions: what was asked, and every answer.

`qa.yaml` is the record: the file, the model with the settings that decide its answers, the trials, the choice.
`questions.jsonl` has each question with its options and its key, `calls.jsonl` the journal of calls, which alone is
enough to go on after a stop.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from experiments.qa.questions import Kind, Option, Question, QuestionFile
from experiments.results.files import write_atomically
from orchestrator.errors import UserError, shortened, user_error
from orchestrator.journal.events import Call
from orchestrator.journal.file import Journal, read
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from orchestrator.values import Frozen
from orchestrator.versions import versions
from orchestrator.yaml_files import from_file, loaded

RECORD, QUESTIONS, CALLS = "qa.yaml", "questions.jsonl", "calls.jsonl"

HEAD = "# Which questions were asked of whom. The same command again goes on with them; --trials may grow.\n"

FIXED = ("model", "settings", "file", "digest", "games", "kinds", "left_out")
"""What a command must say again to go on with a run."""


class Record(Frozen):
    """What was asked, of whom."""

    v: Literal[1] = 1
    model: str
    settings: dict[str, Any] = {}
    """Those that decide the answers; empty for the program."""
    file: str
    """The name of the CSV, without its folder."""
    digest: str
    games: tuple[str, ...]
    kinds: tuple[Kind, ...]
    trials: int = Field(ge=1)
    left_out: tuple[str, ...] = ()
    """Questions without a usable key, and games that the program cannot answer, in sentences."""
    versions: dict[str, str] = {}
    """Those of the first command."""

    @property
    def label(self) -> str | None:
        """What answers, where that is no language model."""
        if self.model == PROGRAM:
            return "program"
        return "simulated" if is_simulated(self.model) else None


class Asked(Frozen):
    """A question as the folder keeps it: enough to score and to report."""

    name: str
    row: int
    game: str
    kind: Kind
    options: tuple[Option, ...]
    right: tuple[int, ...]
    mended: str = ""

    @classmethod
    def of(cls, question: Question) -> "Asked":
        return cls(**{name: getattr(question, name) for name in cls.model_fields})

    @property
    def chance(self) -> float:
        """The probability that an option drawn at random is right."""
        return len(self.right) / len(self.options)


def record(file: QuestionFile, model: str, settings: dict[str, Any], trials: int) -> Record:
    questions = file.questions
    return Record(
        model=model,
        settings=settings,
        file=file.path.name,
        digest=file.digest,
        games=tuple(dict.fromkeys(question.game for question in questions)),
        kinds=tuple(dict.fromkeys(question.kind for question in questions)),
        trials=trials,
        left_out=file.left_out,
        versions=versions(),
    )


def begin(folder: Path, asked: Record, questions: Iterable[Question]) -> Record:
    """Write the record of a new run, or check that a run goes on; the record as it stands then.

    A run without any answer counts as new. For a folder with another run, raises UserError, which names the first
    difference.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / RECORD).exists() and calls_of(folder):
        before = record_of(folder)
        _check_same(folder, before, asked)
        asked = asked.model_copy(update={"versions": before.versions, "trials": max(before.trials, asked.trials)})
    elif any(path.name not in (RECORD, QUESTIONS, CALLS) for path in folder.iterdir()):
        raise UserError(f"{str(folder)!r} holds other files, and no {RECORD}; give another --out")
    plain = yaml.safe_dump(asked.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120)
    lines = (json.dumps(Asked.of(question).model_dump(mode="json"), ensure_ascii=False) for question in questions)
    write_atomically(folder / QUESTIONS, "".join(f"{line}\n" for line in lines))
    write_atomically(folder / RECORD, HEAD + plain)
    return asked


def _check_same(folder: Path, before: Record, now: Record) -> None:
    for name in FIXED:
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            raise UserError(
                f"{str(folder)!r} holds a run with another {name.replace('_', ' ')}: {shortened(_said(old))}, not "
                f"{shortened(_said(new))}; give another --out"
            )


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else repr(value)


def record_of(folder: Path) -> Record:
    """The record of a folder. Raises UserError when it holds no run of questions."""
    path = folder / RECORD
    if not path.exists():
        raise UserError(f"there is no run of questions in {str(folder)!r}: it has no {RECORD}")
    try:
        return Record.model_validate(loaded(from_file(path, "the run"), str(path)))
    except ValidationError as error:
        raise user_error(str(path), error) from None


def questions_of(folder: Path) -> list[Asked]:
    """Raises UserError for a file that holds something else."""
    path = folder / QUESTIONS
    try:
        return [Asked.model_validate_json(line) for line in from_file(path, "the questions").splitlines()]
    except ValidationError as error:
        raise user_error(str(path), error) from None


def calls_of(folder: Path) -> list[Call]:
    """Every call of a run, oldest first; none before the first answer. Raises UserError for what is no journal."""
    path = folder / CALLS
    return [event for event in read(path) if isinstance(event, Call)] if path.exists() else []


def journal(folder: Path) -> Journal:
    """The journal of calls, to be continued; one program at a time may hold it. Raises UserError."""
    return Journal(folder / CALLS)
