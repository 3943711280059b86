"""Who sits in a seat, as plain data: all that makes the seat again, in another process or from a run's folder."""

import hashlib
import json
from functools import cached_property

import graphs
from experiments.design import seat_spec
from experiments.design.experiment import Experiment
from experiments.design.schema import Changes, Model, Sitting, sampled
from graphs.config import PLAYERS, PROGRAM, GraphConfig
from orchestrator.errors import UserError
from orchestrator.models.layer import ModelLayer
from orchestrator.table.seat import Seat, describe
from orchestrator.values import Frozen


class PlayerSpec(Frozen):
    spec: str
    """`partner:NAME`, `python:module:object`, or a graph's name."""
    config: GraphConfig | None = None
    """The graph, changed as its arm says; None for a seat that is none."""
    models: dict[str, Model] = {}
    """By the names that the graph's nodes say."""

    @cached_property
    def key(self) -> str:
        """The same for the same sitter."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def seat(self, layer: ModelLayer) -> Seat:
        """Raises UserError for what cannot sit anywhere."""
        if self.config is None:
            return seat_spec.read_seat(self.spec)
        return graphs.seat(self.config, self.models.get("default", PROGRAM), named=self.models, layer=layer)

    @property
    def players(self) -> tuple[int, ...]:
        """The player counts that it is for."""
        if self.config is not None:
            return self.config.players
        return tuple(getattr(seat_spec.read_seat(self.spec), "players", PLAYERS))

    @property
    def name(self) -> str:
        """As journals and results call it."""
        return self.config.name if self.config else describe(seat_spec.read_seat(self.spec)).graph

    def essence(self, players: int) -> str:
        """The same for sitters that play alike at a player count, whatever they are called. Raises UserError."""
        if self.config is None:
            return self.spec
        data = graphs.at(self.config, players).model_dump(mode="json", exclude={"name", "players"})
        for node in data["nodes"].values():
            model = self.models.get(node["model"], node["model"])
            node["model"] = model if isinstance(model, str) else model.model_dump(mode="json")
            del node["players"]
        return json.dumps(data, sort_keys=True)


def player_spec(one: Sitting, experiment: Experiment, changes: Changes | None = None) -> PlayerSpec:
    """Who is meant in an experiment, with what an arm changes. Raises UserError."""
    changes = changes or Changes()
    given = {**experiment.models, **changes.models, **({} if one.model is None else {"default": one.model})}
    spec, verify = changes.graph or one.graph, changes.verify or one.verify or experiment.verify
    if spec.startswith(seat_spec.OTHERS):
        _unchanged(spec, changes, verify)
        return PlayerSpec(spec=spec)
    config = changed(graphs.read(spec), changes)
    config = graphs.verified(config, verify) if verify else config
    used = {name: model for name, model in given.items() if name == "default" or name in config.models}
    models = {name: sampled(model, experiment.sampling) for name, model in used.items()}
    return PlayerSpec(spec=spec, config=config, models=models)


def _unchanged(spec: str, changes: Changes, verify: str | None) -> None:
    """Raises UserError: only a graph has nodes to take away."""
    asked = [name for name in OPERATORS if getattr(changes, name)]
    if asked or changes.verify:
        raise UserError(f"`{(asked or ['verify'])[0]}` changes a graph, and {spec} is none")


OPERATORS = ("setting", "without", "replace", "change", "without_sections", "options")


def changed(config: GraphConfig, changes: Changes) -> GraphConfig:
    """A graph with what an arm changes in it. Raises UserError."""
    if changes.setting:
        config = graphs.setting(config, **changes.setting)
    if changes.without:
        config = graphs.without(config, *changes.without)
    if changes.replace:
        config = graphs.replace(config, **changes.replace)
    if changes.change:
        config = graphs.change(config, **changes.change)
    if changes.without_sections:
        config = graphs.without_sections(config, *changes.without_sections)
    return graphs.dotted(config, [f"options.{name}={json.dumps(value)}" for name, value in changes.options.items()])
