"""How any run folder stands, and commands to it: one place that knows each kind of run by the file
of its record."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record.run_folder import RUN, run
from hanabi_orchestrator.experiments.running import control_folder
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.experiments.tasks.judge import judge_run
from hanabi_orchestrator.experiments.tasks.positions import position_run
from hanabi_orchestrator.experiments.tasks.probes import probe_run
from hanabi_orchestrator.experiments.tasks.questions import coordination_qa
from hanabi_orchestrator.orchestrator.errors import UserError, nearby

Status = Callable[[Path], dict[str, Any]]
KINDS: Mapping[str, tuple[str, Status]] = {
    probe_run.FOLDER.file: ("probes", probe_run.status),
    coordination_qa.FOLDER.file: ("questions", coordination_qa.FOLDER.status),
    judge_run.FOLDER.file: ("judge", judge_run.FOLDER.status),
    RUN: ("games", experiment_run.status),
}
"""By the file of its record: what a kind of run asked, and what says how it stands, as plain
data."""


def _kind(folder: Path) -> tuple[str, Status]:
    record = next((record for record in KINDS if (folder / record).exists()), RUN)
    if record == RUN and (run(folder).get("experiment") or {}).get("task") == "positions":
        return "positions", position_run.status
    return KINDS[record]


def kind(folder: Path) -> str:
    """Return what a run asked: games, positions, probes, questions or judge; games for a folder
    without a record."""
    return _kind(folder)[0]


def checked(folder: Path) -> Path:
    """Return a run folder. Raises UserError for another one."""
    if not any((folder / record).exists() for record in KINDS):
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
