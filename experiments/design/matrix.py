"""The arms that an experiment's file comes to, by name: those it lists, with every graph and every cell of its matrix.

A name says what tells the arm from others, in one order: the graph (when there are several), the listed arm, the cell;
`house.no-analyst.samples-3`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import ValidationError

import graphs
from experiments.design.experiment import Experiment, place
from experiments.design.schema import Changes, label
from experiments.design.seat_spec import OTHERS
from orchestrator.errors import UserError, user_error

LONGEST = 100
"""Characters of a name: it is a folder's."""


@dataclass(frozen=True)
class Named:
    changes: Changes
    whole: bool
    """Whether it is the experiment as it is, with one of its graphs or in one cell: what other arms are changes of."""


def named(experiment: Experiment) -> dict[str, Named]:
    """The arms, in order. Raises UserError for settings that cannot be, or two arms of one name."""
    matrix = dict(experiment.matrix)
    if "graph" in matrix and len(experiment.graphs) > 1:
        raise UserError("graph: there is a list of graphs, and one in the matrix; give one of them")
    seated = tuple(map(str, matrix.pop("graph", experiment.graphs)))
    several = len(experiment.graphs) > 1 or "graph" in experiment.matrix
    _known(experiment, matrix, seated)
    made: dict[str, Named] = {}
    for graph, arm, changes, cell in _combined(experiment, matrix, seated):
        parts = [*([label(graph)] if several else []), *([arm] if arm else []), *_labels(cell)]
        name = ".".join(parts) or experiment.name
        changed = _with(name, experiment, changes, {"graph": graph} if several else {}, cell)
        _add(made, name, Named(changed, changes == Changes() and bool(arm or not cell)))
    if not made:
        raise UserError("exclude leaves no arm")
    return made


def _combined(
    experiment: Experiment, matrix: Mapping[str, tuple[Any, ...]], seated: tuple[str, ...]
) -> Iterator[tuple[str, str, Changes, dict[str, Any]]]:
    """Graph, listed arm and cell of everything that is not excluded."""
    for graph in seated:
        for arm, changes in _listed(experiment, graph).items():
            for cell in _cells(matrix):
                if not _excluded(experiment, {**cell, "graph": graph, "arm": arm}):
                    yield graph, arm, changes, cell


def _add(made: dict[str, Named], name: str, one: Named) -> None:
    if name in made:
        raise UserError(f"two arms would be called {name!r}; give one of their graphs or values another name")
    if len(name) > LONGEST:
        raise UserError(f"an arm would be called {name!r}, too long for a folder; list it under arms by a name")
    made[name] = one


def _listed(experiment: Experiment, graph: str) -> dict[str, Changes]:
    """What `arms` says; one without a name when it says nothing."""
    if experiment.arms == "leave_one_out":
        return _leave_one_out(graph)
    assert not isinstance(experiment.arms, str)
    return dict(experiment.arms) or {"": Changes()}


def _leave_one_out(graph: str) -> dict[str, Changes]:
    """The whole graph, and an arm without each node that it can do without."""
    if graph.startswith(OTHERS):
        raise UserError(f"arms: leave_one_out takes nodes from a graph, and {graph} is none")
    config = graphs.read(graph)
    found = {"full": Changes()}
    for node in config.nodes:
        try:
            graphs.without(config, node)
        except UserError:
            continue  # the graph needs it
        found[f"no-{node}"] = Changes(without=(node,))
    return found


def _cells(matrix: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(matrix, values, strict=True)) for values in product(*matrix.values()))


def _with(
    name: str, experiment: Experiment, changes: Changes, graph: dict[str, Any], cell: Mapping[str, Any]
) -> Changes:
    """A listed arm with a cell's settings. Raises UserError."""
    own = changes.model_dump(exclude_unset=True)
    data = {**own, **graph}
    if graph and "graph" in own:
        raise UserError(f"arm {name!r}: the arm names a graph itself, so it cannot be played with each of several")
    for key, value in cell.items():
        if _says(own, key.split(".")):
            raise UserError(f"arm {name!r}: the arm and the matrix both say {key}; leave one of them out")
        _begun(data, experiment, key.split("."))
        place(data, key.split("."), value, f"matrix: {key}")
    try:
        return Changes.model_validate(data)
    except ValidationError as error:
        raise user_error(f"arm {name!r}", error) from None


def _begun(data: dict[str, Any], experiment: Experiment, keys: list[str]) -> None:
    """One setting of a model or a seat is changed in the experiment's own: `models.default.temperature`."""
    if keys[0] not in ("models", "seats") or len(keys) < 3:
        return
    whole = experiment.model_dump(include={keys[0]}, exclude_unset=True).get(keys[0], {})
    there = {str(called): one for called, one in whole.items()}
    if keys[1] in there:
        data[keys[0]] = {keys[1]: there[keys[1]], **data.get(keys[0], {})}


def _says(data: Any, keys: list[str]) -> bool:
    """Whether nested data says something at a place."""
    for key in keys:
        if not isinstance(data, dict) or key not in data:
            return False
        data = data[key]
    return True


# exclude


def _known(experiment: Experiment, matrix: Mapping[str, tuple[Any, ...]], seated: tuple[str, ...]) -> None:
    """Raise UserError for axes and exclusions that name nothing, or leave nothing out."""
    known = ", ".join(Changes.model_fields)
    for key in matrix:
        if key.split(".")[0] not in Changes.model_fields:
            raise UserError(f"matrix: {key} is no setting of an arm; those begin with: {known}")
    arms = [arm for graph in seated for arm in _listed(experiment, graph)]
    axes: dict[str, list[Any]] = {"graph": list(seated), "arm": arms, **{key: list(v) for key, v in matrix.items()}}
    for entry in experiment.exclude:
        if not entry:
            raise UserError("exclude: {} leaves everything out; name settings and values")
        for key, value in entry.items():
            if key not in axes:
                raise UserError(f"exclude: {key!r} does not vary; what does: {', '.join(axes)}")
            if value not in axes[key]:
                values = ", ".join(map(str, dict.fromkeys(map(str, axes[key]))))
                raise UserError(f"exclude: {key} is never {value!r}; it is: {values}")


def _excluded(experiment: Experiment, cell: Mapping[str, Any]) -> bool:
    return any(all(cell[key] == value for key, value in entry.items()) for entry in experiment.exclude)


# names


def _labels(cell: Mapping[str, Any]) -> list[str]:
    return [_label(_short(key, cell), value) for key, value in cell.items()]


def _short(key: str, among: Mapping[str, Any]) -> str:
    """As much of a dotted key's end as tells it from the others; none of `models.default`, whose values are names."""
    if key == "models.default":
        return ""
    keys = key.replace("seats.", "seat-").split(".")
    others = [other.split(".") for other in among if other != key]
    for length in range(1, len(keys)):
        if all(other[-length:] != keys[-length:] for other in others):
            return "-".join(keys[-length:])
    return "-".join(keys)


def _label(key: str, value: Any) -> str:
    return "-".join(part for part in (_plain(key), _plain(_said(value))) if part)


def _said(value: Any) -> str:
    """A value as in YAML, but short."""
    if isinstance(value, dict):
        others = [_label(str(key), inner) for key, inner in value.items() if key != "model"]
        return "-".join([*([str(value["model"])] if "model" in value else []), *others])
    if isinstance(value, list | tuple):
        return "+".join(map(_said, value)) or "nothing"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value).partition("@http")[0]


def _plain(text: str) -> str:
    return re.sub(r"[^\w.+]+", "-", text).strip("-.")
