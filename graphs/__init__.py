"""Graphs of roles: configs, the pure functions on them, and the seats that they become."""

from graphs.ablate import at, bind, change, dotted, replace, setting, verified, without, without_sections
from graphs.compile import build
from graphs.config import GraphConfig, names, read, source
from graphs.graph_seat import GraphSeat, Model, seat

__all__ = [
    "GraphConfig",
    "GraphSeat",
    "Model",
    "at",
    "bind",
    "build",
    "change",
    "dotted",
    "names",
    "read",
    "replace",
    "seat",
    "setting",
    "source",
    "verified",
    "without",
    "without_sections",
]
