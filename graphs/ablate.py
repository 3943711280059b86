"""Ablations: pure functions from one graph config to another. They name nodes; each result is checked as a whole."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from graphs.config import NOBODY, PROGRAM, GraphConfig, Node, check_removed_sections, checked
from graphs.controls import OWN_HAND
from graphs.refusals import given
from orchestrator import yaml_files
from orchestrator.errors import UserError, did_you_mean
from orchestrator.models.simulated_settings import is_simulated


def without(config: GraphConfig, *gone: str) -> GraphConfig:
    """The same graph without some nodes. Without its judge a graph has no check."""
    _known(config, gone)
    data = config.model_dump(mode="json")
    data["nodes"] = {
        name: node | {"reads": [read for read in node["reads"] if read not in gone]}
        for name, node in data["nodes"].items()
        if name not in gone
    }
    data["remembers"] = [name for name in config.remembers if name not in gone]
    if config.check and config.check.judge in gone:
        data["check"] = None
    if config.controls.named:
        data["controls"] = config.controls.without(gone).model_dump(mode="json")
    return _again(config, data, "without-" + "-".join(gone))


def without_sections(config: GraphConfig, *gone: str) -> GraphConfig:
    """The same graph without some sections, for prompts and programs alike."""
    less = config.model_copy(update={"without_sections": tuple(dict.fromkeys((*config.without_sections, *gone)))})
    return _again(config, check_removed_sections(less).model_dump(mode="json"), "without-" + "-".join(gone))


def replace(config: GraphConfig, **models: str) -> GraphConfig:
    """Another model for some nodes; `replace(config, analyst="program")` is an oracle ablation."""
    changed = change(config, **{node: {"model": model} for node, model in models.items()})
    named = "-".join(f"{node}-{_short(model)}" for node, model in models.items())
    return changed.model_copy(update={"name": f"{config.name}-{named}"})


def change(config: GraphConfig, **nodes: Mapping[str, Any]) -> GraphConfig:
    """Other settings for some nodes, e.g. `change(config, proposer={"samples": 3})`."""
    _known(config, nodes)
    data = config.model_dump(mode="json")
    for name, settings in nodes.items():
        data["nodes"][name] |= dict(settings)
    settings_named = (f"{name}-{key}-{value}" for name, settings in nodes.items() for key, value in settings.items())
    return _again(config, data, "-".join(settings_named))


def setting(config: GraphConfig, **settings: Any) -> GraphConfig:
    """Other settings for the whole graph, e.g. `setting(config, context="watson", order="cache")`."""
    if unknown := [key for key in settings if key not in GraphConfig.model_fields]:
        known = did_you_mean(unknown[0], GraphConfig.model_fields)
        raise UserError(f"graph {config.name!r} has no setting {unknown[0]!r}; {known}")
    data = config.model_dump(mode="json") | given(settings)
    return _again(config, data, "-".join(f"{key}-{_short(value)}" for key, value in settings.items()))


def dotted(config: GraphConfig, settings: Iterable[str]) -> GraphConfig:
    """Settings as a command line gives them: `context=watson`, `nodes.proposer.samples=3`, `options.history.moves=5`.

    Values are YAML. Raises UserError with one sentence.
    """
    data, named = config.model_dump(mode="json"), []
    for one in settings:
        keys, value = yaml_files.setting(one, "nodes.proposer.samples=3")
        _put(data, keys, given({keys[0]: value})[keys[0]] if len(keys) == 1 else value, one)
        named.append("-".join((*(key for key in keys if key not in ("nodes", "options")), _short(value))))
    return check_removed_sections(_again(config, data, "-".join(named))) if named else config


def _put(data: dict[str, Any], keys: list[str], value: Any, given: str) -> None:
    *path, last = keys
    if path[:1] == ["nodes"] and len(path) > 1 and path[1] not in data["nodes"]:
        nodes = did_you_mean(path[1], data["nodes"], "the nodes are")
        raise UserError(f"--set {given!r}: there is no node {path[1]!r}; {nodes}")
    for done, key in enumerate(path):
        inner = data.setdefault(key, {}) if done else data.get(key)
        if not isinstance(inner, dict):
            raise UserError(f"--set {given!r}: there are no settings under {'.'.join(path[: done + 1])!r}")
        data = inner
    data[last] = value


def _short(value: Any) -> str:
    """A value in a name."""
    return re.sub(r"[^\w.]+", "-", str(value)).strip("-")


def controlled(config: GraphConfig, **controls: Any) -> GraphConfig:
    """The same graph with controls of an experiment, e.g. `controlled(config, placebo=["analyst"])`; see `controls`.

    Raises UserError for a control that changes nothing there.
    """
    data = config.model_dump(mode="json")
    data["controls"] = {**data.get("controls", {}), **controls}
    made = _again(config, data, "-".join(_control(key, value) for key, value in controls.items()))
    if controls.get("permuted") and not any(len(node.reads) > 1 for node in config.nodes.values()):
        raise UserError(f"permuted: no node of {config.name!r} reads two others, so there is no order to change")
    return made


def _control(name: str, value: Any) -> str:
    """A control in a graph's name."""
    if name == OWN_HAND:
        return "sees-own-hand"
    return "null" if name == "draw" else name if value is True else f"{name}-{'-'.join(value)}"


def verified(config: GraphConfig, rule: str) -> GraphConfig:
    """The same graph with another verifier between decision and table: `none` or `safety`."""
    data = config.model_dump(mode="json")
    data["verify"]["rule"] = rule
    return checked(data, config.name)


def bind(config: GraphConfig, models: Mapping[str, str]) -> GraphConfig:
    """Every model name resolved, e.g. `bind(config, {"default": "program"})`.

    Raises UserError for a name that nothing binds, and for a program that its role or its sections cannot support.
    """
    data = config.model_dump(mode="json")
    for name, node in data["nodes"].items():
        wanted = node["model"]
        if wanted != PROGRAM and wanted not in models and not is_simulated(wanted):
            known = ", ".join((*models, PROGRAM))
            raise UserError(f"graph {config.name!r}, node {name!r}: no model is bound to {wanted!r}; bound: {known}")
        node["model"] = models.get(wanted, wanted)
    return checked(data, config.name)


def by_programs(config: GraphConfig) -> GraphConfig:
    """Every node on its program, and on NOBODY where its role has none, or one that lacks a section here."""

    def model(name: str, node: Node) -> str:
        role = config.role(name)
        there = {kind for kind, _ in config.context_of(name).kinds(role, config.without_sections)}
        return PROGRAM if role.solve is not None and there >= set(role.needs) else NOBODY

    nodes = {name: node.model_copy(update={"model": model(name, node)}) for name, node in config.nodes.items()}
    return config.model_copy(update={"nodes": nodes})


def at(config: GraphConfig, players: int) -> GraphConfig:
    """The graph at a player count, without the nodes that are not for it. Raises UserError."""
    if players not in config.players:
        counts = ", ".join(map(str, config.players))
        raise UserError(f"graph {config.name!r} is for {counts} players, not {players}")
    gone = [name for name, node in config.nodes.items() if players not in node.players]
    return without(config, *gone).model_copy(update={"name": config.name}) if gone else config


def _known(config: GraphConfig, named: Any) -> None:
    if unknown := [name for name in named if name not in config.nodes]:
        known = did_you_mean(unknown[0], config.nodes, "it has")
        raise UserError(f"graph {config.name!r} has no node {unknown[0]!r}; {known}")


def _again(config: GraphConfig, data: dict[str, Any], suffix: str) -> GraphConfig:
    name = f"{config.name}-{suffix}"
    return checked(data | {"name": name}, name)
