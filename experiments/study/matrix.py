"""The arms of an experiment file by name: those it lists, crossed with every graph and every cell
of its matrix.

A name says how the arm differs from the others: the graph (when there are several), the listed arm,
the cell, as in `house.no-analyst.samples-3`.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Any

from pydantic import ValidationError

from hanabi_orchestrator.experiments.study import coalitions, short_arms
from hanabi_orchestrator.experiments.study.coalitions import CoalitionArm, Coalitions
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.file_schema import Changes, check_number, label
from hanabi_orchestrator.experiments.study.overrides import place
from hanabi_orchestrator.experiments.study.seat_spec import OTHERS, read_graph
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, user_error

LONGEST = 100
"""Characters of a name, which is also the name of a folder."""
NOT_IN_GRIDS = ("prompts", "same_compute", "same_tokens")
"""Settings of an arm that name a file or another arm."""
MOST_COMBINED = 100_000
"""Arms, those included that `exclude` leaves out."""


MISSING = object()


@dataclass(frozen=True)
class ListedArm:
    changes: Changes
    unchanged: bool
    """Whether it is the experiment itself, with one of its graphs or in one cell: other arms are
    compared with it."""
    coalition: CoalitionArm | None = None
    """The parts that it lacks, of an arm of a design of coalitions."""


ListedArms = Mapping[str, ListedArm]
"""By name."""


def _all_in(entry: Mapping[str, Any], place: Mapping[str, Any]) -> bool:
    """Tell whether a place has all values of an entry."""
    return all(place[key] == value for key, value in entry.items())


def listed_arms(experiment: Experiment) -> dict[str, ListedArm]:
    """Return the arms, in order. Raises UserError for impossible settings, and for two arms of one
    name."""
    if experiment.coalitions:
        return _with_coalitions(experiment, experiment.coalitions)
    matrix = dict(experiment.matrix)
    if "graph" in matrix and len(experiment.graphs) > 1:
        raise UserError("graph: there is a list of graphs, and one in the matrix; give one of them")
    specs = tuple(map(str, matrix.pop("graph", experiment.graphs)))
    several = len(experiment.graphs) > 1 or "graph" in experiment.matrix
    arms = {graph: _arms_of(experiment, graph) for graph in specs}
    axes = {"graph": list(specs), "arm": list(chain.from_iterable(arms.values()))}
    _check_axes(
        experiment, matrix, {**axes, **{key: list(values) for key, values in matrix.items()}}
    )
    factors = {
        "graphs": len(specs),
        "arms": len(arms[specs[0]]),
        **{key: len(axis) for key, axis in matrix.items()},
    }
    if (number := prod(factors.values())) > MOST_COMBINED or not experiment.exclude:
        products = [f"{key} ({count:,})" for key, count in factors.items() if count > 1]
        check_number(number, products if len(products) > 1 else ())
    by_name: dict[str, ListedArm] = {}
    cells = [dict(zip(matrix, values, strict=True)) for values in product(*matrix.values())]
    every = chain.from_iterable(product([graph], arms[graph].items(), cells) for graph in specs)
    for graph, (arm, changes), cell in every:
        place = {**cell, "graph": graph, "arm": arm}
        if any(_all_in(entry, place) for entry in experiment.exclude):
            continue
        labels = [label(graph)] if several else []
        if arm:
            labels.append(arm)
        labels += [_label(_short(key, cell), value) for key, value in cell.items()]
        name = ".".join(labels) or experiment.name
        changed = _with(name, experiment, changes, {"graph": graph} if several else {}, cell)
        if name in by_name:
            raise UserError(
                f"two arms would be called {name!r}; give one of their graphs or values another "
                "name"
            )
        if len(name) > LONGEST:
            raise UserError(
                f"an arm would be called {name!r}, too long for a folder; list it under arms by a "
                "name"
            )
        by_name[name] = ListedArm(changed, changes == Changes() and bool(arm or not cell))
        check_number(len(by_name))
    if not by_name:
        raise UserError("exclude leaves no arm")
    return by_name


def _with_coalitions(experiment: Experiment, design: Coalitions) -> dict[str, ListedArm]:
    """Return the arms of all coalitions, then those that are listed beside them. Raises
    UserError."""
    graph = experiment.graphs[0]
    config = _graph_of(graph, "coalitions")
    by_name = {}
    for name, arm in coalitions.listed(design, config, experiment.numbers).items():
        by_name[name] = ListedArm(arm.changes, name == coalitions.FULL, arm)
    for name, changes in _arms_of(experiment, graph).items() if experiment.arms else ():
        if name in by_name and changes != by_name[name].changes:
            raise UserError(f"arm {name!r} is the name of a coalition; give yours another name")
        by_name.setdefault(name, ListedArm(changes, changes == Changes()))
    check_number(len(by_name))
    return by_name


def _graph_of(spec: str, design: str) -> GraphConfig:
    """Return the graph whose nodes a design removes. Raises UserError for a seat that is none."""
    if spec.startswith(OTHERS):
        raise UserError(f"{design} changes the nodes of a graph, and {spec} is not a graph")
    return read_graph(spec)


def _arms_of(experiment: Experiment, graph: str) -> dict[str, Changes]:
    """Return the arms of `arms`, or one without a name; without names: the whole graph, and those
    of a list, or one for each node that can be removed."""
    if isinstance(experiment.arms, dict):
        return dict(experiment.arms) or {"": Changes()}
    if isinstance(experiment.arms, tuple):
        design = "arms: a list"
    else:
        design = "arms: leave_one_out"
    config = _graph_of(graph, design)
    if isinstance(experiment.arms, tuple):
        return short_arms.named_arms(experiment.arms, config)
    changes = {"full": Changes()}
    for node in config.nodes:
        with suppress(UserError):  # where the graph needs it
            ablate.without(config, node)
            changes[f"no-{node}"] = Changes(without=(node,))
    return changes


def _with(
    name: str,
    experiment: Experiment,
    changes: Changes,
    graph: dict[str, Any],
    cell: Mapping[str, Any],
) -> Changes:
    """Return a listed arm with a cell's settings. Raises UserError."""
    settings = changes.model_dump(exclude_unset=True)
    data = {**settings, **graph}
    if graph and "graph" in settings:
        raise UserError(
            f"arm {name!r}: the arm names a graph itself, so it cannot be combined with several "
            "graphs"
        )
    for key, value in cell.items():
        keys = key.split(".")
        inner: Any = settings
        for part in keys:
            if isinstance(inner, dict):
                inner = inner.get(part, MISSING)
            else:
                inner = MISSING
        if inner is not MISSING:
            raise UserError(
                f"arm {name!r}: the arm and the matrix both set {key}; remove one of them"
            )
        if keys[0] in ("models", "seats") and len(keys) > 2:
            # one of the settings of the experiment's own model or seat varies:
            # `models.default.temperature`
            own = experiment.model_dump(include={keys[0]}, exclude_unset=True).get(keys[0], {})
            varied = {str(called): whole for called, whole in own.items() if str(called) == keys[1]}
            data[keys[0]] = {**varied, **data.get(keys[0], {})}
        place(data, keys, value, f"matrix: {key}")
    try:
        return Changes.model_validate(data)
    except ValidationError as error:
        raise user_error(f"arm {name!r}", error) from None


def _check_axes(
    experiment: Experiment, matrix: Mapping[str, Any], axes: Mapping[str, list[Any]]
) -> None:
    """Raise UserError for axes that are no settings, and for exclusions that match nothing."""
    for key in matrix:
        if key.split(".")[0] in NOT_IN_GRIDS:
            raise UserError(
                f"matrix: {key} cannot vary in a grid; list an arm for each of its values"
            )
        if key.split(".")[0] not in Changes.model_fields:
            hint = did_you_mean(key.split(".")[0], Changes.model_fields, "settings start with")
            raise UserError(f"matrix: {key} is no setting of an arm; {hint}")
    for entry in experiment.exclude:
        if not entry:
            raise UserError("exclude: {} would exclude everything; name settings and values")
        for key, value in entry.items():
            if key not in axes:
                raise UserError(
                    f"exclude: {key!r} does not vary; {did_you_mean(key, axes, 'these do')}"
                )
            if value not in axes[key]:
                hint = did_you_mean(value, map(str, axes[key]), "it is")
                raise UserError(f"exclude: {key} is never {value!r}; {hint}")


def _short(key: str, among: Mapping[str, Any]) -> str:
    """Return the shortest end of a dotted key that no other key shares; empty for `models.default`,
    whose values are names."""
    if key == "models.default":
        return ""
    keys = key.replace("seats.", "seat-").split(".")
    rivals = [other.split(".") for other in among if other != key]
    for length in range(1, len(keys)):
        if all(other[-length:] != keys[-length:] for other in rivals):
            return "-".join(keys[-length:])
    return "-".join(keys)


def _label(key: str, value: Any) -> str:
    parts = (re.sub(r"[^\w.+]+", "-", text).strip("-.") for text in (key, _value(value)))
    return "-".join(part for part in parts if part)


def _value(value: Any) -> str:
    """Return a value as in YAML, shortened."""
    if isinstance(value, dict):
        parts = [_label(str(key), inner) for key, inner in value.items() if key != "model"]
        return "-".join([*([str(value["model"])] if "model" in value else []), *parts])
    if isinstance(value, list | tuple):
        return "+".join(map(_value, value)) or "nothing"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value).partition("@http")[0]
