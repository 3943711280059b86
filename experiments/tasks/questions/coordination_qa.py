"""CoordinationQA as a kind of questions: how the paper puts them, what answers them, and the folder
of a run.

The messages are: the directive of the question's kind as system message; the description of the
game; `Got it!`, as if the model had said it; and the question with its options.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.experiments.running.runner import Done, RunOptions
from hanabi_orchestrator.experiments.tasks.question_folder import (
    Answer,
    AnswerRun,
    QuestionFolder,
    QuestionRecord,
)
from hanabi_orchestrator.experiments.tasks.question_task import (
    Model,
    NoAnswer,
    QuestionKind,
    QuestionTask,
    ask_all,
    identity,
    model_of,
)
from hanabi_orchestrator.experiments.tasks.questions import program
from hanabi_orchestrator.experiments.tasks.questions.option_reading import Answer as OptionAnswer
from hanabi_orchestrator.experiments.tasks.questions.option_reading import listed
from hanabi_orchestrator.experiments.tasks.questions.questions import (
    HANABI,
    KeyedQuestion,
    Kind,
    Option,
    Question,
    QuestionFile,
)
from hanabi_orchestrator.experiments.tasks.task_kinds import TaskKind
from hanabi_orchestrator.graphs.answerers import response
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import second_ask
from hanabi_orchestrator.orchestrator.models.request import (
    Brain,
    Message,
    ModelRequest,
    ModelResponse,
    Part,
)
from hanabi_orchestrator.orchestrator.models.retries import call_seed
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.roles.hanabi.error_injection import Slips

TRIALS = 3
"""Trials of each question, as in the paper; the program, whose answers are always the same, has
one."""
REASK: Mapping[str, str] = {
    second_ask.LEGAL: "The options are: $moves. Copy one of them, with its letter."
}
"""The sentences of a second ask that differ from those in a game."""


class CoordinationQuestions(QuestionKind[Question]):
    role = "coordination_qa"
    measure = "right"

    def request(self, question: Question, trial: int) -> ModelRequest:
        parts = (
            Part("directive", question.directive, "system"),
            Part("description", question.description),
            Part("agreed", "Got it!", "assistant"),
            Part("question", question.text),
        )
        options = listed(question.options)
        return ModelRequest(
            question.name,
            self.role,
            trial,
            parts,
            OptionAnswer,
            options,
            form="text",
            phrases=REASK,
        )

    def programmed(self, question: Question) -> OptionAnswer:
        number, why = program.answer(question)
        return OptionAnswer(reason=why, answer=question.options[number])

    def simulated(self, settings: SimSettings, question: Question) -> Brain:
        return SimulatedAnswers(settings, question)

    def score(self, question: Question, reply: Mapping[str, Any] | None) -> float:
        return float(chosen_option(question.options, reply) in question.right)


@dataclass(frozen=True)
class SimulatedAnswers:
    """A simulated model on one question: the program's answer with errors at stated rates.

    Of the rates of a profile two have a meaning here: `misread_stack` (another option than the
    program's) and `malformed` (the text breaks the format). Where the program has no answer, an
    option is drawn at random.
    """

    settings: SimSettings
    question: Question

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        slips = Slips(self.settings, call_seed(self.settings.seed, request))
        chosen = self.question.options[self._number(slips)]
        reply = OptionAnswer(reason=f"A simulated answer to: {self.question.asked}", answer=chosen)
        return response(reply, slips, request, messages)

    def _number(self, slips: Slips) -> int:
        numbers = range(len(self.question.options))
        try:
            exact, _ = program.answer(self.question)
        except NoAnswer:
            return random.Random(f"{slips.seed} guess").choice(numbers)
        if dice := slips.strike("misread_stack"):
            slips.errors.append("misread_stack")
            return dice.choice([number for number in numbers if number != exact])
        return exact

    async def aclose(self) -> None:
        """Nothing to close."""


# The folder


class Record(QuestionRecord):
    """What was asked, of whom."""

    file: str
    """The name of the CSV, without its folder."""
    digest: str
    games: tuple[str, ...]
    kinds: tuple[Kind, ...]
    left_out: tuple[str, ...] = ()
    """Questions without a usable key, and games that the program cannot answer, in sentences."""


FOLDER = QuestionFolder(
    Record,
    file="qa.yaml",
    what="run of questions",
    head=(
        "# Which questions were asked of whom. The same command again goes on with them; --samples "
        "may grow.\n"
    ),
    fixed=("model", "settings", "file", "digest", "games", "kinds", "left_out"),
    grows=("trials",),
    files=("questions.jsonl", "calls*.jsonl"),
    question=KeyedQuestion,
    questions_file="questions.jsonl",
)


def run(
    file: QuestionFile,
    model: Model,
    folder: Path,
    *,
    trials: int | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    replay: Path | None = None,
) -> Done:
    """Ask the questions of a file, and go on where the folder's run stopped.

    `trials` is 3 by default, 1 for the program. `replay`: the folder of a run whose answers are
    taken. Raises UserError for a folder with another run, or when a server refuses before it has
    answered anything.
    """
    model = model_of(model)
    file = _answerable(file) if model == PROGRAM else file
    name, settings = identity(model)
    record = Record(
        model=name,
        settings=settings,
        trials=trials or (1 if model == PROGRAM else TRIALS),
        file=file.path.name,
        digest=file.digest,
        games=tuple(dict.fromkeys(question.game for question in file.questions)),
        kinds=tuple(dict.fromkeys(question.kind for question in file.questions)),
        left_out=file.left_out,
    )
    record = FOLDER.write(folder, record, file.questions)
    by_name = {question.name: question for question in file.questions}
    task = QuestionTask(CoordinationQuestions(), by_name, model, folder, replay)
    return ask_all(task, record.trials, f"qa {name}", options, progress)


def _answerable(file: QuestionFile) -> QuestionFile:
    """Return the questions that the program can answer. Raises UserError when there are none."""
    questions = tuple(question for question in file.questions if question.game == HANABI)
    others = dict.fromkeys(question.game for question in file.questions if question.game != HANABI)
    if not questions:
        raise UserError(
            f"programs answer the questions on {HANABI} alone; for {', '.join(others)} name a model"
        )
    sentences = tuple(f"{game}: no program answers its questions" for game in others)
    return QuestionFile(file.path, file.digest, questions, (*file.left_out, *sentences))


# The answers

QaRun = AnswerRun[Record, KeyedQuestion]


def chosen_option(options: tuple[Option, ...], reply: Mapping[str, Any] | None) -> int | None:
    """Return the number of the option that a reply chooses; None where no answer could be read."""
    texts = [option.full for option in options]
    if reply is not None and reply["answer"] in texts:
        return texts.index(reply["answer"])
    return None


def is_right(answer: Answer[KeyedQuestion]) -> bool:
    return chosen_option(answer.question.options, answer.reply) in answer.question.right


def rows(run: QaRun) -> list[dict[str, Any]]:
    """Return each answer as a row of `answers.csv`."""
    lines = []
    for answer in run.answers:
        question = answer.question
        usage = answer.usage
        chosen = chosen_option(question.options, answer.reply)
        lines.append(
            {
                "model": run.name,
                "question": question.name,
                "game": question.game,
                "kind": question.kind,
                "trial": answer.trial + 1,
                "answer": "" if chosen is None else question.options[chosen].label,
                "key": ",".join(question.options[number].label for number in question.right),
                "right": int(is_right(answer)),
                "asks": answer.asks,
                "tokens_in": usage.tokens_in,
                "tokens_out": usage.tokens_out,
                "usd": "" if usage.usd is None else f"{usage.usd:.6f}",
                "error": answer.error or "",
                "note": question.mended,
            }
        )
    return lines


KIND = TaskKind(
    says="CoordinationQA: whether a model understands the game",
    file=FOLDER.file,
    status=FOLDER.status,
)
