"""How any run folder stands, and commands to it: one place that knows each kind of run by the file
of its record."""

from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.run_folder import RUN, run
from hanabi_orchestrator.experiments.running import control_folder
from hanabi_orchestrator.experiments.tasks import task_kinds
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.experiments.tasks.positions import position_run
from hanabi_orchestrator.experiments.tasks.question_folder import CALLS
from hanabi_orchestrator.experiments.tasks.task_kinds import Status
from hanabi_orchestrator.orchestrator.errors import UserError, nearby


def _kind(folder: Path) -> tuple[str, Status]:
    """The kind of run in a folder; games for a folder without a record."""
    for name, kind in task_kinds.kinds.sound():
        if (folder / kind.file).exists():
            return name, kind.status
    if not (folder / RUN).exists() and (folder / CALLS).exists():
        problems = task_kinds.kinds.problems() or ["a task of your own needs --import FILE"]
        raise UserError(
            f"{str(folder)!r} is a run of a task that is not known here: {'; '.join(problems)}"
        )
    if (run(folder).get("experiment") or {}).get("task") == "positions":
        return "positions", position_run.status
    return "games", experiment_run.status


def kind(folder: Path) -> str:
    """Return what a run asked: games, positions, or a task by its name."""
    return _kind(folder)[0]


def records() -> list[str]:
    """Return the files by which runs are known."""
    return [RUN, *(kind.file for _, kind in task_kinds.kinds.sound())]


def checked(folder: Path) -> Path:
    """Return a run folder. Raises UserError for another one."""
    _kind(folder)
    if not any((folder / record).exists() for record in records()):
        raise UserError(
            f"there is no run in {str(folder)!r}, for it has no {RUN}; `list runs` lists the "
            f"runs{nearby(folder)}"
        )
    return folder


def status(folder: Path) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data. Raises UserError for a folder without
    one."""
    stored = _kind(checked(folder))[1](folder)
    live = control_folder.live_status(folder)
    return {
        "run": folder.as_posix(),
        **stored,
        **live,
        "failed": {**stored["failed"], **live["failed"]},
    }


def command(folder: Path, name: str, **arguments: Any) -> dict[str, Any]:
    """Have every process that asks in a run folder do something; see `control_folder.command`."""
    return control_folder.command(checked(folder), name, **arguments)
