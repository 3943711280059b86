"""A run of questions: every question, every trial, each asked once; what its journal holds already is not asked again.

What the questions are is no matter here: `Questions` says how one is put, and how a program or a simulated model
answers it. See `experiments.tasks.questions` and `experiments.tasks.judge`.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from experiments.running.model_options import ModelOptions
from experiments.running.runner import on_interrupt
from orchestrator.errors import ModelError, OverBudget, TurnError, Unwritten, UserError
from orchestrator.journal.events import Call
from orchestrator.journal.file import Journal
from orchestrator.journal.recorded_answers import Resumed, answered
from orchestrator.models.layer import ModelLayer
from orchestrator.models.request import Brain, Exchange, Key, Message, ModelRequest, ModelResponse
from orchestrator.models.request import answer as ask_model
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.models.settings import settings as settings_of
from orchestrator.models.simulated_settings import SimSettings
from orchestrator.models.simulated_settings import settings as simulated

Model = str | ModelSettings | SimSettings
Watch = Callable[[int, int], None]
"""Called with the trials that are done and those there are."""


class Named(Protocol):
    @property
    def name(self) -> str:
        """What no other question of the run is called: the node of its calls."""
        ...


Q = TypeVar("Q", bound=Named)
T = TypeVar("T", bound=Named, contravariant=True)


class Questions(Protocol[T]):
    """How questions of a kind are put and answered."""

    @property
    def role(self) -> str:
        """The role of their calls."""
        ...

    def request(self, question: T, trial: int) -> ModelRequest:
        """The request of one trial, from 0."""
        ...

    def programmed(self, question: T, trial: int) -> Call:
        """The program's answer as a call."""
        ...

    def simulated(self, settings: SimSettings, question: T) -> Brain:
        """A simulated model that answers this question."""
        ...


@dataclass
class Done:
    """What became of a command."""

    folder: Path
    questions: int
    trials: int
    """All of them."""
    before: int = 0
    """Those that the folder held already."""
    left: int = 0
    """Those without an answer still."""
    interrupted: bool = False
    problem: str = ""
    """Why the run stopped, or the first reason why an answer did not come."""
    over_budget: bool = False


def model_of(given: Model) -> Model:
    """A model that can be asked questions: the program, a simulated model, or settings. Raises UserError."""
    if given == PROGRAM:
        return PROGRAM
    if isinstance(given, SimSettings):
        return given
    return simulated(given) or settings_of(given)


def identity(model: Model) -> tuple[str, dict[str, object]]:
    """The name of a model, and the settings that decide its answers."""
    return (PROGRAM, {}) if isinstance(model, str) else (model.model, dict(model.deciding))


def run(
    asking: Questions[Q],
    questions: Sequence[Q],
    model: Model,
    trials: int,
    folder: Path,
    journal: Journal,
    *,
    options: ModelOptions | None = None,
    watch: Watch = lambda done, total: None,
    brain: Brain | None = None,
) -> Done:
    """Ask the questions whose answers the journal of a folder does not hold.

    `brain` answers instead of the model's server. Raises UserError when a server refuses before it has answered
    anything.
    """
    before = [event for event in journal.events if isinstance(event, Call)]
    asked = _QuestionRun(asking, questions, model, trials, journal, before, watch)
    asyncio.run(asked.run(options or ModelOptions(), brain))
    return asked.done(folder)


@dataclass(frozen=True)
class Unrecorded:
    """Stands for the server in a replay: what was not recorded has no answer."""

    folder: Path

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        raise TurnError(f"{request.node}, trial {request.sample + 1}: it is not recorded in {str(self.folder)!r}")

    async def aclose(self) -> None:
        """Nothing to close."""


def replaying(folder: Path, calls: Sequence[Call]) -> Brain:
    """The recorded answers of a folder as a brain."""
    return Resumed(Unrecorded(folder), answered(calls))


def ended(call: Call) -> bool:
    """Whether a call ends its trial: with an answer that was read, or without one for good."""
    return call.outcome in ("ok", "repaired", "fallback")


def call_about(role: str, name: str, trial: int, **more: object) -> Call:
    """A call about a question; turns and seats are 0, for no game is played."""
    return Call.model_validate({"turn": 0, "seat": 0, "node": name, "role": role, "sample": trial, **more})


def recorder(role: str, name: str, trial: int, model: str, emit: Callable[[Call], None]) -> Callable[[Exchange], None]:
    """Emits each exchange of a trial as a call."""

    def record(done: Exchange) -> None:
        response = {} if done.response is None else {k: v for k, v in vars(done.response).items() if k != "unusable"}
        told = {"model": model, "prompt_hash": done.prompt_hash, "messages": done.messages, "ask": done.ask}
        read = {"reply": done.reply.model_dump(mode="json") if done.reply else None, "outcome": done.outcome}
        why = {"error": done.error, "cause": done.cause, "dropped": done.dropped}
        emit(call_about(role, name, trial, **response | told | read | why | {"attempts": done.attempts}))

    return record


@dataclass
class _QuestionRun(Generic[Q]):
    """The questions of a command, while they are asked."""

    asking: Questions[Q]
    questions: Sequence[Q]
    model: Model
    trials: int
    journal: Journal
    before: Sequence[Call]
    watch: Watch
    known: Mapping[Key, Call] = field(init=False)
    """The calls that were answered before."""
    finished: set[tuple[str, int]] = field(init=False)
    stopped: bool = False
    interrupted: bool = False
    problems: list[Exception] = field(default_factory=list)
    held_before: int = field(init=False)

    def __post_init__(self) -> None:
        self.known = answered(self.before)
        names = {question.name for question in self.questions}
        over = (call for call in self.before if call.node in names and ended(call))
        self.finished = {(call.node, call.sample) for call in over}
        self.held_before = len(self.finished)

    def each(self) -> Iterator[tuple[Q, int]]:
        """All trials, the first of every question before the second of any."""
        for trial in range(self.trials):
            for question in self.questions:
                yield question, trial

    @property
    def total(self) -> int:
        return len(self.questions) * self.trials

    async def run(self, options: ModelOptions, brain: Brain | None) -> None:
        left = [(question, trial) for question, trial in self.each() if (question.name, trial) not in self.finished]
        self.watch(len(self.finished), self.total)
        if not left:
            return
        layer = options.layer()
        asks = brain or self._brain(layer)
        try:
            with on_interrupt(self._interrupt):
                if layer.budget and asks:
                    layer.budget.remember([call.usage] for call in self.known.values())
                await self._checked(layer)
                await self._all(left, asks)
        finally:
            if asks:
                await asks.aclose()
            layer.close()

    def _brain(self, layer: ModelLayer) -> Brain | None:
        return layer.brain(self.model) if isinstance(self.model, ModelSettings) else None

    async def _checked(self, layer: ModelLayer) -> None:
        """An unusable server is an error before the first answer; afterwards the run waits."""
        try:
            await layer.check()
        except UserError as error:
            if not self.known:
                raise
            self._stop(error)

    async def _all(self, left: Sequence[tuple[Q, int]], brain: Brain | None) -> None:
        at_once = self.model.max_concurrency if isinstance(self.model, ModelSettings) else 1
        gate = asyncio.Semaphore(at_once)
        async with asyncio.TaskGroup() as group:
            for question, trial in left:
                group.create_task(self._within(gate, question, trial, brain))

    async def _within(self, gate: asyncio.Semaphore, question: Q, trial: int, brain: Brain | None) -> None:
        async with gate:
            if self.stopped:
                return
            try:
                await self._ask(question, trial, brain)
            except ModelError as error:
                self.problems.append(error)
                if isinstance(error, OverBudget) or error.final:
                    self.stopped = True
            except (TurnError, UserError) as error:  # a prompt that differs from the recorded one, or a full disk
                self._stop(error)
            else:
                self.finished.add((question.name, trial))
                self.watch(len(self.finished), self.total)

    async def _ask(self, question: Q, trial: int, brain: Brain | None) -> None:
        if self.model == PROGRAM:
            self.journal(self.asking.programmed(question, trial))
            return
        if isinstance(self.model, SimSettings):
            brain = self.asking.simulated(self.model, question)
        assert brain is not None
        name, _ = identity(self.model)
        record = recorder(self.asking.role, question.name, trial, name, self._new)
        await ask_model(self.asking.request(question, trial), Resumed(brain, self.known), record)
        await self.journal.flush()

    def _new(self, call: Call) -> None:
        """Write a call that the journal does not hold."""
        held = self.known.get(call.key)
        if held is None or held.outcome != call.outcome:
            self.journal(call)

    def _stop(self, error: Exception) -> None:
        self.problems.append(error)
        self.stopped = True

    def _interrupt(self) -> None:
        self.interrupted = self.stopped = True

    def done(self, folder: Path) -> Done:
        left = self.total - len(self.finished)
        first = self.problems[0] if self.problems else None
        if first is not None and not self.known and not self.finished and getattr(first, "final", False):
            raise UserError(str(first))
        if isinstance(first, Unwritten):
            raise first
        return Done(
            folder,
            len(self.questions),
            self.total,
            self.held_before,
            left,
            self.interrupted,
            str(first) if first else "",
            isinstance(first, OverBudget),
        )
