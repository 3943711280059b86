"""Graphs in which one role errs: where the role is, and the errors of its model."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.values import mark_infos
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.models.simulated_settings import KINDS
from hanabi_orchestrator.roles.marks import MarkInfo

FAULTY = "faulty"
"""The model of the node that errs."""
HOST = "house"
"""The graph that gets a node of a role that no graph has."""
AFTERWARDS = {
    "followed",
    "overruled_right",
    "followed_wrong",
    "outside_list",
    "hint_given",
    "hint_played",
    "urgent_kept",
    "immediate_played",
}
"""Marks of what others made of a reply, or of a list that was another's: no role is named by them."""


def errors(rate: float) -> dict[str, Any]:
    """A simulated model that makes every kind of error at this rate, but never breaks the format."""
    return {
        "model": "sim:average",
        **{kind: 0.0 if kind == "malformed" else rate for kind in KINDS},
    }


def naming_marks(role: str) -> Mapping[str, MarkInfo]:
    """The marks that can say that a role errs: those of its own replies of which some values are better."""
    return {
        name: info
        for name, info in mark_infos(role).items()
        if info.best is not None and name not in AFTERWARDS
    }


def marked_roles() -> list[str]:
    """The roles with such marks that a simulated model can play."""
    known = (roles.get(name) for name in roles.names("hanabi"))
    return [role.name for role in known if role.solve and role.template and naming_marks(role.name)]


def hosting(role: str, graph: str | None = None) -> tuple[GraphConfig, tuple[str, ...]]:
    """A graph with the role, and the names of its nodes.

    It is `graph` if that has the role, else the first that has it, else `house` with a node of it that the deciding
    node reads. Raises UserError for an unknown graph or role, and for a role that cannot err, or has no marks.
    """
    known = roles.get(role)
    if known.solve is None or known.template is None:
        raise UserError(
            f"role {role!r} cannot be played by a simulated model, so no errors can be put into it"
        )
    if not naming_marks(role):
        raise UserError(
            f"role {role!r} has no mark that could name it; {did_you_mean(role, marked_roles())}"
        )
    found = next((one for one in _candidates(graph) if _nodes(one, role)), None) or _with(
        graphs.read(HOST), role
    )
    return found, _nodes(found, role)


def _candidates(graph: str | None) -> Iterator[GraphConfig]:
    yield from (
        graphs.read(name) for name in ([graph] if graph else []) + list(graphs.names("hanabi"))
    )


def _nodes(config: GraphConfig, role: str) -> tuple[str, ...]:
    return tuple(name for name, node in config.nodes.items() if node.role == role)


def _with(config: GraphConfig, role: str) -> GraphConfig:
    data = config.model_dump(mode="json")
    others = [name for name in config.nodes if name != config.decides]
    decides = data["nodes"].pop(config.decides)
    decides["reads"] = [*decides["reads"], role]
    data["nodes"] |= {
        role: {"role": role, "reads": others[:1]},
        config.decides: decides,
    }  # a node stands after its notes
    return checked(data | {"name": f"{config.name}_{role}"}, f"{config.name} with {role}")


def upstream(config: GraphConfig, nodes: Sequence[str]) -> set[str]:
    """The roles of the nodes that learn nothing of these nodes' replies: neither as notes nor by a refusal."""
    below = set(nodes)
    while more := {
        name for name in config.nodes if name not in below and _learns(config, name, below)
    }:
        below |= more
    return {node.role for name, node in config.nodes.items() if name not in below}


def _learns(config: GraphConfig, name: str, below: set[str]) -> bool:
    refused = bool(below.intersection(config.judges)) and name == config.redo
    return refused or bool(below & set(config.nodes[name].reads))
