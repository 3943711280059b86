"""Nodes that stand for something else: code of one's own, and whole graphs.

`python: my_role.py:fives` is `--import my_role.py` and `role: fives`. `helper: {graph: cac, feeds: [aggregator]}` is
the nodes of `cac` in another graph.

When a graph is read, each graph inside it becomes nodes like the others: `helper` is the one that decides there, which
others read, and those that lead to it are `helper.interpret`. So journals, marks, replays, prompts, costs and ablations
know them without more: a section that an arm removes from the outer graph is gone from every inner prompt, and a
setting of the outer graph replaces the inner one.

One rule is needed: the outer graph alone judges moves. The verifiers and the safety rule of an inner graph, and so its
redos, are left out; its choice is a note. An inner node reads notes, and remembers, by the names that it has alone.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs import context, graph_data
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.plugins import import_own
from hanabi_orchestrator.orchestrator.values import as_list
from hanabi_orchestrator.roles import Role
from hanabi_orchestrator.roles.registry import reply_of

Data = dict[str, Any]
KEYS = ("graph", "reads", "feeds", "players", "model", "added")
"""What may be said of a whole graph."""
OF_SEATS = ("texts", "controls")
"""Settings that hold for a seat as a whole, so that no graph inside another has its own."""


def inlined(data: Data, read: Callable[[str], Data]) -> Data:
    """Return a graph in which the nodes of other graphs, which `read` gives in full, stand for those. Raises
    UserError."""
    nodes = data.get("nodes")
    for name, node in nodes.items() if isinstance(nodes, dict) else ():
        if isinstance(node, Mapping) and "graph" in node:
            data = _with(data, name, node, read(str(node["graph"])))
    return data


def _with(data: Data, name: str, node: Mapping[str, Any], graph: Data) -> Data:
    """`node`: what stands for the graph under this name."""
    if unknown := [key for key in node if key not in KEYS]:
        hint = did_you_mean(unknown[0], KEYS[:-1], "a graph has")
        raise UserError(
            f"nodes.{name}: {unknown[0]!r} is a setting of nodes, and it is a graph; {hint}"
        )
    if settings := [key for key in OF_SEATS if graph.get(key)]:
        raise UserError(
            f"nodes.{name}: graph {graph['name']!r} has {settings[0]}, which only the outer graph can have"
        )
    inner = _leading(graph, name, [*as_list(node.get("players") or graph["players"])])
    names = {
        other: name if other == graph["decides"] else f"{name}.{other}" for other in inner["nodes"]
    }
    inner_nodes = {
        names[other]: _node(graph, names, inner["nodes"][other], node.get("model"))
        for other in names
    }
    if node.get("model") in NOTES:
        inner_nodes[name]["model"] = node["model"]
    inner_nodes[name]["reads"] += as_list(node.get("reads") or ())
    inner_nodes[name] |= {"inner": graph["name"]} | {
        key: node[key] for key in ("feeds", "added") if key in node
    }
    nodes = Data()
    for other, value in data["nodes"].items():
        nodes |= inner_nodes if other == name else {other: value}
    remembers = [
        *as_list(data.get("remembers") or ()),
        *(names[other] for other in inner["remembers"]),
    ]
    return data | {"nodes": nodes} | ({"remembers": remembers} if remembers else {})


def _leading(graph: Data, name: str, players: Collection[int]) -> Data:
    """Return a graph with those nodes alone that lead to its choice or are remembered, at these player counts."""
    counts = {*players} & {*graph["players"]}
    nodes = {
        other: node | {"players": [count for count in node["players"] if count in counts]}
        for other, node in graph["nodes"].items()
    }
    if not nodes[graph["decides"]]["players"]:
        raise UserError(
            f"nodes.{name}: graph {graph['name']!r} is for {', '.join(map(str, graph['players']))} players"
        )
    judges = as_list(graph["check"]["judge"]) if graph["check"] else ()
    absent = [other for other, node in nodes.items() if not node["players"]]
    graph = graph_data.without(graph | {"nodes": nodes}, [*judges, *absent])
    leading = {graph["decides"], *graph["remembers"]}
    for other in reversed(graph["nodes"]):  # each stands after those that it reads
        leading |= {*graph["nodes"][other]["reads"]} if other in leading else set()
    return graph_data.without(graph, graph["nodes"].keys() - leading)


def _node(graph: Data, names: Mapping[str, str], node: Data, model: str | None) -> Data:
    """Return an inner node with the settings of its graph, which its context then says, unless they change nothing;
    `model`: what stands in the place of `default`."""
    base = node["context"] or graph["context"]
    plain = context.resolved(context.checked(base, "context") if isinstance(base, dict) else base)
    changed = plain.changed(graph["options"], **{name: graph[name] for name in context.SETTINGS})
    wording = changed.worded(graph["without_sections"], node.get("without_sections") or ())
    changed = changed.model_copy(update={"wording": wording})
    removed = [section for section in graph["without_sections"] if section in changed.names]
    return node | {
        "reads": [names[read] for read in node["reads"]],
        "context": base if changed == plain and isinstance(base, str) else changed,
        "without_sections": [*dict.fromkeys((*node.get("without_sections", ()), *removed))],
        "model": model
        if model and model not in NOTES and node["model"] == "default"
        else node["model"],
    }


# Code of one's own


def named(data: Data, folder: Path | None = None) -> Data:
    """Return a graph whose nodes name roles alone; files are relative to `folder`. Raises UserError."""
    nodes = data.get("nodes")
    if not isinstance(nodes, dict):
        return data
    changed = {}
    for name, node in nodes.items():
        if isinstance(node, Mapping) and "python" in node:
            if "role" in node:
                raise UserError(
                    f"nodes.{name}: `role` and `python` both say what it is; leave one out"
                )
            rest = {key: value for key, value in node.items() if key != "python"}
            role = _role_of(f"nodes.{name}.python", str(node["python"]), folder or Path())
            changed[name] = {"role": role, **rest}
    return data | {"nodes": nodes | changed}


def _role_of(where: str, target: str, folder: Path) -> str:
    """Return the name of the role that a `module:function` or `file.py:function` is."""
    code, _, name = target.rpartition(":")
    if not (code and name.isidentifier()):
        raise UserError(
            f"{where}: {target!r} names no function; write `file.py:function` or `module:function`"
        )
    try:
        roles.load()  # those of packages and our own come first, so that nobody else passes for their source
        module = import_own(str(folder / code) if code.endswith(".py") else code).load()
    except UserError as error:
        raise UserError(f"{where}: {str(error).removeprefix('--import ')}") from None
    thing = getattr(module, name, None)
    if isinstance(thing, Role):
        return thing.name
    if not reply_of(thing):
        form = f"`def {name}(sections, notes) -> Reply`"
        raise UserError(
            f"{where}: {target!r} is neither a role nor a function {form} whose reply is a roles.Reply"
        )
    if roles.get(name).solve is not thing:
        raise UserError(
            f"{where}: there is another role {name!r}, of {roles.source(name)}; give it another name"
        )
    return name
