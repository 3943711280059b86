"""Questions that are asked once a trial, each in a call of its own: the task that all kinds of
questions share.

A kind of questions (`questions`, `judge`) says how a question is put, what a program and a
simulated model answer, and how an answer is scored. Its runs lie in folders of `question_folder`.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.experiments.running.runner import Done, Runner, RunOptions
from hanabi_orchestrator.experiments.running.task import Measured, limits_of
from hanabi_orchestrator.experiments.study.job import Unit
from hanabi_orchestrator.experiments.tasks.question_folder import (
    AnswerRecords,
    Named,
    calls,
    free_journal,
    unit_name,
)
from hanabi_orchestrator.orchestrator.errors import Held, ModelError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Sink
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Resumed, answered
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.models.request import (
    Brain,
    Key,
    Message,
    ModelRequest,
    ModelResponse,
    Part,
    estimated,
)
from hanabi_orchestrator.orchestrator.models.request import answer as ask_model
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings
from hanabi_orchestrator.orchestrator.models.settings import settings as settings_of
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.models.simulated_settings import settings as simulated
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.table.game_loop import Gate

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
    least: float = 0.0
    most: float = math.inf
    """The bounds of a score."""
    reply: type[Reply]
    """The type of its answers, unless `request` says so itself."""

    def prompt(self, question: Q) -> str:
        """Return what a model is asked; `request` puts it into one message, to be answered in JSON."""
        raise NotImplementedError

    def request(self, question: Q, trial: int) -> ModelRequest:
        """Return the request of one trial, from 0."""
        parts = (Part("question", self.prompt(question)),)
        return ModelRequest(question.name, self.role, trial, parts, self.reply, {}, form="json")

    @abstractmethod
    def programmed(self, question: Q) -> BaseModel:
        """Return the program's reply. Raises NoAnswer."""

    def simulated(self, settings: SimSettings, question: Q) -> Brain:
        """Return a simulated model that answers this question. Raises UserError where there is
        none."""
        raise UserError(
            f"no simulated model answers {self.role}; name a model on a server, or the program"
        )

    def score(self, question: Q, reply: Mapping[str, Any] | None) -> float | None:
        """Return the score of a reply, which is None when none could be read; None where it has no
        score."""
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
    things: str = "answers"
    may_end_process: bool = False

    @property
    def measure(self) -> str:
        return self.kind.measure

    def open(self, layer: ModelLayer) -> "QuestionAsker[Q]":
        if self.replay is not None:
            return QuestionAsker(
                self, Resumed(Unrecorded(self.replay), answered(calls(self.replay)))
            )
        return QuestionAsker(
            self, layer.brain(self.model) if isinstance(self.model, ModelSettings) else None
        )

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

    def limits(self, unit: QuestionUnit) -> set[Limit]:
        return limits_of([self.brain] if self.brain else [])

    async def ask(self, unit: QuestionUnit, gate: Gate, sink: Sink) -> Call:
        if self.journal is None or unit.again:
            self.known = answered(calls(self.task.folder))
        journal = self.journal = self.journal or free_journal(self.task.folder)
        kind = self.task.kind
        model = self.task.model
        question = self.task.questions[unit.question]
        ends = list[Call]()

        def emit(**values: object) -> None:
            # turns and seats are 0, for no game is played
            place = {
                "turn": 0,
                "seat": 0,
                "node": question.name,
                "role": kind.role,
                "sample": unit.trial,
            }
            ends.append(
                call := Call.model_validate({**place, "model": identity(model)[0], **values})
            )
            old = self.known.get(call.key)
            if old is None or old.outcome != call.outcome:
                journal(call)
                sink(call)

        await asyncio.sleep(0)  # programs alone never wait, and an interrupt must be heard
        if why := await gate.enter():
            raise Held(why)
        try:
            if model == PROGRAM:
                emit(**programmed(kind, question))
            else:
                brain = self.brain
                if isinstance(model, SimSettings):
                    brain = kind.simulated(model, question)
                assert brain is not None
                request = kind.request(question, unit.trial)
                resumed = Resumed(brain, self.known)
                await ask_model(request, resumed, lambda exchange: emit(**exchange.recorded))
            await journal.flush()
            return ends[-1]
        finally:
            gate.leave()

    async def aclose(self) -> None:
        if self.brain is not None:
            await self.brain.aclose()
        if self.journal is not None:
            self.journal.__exit__(None, None, None)


@dataclass(frozen=True)
class Unrecorded:
    """Stands for the server in a replay: what was not recorded has no answer."""

    folder: Path

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        raise ModelError(f"it is not recorded in {str(self.folder)!r}")

    async def aclose(self) -> None:
        """Nothing to close."""


def model_of(name: Model) -> Model:
    """Return a model that can be asked questions: the program, a simulated model, or settings.
    Raises UserError."""
    if name == PROGRAM or isinstance(name, SimSettings):
        return name
    return simulated(name) or settings_of(name)


def identity(model: Model) -> tuple[str, dict[str, object]]:
    """Return the name of a model, and the settings that decide its answers."""
    if isinstance(model, str):
        return (PROGRAM, {})
    return (model.model, dict(model.deciding))


def programmed(kind: QuestionKind[Q], question: Q) -> dict[str, object]:
    """Return the program's answer as values of a call."""
    try:
        return {"reply": kind.programmed(question).model_dump(mode="json")}
    except NoAnswer as problem:
        return {"outcome": "fallback", "error": str(problem)}


def prompt_tokens(kind: QuestionKind[Q], questions: Iterable[Q]) -> int:
    """Return an estimate of the tokens of the prompts of one trial of each question."""
    estimateds = []
    for question in questions:
        for part in kind.request(question, 0).parts:
            estimateds.append(estimated(part.text))
    return sum(estimateds)


def ask_all(
    task: QuestionTask[Q],
    trials: int,
    title: str,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Done:
    """Ask the questions whose answers the task's folder does not hold, each once before any a
    second time.

    Raises UserError when a server refuses before it has answered anything.
    """
    name, _ = identity(task.model)
    order = product(range(trials), task.questions)
    units = [QuestionUnit(arm=name, question=question, trial=trial) for trial, question in order]
    return Runner(task, units, AnswerRecords(task.folder), task.folder, options, progress).run(
        title
    )
