"""A judge's run: every statement of the games, each put to the role `state_judge` once a trial.

The role stands as a node outside any graph, with a layout of its own. The folder has `judge.yaml`
(who judged what), `judged.ndjson` (each statement with its exact score) and the journal of calls.
"""

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path

from pydantic import BaseModel

from hanabi_orchestrator import prompts
from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.experiments.running.runner import Done, RunOptions
from hanabi_orchestrator.experiments.tasks.judge.statements import Choice, Judged, Statement, find
from hanabi_orchestrator.experiments.tasks.question_folder import (
    AnswerRun,
    QuestionFolder,
    QuestionRecord,
)
from hanabi_orchestrator.experiments.tasks.question_task import (
    Model,
    QuestionKind,
    QuestionTask,
    ask_all,
    identity,
    model_of,
)
from hanabi_orchestrator.experiments.tasks.task_kinds import TaskKind
from hanabi_orchestrator.graphs.answerers import SimulatedBrain
from hanabi_orchestrator.graphs.context import Context
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.orchestrator.models.request import Brain, ModelRequest
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.roles import Sections
from hanabi_orchestrator.roles.hanabi import error_injection
from hanabi_orchestrator.roles.hanabi.sections.judged_lists import JUDGED
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS, StateRating, state_judge

ROLE = state_judge.name
assert state_judge.solve is not None
SOLVE = state_judge.solve
"""The judge's program."""


@cache
def context() -> Context:
    """Return what the judge is told: the rules, what happened since the player's last turn, and the
    lists."""
    sections = ["rules", {"history": {"moves": "since_last_turn"}}, "judged_lists"]
    return Context.model_validate({"name": ROLE, "sections": sections})


def node(statement: Statement) -> RoleNode:
    """Return the judge of one statement."""
    return RoleNode(
        name=statement.name,
        role=state_judge,
        model=ROLE,
        samples=1,
        kinds=tuple(context().kinds(state_judge)),
        reads=(),
        context=context(),
        layout=context().layout([state_judge]),
    )


def sections(statement: Statement) -> Sections:
    """Return what the judge gets to see."""
    return node(statement).sections(
        statement.view, {}, {JUDGED: {"now": statement.now, "before": statement.before}}
    )


class Judging(QuestionKind[Statement]):
    """The statements as questions."""

    role = ROLE
    measure = "overall"

    def request(self, question: Statement, trial: int) -> ModelRequest:
        return node(question).request(trial, sections(question), {})

    def programmed(self, question: Statement) -> BaseModel:
        return SOLVE(sections(question), {})

    def simulated(self, settings: SimSettings, question: Statement) -> Brain:
        facts = sections(question)
        return SimulatedBrain(
            settings, SOLVE, partial(SOLVE, facts, {}), facts, {}, error_injection.reply
        )

    def score(self, question: Statement, reply: Mapping[str, object] | None) -> float | None:
        if reply is None:
            return None
        return StateRating.model_validate(reply).overall


# The folder


class JudgeRecord(QuestionRecord):
    """Who judged what."""

    judged: str
    """The name of the run, folder or journal, without its folder."""
    turns: str
    every: int
    prompt: str
    """The SHA-256 of the judge's own words, the first 16 digits."""


FOLDER = QuestionFolder(
    JudgeRecord,
    file="judge.yaml",
    what="run of a judge",
    head=(
        "# Who judged the state tracking of which games. The same command again goes on, also with "
        "new games.\n"
    ),
    fixed=("model", "settings", "judged", "turns", "every", "prompt"),
    grows=("trials",),
    files=("judged.ndjson", "calls*.jsonl"),
    question=Judged,
    questions_file="judged.ndjson",  # a journal's name would make readers of journals read it
)
JudgeRun = AnswerRun[JudgeRecord, Judged]


def prompt_hash() -> str:
    """Return the hash of everything that the judge's prompt says but for what is judged."""
    files = list(chain.from_iterable(context().files(section) for section in context().names))
    texts = (state_judge.template or "", *(prompts.text(file) for file in files))
    return hashlib.sha256("\n\n".join(texts).encode()).hexdigest()[:16]


def run(
    path: Path,
    model: Model,
    folder: Path,
    *,
    choice: Choice | None = None,
    trials: int = 1,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    replay: Path | None = None,
) -> Done:
    """Judge a journal or the games below a folder, and go on where the judge's folder stopped.

    `replay`: the folder of a run whose answers are taken. Raises UserError for a folder with
    another run, when nothing is there to judge, or when a server refuses before it has answered
    anything.
    """
    choice = choice or Choice()
    model = model_of(model)
    statements = {statement.name: statement for statement in find(path, choice)}
    name, settings = identity(model)
    record = JudgeRecord(
        model=name,
        settings=settings,
        trials=trials,
        judged=path.resolve().name,
        turns=choice.turns,
        every=choice.every,
        prompt=prompt_hash(),
    )
    record = FOLDER.write(folder, record, statements.values())
    task = QuestionTask(Judging(), statements, model, folder, replay)
    return ask_all(task, record.trials, f"judge {name}", options, progress)


def mean_ratings(run: JudgeRun) -> Mapping[str, Mapping[str, float]]:
    """Return, by statement, each aspect's mean over the trials that could be read."""
    ratings = []
    for a in run.answers:
        if a.reply is not None:
            ratings.append((a.question.name, StateRating.model_validate(a.reply)))
    means = {}
    for aspect in ASPECTS:
        means[aspect] = cluster_means((name, getattr(row, aspect)) for name, row in ratings)
    by_name = {}
    for name, _ in ratings:
        by_name[name] = {aspect: means[aspect][name] for aspect in ASPECTS}
    return by_name


KIND = TaskKind(
    says="a judge of how seats kept track of the cards", file=FOLDER.file, status=FOLDER.status
)
