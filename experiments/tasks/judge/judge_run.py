"""A judge's run: every statement of the games, each put to the judge once a trial."""

from dataclasses import dataclass
from pathlib import Path

from experiments.running import question_run
from experiments.running.model_options import ModelOptions
from experiments.running.question_run import Done, Model, Watch, identity, model_of
from experiments.tasks.judge import judged_folder
from experiments.tasks.judge.judged_folder import FOLDER, Judged
from experiments.tasks.judge.judging import Judging
from experiments.tasks.judge.statements import Choice, Statement, find
from orchestrator.errors import UserError
from orchestrator.models.request import Brain, estimated
from orchestrator.models.settings import ModelSettings
from orchestrator.models.settings import settings as settings_of


def run(
    path: Path,
    given: Model,
    folder: Path,
    *,
    choice: Choice | None = None,
    trials: int = 1,
    options: ModelOptions | None = None,
    watch: Watch = lambda done, total: None,
    brain: Brain | None = None,
) -> Done:
    """Judge a journal or the games below a folder, and go on where the judge's folder stopped.

    `brain` answers instead of the model's server. Raises UserError for a folder with another run, when nothing is
    there to judge, or when a server refuses before it has answered anything.
    """
    chosen = choice or Choice()
    statements, model = find(path, chosen), model_of(given)
    name, deciding = identity(model)
    wanted = judged_folder.record(path, chosen, name, deciding, trials)
    record = FOLDER.begin(folder, wanted, map(Judged.of, statements))
    with FOLDER.journal(folder) as journal:
        return question_run.run(
            Judging(),
            statements,
            model,
            record.trials,
            folder,
            journal,
            options=options,
            watch=watch,
            brain=brain,
        )


@dataclass(frozen=True)
class Plan:
    """What a run would ask."""

    games: int
    statements: int
    calls: int
    tokens_in: int
    """An estimate of the prompts' tokens."""


def plan(path: Path, choice: Choice, trials: int) -> Plan:
    """What a run would ask; no model is asked. Raises UserError when nothing is there to judge."""
    statements = find(path, choice)
    sizes = [_size(statement) for statement in statements]
    games = {statement.game for statement in statements}
    return Plan(len(games), len(statements), len(statements) * trials, sum(sizes) * trials)


def _size(statement: Statement) -> int:
    return sum(estimated(part.text) for part in Judging().request(statement, 0).parts)


def recorded(folder: Path) -> tuple[ModelSettings, Brain]:
    """The model of a judge's run, and its answers as a brain. Raises UserError when no model judged there."""
    record = FOLDER.record_of(folder)
    if record.label or not record.settings:
        raise UserError(f"{str(folder)!r} has no answers of a model to replay; its answers are those of {record.model}")
    return settings_of(record.settings), question_run.replaying(folder, FOLDER.calls(folder))
