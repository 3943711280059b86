"""Which convention packs a graph tells its nodes: a model can only keep to rules that it was told, or brings along."""

from collections.abc import Mapping
from typing import Any

from graphs.config import GraphConfig, checked
from roles.hanabi.sections.fixed import Conventions
from roles.role_options import defaults


def told(config: GraphConfig) -> tuple[str, ...]:
    """The packs that its nodes get, each once; empty where no node gets any."""
    found = [
        {**defaults(kind.choices), **options}["pack"]
        for name in config.nodes
        for kind, options in config.context_of(name).kinds(config.role(name), config.without_sections)
        if kind is Conventions
    ]
    return tuple(dict.fromkeys(str(pack) for pack in found if pack != "none"))


def told_by(config: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The same of a graph as a journal has it; empty for a player that is no graph."""
    return () if config is None else told(checked(dict(config), "the run's graph"))
