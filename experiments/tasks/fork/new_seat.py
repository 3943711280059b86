"""The seat that decides a turn again: the recorded one, or another graph, model or setting in its
place."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from pydantic import ValidationError

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.study.rerun import RecordedSeat
from hanabi_orchestrator.experiments.tasks.fork.position import Position
from hanabi_orchestrator.graphs import ablate, interventions
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, read
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.graphs.graph_seat import GraphSeat, Model, label, seat, seat_again
from hanabi_orchestrator.graphs.recorded import Note, differing
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import SeatInfo
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings


@dataclass(frozen=True)
class Change:
    """What is to be different when a turn is decided again; nothing by default."""

    graph: GraphConfig | str | Path | None = None
    """Another graph: a config, a name or a YAML file."""
    model: "Model | None" = None
    """Another model for all nodes that ask one; in a graph of programs, for all nodes that a model
    can answer."""
    named: Mapping[str, Model] = field(default_factory=dict)
    """Models that nodes of the graph may name."""
    settings: Sequence[str] = ()
    """Settings of the graph as `--set` gives them, e.g. `nodes.proposer.samples=3`."""
    nodes: Mapping[str, Model] = field(default_factory=dict)
    """Another model for single nodes."""
    without: Sequence[str] = ()
    """Nodes that are taken away."""
    edits: Mapping[str, Note | Path] = field(default_factory=dict)
    """Notes by node, or the files that hold them, in the place of the nodes' own."""
    ask: Collection[str] | None = None
    """The nodes to ask; by default those that the changes are about, or all."""

    @property
    def holds_notes(self) -> bool:
        """Whether the notes of nodes that it does not concern stay as recorded."""
        about_nodes = any(
            interventions.parse(short).kind in ("added", *NOTES) for short in self.settings
        )
        return bool(self.edits or self.nodes or self.without or about_nodes or self.ask is not None)

    def nodes_to_ask(self, old: GraphConfig | None, new: GraphConfig) -> frozenset[str]:
        """Return the nodes of the new graph that are asked something else than in the old one, or
        of another model.

        Both are as at the player count; all nodes where there was no graph.
        """
        if old is None:
            differ = frozenset(new.nodes)
        else:
            differ = differing(old, new)
        return differ | {name for name in self.nodes if name in new.nodes}


def recorded_seat(info: SeatInfo, journal: Path | None, layer: ModelLayer) -> GraphSeat:
    """Return the seat that a journal describes. Raises UserError for no graph, or one that cannot
    be used."""
    if info.config is None:
        raise UserError(
            f"{info.graph} is no graph, so it has no notes, and nothing to decide again; give "
            "--graph NAME"
        )
    return seat_again(info, models=_reached(info, journal), layer=layer)


def _reached(info: SeatInfo, journal: Path | None) -> dict[str, ModelSettings]:
    """Return how the run of a journal reached the models of a seat, by their names in it: a journal
    has only what decides their answers. Empty for a journal that lies in no run folder."""
    record = (
        run_folder.run(journal.resolve().parents[2])
        if journal and len(journal.resolve().parents) > 2
        else {}
    )
    try:
        seats = [RecordedSeat.model_validate(row) for row in (record.get("seats") or {}).values()]
    except ValidationError:
        return {}
    models = []
    for row in seats:
        for model in row.player_spec.models.values():
            if isinstance(model, ModelSettings):
                models.append(model)
    reached = {}
    for (name, deciding), model in product(info.models.items(), models):
        if label(model) == name and model.deciding == deciding:
            reached[name] = model
    return reached


def new_seat(place: Position, change: Change, journal: Path | None, layer: ModelLayer) -> GraphSeat:
    """Return the seat with what is to be different. Raises UserError."""
    if change == Change(edits=change.edits, ask=change.ask) or (
        change.graph is None and place.graph is None
    ):
        return recorded_seat(place.info, journal, layer)
    config, models = _graph(change, place, journal)
    config = interventions.dotted(config, change.settings)
    if change.without:
        config = ablate.without(config, *change.without)
    else:
        config = config
    for name, model in change.nodes.items():
        config = ablate.replace(config, **{name: label(model)})
    models = {**models, **change.named, **{label(model): model for model in change.nodes.values()}}
    new = seat(config, models.pop("default", PROGRAM), named=models, layer=layer)
    ablate.at(new.config, place.started.players)
    return new


def _graph(
    change: Change, place: Position, journal: Path | None
) -> tuple[GraphConfig, dict[str, Model]]:
    """Return the graph with its models by the names of its nodes.

    Raises UserError for another graph in the place of one with several models, where none is named.
    """
    models: dict[str, Model] = {}
    for name, deciding in place.info.models.items():
        models[name] = deciding or name
    models |= _reached(place.info, journal)
    if change.graph is not None:
        if isinstance(change.graph, GraphConfig):
            config = change.graph
        else:
            config = read(change.graph)
        if change.model is None and len(models) > 1:
            raise UserError(
                f"the seat asks several models ({', '.join(models)}): give the other graph's with "
                "--model"
            )
        return config, {
            "default": next(iter(models.values()), PROGRAM)
            if change.model is None
            else change.model
        }
    assert place.graph is not None  # else it was refused
    if change.model is None:
        return place.graph, models
    nodes = place.graph.nodes
    free = [name for name, node in nodes.items() if node.model != PROGRAM]
    free = free or [name for name in nodes if place.graph.role(name).template is not None]
    changed = {}
    for n, node in nodes.items():
        changed[n] = node.model_copy(update={"model": "default"}) if n in free else node
    return place.graph.model_copy(update={"nodes": changed}), {"default": change.model}
