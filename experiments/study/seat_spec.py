"""Seats from their specs, players as plain data from which a seat is built anywhere, and the seats
of a whole table.

A spec is `partner:NAME`, `python:module:object`, `person`, or a graph: its name or the path to its
YAML file. An experiment file has a `SeatConfig` (a spec, with a model and a verifier); resolved it
is a `PlayerSpec` (with the whole graph and all models), from which each process builds the `Seat`
that plays.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.file_schema import (
    CHANGING,
    Changes,
    Model,
    SeatConfig,
    sampled,
    settled,
)
from hanabi_orchestrator.graphs import ablate, interventions
from hanabi_orchestrator.graphs.config import PLAYERS, PROGRAM, GraphConfig, is_made, read
from hanabi_orchestrator.graphs.config import names as graph_names
from hanabi_orchestrator.graphs.graph_seat import seat as graph_seat
from hanabi_orchestrator.graphs.state_graph_seat import is_state_graph, of_graph
from hanabi_orchestrator.orchestrator.errors import UserError, shortened, similar_name
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, other_game
from hanabi_orchestrator.orchestrator.models import simulated_settings
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import Brain, Scripted
from hanabi_orchestrator.orchestrator.models.settings import PERSON
from hanabi_orchestrator.orchestrator.players import partners, python_agent
from hanabi_orchestrator.orchestrator.players.base import Partner
from hanabi_orchestrator.orchestrator.table.seat import Seat, describe
from hanabi_orchestrator.orchestrator.values import Frozen, whole_number

OTHERS = (partners.PREFIX, python_agent.PREFIX)
"""Prefixes of the specs that are not graphs."""


class OfflineLayer(ModelLayer):
    """Models of seats that are only looked at: they need no server and no API key, and have no
    answers."""

    def brain(self, model: object) -> Brain:
        return Scripted({})


def read_graph(spec: str) -> GraphConfig:
    """Return the graph of a seat's spec. Raises UserError, also for a person, and for a partner
    named without its prefix."""
    if spec == PERSON:
        raise UserError(
            f"a person takes a seat of one game: `orchestrator play --seat 0={PERSON}`, or on the "
            "page"
        )
    if spec in graph_names() or is_made(spec) or spec.endswith((".yaml", ".yml")):
        return read(spec)
    names = (*(f"{partners.PREFIX}{name}" for name in partners.names()), *graph_names())
    if (meant := similar_name(spec, names)) and meant.startswith(partners.PREFIX):
        raise UserError(
            f"unknown graph {spec!r}; did you mean {meant!r}? A rule player is named "
            f"{partners.PREFIX}NAME"
        )
    return read(spec)


def read_seat(
    spec: str,
    *,
    model: Model = PROGRAM,
    layer: ModelLayer | None = None,
    named: Mapping[str, Model] | None = None,
    verify: str | None = None,
    person: Seat | None = None,
) -> Seat:
    """Return a seat from its spec: `partner:NAME`, `python:module:object`, `person`, or a graph.

    `person` is the seat of a person, where one can play. The other arguments are for graphs: the
    model bound to `default`, models by name, and a verifier instead of the graph's own. Raises
    UserError for a partner, module, object, graph or model that does not exist or cannot be used.
    """
    if spec == PERSON and person is not None:
        return person
    if spec.startswith(partners.PREFIX):
        return partners.get(spec.removeprefix(partners.PREFIX))
    if spec.startswith(python_agent.PREFIX):
        target = python_agent.named(spec)
        if is_state_graph(target):
            return of_graph(target, spec)
        return python_agent.read(spec, target)
    config = read_graph(spec)
    if verify is None:
        config = config
    else:
        config = ablate.verified(config, verify)
    return graph_seat(config, model, named=named, layer=layer)


def check(seat: Seat, players: int) -> Seat:
    """Return the same seat. Raises UserError when it does not support this player count."""
    if isinstance(config := getattr(seat, "config", None), GraphConfig):
        ablate.at(config, players)
    elif isinstance(seat, Partner) and seat.plays != DEFAULT:
        raise UserError(f"{partners.PREFIX}{seat.name} is for {other_game(seat.plays)}")
    elif isinstance(seat, Partner) and players not in seat.players:
        counts = ", ".join(map(str, seat.players))
        raise UserError(f"{partners.PREFIX}{seat.name} is for {counts} players, not {players}")
    return seat


def placed(options: Sequence[str], players: int) -> dict[int, str]:
    """Return the specs of `--seat N=SPEC` by seat. Raises UserError for a seat that does not exist
    or is given twice."""
    specs: dict[int, str] = {}
    for option in options:
        number, _, spec = option.partition("=")
        seat = whole_number(number)
        if seat is None or not spec:
            raise UserError(f"--seat {shortened(option)!r} is not N=SPEC, e.g. 1=partner:piers")
        if seat >= players:
            raise UserError(
                f"--seat {option!r}: the seats of {players} players are 0 to {players - 1}"
            )
        if seat in specs:
            raise UserError(f"--seat {option!r}: seat {seat} is taken by {specs[seat]!r}")
        specs[seat] = spec
    return dict(sorted(specs.items()))


def configs(config: GraphConfig, specs: Mapping[int, str], players: int) -> list[GraphConfig]:
    """Return the graphs of a table: `config`, unless `specs` take all seats, and the graphs that
    they name."""
    named = []
    for spec in dict.fromkeys(specs.values()):
        if not (spec == PERSON or spec.startswith(OTHERS)):
            named.append(spec)
    return [*([config] if len(specs) < players else []), *map(read_graph, named)]


def table(
    config: GraphConfig,
    specs: Mapping[int, str],
    players: int,
    *,
    named: Mapping[str, Model],
    layer: ModelLayer,
    verify: str | None = None,
    person: Seat | None = None,
) -> tuple[Seat, ...]:
    """Return the seats of a table: those of `specs`, and the graph on all others; equal seats share
    one object. `person` is the seat of every person. Raises UserError for a seat that cannot be
    used, or not at this player count."""
    model = named.get("default", PROGRAM)
    by_spec: dict[str | None, Seat] = {}
    for seat in range(players):
        if (spec := specs.get(seat)) in by_spec:
            continue
        if spec is None:
            by_spec[spec] = graph_seat(config, model, named=named, layer=layer)
        else:
            by_spec[spec] = read_seat(
                spec, model=model, layer=layer, named=named, verify=verify, person=person
            )
        check(by_spec[spec], players)
    return tuple(by_spec[specs.get(seat)] for seat in range(players))


def persons(specs: Mapping[int, str]) -> frozenset[int]:
    """Return the seats of persons."""
    return frozenset(seat for seat, spec in specs.items() if spec == PERSON)


def name(graph: str, specs: Mapping[int, str], players: int) -> str:
    """Return the table in the name of a file: `house-P1-partner-piers`."""
    parts = [graph] if len(specs) < players else []
    for seat, spec in specs.items():
        if spec.startswith(python_agent.PREFIX):
            short = python_agent.PREFIX + spec.rpartition(":")[2]
        else:
            if spec.startswith(partners.PREFIX):
                short = spec
            else:
                short = Path(spec).stem
        short = re.sub(r"[^\w.]+", "-", short).strip("-")
        parts.append(f"P{seat}-{short}")
    return "-".join(parts)


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
        models = dict[str, Any]()
        for name, value in settings.items():
            models[name] = (
                value
                if isinstance(value, str)
                else value.model_dump(mode="json", exclude_none=True)
            )
        return models

    def seat(self, layer: ModelLayer | None = None) -> Seat:
        """Return the seat, with models of the layer, or to be looked at. Raises UserError for one
        that cannot be used."""
        if self.config is None:
            return read_seat(self.spec)
        default = self.models.get("default", PROGRAM)
        return graph_seat(self.config, default, named=self.models, layer=layer or OfflineLayer())

    @property
    def players(self) -> tuple[int, ...]:
        """The player counts that it supports."""
        if self.config is not None:
            return self.config.players
        return tuple(getattr(read_seat(self.spec), "players", PLAYERS))

    @property
    def name(self) -> str:
        """Its name in journals and results."""
        if self.config:
            return self.config.name
        return describe(read_seat(self.spec)).graph

    @property
    def reads_words(self) -> bool:
        """Whether a model plays that reads its prompts: programs and simulated models answer from
        the data."""
        if self.config is None:
            return False
        models = (self.models.get(name, name) for name in self.config.models)
        return any(model != PROGRAM and not simulated_settings.settings(model) for model in models)

    def essence(self, players: int) -> str:
        """Equal for specs that play the same games at a player count, whatever their names. Raises
        UserError."""
        if self.config is None:
            return self.spec
        data = ablate.at(self.config, players).model_dump(
            mode="json", exclude={"name", "players", "engine"}
        )
        for node in data["nodes"].values():
            model = self.models.get(node["model"], node["model"])
            node["model"] = model if isinstance(model, str) else model.model_dump(mode="json")
            del node["players"]
        if all(node["model"] == PROGRAM for node in data["nodes"].values()):
            data.get("controls", {}).pop("draw", None)  # programs know no chance
        if not self.reads_words:
            data.pop("texts", None)
        data["controls"] = data.get("controls") or None
        return json.dumps(data, sort_keys=True)


def arm_spec(experiment: Experiment, changes: Changes) -> PlayerSpec:
    """Return the spec of every seat of an arm that has no other. Raises UserError."""
    return player_spec(SeatConfig(graph=experiment.graphs[0]), experiment, changes)


def player_spec(
    seat: SeatConfig,
    experiment: Experiment,
    changes: Changes | None = None,
    own_graph: GraphConfig | None = None,
) -> PlayerSpec:
    """Return the spec of an experiment's seat, with an arm's changes; `own_graph`: one that the arm
    made. Raises UserError."""
    changes = changes or Changes()
    models = {
        **experiment.models,
        **changes.models,
        **({} if seat.model is None else {"default": seat.model}),
    }
    spec = changes.graph or seat.graph
    verify = changes.verify or seat.verify or experiment.verify
    if spec.startswith(partners.PREFIX):
        rule_player = partners.get(spec.removeprefix(partners.PREFIX))
        check(rule_player, rule_player.players[0])
    if spec.startswith(OTHERS):
        if keys := [name for name in (*CHANGING, "verify") if getattr(changes, name)]:
            raise UserError(f"`{keys[0]}` changes a graph, and {spec} is not a graph")
        return PlayerSpec(spec=spec)
    if own_graph is None:
        config = interventions.apply(read_graph(spec), changes.steps)
    else:
        config = own_graph
    if verify:
        config = ablate.verified(config, verify)
    else:
        config = config
    names = {"default", *config.models}
    used = {}
    for name, model in models.items():
        if name in names:
            used[name] = sampled(model, experiment.sampling)
    return PlayerSpec(spec=spec, config=config, models=used)
