"""The answers of a run, as its folder has them: one for each question and trial, right or not, or unread."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.running.answer_folder import AnswerRun, by_trial, paid
from experiments.running.question_run import ended
from experiments.tasks.questions import run_folder
from experiments.tasks.questions.run_folder import FOLDER, Asked, Record
from orchestrator.journal.events import Call


@dataclass(frozen=True)
class Answered:
    """A trial that has ended."""

    question: Asked
    trial: int
    """From 0."""
    chosen: int | None
    """The number of the option; None when no answer could be read."""
    asks: int
    """How many times the question was put."""
    error: str | None
    tokens_in: int
    tokens_out: int
    usd: float | None

    @property
    def right(self) -> bool:
        return self.chosen in self.question.right


@dataclass(frozen=True)
class Run(AnswerRun[Record]):
    """A run of questions, as far as it has come."""

    questions: tuple[Asked, ...]
    answers: tuple[Answered, ...]

    @property
    def is_model(self) -> bool:
        """Whether a language model answered."""
        return self.record.label is None and not self.fake

    @property
    def missing(self) -> int:
        """Trials that have not ended."""
        return len(self.questions) * self.record.trials - len(self.answers)


def read(folder: Path) -> Run:
    """The run in a folder. Raises UserError when there is none."""
    record = run_folder.record_of(folder)
    questions = tuple(FOLDER.questions_of(folder))
    calls = FOLDER.calls(folder)
    answers = tuple(_answers({question.name: question for question in questions}, calls))
    return Run(folder, record, any(call.fake for call in calls), questions, answers)


def _answers(questions: Mapping[str, Asked], calls: Iterable[Call]) -> Iterable[Answered]:
    for (name, trial), asked in by_trial(calls, questions).items():
        if ended(asked[-1]):
            yield _answered(questions[name], trial, asked)


def _answered(question: Asked, trial: int, calls: Sequence[Call]) -> Answered:
    last = calls[-1]
    return Answered(
        question,
        trial,
        _chosen(question, last.reply),
        len({call.ask for call in calls}),
        last.error,
        *paid(calls),
    )


def _chosen(question: Asked, reply: Mapping[str, Any] | None) -> int | None:
    if reply is None:
        return None
    texts = [option.full for option in question.options]
    return texts.index(reply["answer"]) if reply["answer"] in texts else None


def rows(run: Run) -> list[dict[str, Any]]:
    """Each answer as a row of `answers.csv`."""
    return [
        {
            "model": run.name,
            "question": one.question.name,
            "game": one.question.game,
            "kind": one.question.kind,
            "trial": one.trial + 1,
            "answer": "" if one.chosen is None else one.question.options[one.chosen].label,
            "key": ",".join(one.question.options[number].label for number in one.question.right),
            "right": int(one.right),
            "asks": one.asks,
            "tokens_in": one.tokens_in,
            "tokens_out": one.tokens_out,
            "usd": "" if one.usd is None else f"{one.usd:.6f}",
            "error": one.error or "",
            "note": one.question.mended,
        }
        for one in run.answers
    ]
