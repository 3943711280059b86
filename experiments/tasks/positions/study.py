"""What a position-level ablation asks: its arms, its study file or the same as a command, and its record `run.yaml`.

```yaml
# house-notes.yaml
name: house-notes
positions: program             # a packaged bank, or a file
graph: house
models: {default: program}
arms: [removed, exact, placebo, shuffled, "perturbed@0.3", tom_interpreter=sim:average]
```
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from experiments.record.run_folder import RUN, RunFolder, difference, imports
from experiments.study.file_schema import Model, Name, settled
from experiments.tasks.positions import bank as banks
from experiments.tasks.positions.bank import Bank
from graphs import interventions
from graphs.config import GraphConfig, between, checked
from graphs.config import read as read_graph
from graphs.interventions import Intervention, Kind
from graphs.recorded import depending
from orchestrator.errors import UserError, did_you_mean, user_error
from orchestrator.models.settings import PROGRAM
from orchestrator.replies.reply import Reply
from orchestrator.values import Frozen, OneOrMore
from orchestrator.yaml_files import from_file, loaded
from roles.reply_types import Choice, Shortlist

ABOUT_A_NOTE = ("removed", "exact", "model", "perturbed", "placebo", "shuffled", "advise", "gate", "own_hand")
KINDS = (*ABOUT_A_NOTE, "added", "noise_floor", "permuted", "same_compute")
PUT = ("placebo", "shuffled", "own_hand")
"""Arms that put a note in the place of the node's own."""
OFFERING: Mapping[str, tuple[type[Reply], ...]] = {"advise": (Shortlist,), "gate": (Shortlist, Choice)}
"""Arms that say how a node's moves reach its readers, and whose notes have some."""
OFFERED_BY = {"advise": "a recommender", "gate": "a recommender, or a colleague who chooses a move"}
BASELINE, NOISE_FLOOR = "baseline", "noise-floor"


@dataclass(frozen=True)
class Arm:
    name: str
    kind: Kind | Literal["baseline"]
    node: str | None = None
    """Whose note it is about."""
    value: str | None = None
    """The model, the rate, or the short form of a new node."""
    noise_floor: str | None = None
    """The arm in which the same nodes are asked again with nothing changed: its noise floor."""

    @property
    def step(self) -> Intervention:
        """The change of the baseline's graph."""
        assert self.kind != "baseline"
        if self.kind == "added":
            return interventions.parse(str(self.value))
        return Intervention(self.kind, self.node if self.kind in ABOUT_A_NOTE else None, self.value)

    @property
    def cheats(self) -> bool:
        """Whether it tells an agent what no seat may know."""
        return self.kind == "own_hand"


def _arms(name: str, short: str, config: GraphConfig) -> Iterator[Arm]:
    step = interventions.parse(short)
    kind, node = step.kind, step.node
    if kind not in KINDS:
        raise UserError(f"arm {short!r}: positions have no such arm; {did_you_mean(kind, KINDS, 'the kinds are')}")
    if kind == "added":
        if str(node) not in advisers(step.apply(config)):
            raise UserError(f"arm {str(step)!r}: what {node!r} says does not reach {config.decides!r}, which decides")
        yield Arm(name or f"with-{node}", kind, node, str(step))
        return
    if step.value and kind not in ("model", "perturbed"):
        raise UserError(f"arm {short!r}: positions take everything from their bank; leave {step.value!r} out")
    if kind not in ABOUT_A_NOTE:
        yield Arm(name or kind, kind)
        return
    nodes = _nodes(kind, node, config)
    if kind == "own_hand" and not node:
        nodes = nodes[:1]
    if not nodes and kind in OFFERING:
        missing = f"{node!r} lists no moves" if node else f"no colleague of {config.decides!r} lists moves"
        raise UserError(f"arm {short!r}: {missing} in graph {config.name!r}; {kind} is for {OFFERED_BY[kind]}")
    if not nodes:
        raise UserError(f"graph {config.name!r} has no colleague whose note {config.decides!r} reads, so no {kind} arm")
    value = re.sub(r"[^\w.]+", "-", step.value).strip("-") if step.value else ""
    for node in nodes:
        short_name = f"no-{node}" if kind == "removed" else "-".join(filter(None, (kind, node, value)))
        long_name = f"{name}-{node}" if len(nodes) > 1 else name
        yield Arm(long_name if name else short_name, kind, node, step.value)


def _nodes(kind: Kind, node: str | None, config: GraphConfig) -> Sequence[str]:
    """Return the colleagues that an arm is about: the named one, or all whose notes have what it changes."""
    colleagues = advisers(config)
    if node == config.decides:
        raise UserError(
            f"{node!r} decides in graph {config.name!r}, so it gives no note; its colleagues are: {list(colleagues)}"
        )
    if node and node not in colleagues:
        hint = did_you_mean(node, colleagues, "they are")
        raise UserError(f"{config.decides!r} reads no note of {node!r} in graph {config.name!r}; {hint}")
    offering = OFFERING.get(kind, (object,))
    return [name for name in ([node] if node else colleagues) if issubclass(config.role(name).reply, offering)]


def advisers(config: GraphConfig) -> tuple[str, ...]:
    """Return the nodes whose notes the deciding node reads, directly or through others, in the graph's order."""
    return tuple(name for name in config.nodes if name != config.decides and between(config, name, config.decides))


def downstream(config: GraphConfig, arm: Arm) -> frozenset[str]:
    """Return the nodes that an arm asks again because something before them changed; with the deciding node where no
    note changes."""
    if arm.kind == "added":
        return depending(arm.step.apply(config), {str(arm.node)})
    if arm.node is not None and arm.node in config.nodes:
        return depending(config, {arm.node})
    return frozenset({config.decides, *depending(config, {config.decides})})


# The study

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
    """In their short form, see `graphs.interventions`; a mapping gives names, such as a run of whole games has."""
    noise_floor: bool | None = None
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
    """Return the arms of a study, the baseline first, with the noise floors that belong to them where a model is asked.

    A kind that is about a note and names no node stands for one arm for each colleague whose note the deciding node
    reads, directly or through others. Raises UserError.
    """
    config = study.config
    named = study.arms.items() if isinstance(study.arms, dict) else [("", short) for short in study.arms]
    arms = [arm for name, short in named for arm in _arms(name, short, config)]
    names = [arm.name for arm in arms]
    if twice := next((name for n, name in enumerate(names) if name in names[:n]), None):
        raise UserError(f"two arms are called {twice!r}; name them in the study file: `arms: {{NAME: {arms[0].step}}}`")
    wanted, kinds = study.noise_floor, {arm.kind for arm in arms}
    if wanted is None:
        asks_models = any(study.models.get(name, name) != PROGRAM for name in config.models)
        wanted = asks_models or bool(kinds & {"model", "perturbed"})
    floors: dict[frozenset[str], Arm] = {}  # by the nodes that are asked again
    if wanted or "noise_floor" in kinds:
        floors[downstream(config, Arm(NOISE_FLOOR, "noise_floor"))] = Arm(NOISE_FLOOR, "noise_floor")
        for arm in arms:
            if arm.node and arm.kind != "added":
                floors.setdefault(downstream(config, arm), Arm(f"{NOISE_FLOOR}-{arm.node}", "noise_floor", arm.node))
    changes = [arm for arm in arms if arm.kind != "noise_floor"]
    rest = [
        replace(a, noise_floor=floor.name if (floor := floors.get(downstream(config, a))) else None) for a in changes
    ]
    return (Arm(BASELINE, "baseline"), *floors.values(), *rest)


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
