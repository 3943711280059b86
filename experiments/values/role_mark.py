"""One mark of one reply, as tables and figures get it."""

from collections.abc import Mapping

from pydantic import FiniteFloat

from orchestrator.values import Frozen

UNIFORM = "uniform"
"""The name of the baseline that guesses uniformly."""


class RoleMark(Frozen):
    """One mark of one reply."""

    turn: int
    seat: int
    node: str
    """By its name in its attempt: `generate`, `generate-2`."""
    role: str
    model: str
    """Who replied; `program` for the role's program."""
    sample: int
    """Of the node's answers; 0 for a mark of all of them together."""
    name: str
    """As its `MarkInfo` says."""
    value: FiniteFloat
    other: str | None = None
    """Of a mark that is about two roles: the other's role."""
    baselines: Mapping[str, FiniteFloat] = {}
    """The same mark of others on the same turn: `program`, that of the role's program; `uniform`, that of a uniform
    guess on average; `previous`, that of one who states how often it was so before; and others that a role names."""
