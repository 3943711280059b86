"""A run: every question, every trial, each asked once; what a folder holds already is not asked again."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from experiments.qa import asking, program, run_folder
from experiments.qa.questions import HANABI, Question, QuestionFile
from experiments.qa.run_folder import Record
from experiments.qa.simulated_answers import SimulatedAnswers
from experiments.running.interrupt import on_interrupt
from experiments.running.model_options import ModelOptions
from orchestrator.errors import ModelError, OverBudget, TurnError, Unwritten, UserError
from orchestrator.journal.events import Call
from orchestrator.journal.file import Journal
from orchestrator.journal.recorded_answers import Resumed, answered
from orchestrator.models.budget import Usage
from orchestrator.models.layer import ModelLayer
from orchestrator.models.request import Brain, Key, Message, ModelRequest, ModelResponse
from orchestrator.models.request import answer as ask_model
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.models.settings import settings as settings_of
from orchestrator.models.simulated_settings import SimSettings
from orchestrator.models.simulated_settings import settings as simulated

TRIALS = 3
"""Of each question, as in the paper; the program, whose answers are always the same, has one."""

Model = str | ModelSettings | SimSettings
Trial = tuple[Question, int]
Watch = Callable[[int, int], None]
"""Called with the trials that are done and those there are."""


@dataclass
class Done:
    """What became of a command."""

    folder: Path
    record: Record
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


def run(
    file: QuestionFile,
    given: Model,
    folder: Path,
    *,
    trials: int | None = None,
    options: ModelOptions | None = None,
    watch: Watch = lambda done, total: None,
    brain: Brain | None = None,
) -> Done:
    """Ask the questions of a file, and go on where the folder's run stopped.

    `trials` is 3 by default, 1 for the program. `brain` answers instead of the model's server (for tests). Raises
    UserError for a folder with another run, or when a server refuses before it has answered anything.
    """
    options, model = options or ModelOptions(), model_of(given)
    file = _answerable(file) if model == PROGRAM else file
    name, deciding = (PROGRAM, {}) if isinstance(model, str) else (model.model, dict(model.deciding))
    wanted = run_folder.record(file, name, deciding, trials or (1 if model == PROGRAM else TRIALS))
    record = run_folder.begin(folder, wanted, file.questions)
    with run_folder.journal(folder) as journal:
        before = [event for event in journal.events if isinstance(event, Call)]
        asked = _QuestionRun(record, file.questions, model, journal, before, watch)
        asyncio.run(asked.run(options, brain))
        return asked.done(folder)


def _answerable(file: QuestionFile) -> QuestionFile:
    """The questions that the program can answer. Raises UserError when there are none."""
    kept = tuple(question for question in file.questions if question.game == HANABI)
    others = dict.fromkeys(question.game for question in file.questions if question.game != HANABI)
    if not kept:
        raise UserError(f"programs answer the questions on {HANABI} alone; for {', '.join(others)} name a model")
    told = tuple(f"{game}: no program answers its questions" for game in others)
    return QuestionFile(file.path, file.digest, kept, (*file.left_out, *told))


def recorded(folder: Path) -> tuple[ModelSettings, Brain]:
    """The model of a run of questions, and its answers as a brain. Raises UserError when no model answered there."""
    record = run_folder.record_of(folder)
    if record.label or not record.settings:
        raise UserError(f"{str(folder)!r} has no answers of a model to replay; its answers are those of {record.model}")
    calls = answered(run_folder.calls_of(folder))
    return settings_of(record.settings), Resumed(_Unrecorded(folder), calls)


@dataclass(frozen=True)
class _Unrecorded:
    """Stands for the server in a replay: what was not recorded has no answer."""

    folder: Path

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        raise TurnError(f"{request.node}, trial {request.sample + 1}: it is not recorded in {str(self.folder)!r}")

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass
class _QuestionRun:
    """The questions of a command, while they are asked."""

    record: Record
    questions: Sequence[Question]
    model: Model
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

    def trials(self) -> Iterator[Trial]:
        """All trials, the first of every question before the second of any."""
        for trial in range(self.record.trials):
            for question in self.questions:
                yield question, trial

    @property
    def total(self) -> int:
        return len(self.questions) * self.record.trials

    async def run(self, options: ModelOptions, brain: Brain | None) -> None:
        left = [(question, trial) for question, trial in self.trials() if (question.name, trial) not in self.finished]
        self.watch(len(self.finished), self.total)
        if not left:
            return
        layer = options.layer()
        asks = brain or self._brain(layer)
        try:
            with on_interrupt(self._interrupt):
                if layer.budget and asks:
                    layer.budget.remember([_usage(call)] for call in self.known.values())
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

    async def _all(self, left: Sequence[Trial], brain: Brain | None) -> None:
        at_once = self.model.max_concurrency if isinstance(self.model, ModelSettings) else 1
        gate = asyncio.Semaphore(at_once)
        async with asyncio.TaskGroup() as group:
            for question, trial in left:
                group.create_task(self._within(gate, question, trial, brain))

    async def _within(self, gate: asyncio.Semaphore, question: Question, trial: int, brain: Brain | None) -> None:
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

    async def _ask(self, question: Question, trial: int, brain: Brain | None) -> None:
        if self.model == PROGRAM:
            self.journal(_programmed(question, trial))
            return
        if isinstance(self.model, SimSettings):
            brain = SimulatedAnswers(self.model, question)
        assert brain is not None
        record = asking.recorder(question, trial, self.record.model, self._new)
        await ask_model(asking.request(question, trial), Resumed(brain, self.known), record)
        await self.journal.kept()

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
            self.record,
            len(self.questions),
            self.total,
            self.held_before,
            left,
            self.interrupted,
            str(first) if first else "",
            isinstance(first, OverBudget),
        )


def ended(call: Call) -> bool:
    """Whether a call ends its trial: with an answer that was read, or without one for good."""
    return call.outcome in ("ok", "repaired", "fallback")


def _usage(call: Call) -> Usage:
    return Usage(call.tokens_in, call.tokens_out, call.usd) if call.paid else Usage(0, 0, 0.0)


def _programmed(question: Question, trial: int) -> Call:
    """The program's answer as a call."""
    try:
        number, why = program.answer(question)
    except program.NoAnswer as problem:
        return asking.call(question, trial, model=PROGRAM, outcome="fallback", error=str(problem))
    return asking.call(question, trial, model=PROGRAM, reply={"reason": why, "answer": question.options[number].full})
