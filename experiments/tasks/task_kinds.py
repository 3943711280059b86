"""The kinds of tasks by name, as commands know them: how one is asked, how a run of it stands, and its report.

An entry point of the group `hanabi_orchestrator.tasks` names a kind of an installed package; `tasks.add` registers one
by a call. A kind that is a list of questions is made by `tasks.of_questions`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.document.blocks import Block
from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.experiments.running.runner import Done, RunOptions
from hanabi_orchestrator.experiments.tasks.question_task import Model
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings
from hanabi_orchestrator.orchestrator.plugins import Table

Status = Callable[[Path], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a command asks, and of whom."""

    model: Model = PROGRAM
    samples: int = 1
    """How many times each question is asked."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Those of the task, such as `seed`."""
    options: RunOptions | None = None
    progress: Progress | None = None
    replay: Path | None = None
    """The folder of a run whose answers are taken in place of the model's."""


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """A kind of task."""

    says: str
    """What it asks, in a few words."""
    file: str
    """The record's file in a run's folder, such as `qa.yaml`, by which the folder is known."""
    status: Status
    """Returns how the run in a folder stands, as `running.progress.run_status` has it."""
    ask: Callable[[Asked, Path], Done] | None = None
    """Asks a run in a folder, or goes on with it: `evaluate task NAME`. None for a kind with a command of its own."""
    report: Callable[[Sequence[Path]], Sequence[Block]] | None = None
    """Returns the report of the runs in some folders. Raises UserError."""
    estimate: Callable[[Asked], tuple[int, int]] | None = None
    """Returns how many questions there are, and about how many tokens their prompts have, for `--dry-run`."""
    recorded: Callable[[Path], ModelSettings] | None = None
    """Returns the model whose answers a run's folder holds, for `--model replay:DIR`. Raises UserError."""


_TASKS = "hanabi_orchestrator.experiments.tasks"
kinds: Table[TaskKind] = Table(
    TaskKind,
    "task",
    "hanabi_orchestrator.tasks",
    {
        "probes": f"{_TASKS}.probes.probe_run:KIND",
        "questions": f"{_TASKS}.questions.coordination_qa:KIND",
        "judge": f"{_TASKS}.judge.judge_run:KIND",
    },
)
"""The kinds of tasks, beside whole games and positions, which are experiments."""
add = kinds.add


def rows() -> list[dict[str, str]]:
    """Return the kinds, each with who brings it and what it asks; of a broken one, why it cannot be used."""
    rows = []
    for name in kinds.names():
        rows.append({"task": name, "from": kinds.source(name), "asks": kinds.says(name)})
    return rows
