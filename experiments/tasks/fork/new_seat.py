"""The seat that decides a turn again: the recorded one, or another graph, model or setting in its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from experiments.record import run_folder
from experiments.study.rerun import RecordedSeat
from experiments.tasks.fork.position import Position
from graphs import ablate, interventions
from graphs.config import PROGRAM, GraphConfig, read
from graphs.fixed_notes import differing
from graphs.graph_seat import GraphSeat, Model, label, seat, seat_again
from orchestrator.errors import UserError
from orchestrator.journal.events import SeatInfo
from orchestrator.models.layer import ModelLayer
from orchestrator.models.settings import ModelSettings


@dataclass(frozen=True)
class Change:
    """What is to be different when a turn is decided again; nothing by default."""

    graph: GraphConfig | str | Path | None = None
    """Another graph: a config, a name or a YAML file."""
    model: "Model | None" = None
    """Another model for all nodes that ask one; in a graph of programs, for all nodes that a model can answer."""
    named: Mapping[str, Model] = field(default_factory=dict)
    """Models that nodes of the graph may name."""
    settings: Sequence[str] = ()
    """Settings of the graph as `--set` gives them, e.g. `nodes.proposer.samples=3`."""
    nodes: Mapping[str, Model] = field(default_factory=dict)
    """Another model for single nodes."""
    without: Sequence[str] = ()
    """Nodes that are taken away."""

    @property
    def there(self) -> bool:
        return self != Change()


def recorded_seat(info: SeatInfo, journal: Path | None, layer: ModelLayer) -> GraphSeat:
    """The seat that a journal describes. Raises UserError for a seat that is no graph, or that cannot be used now."""
    if info.config is None:
        raise UserError(f"{info.graph} is no graph, so it has no notes, and nothing to decide again; give --graph NAME")
    return seat_again(info, models=reached(info, journal), layer=layer)


def reached(info: SeatInfo, journal: Path | None) -> dict[str, ModelSettings]:
    """How the run of a journal reached the models of a seat, by their names in it: a journal has only what decides
    their answers. Empty for a journal that lies in no run folder."""
    record = run_folder.run(journal.resolve().parents[2]) if journal and len(journal.resolve().parents) > 2 else {}
    try:
        seats = [RecordedSeat.model_validate(one) for one in (record.get("seats") or {}).values()]
    except ValidationError:
        return {}
    models = [model for one in seats for model in one.player_spec.models.values() if isinstance(model, ModelSettings)]
    return {
        name: model
        for name, deciding in info.models.items()
        for model in models
        if label(model) == name and model.deciding == deciding
    }


def new_seat(place: Position, change: Change, journal: Path | None, layer: ModelLayer) -> GraphSeat:
    """The seat with what is to be different. Raises UserError."""
    if not change.there or (change.graph is None and place.graph is None):
        return recorded_seat(place.info, journal, layer)
    config, models = _graph(change, place, journal)
    config = interventions.dotted(config, change.settings)
    config = ablate.without(config, *change.without) if change.without else config
    for name, model in change.nodes.items():
        config = ablate.replace(config, **{name: label(model)})
    named = {**models, **change.named, **{label(model): model for model in change.nodes.values()}}
    made = seat(config, named.pop("default", PROGRAM), named=named, layer=layer)
    ablate.at(made.config, place.started.players)
    return made


def _graph(change: Change, place: Position, journal: Path | None) -> tuple[GraphConfig, dict[str, Model]]:
    """The graph with its models by the names of its nodes."""
    info = place.info
    models: dict[str, Model] = {name: deciding or name for name, deciding in info.models.items()}
    models |= reached(info, journal)
    if change.graph is not None:
        config = change.graph if isinstance(change.graph, GraphConfig) else read(change.graph)
        return config, {"default": _only(models, info) if change.model is None else change.model}
    assert place.graph is not None  # else it was refused
    if change.model is None:
        return place.graph, models
    return _freed(place.graph), {"default": change.model}


def _only(models: Mapping[str, Model], info: SeatInfo) -> Model:
    """The recorded seat's model, for another graph. Raises UserError when it has several."""
    if len(models) > 1:
        raise UserError(f"the seat asks several models ({', '.join(models)}): give the other graph's with --model")
    return next(iter(models.values()), PROGRAM)


def _freed(config: GraphConfig) -> GraphConfig:
    """The graph with `default` in place of the models that it asks; if it asks none, of all that a model can answer."""
    asked = [name for name, node in config.nodes.items() if node.model != PROGRAM]
    free = asked or [name for name in config.nodes if config.role(name).template is not None]
    nodes = {n: node.model_copy(update={"model": "default"}) if n in free else node for n, node in config.nodes.items()}
    return config.model_copy(update={"nodes": nodes})


def to_ask(old: GraphConfig | None, new: GraphConfig, change: Change) -> frozenset[str]:
    """The nodes of the new graph that are asked something else than in the old one, or of another model by name.

    Both as they are at the player count; all nodes where there was no graph.
    """
    differ = frozenset(new.nodes) if old is None else differing(old, new)
    return differ | {name for name in change.nodes if name in new.nodes}
