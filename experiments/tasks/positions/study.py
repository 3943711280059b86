"""An experiment on positions: its bank, its arms, and its record `run.yaml`, which is that of every
experiment.

```yaml
# house-notes.yaml
name: house-notes
task: positions
bank: program                 # a packaged bank, or a file
graph: house
models: {default: program}
arms: [removed, exact, placebo, shuffled, "perturbed@0.3", tom_interpreter=sim:average]
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.run_folder import RUN, difference
from hanabi_orchestrator.experiments.study import manifest
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.experiment import POSITIONS, Experiment, checked
from hanabi_orchestrator.experiments.study.file_schema import Model, settled
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.rerun import RecordedRun
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.tasks.positions import bank as banks
from hanabi_orchestrator.experiments.tasks.positions.bank import Bank, BankPosition
from hanabi_orchestrator.orchestrator.errors import UserError

COPY = "bank.jsonl.gz"
"""The bank in a run's folder."""
FIXED = ("notes", "draw", "first")
"""Keys of the experiment that stay as they were when a run goes on."""


@dataclass(frozen=True)
class PositionStudy:
    """An experiment on positions, resolved; plain data, which every process of a run is given."""

    experiment: Experiment
    arms: tuple[Arm, ...]
    """The baseline first, then the noise floors."""
    bank_file: str
    remarks: tuple[str, ...] = ()
    """What a reader of the results must know."""

    @property
    def bank(self) -> Bank:
        return banks.read(self.bank_file)

    @property
    def baseline(self) -> Arm:
        return self.arms[0]

    @cached_property
    def by_name(self) -> Mapping[str, Arm]:
        return {arm.name: arm for arm in self.arms}

    @property
    def positions(self) -> tuple[BankPosition, ...]:
        """Those that are asked about: the bank's first, at the experiment's player counts."""
        counts = set(self.experiment.players)
        fitting = [position for position in self.bank.positions if position.view.players in counts]
        return tuple(fitting[: self.experiment.first])

    @property
    def samples(self) -> int:
        """Decisions of each position in each arm."""
        return self.experiment.repeats


def study_of(plan: Plan) -> PositionStudy:
    """Return what a plan asks. Raises UserError for a bank without a position to ask about."""
    experiment = plan.experiment
    study = PositionStudy(experiment, plan.arms, str(experiment.bank), plan.all_remarks)
    if not study.positions:
        counts = ", ".join(map(str, sorted(set(experiment.players))))
        raise UserError(
            f"{str(study.bank.path)!r} has no position of {counts} players, so there is nothing "
            "to decide; build a bank from more games"
        )
    digest = plan_digest(experiment)
    if digest and digest != study.bank.head.digest:
        path = str(study.bank.path)
        raise UserError(
            f"{path!r} is another bank than that of the run: {study.bank.head.digest}, not {digest}"
        )
    return study


def plan_digest(experiment: Experiment) -> str | None:
    """Return the digest of the bank of a run that is asked again; None for a new experiment."""
    record = getattr(experiment, "record", {})
    return (record.get("bank") or {}).get("digest")


def read(folder: Path) -> PositionStudy:
    """Return what the run in a folder asked. Raises UserError."""
    record = run_folder.read(folder / RUN)
    if (record.get("experiment") or {}).get("task") != POSITIONS:
        raise UserError(f"there is no run of positions in {str(folder)!r}")
    run = RecordedRun.parsed(record)
    settings = {**record["experiment"], "repeats": record.get("repeats", 1)}
    experiment = checked(settings, str(folder / RUN), folder)
    arms = run.listed_arms(experiment)
    arms.sort(key=lambda arm: arm.name != experiment.baseline)
    return PositionStudy(
        experiment, tuple(arms), str(folder / COPY), tuple(record.get("remarks") or ())
    )


# The record


def begin(plan: Plan, study: PositionStudy) -> None:
    """Write the record of a new run, or check that a run goes on; arms and repeats may grow.

    Raises UserError for a folder that holds another run, and names the difference.
    """
    folder = plan.folder
    head = study.bank.head
    entry = {"name": head.name, "digest": head.digest, "positions": head.positions}
    if (folder / RUN).exists():
        _check(folder, plan, entry)
    else:
        run_folder.check_unused(folder, RUN, COPY)
    experiment = plan.experiment.model_copy(update={"bank": COPY})
    manifest.write(replace(plan, experiment=experiment, recorded={"bank": entry}))
    if not (folder / COPY).exists():
        banks.copy(study.bank.path, folder / COPY)


def _check(folder: Path, plan: Plan, bank: Mapping[str, Any]) -> None:
    """Raise UserError where a command asks something else than the run in its folder."""
    record = run_folder.read(folder / RUN)
    recorded = record.get("bank") or {}
    before = checked(record.get("experiment") or {}, str(folder / RUN), folder)
    differences = {"bank": (recorded.get("digest"), bank["digest"])}
    differences |= {key: (getattr(before, key), getattr(plan.experiment, key)) for key in FIXED}
    for key, (old, new) in differences.items():
        if old != new:
            raise UserError(
                f"{str(folder)!r} holds a run with another {key}: {difference(old, new)}; "
                "give another --out"
            )
    arms = RecordedRun.parsed(record).listed_arms(before)
    players = {arm.name: arm.everybody for arm in plan.arms}
    for arm in arms:
        if arm.name in players:
            _check_player(folder, arm.name, arm.everybody, players[arm.name])


def _check_player(folder: Path, arm: str, old: PlayerSpec, new: PlayerSpec) -> None:
    """Raise UserError where an arm has another graph or other models than before."""
    models = []
    for spec in (old, new):
        models.append({name: _deciding(model) for name, model in spec.models.items()})
    configs = []
    for spec in (old, new):
        configs.append(spec.config.model_dump(mode="json", exclude={"name"}) if spec.config else {})
    for what, (before, now) in {"models": models, "graph": configs}.items():
        if before != now:
            raise UserError(
                f"{str(folder)!r} holds arm {arm!r} with another {what}: "
                f"{difference(before, now)}; give another --out, or the arm another name"
            )


def _deciding(model: Model) -> object:
    """Return the settings of a model that decide what it answers."""
    settings = settled(model)
    if isinstance(settings, str):
        return settings
    return dict(settings.deciding)
