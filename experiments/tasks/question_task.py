"""Questions that are asked once a trial, each in a call of its own: the task that all kinds of questions share.

A kind of questions (`questions`, `judge`) says how a question is put, what a program and a simulated model answer, and
how an answer is scored. Its runs lie in folders of `question_folder`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from experiments.running.progress import Progress
from experiments.running.runner import Done, Runner, RunOptions
from experiments.running.task import Measured
from experiments.study.job import Unit
from experiments.tasks.question_folder import AnswerRecords, Named, calls, free_journal, unit_name
from orchestrator.errors import Held, ModelError, UserError
from orchestrator.journal.events import Call, Sink
from orchestrator.journal.file import Journal
from orchestrator.journal.recorded_answers import Resumed, answered
from orchestrator.models.layer import ModelLayer, limit_of
from orchestrator.models.limiter import Limit
from orchestrator.models.request import Brain, Exchange, Key, Message, ModelRequest, ModelResponse, estimated
from orchestrator.models.request import answer as ask_model
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.models.settings import settings as settings_of
from orchestrator.models.simulated_settings import SimSettings
from orchestrator.models.simulated_settings import settings as simulated
from orchestrator.table.game_loop import Gate

Model = str | ModelSettings | SimSettings


Q = TypeVar("Q", bound=Named)


class NoAnswer(ValueError):  # noqa: N818  # what there is
    """The program has no answer; the message says why."""


class QuestionKind(ABC, Generic[Q]):
    """A kind of questions; plain data, for every process of a run has it."""

    role: str
    """The role of their calls."""
    measure: str = "score"
    """What the score of an answer is called."""

    @abstractmethod
    def request(self, question: Q, trial: int) -> ModelRequest:
        """Return the request of one trial, from 0."""

    @abstractmethod
    def programmed(self, question: Q) -> BaseModel:
        """Return the program's reply. Raises NoAnswer."""

    def simulated(self, settings: SimSettings, question: Q) -> Brain:
        """Return a simulated model that answers this question. Raises UserError where there is none."""
        raise UserError(f"no simulated model answers {self.role}; name a model on a server, or the program")

    def score(self, question: Q, reply: Mapping[str, Any] | None) -> float | None:
        """Return the score of a reply, which is None when none could be read; None where it has no score."""
        return None


@dataclass(frozen=True, kw_only=True)
class QuestionUnit(Unit):
    """One trial of a question."""

    question: str
    trial: int

    @property
    def name(self) -> str:
        return unit_name(self.question, self.trial)

    @property
    def cluster(self) -> Hashable:
        return self.question


@dataclass(frozen=True)
class QuestionTask(Generic[Q]):
    """Questions and who is asked."""

    kind: QuestionKind[Q]
    questions: Mapping[str, Q]
    model: Model
    folder: Path
    replay: Path | None = None
    """The folder of a run whose answers are taken in place of the model's."""
    brain: Brain | None = None
    """Answers in place of the model's server."""
    things: str = "answers"
    may_end_process: bool = False

    @property
    def measure(self) -> str:
        return self.kind.measure

    def open(self, layer: ModelLayer) -> "QuestionAsker[Q]":
        brain = self.brain
        if brain is None and self.replay is not None:
            brain = Resumed(Unrecorded(self.replay), answered(calls(self.replay)))
        elif brain is None and isinstance(self.model, ModelSettings):
            brain = layer.brain(self.model)
        return QuestionAsker(self, brain)

    def measured(self, unit: QuestionUnit, result: Call) -> Measured:
        return Measured(self.kind.score(self.questions[unit.question], result.reply))


@dataclass
class QuestionAsker(Generic[Q]):
    """The questions in one process."""

    task: QuestionTask[Q]
    brain: Brain | None
    known: dict[Key, Call] = field(default_factory=dict)
    """The calls that were answered before."""
    journal: Journal | None = None
    """The journal of this process, from its first question on."""

    def limits(self, unit: QuestionUnit) -> list[Limit]:
        limit = limit_of(self.brain)
        return [] if limit is None else [limit]

    async def ask(self, unit: QuestionUnit, gate: Gate, sink: Sink) -> Call:
        if self.journal is None or unit.again:
            self.known = answered(calls(self.task.folder))
        journal = self.journal = self.journal or free_journal(self.task.folder)
        await asyncio.sleep(0)  # programs alone never wait, and an interrupt must be heard
        if why := await gate.enter():
            raise Held(why)
        try:
            ends: list[Call] = []
            question = self.task.questions[unit.question]

            def emit(call: Call) -> None:
                ends.append(call)
                old = self.known.get(call.key)
                if old is None or old.outcome != call.outcome:
                    journal(call)
                    sink(call)

            await self._ask(question, unit.trial, emit)
            await journal.flush()
            return ends[-1]
        finally:
            gate.leave()

    async def _ask(self, question: Q, trial: int, emit: Callable[[Call], None]) -> None:
        kind, model = self.task.kind, self.task.model
        if model == PROGRAM:
            emit(programmed_call(kind, question, trial))
            return
        brain = kind.simulated(model, question) if isinstance(model, SimSettings) else self.brain
        assert brain is not None
        name, _ = identity(model)
        request = kind.request(question, trial)
        await ask_model(request, Resumed(brain, self.known), recorder(kind.role, question.name, trial, name, emit))

    async def aclose(self) -> None:
        if self.brain is not None:
            await self.brain.aclose()
        if self.journal is not None:
            self.journal.__exit__(None, None, None)


@dataclass(frozen=True)
class Unrecorded:
    """Stands for the server in a replay: what was not recorded has no answer."""

    folder: Path

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        raise ModelError(f"it is not recorded in {str(self.folder)!r}")

    async def aclose(self) -> None:
        """Nothing to close."""


def model_of(name: Model) -> Model:
    """Return a model that can be asked questions: the program, a simulated model, or settings. Raises UserError."""
    if name == PROGRAM or isinstance(name, SimSettings):
        return name
    return simulated(name) or settings_of(name)


def identity(model: Model) -> tuple[str, dict[str, object]]:
    """Return the name of a model, and the settings that decide its answers."""
    return (PROGRAM, {}) if isinstance(model, str) else (model.model, dict(model.deciding))


def call_about(role: str, question: str, trial: int, **more: object) -> Call:
    """Return a call about a question; turns and seats are 0, for no game is played."""
    return Call.model_validate({"turn": 0, "seat": 0, "node": question, "role": role, "sample": trial, **more})


def programmed_call(kind: QuestionKind[Q], question: Q, trial: int) -> Call:
    """Return the program's answer as a call."""
    try:
        outcome: dict[str, object] = {"reply": kind.programmed(question).model_dump(mode="json")}
    except NoAnswer as problem:
        outcome = {"outcome": "fallback", "error": str(problem)}
    return call_about(kind.role, question.name, trial, model=PROGRAM, **outcome)


def recorder(
    role: str, question: str, trial: int, model: str, emit: Callable[[Call], None]
) -> Callable[[Exchange], None]:
    """Return what emits each exchange of a trial as a call."""

    def record(done: Exchange) -> None:
        emit(call_about(role, question, trial, model=model, **done.recorded))

    return record


def prompt_tokens(kind: QuestionKind[Q], questions: Iterable[Q]) -> int:
    """Return an estimate of the tokens of the prompts of one trial of each question."""
    return sum(estimated(part.text) for question in questions for part in kind.request(question, 0).parts)


def units(questions: Sequence[Q], trials: int, arm: str) -> Iterator[QuestionUnit]:
    """Give all trials, the first of every question before the second of any."""
    for trial in range(trials):
        for question in questions:
            yield QuestionUnit(arm=arm, question=question.name, trial=trial)


def ask_all(
    task: QuestionTask[Q],
    trials: int,
    title: str,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Done:
    """Ask the questions whose answers the task's folder does not hold.

    Raises UserError when a server refuses before it has answered anything.
    """
    name, _ = identity(task.model)
    every = list(units(list(task.questions.values()), trials, name))
    return Runner(task, every, AnswerRecords(task.folder), task.folder, options, progress).run(title)
