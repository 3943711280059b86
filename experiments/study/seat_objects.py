"""Python objects in the place of a seat's spec: a graph, a rule player, a function or a compiled LangGraph app."""

import sys
from typing import Any

from pydantic import BaseModel

from hanabi_orchestrator.graphs.config import GraphConfig, name_of
from hanabi_orchestrator.orchestrator.players import partners, python_agent
from hanabi_orchestrator.orchestrator.players.base import Partner

DATA = (str, bytes, int, float, list, tuple, set, dict, BaseModel, type(None))
"""What the values of files are read as, which is no object."""


def is_object(value: Any) -> bool:
    """Return whether a value is made in Python, so that it may stand for a seat."""
    return isinstance(value, GraphConfig) or not isinstance(value, DATA)


def spec_of(value: Any) -> Any:
    """Return the spec of an object that sits in a seat, by which this process reads it again; any other value as it is.

    Raises ValueError for an object that is no seat, and for one that other processes of a run could not import.
    """
    if not is_object(value):
        return value
    if isinstance(value, GraphConfig):
        return name_of(value)
    if isinstance(config := getattr(value, "config", None), GraphConfig):
        raise ValueError(
            f"a seat of the graph {config.name!r} holds its models; give the graph itself "
            "(graphs.read, graphs.without ...), and the models by `models`"
        )
    if isinstance(value, Partner):
        if value.name in partners.names():
            return f"{partners.PREFIX}{value.name}"
        raise ValueError(f"the rule player {value.name!r} has no name among `partners`")
    return _imported(value)


def _imported(value: Any) -> str:
    """Return `python:module:name` of an object. Raises ValueError where no module of a file holds it."""
    own = getattr(value, "__module__", None)
    modules = [name for name in (own, *sys.modules) if name in sys.modules and name != "__main__"]
    for name in dict.fromkeys(modules):
        members = vars(sys.modules[name])
        for key in list(members):
            if members[key] is value:
                return f"{python_agent.PREFIX}{name}:{key}"
    kind = type(value).__name__
    called = getattr(value, "__name__", kind)
    raise ValueError(
        f"{called!r} ({kind}) is in no module that the processes of a run can import; write it in "
        "a .py file, import it from there, and give it again"
    )
