"""The folder of a run of questions: what was asked, and every answer.

`qa.yaml` is the record: the file, the model with the settings that decide its answers, the trials, the choice.
`questions.jsonl` has each question with its options and its key, `calls.jsonl` the journal of calls, which alone is
enough to go on after a stop.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from experiments.running.answer_folder import AnswerFolder, AnswerRecord
from experiments.tasks.questions.questions import Kind, Option, Question, QuestionFile
from orchestrator.plugins import versions
from orchestrator.values import Frozen


class Record(AnswerRecord):
    """What was asked, of whom."""

    file: str
    """The name of the CSV, without its folder."""
    digest: str
    games: tuple[str, ...]
    kinds: tuple[Kind, ...]
    left_out: tuple[str, ...] = ()
    """Questions without a usable key, and games that the program cannot answer, in sentences."""


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


FOLDER = AnswerFolder(
    Record,
    Asked,
    record="qa.yaml",
    questions="questions.jsonl",
    what="run of questions",
    head="# Which questions were asked of whom. The same command again goes on with them; --trials may grow.\n",
    fixed=("model", "settings", "file", "digest", "games", "kinds", "left_out"),
)


def begin(folder: Path, asked: Record, questions: Iterable[Question]) -> Record:
    """Write the record of a new run, or check that a run goes on; see `AnswerFolder.begin`."""
    return FOLDER.begin(folder, asked, map(Asked.of, questions))


def record_of(folder: Path) -> Record:
    """The record of a folder. Raises UserError when it holds no run of questions."""
    return FOLDER.record_of(folder)
