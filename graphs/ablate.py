"""Ablations: pure functions from one graph config to another. They name nodes; each result is checked as a whole."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hanabi_orchestrator.graphs import graph_data
from hanabi_orchestrator.graphs.config import (
    LONGEST_TITLE,
    NOBODY,
    PROGRAM,
    GraphConfig,
    Node,
    check_removed_sections,
    checked,
)
from hanabi_orchestrator.graphs.controls import OWN_HAND
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, shortened
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.values import as_list


def add(config: GraphConfig, **nodes: Mapping[str, Any]) -> GraphConfig:
    """Return the graph with further nodes, e.g. `add(house, chop={"role": "chop", "feeds": ["aggregator"]})`.

    A node has the keys that it has in a graph file, and `feeds`: the nodes that read it, the deciding one if that is
    not given. Its role is that of its name, if none is given. `graph` in place of its role makes a whole graph of it. A
    file that it names is relative to the working directory. Raises UserError.
    """
    if existing := [name for name in nodes if name in config.nodes]:
        raise UserError(
            f"graph {config.title!r} has a node {existing[0]!r} already; give the new one another name"
        )
    new = {}
    for name, node in nodes.items():
        feeds = [] if config.decides in as_list(node.get("reads", ())) else [config.decides]
        new[name] = {
            **({} if node.keys() & graph_data.KINDS else {"role": name}),
            "feeds": feeds,
            **node,
        }
    data = graph_data.extended(
        config.model_dump(mode="json"), {"nodes": new}, f"graph {config.title!r}"
    )
    return _again(config, data, "-".join(("with", *nodes)))


def without(config: GraphConfig, *nodes: str) -> GraphConfig:
    """Return the graph without some nodes. A check without verifiers is dropped.

    Raises UserError for a node that it does not have, and for a LangGraph graph, whose edges are code.
    """
    if not isinstance(config, GraphConfig):
        raise UserError(
            f"a LangGraph graph has edges of its own, which would lead nowhere without {', '.join(nodes)}; "
            "make two graphs, or a node that says nothing"
        )
    _check_nodes(config, nodes)
    return _again(
        config,
        graph_data.without(config.model_dump(mode="json"), nodes),
        "without-" + "-".join(nodes),
    )


def without_sections(config: GraphConfig, *sections: str) -> GraphConfig:
    """Return the graph without some sections, for prompts and programs alike."""
    less = config.model_copy(
        update={"without_sections": tuple(dict.fromkeys((*config.without_sections, *sections)))}
    )
    return _again(
        config,
        check_removed_sections(less).model_dump(mode="json"),
        "without-" + "-".join(sections),
    )


def replace(config: GraphConfig, **models: str) -> GraphConfig:
    """Return the graph with another model for some nodes; `replace(config, analyst="program")` ablates by an oracle."""
    changed = change(config, **{node: {"model": model} for node, model in models.items()})
    named = "-".join(f"{node}-{_short(model)}" for node, model in models.items())
    return changed.model_copy(update={"name": f"{config.name}-{named}"})


def change(config: GraphConfig, **nodes: Mapping[str, Any]) -> GraphConfig:
    """Return the graph with other settings for some nodes, e.g. `change(config, proposer={"samples": 3})`."""
    return put(
        config,
        [
            (("nodes", node, key), value, "")
            for node, keyed in nodes.items()
            for key, value in keyed.items()
        ],
    )


def setting(config: GraphConfig, **settings: Any) -> GraphConfig:
    """Return the graph with other settings of its own, e.g. `setting(config, context="watson", order="cache")`."""
    return put(config, [((key,), value, "") for key, value in settings.items()])


def put(config: GraphConfig, settings: Sequence[tuple[Sequence[str], Any, str]]) -> GraphConfig:
    """Return the graph with other settings: their keys, the value, and what gave them, for a command line's errors.

    Raises UserError with one sentence.
    """
    data = config.model_dump(mode="json")
    named = []
    for path, value, where in settings:
        keys = _dotted(config, path, value)
        if keys[0] == "nodes" and len(keys) > 2:
            _check_nodes(config, keys[1:2], where)
        elif not where and keys[0] not in GraphConfig.model_fields:
            hint = did_you_mean(keys[0], GraphConfig.model_fields)
            raise UserError(f"graph {config.title!r} has no setting {keys[0]!r}; {hint}")
        inner: Any = data
        for depth, key in enumerate(keys[:-1]):
            inner = inner.setdefault(key, {}) if depth else inner.get(key)
            if not isinstance(inner, dict):
                raise UserError(
                    f"{where}: there are no settings under {'.'.join(keys[: depth + 1])!r}"
                )
        inner[keys[-1]] = value
        short = "-".join((*(key for key in keys if key not in ("nodes", "options")), _short(value)))
        named.append(f"{'-'.join(keys[1:])}-{value}" if keys[0] == "nodes" and not where else short)
    return _again(config, data, "-".join(named)) if named else config


def _dotted(config: GraphConfig, keys: Sequence[str], value: Any) -> Sequence[str]:
    """Return the keys with the name of an inner node, `helper.interpret`, as one; alone it stands for its model."""
    places = [
        len(node.split(".")) + 1 for node in config.nodes if keys[0] == "nodes" and "." in node
    ]
    for end in (
        place for place in sorted(places, reverse=True) if ".".join(keys[1:place]) in config.nodes
    ):
        return (
            keys[0],
            ".".join(keys[1:end]),
            *(keys[end:] or (["model"] if isinstance(value, str) else [])),
        )
    return keys


def _short(value: Any) -> str:
    """A value in a name."""
    return re.sub(r"[^\w.]+", "-", str(value)).strip("-")


def controlled(config: GraphConfig, **controls: Any) -> GraphConfig:
    """The same graph with controls of an experiment, e.g. `controlled(config, placebo=["analyst"])`; see `controls`.

    Raises UserError for a control that changes nothing there.
    """
    data = config.model_dump(mode="json")
    data["controls"] = {**data.get("controls", {}), **controls}
    short = {OWN_HAND: "sees-own-hand", "draw": "noise-floor"}
    lists = {
        key: "" if value is True or key in short else f"-{'-'.join(value)}"
        for key, value in controls.items()
    }
    graph = _again(
        config, data, "-".join(f"{short.get(key, key)}{nodes}" for key, nodes in lists.items())
    )
    if controls.get("permuted") and not any(len(node.reads) > 1 for node in config.nodes.values()):
        raise UserError(
            f"permuted: no node of {config.title!r} reads two others, so there is no order to change"
        )
    return graph


def verified(config: GraphConfig, rule: str) -> GraphConfig:
    """Return the graph with another rule between decision and table: `none` or `safety`."""
    data = config.model_dump(mode="json")
    data["verify"]["rule"] = rule
    return checked(data, config.name)


def bind(config: GraphConfig, models: Mapping[str, str]) -> GraphConfig:
    """Return the graph with every model name resolved, e.g. `bind(config, {"default": "program"})`.

    Raises UserError for a name that nothing binds, and for a program that its role or its sections cannot support.
    """
    data = config.model_dump(mode="json")
    for name, node in data["nodes"].items():
        name_bound = node["model"]
        if name_bound != PROGRAM and name_bound not in models and not is_simulated(name_bound):
            bound = ", ".join((*models, PROGRAM))
            raise UserError(
                f"graph {config.title!r}, node {name!r}: no model is bound to {name_bound!r}; bound: {bound}"
            )
        node["model"] = models.get(name_bound, name_bound)
    return checked(data, config.name)


def by_programs(config: GraphConfig) -> GraphConfig:
    """Every node on its program, and on NOBODY where its role has none, or one that lacks a section here."""

    def model(name: str, node: Node) -> str:
        role = config.role(name)
        return (
            PROGRAM if role.solve is not None and not role.lacking(config.kinds(name)) else NOBODY
        )

    nodes = {
        name: node.model_copy(update={"model": model(name, node)})
        for name, node in config.nodes.items()
    }
    return config.model_copy(update={"nodes": nodes})


def at(config: GraphConfig, players: int) -> GraphConfig:
    """Return the graph at a player count, with the nodes for that count only. Raises UserError."""
    if players not in config.players:
        counts = ", ".join(map(str, config.players))
        raise UserError(f"graph {config.title!r} is for {counts} players, not {players}")
    absent = [name for name, node in config.nodes.items() if players not in node.players]
    return without(config, *absent).model_copy(update={"name": config.name}) if absent else config


def _check_nodes(config: GraphConfig, names: Iterable[str], where: str = "") -> None:
    """Raise UserError for a name that no node has; `where`: what gave it on a command line."""
    if unknown := [name for name in names if name not in config.nodes]:
        graph = f"{where}: there is" if where else f"graph {config.title!r} has"
        nodes = did_you_mean(unknown[0], config.nodes, "the nodes are" if where else "it has")
        raise UserError(f"{graph} no node {unknown[0]!r}; {nodes}")


def _again(config: GraphConfig, data: dict[str, Any], suffix: str) -> GraphConfig:
    name = f"{config.name}-{suffix}"
    return checked(data | {"name": name}, shortened(name, LONGEST_TITLE))
