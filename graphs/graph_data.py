"""Graphs as plain data, as YAML has them: nodes taken away, edges written at their other end, one graph over another.

These are functions from mappings to new mappings; what they return is checked as a whole where a graph is made of it.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from hanabi_orchestrator.graphs.controls import NODES, NOTES
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.values import as_list

Data = dict[str, Any]
KINDS = frozenset(("role", "python", "graph"))
"""What says of which kind a node is."""


def plain(data: Data) -> Data:
    """Return a graph without the short forms of its nodes: `feeds`, `model: placebo` and the like.

    Each node stands after those that it reads, as far as no circle forbids it. Raises ValueError for a node that feeds
    one which is not there.
    """
    nodes = data.get("nodes")
    if not isinstance(nodes, dict) or not all(isinstance(node, dict) for node in nodes.values()):
        return data
    return _controlled(data | {"nodes": _in_order(_fed(nodes))})


def _fed(nodes: Mapping[str, Data]) -> Data:
    """Return the nodes, where `feeds` of one is `reads` of others."""
    fed = {
        name: {key: value for key, value in node.items() if key != "feeds"}
        for name, node in nodes.items()
    }
    for name, node in nodes.items():
        for reader in as_list(node.get("feeds") or ()):
            if not isinstance(reader, str) or reader not in fed:
                raise ValueError(
                    f"nodes.{name} feeds {reader!r}, which is no node; {did_you_mean(reader, fed)}"
                )
            reads = as_list(fed[reader].get("reads") or ())
            fed[reader]["reads"] = [*reads, *([] if name in reads else [name])]
    return fed


def _in_order(nodes: Data) -> Data:
    ordered = Data()
    seen = set[str]()

    def place(name: str) -> None:
        if isinstance(name, str) and name not in seen and name in nodes:
            seen.add(name)
            for read in as_list(nodes[name].get("reads") or ()):
                place(read)
            ordered[name] = nodes[name]

    for name in nodes:
        place(name)
    return ordered


def _controlled(data: Data) -> Data:
    """Return a graph in which a node that a control answers names no model: the controls name the node."""
    models = {name: node.get("model") for name, node in data["nodes"].items()}
    controlled = {name: model for name, model in models.items() if model in NOTES}
    if not controlled:
        return data
    controls = {**(data.get("controls") or {})}
    for name, control in controlled.items():
        controls[control] = [*controls.get(control, ()), name]
    freed = {name: {**data["nodes"][name], "model": "default"} for name in controlled}
    return {**data, "nodes": {**data["nodes"], **freed}, "controls": controls}


def without(data: Data, nodes: Collection[str]) -> Data:
    """Return a graph, in full, without some nodes, and without what names them; a whole graph goes with its nodes."""
    nodes = {
        name
        for name in data["nodes"]
        if any(f"{name}.".startswith(f"{removed}.") for removed in nodes)
    }
    remaining = {name: node for name, node in data["nodes"].items() if name not in nodes}
    less = {
        name: node | {"reads": _remaining(node["reads"], nodes)} for name, node in remaining.items()
    }
    changed: Data = {"nodes": less, "remembers": _remaining(data["remembers"], nodes)}
    if check := data["check"]:
        judges = _remaining(check["judge"], nodes)
        changed["check"] = check | {"judge": judges} if judges else None
    if controls := data.get("controls"):
        named = {key: _remaining(controls[key], nodes) for key in NODES if key in controls}
        changed["controls"] = controls | named
    return data | changed


def _remaining(names: str | Collection[str], nodes: Collection[str]) -> list[str]:
    return [name for name in as_list(names) if name not in nodes]


def file_of(graph: str, folder: Path, outer: tuple[str, ...]) -> str:
    """Return a graph's name, or its file, which is relative to `folder`. Raises UserError for one of the graphs that
    need it themselves: `outer`, the next one first."""
    file = str(folder / graph) if graph.endswith((".yaml", ".yml")) else graph
    if file in outer:
        raise UserError(
            f"graphs need each other in a circle: {' -> '.join((*reversed(outer), file))}"
        )
    return file


def extended(base: Data, changes: Data, subject: str) -> Data:
    """Return a graph, in full, with what another says in its place, like a JSON merge patch (RFC 7396).

    Mappings are merged key by key, and null takes a key away: of a node also what names it. A new node is marked as
    `added`. `subject`: the graph in messages. Raises UserError for a change of a node that is not there.
    """
    if not isinstance(nodes := changes.get("nodes", {}), dict):
        return _merged(base, changes)
    new = {name: node for name, node in nodes.items() if name not in base["nodes"]}
    if unknown := [
        name for name, node in new.items() if not isinstance(node, dict) or not node.keys() & KINDS
    ]:
        hint = did_you_mean(unknown[0], base["nodes"], "it has")
        raise UserError(f"{subject} has no node {unknown[0]!r}; {hint}; a new node says its `role`")
    changed = {name: node for name, node in nodes.items() if node is not None}
    other = [
        name
        for name, node in changed.items()
        if name not in new and isinstance(node, dict) and "python" in node
    ]
    changed |= {name: {"role": None, **changed[name]} for name in other}
    if graphs := [
        name
        for name in changed
        if name not in new and isinstance(changed[name], dict) and "graph" in changed[name]
    ]:
        raise UserError(f"{subject} has a node {graphs[0]!r} already; give the graph another name")
    changed |= {name: node | {"added": True} for name, node in new.items()}
    return _merged(without(base, [*nodes.keys() - changed.keys()]), changes | {"nodes": changed})


def _merged(base: Data, patch: Data) -> Data:
    merged = dict(base)
    for key, value in patch.items():
        old = base.get(key)
        merged[key] = (
            _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return {key: value for key, value in merged.items() if key not in patch or value is not None}
