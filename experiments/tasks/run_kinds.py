"""How any run folder stands, and commands to it: one place that knows each kind of run by the file of its record."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from experiments.record import run_folder
from experiments.record.run_folder import RUN, read
from experiments.running import control_folder
from experiments.tasks.games import experiment_run
from experiments.tasks.judge import judge_run
from experiments.tasks.positions import position_run
from experiments.tasks.probes import probe_run
from experiments.tasks.questions import coordination_qa
from orchestrator.errors import UserError, nearby

KINDS: Mapping[str, Callable[[Path], dict[str, Any]]] = {
    RUN: lambda folder: (position_run if "positions" in read(folder / RUN) else experiment_run).status(folder),
    probe_run.FOLDER.file: probe_run.status,
    **{folder.file: folder.status for folder in (coordination_qa.FOLDER, judge_run.FOLDER)},
}
"""By the file of its record: says how a kind of run stands, as plain data."""


def checked(folder: Path) -> Path:
    """Return a run folder. Raises UserError for another one."""
    if not any((folder / record).exists() for record in KINDS):
        raise UserError(
            f"there is no run in {str(folder)!r}, for it has no {RUN}; `list runs` lists the runs{nearby(folder)}"
        )
    return folder


def kind(folder: Path) -> str:
    """Return what a run asked: games, positions, probes, questions or judge; games for a folder without a record."""
    for record, name in NAMES.items():
        if (folder / record).exists():
            return name
    return "positions" if "positions" in run_folder.run(folder) else "games"


NAMES = {probe_run.FOLDER.file: "probes", coordination_qa.FOLDER.file: "questions", judge_run.FOLDER.file: "judge"}
"""By the file of its record: what a run asked."""


def status(folder: Path) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data. Raises UserError for a folder without one."""
    stand = next(KINDS[record] for record in KINDS if (checked(folder) / record).exists())
    stored, live = stand(folder), control_folder.live_status(folder)
    return {"run": folder.as_posix(), **stored, **live, "failed": {**stored["failed"], **live["failed"]}}


def command(folder: Path, name: str, **arguments: Any) -> dict[str, Any]:
    """Have every process that asks in a run folder do something; see `control_folder.command`."""
    return control_folder.command(checked(folder), name, **arguments)
