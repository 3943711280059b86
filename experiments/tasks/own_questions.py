"""Questions of one's own as a task: asked, kept, resumed and reported like the packaged ones."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from hanabi_orchestrator.experiments.analysis.statistics.estimates import estimate_mean
from hanabi_orchestrator.experiments.document.blocks import Block, Column, table
from hanabi_orchestrator.experiments.document.formats import INT, RIGHT
from hanabi_orchestrator.experiments.document.formats import estimate as with_bounds
from hanabi_orchestrator.experiments.running.runner import Done
from hanabi_orchestrator.experiments.tasks.question_folder import (
    ANSWERED,
    AnswerRun,
    QuestionFolder,
    QuestionRecord,
    distinct_names,
    notes_of,
)
from hanabi_orchestrator.experiments.tasks.question_task import (
    QuestionKind,
    QuestionTask,
    ask_all,
    identity,
    model_of,
    prompt_tokens,
)
from hanabi_orchestrator.experiments.tasks.task_kinds import Asked, TaskKind
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.values import Frozen


class Question(Frozen):
    """A question as the run's folder keeps it; subclasses add what it is about."""

    name: str
    """What no other question of the run is called."""


class Settings(Frozen):
    """What the questions of a run depend on, each setting with its default."""


class Record(QuestionRecord):
    """What was asked, of whom."""

    task: str
    asked: dict[str, Any]
    """The task's settings."""


Q = TypeVar("Q", bound=Question)
S = TypeVar("S", bound=Settings)
NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = ("run", "qa", "probes", "judge", "games", "positions", "questions")


@dataclass(frozen=True)
class OwnQuestions(Generic[Q, S]):
    """A kind of questions with how its questions are listed."""

    name: str
    kind: QuestionKind[Q]
    question: type[Q]
    listed: Callable[[S], Iterable[Q]]
    settings: type[S]
    reported: Callable[[Sequence[AnswerRun[Record, Q]]], Iterable[Block]] | None = None

    @property
    def folder(self) -> QuestionFolder[Record, Q]:
        return QuestionFolder(
            Record,
            file=f"{self.name}.yaml",
            what=f"run of {self.name}",
            head="# What was asked of whom. The same command again goes on; samples may grow.\n",
            fixed=("model", "settings", "task", "asked"),
            grows=("trials",),
            files=("questions.jsonl", "calls*.jsonl"),
            question=self.question,
            questions_file="questions.jsonl",
        )

    def questions(self, given: Mapping[str, Any]) -> tuple[S, dict[str, Q]]:
        """Return the settings with their defaults, and the questions by name. Raises UserError."""
        try:
            settings = self.settings.model_validate(dict(given))
        except ValidationError as error:
            raise user_error(f"settings of {self.name}", error) from None
        questions = dict[str, Q]()
        for question in self.listed(settings):
            if question.name in questions:
                raise UserError(f"{self.name}: two questions are called {question.name!r}")
            questions[question.name] = question
        if not questions:
            raise UserError(f"{self.name}: there is no question with these settings")
        return settings, questions

    def ask(self, asked: Asked, folder: Path) -> Done:
        """Ask the questions, and go on where the folder's run stopped. Raises UserError."""
        settings, questions = self.questions(asked.settings)
        model = model_of(asked.model)
        if isinstance(model, SimSettings):
            self.kind.simulated(model, next(iter(questions.values())))
        name, deciding = identity(model)
        record = Record(
            model=name,
            settings=deciding,
            trials=asked.samples,
            task=self.name,
            asked=settings.model_dump(mode="json"),
        )
        record = self.folder.write(folder, record, questions.values())
        task = QuestionTask(self.kind, questions, model, folder, asked.replay)
        return ask_all(task, record.trials, f"{self.name} {name}", asked.options, asked.progress)

    def estimate(self, asked: Asked) -> tuple[int, int]:
        """Return how many questions there are, and about how many tokens their prompts have."""
        _, questions = self.questions(asked.settings)
        return len(questions), prompt_tokens(self.kind, questions.values())

    def report(self, folders: Sequence[Path]) -> Sequence[Block]:
        """Return the report of the runs in these folders. Raises UserError where there is no answer."""
        runs = [self.folder.run(folder) for folder in folders]
        for run in runs:
            if not run.answers:
                raise UserError(
                    f"{str(run.folder)!r} holds no answer yet; the same command goes on"
                )
        blocks = self.reported(runs) if self.reported else self._table(runs)
        return [*blocks, *notes_of(self._notes(runs))]

    def _table(self, runs: Sequence[AnswerRun[Record, Q]]) -> Iterable[Block]:
        """The mean score over questions, each with the mean of its samples, and its 95 % interval."""
        columns = (
            Column("who", "who", unbroken=True),
            Column("questions", "questions", INT),
            Column("mean", f"{self.kind.measure} (95 % interval)", with_bounds()),
            Column("unread", "no answer", RIGHT),
        )
        rows = []
        names = distinct_names([(run.name, run.folder) for run in runs])
        for name, run in zip(names, runs, strict=True):
            scores = defaultdict[str, list[float]](list)
            for answer in run.answers:
                score = self.kind.score(answer.question, answer.reply)
                if score is not None:
                    scores[answer.question.name].append(score)
            unread = sum(answer.reply is None for answer in run.answers)
            means = [fmean(values) for values in scores.values()]
            rows.append((name, len(means), self._mean(means), f"{unread} of {len(run.answers)}"))
        yield table(self.name, columns, rows)

    def _mean(self, means: Sequence[float]) -> tuple[float | None, ...] | None:
        """The mean of the questions with the bounds of its interval, which are None where they are not known."""
        if not means:
            return None
        bounds: tuple[float | None, float | None] = (None, None)
        if estimated := estimate_mean(means):
            bounds = estimated.within(self.kind.least, self.kind.most) or bounds
        return fmean(means), *bounds

    def _notes(self, runs: Sequence[AnswerRun[Record, Q]]) -> Iterable[str]:
        for run in runs:
            if run.label in ANSWERED:
                yield f"{run.name}: {ANSWERED[run.label]}"
            elif run.label:
                yield f"{run.name}: no language model."
            if run.missing:
                yield f"{run.name}: {run.missing} answers are missing; the same command goes on."


def of_questions(
    name: str,
    kind: QuestionKind[Q],
    question: type[Q],
    listed: Callable[[S], Iterable[Q]],
    settings: type[S] = Settings,  # type: ignore[assignment]  # a task without settings
    *,
    says: str = "",
    report: Callable[[Sequence[AnswerRun[Record, Q]]], Iterable[Block]] | None = None,
) -> TaskKind:
    """Make a task of a list of questions.

    `listed` returns the questions of some `settings`, which `--set KEY=VALUE` changes; `report` returns the blocks of a
    report, by default a table of the mean score. `says`: what is asked, by default the first line of the kind's
    docstring. Raises UserError for a name that is no word or that a packaged task has.
    """
    if not NAME.fullmatch(name) or name in TAKEN:
        raise UserError(
            f"task {name!r} cannot be called so: a name has small letters, digits and _, and is "
            f"none of {', '.join(TAKEN)}"
        )
    own = OwnQuestions(name, kind, question, listed, settings, report)
    title = (type(kind).__doc__ or name).strip().split("\n")[0]
    return TaskKind(
        says=says or title,
        file=own.folder.file,
        status=own.folder.status,
        ask=own.ask,
        report=own.report,
        estimate=own.estimate,
        recorded=own.folder.recorded_model,
    )
