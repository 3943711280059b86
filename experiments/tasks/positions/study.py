"""What a position-level ablation asks: a study file, or the same on the command line, and its record `run.yaml`.

```yaml
# house-notes.yaml
name: house-notes
positions: program             # a packaged bank, or a file
graph: house
models: {default: program}
arms: [removed, exact, placebo, shuffled, "perturbed@0.3", tom_interpreter=sim:average]
```
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from experiments.record.run_folder import RUN, RunFolder, difference, imports
from experiments.study.file_schema import Model, Name, settled
from experiments.tasks.positions import bank as banks
from experiments.tasks.positions.arms import Arm
from experiments.tasks.positions.arms import read as read_arms
from experiments.tasks.positions.bank import Bank
from graphs import interventions
from graphs.config import GraphConfig, checked
from graphs.config import read as read_graph
from orchestrator.errors import UserError, user_error
from orchestrator.models.settings import PROGRAM
from orchestrator.values import Frozen, OneOrMore
from orchestrator.yaml_files import from_file, loaded

DEFAULT_ARMS = ("removed", "placebo", "shuffled")
COPY = "bank.jsonl.gz"
"""The bank in a run's folder."""
HEAD = """\
# What was asked. The same command again goes on with it.
# `orchestrator evaluate positions run.yaml --out NEW` asks the same again, of the graph, models and bank here.
"""


class Study(Frozen):
    """A study file."""

    name: Name = "positions"
    question: str | None = None
    """What the study asks, in a sentence or two; a report begins with it."""
    positions: str
    """The bank: a packaged one's name, or a file."""
    graph: str | dict[str, Any] = "house"
    """A graph's name or YAML file; in run.yaml the whole graph."""
    models: dict[str, Model] = {"default": PROGRAM}
    """By the model names that the nodes of the graph use."""
    notes: Literal["recorded", "fresh"] = "recorded"
    """Colleagues' notes: as they were recorded, or made once by the study's models and shared by all arms."""
    arms: dict[Name, str] | OneOrMore[str] = DEFAULT_ARMS
    """In their short form, see `arms`; a mapping gives them names, which a run of whole games may have, too."""
    null: bool | None = None
    """Whether each arm has its noise floor asked; by default where a model is asked."""
    samples: int = Field(default=1, ge=1, le=1000)
    """How often each position is decided in each arm."""
    first: int | None = Field(default=None, ge=1)
    """Only so many positions, from the bank's first on; all if not given."""
    seed: int = 0
    """Of simulated models, and of what is drawn for controls."""
    digest: str | None = None
    """In run.yaml: of the bank, which must be the same."""
    versions: dict[str, str] = {}
    """In run.yaml: of the first command."""
    imports: dict[str, Any] | list[Any] | None = None
    """In run.yaml: code of a user's own that the graph needs."""

    @property
    def named_arms(self) -> dict[str, str]:
        """The arms by their names, where they have some."""
        return dict(self.arms) if isinstance(self.arms, dict) else {}

    @property
    def config(self) -> GraphConfig:
        """The graph. Raises UserError."""
        if isinstance(self.graph, str):
            return read_graph(self.graph)
        return checked(dict(self.graph), f"the graph of study {self.name!r}")


def read(path: Path) -> Study:
    """Return a study file, or the run.yaml of a run. Raises UserError."""
    data = loaded(from_file(path, "the study"), str(path))
    if not isinstance(data, dict) or "positions" not in data:
        raise UserError(f"{str(path)!r} is no study: a YAML mapping with `positions:`, the bank, and `arms:`")
    try:
        study = Study.model_validate(data)
    except ValidationError as error:
        raise user_error(str(path), error) from None
    beside = path.parent / study.positions
    return study.model_copy(update={"positions": str(beside)}) if beside.is_file() else study


def opened(study: Study) -> Bank:
    """Return the study's bank. Raises UserError when it is another one than the record says."""
    bank = banks.read(study.positions)
    if study.digest and study.digest != bank.head.digest:
        raise UserError(f"{str(bank.path)!r} is another bank than the study's: {bank.head.digest}, not {study.digest}")
    if not bank.positions:
        raise UserError(
            f"{str(bank.path)!r} has no position, so there is nothing to decide; build a bank from more games"
        )
    return bank


def arms_of(study: Study) -> tuple[Arm, ...]:
    """Return the arms of a study, with the null arms that belong to them where a model is asked. Raises UserError."""
    shorts = study.arms.values() if isinstance(study.arms, dict) else study.arms
    kinds = {interventions.parse(short).kind for short in shorts}
    models = [study.models.get(name, name) for name in study.config.models]
    asks = any(model != PROGRAM for model in models) or bool(kinds & {"model", "perturbed"})
    return read_arms(study.arms, study.config, null=asks if study.null is None else study.null)


class StudyFolder(RunFolder[Study]):
    """The folder of a position-level ablation: `run.yaml`, the bank, and the journals of decisions."""

    def plain(self, record: Study) -> dict[str, Any]:
        data = record.model_dump(mode="json", exclude_none=True, exclude_defaults=True, exclude={"models"})
        models = {
            name: model if isinstance(model, str) else model.model_dump(mode="json", exclude_none=True)
            for name, model in record.models.items()
        }
        return {"name": record.name, "positions": record.positions, **data, "models": models}

    def check(self, folder: Path, before: Study, now: Study) -> None:
        super().check(folder, before, now)
        old, new = (
            {name: model if isinstance(model, str) else dict(model.deciding) for name, model in study.models.items()}
            for study in (before, now)
        )
        if old != new:
            raise UserError(
                f"{str(folder)!r} holds a run with another models: {difference(old, new)}; give another --out"
            )
        for name, short in before.named_arms.items():
            if interventions.parse(now.named_arms.get(name, short)) != interventions.parse(short):
                raise UserError(f"{str(folder)!r} holds arm {name!r} as {short}; give another --out")

    def parsed(self, path: Path) -> Study:
        return read(path)


FIXED = ("digest", "graph", "notes", "seed", "first")
FOLDER = StudyFolder(Study, RUN, "position-level ablation", HEAD, FIXED, files=(COPY,))


def begin(folder: Path, study: Study, bank: Bank, arms: dict[str, str]) -> Study:
    """Write the record of a new run, or check that a run goes on; the study as it stands then.

    `samples` and `arms` may grow. Raises UserError for a folder that holds another run, and names the difference.
    """
    exists = (folder / RUN).exists()
    record = study.model_copy(
        update={
            "positions": COPY,
            "graph": study.config.model_dump(mode="json"),
            "models": {name: settled(model) for name, model in study.models.items()},
            "arms": {**(FOLDER.read(folder).named_arms if exists else {}), **arms},
            "digest": bank.head.digest,
            **imports(),
        }
    )
    record = FOLDER.begin(folder, record, begun=exists)
    if not (folder / COPY).exists():
        banks.copy(bank.path, folder / COPY)
    return record
