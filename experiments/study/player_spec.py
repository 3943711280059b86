"""A player as plain data: everything needed to build the seat, in another process or from a run folder."""

import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

import graphs
from experiments.study import seat_spec
from experiments.study.experiment import Experiment
from experiments.study.file_schema import CHANGING, Changes, Model, SeatConfig, sampled, settled
from graphs import ablate, interventions
from graphs.config import PLAYERS, PROGRAM, GraphConfig
from orchestrator.errors import UserError
from orchestrator.table.seat import Seat, describe
from orchestrator.values import Frozen

if TYPE_CHECKING:
    from orchestrator.models.layer import ModelLayer


class PlayerSpec(Frozen):
    spec: str
    """`partner:NAME`, `python:module:object`, or a graph's name."""
    config: GraphConfig | None = None
    """The graph with the changes of its arm; None for a seat that is not a graph."""
    models: dict[str, Model] = {}
    """By the model names that the graph's nodes use."""

    @cached_property
    def key(self) -> str:
        """A hash of the data: equal specs have equal keys."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    @property
    def plain_models(self) -> dict[str, Any]:
        """Its models with all their settings, as plain data. Raises UserError."""
        settings = {name: settled(model) for name, model in self.models.items()}
        return {
            name: value if isinstance(value, str) else value.model_dump(mode="json", exclude_none=True)
            for name, value in settings.items()
        }

    def seat(self, layer: "ModelLayer") -> Seat:
        """The seat, with models of the layer. Raises UserError for a graph, model or object that cannot be used."""
        if self.config is None:
            return seat_spec.read_seat(self.spec)
        return graphs.seat(self.config, self.models.get("default", PROGRAM), named=self.models, layer=layer)

    @property
    def players(self) -> tuple[int, ...]:
        """The player counts that it supports."""
        if self.config is not None:
            return self.config.players
        return tuple(getattr(seat_spec.read_seat(self.spec), "players", PLAYERS))

    @property
    def name(self) -> str:
        """Its name in journals and results."""
        return self.config.name if self.config else describe(seat_spec.read_seat(self.spec)).graph

    def essence(self, players: int) -> str:
        """Equal for specs that play the same games at a player count, whatever their names. Raises UserError."""
        if self.config is None:
            return self.spec
        data = ablate.at(self.config, players).model_dump(mode="json", exclude={"name", "players"})
        for node in data["nodes"].values():
            model = self.models.get(node["model"], node["model"])
            node["model"] = model if isinstance(model, str) else model.model_dump(mode="json")
            del node["players"]
        if all(node["model"] == PROGRAM for node in data["nodes"].values()):
            data.get("controls", {}).pop("draw", None)  # programs know no chance
        data["controls"] = data.get("controls") or None
        return json.dumps(data, sort_keys=True)


def player_spec(
    seat: SeatConfig, experiment: Experiment, changes: Changes | None = None, own_graph: GraphConfig | None = None
) -> PlayerSpec:
    """The spec of a seat of an experiment, with the changes of an arm; `made`: a graph that the arm made itself.

    Raises UserError.
    """
    changes = changes or Changes()
    models_by_name = {**experiment.models, **changes.models, **({} if seat.model is None else {"default": seat.model})}
    spec, verify = changes.graph or seat.graph, changes.verify or seat.verify or experiment.verify
    if spec.startswith(seat_spec.OTHERS):
        _unchanged(spec, changes, verify)
        return PlayerSpec(spec=spec)
    config = interventions.apply(seat_spec.read_graph(spec), changes.steps) if own_graph is None else own_graph
    config = ablate.verified(config, verify) if verify else config
    used = {name: model for name, model in models_by_name.items() if name == "default" or name in config.models}
    models = {name: sampled(model, experiment.sampling) for name, model in used.items()}
    return PlayerSpec(spec=spec, config=config, models=models)


def _unchanged(spec: str, changes: Changes, verify: str | None) -> None:
    """Raise UserError for changes that need a graph."""
    if keys := [name for name in (*CHANGING, "verify") if getattr(changes, name)]:
        raise UserError(f"`{keys[0]}` changes a graph, and {spec} is not a graph")
