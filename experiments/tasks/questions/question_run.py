"""A run of CoordinationQA: which questions are put to whom, and the folder that keeps the answers."""

from dataclasses import dataclass
from pathlib import Path

from experiments.running import question_run
from experiments.running.model_options import ModelOptions
from experiments.running.question_run import Done as Done
from experiments.running.question_run import Model as Model
from experiments.running.question_run import Watch, call_about, identity
from experiments.running.question_run import model_of as model_of
from experiments.tasks.questions import asking, program, run_folder
from experiments.tasks.questions.questions import HANABI, Question, QuestionFile
from experiments.tasks.questions.simulated_answers import SimulatedAnswers
from orchestrator.errors import UserError
from orchestrator.journal.events import Call
from orchestrator.models.request import Brain, ModelRequest
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.models.settings import settings as settings_of
from orchestrator.models.simulated_settings import SimSettings

TRIALS = 3
"""Of each question, as in the paper; the program, whose answers are always the same, has one."""


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
    model = model_of(given)
    file = _answerable(file) if model == PROGRAM else file
    name, deciding = identity(model)
    wanted = run_folder.record(file, name, deciding, trials or (1 if model == PROGRAM else TRIALS))
    record = run_folder.begin(folder, wanted, file.questions)
    with run_folder.FOLDER.journal(folder) as journal:
        return question_run.run(
            CoordinationQuestions(),
            file.questions,
            model,
            record.trials,
            folder,
            journal,
            options=options,
            watch=watch,
            brain=brain,
        )


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
    return settings_of(record.settings), question_run.replaying(folder, run_folder.FOLDER.calls(folder))


@dataclass(frozen=True)
class CoordinationQuestions:
    """How the questions of CoordinationQA are put and answered."""

    role: str = asking.ROLE

    def request(self, question: Question, trial: int) -> ModelRequest:
        return asking.request(question, trial)

    def programmed(self, question: Question, trial: int) -> Call:
        try:
            number, why = program.answer(question)
        except program.NoAnswer as problem:
            found: dict[str, object] = {"outcome": "fallback", "error": str(problem)}
        else:
            found = {"reply": {"reason": why, "answer": question.options[number].full}}
        return call_about(self.role, question.name, trial, model=PROGRAM, **found)

    def simulated(self, settings: SimSettings, question: Question) -> Brain:
        return SimulatedAnswers(settings, question)
