"""Marks and statements of a reply, as tables and figures get them."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import FiniteFloat

from hanabi_orchestrator.graphs.recorded import RecordedReply
from hanabi_orchestrator.orchestrator.values import Frozen

UNIFORM = "uniform"
"""The name of the baseline that guesses uniformly."""


class Source(Frozen):
    """Where a reply was given, and who gave it."""

    turn: int
    seat: int
    node: str
    """By its name in its attempt: `generate`, `generate-2`."""
    role: str
    model: str
    """Who replied; `program` for the role's program."""
    sample: int
    """The number of the node's answer, from 0; 0 for a mark of all answers together."""


class RoleMark(Source):
    """One mark of one reply."""

    name: str
    """The name of its `MarkInfo`."""
    value: FiniteFloat
    other: str | None = None
    """The second role, for a mark that compares two."""
    baselines: Mapping[str, FiniteFloat] = {}
    """The same mark on the same turn by others: `program`, the role's program; `uniform`, the mean
    of a uniform guess; `previous`, a reply that states earlier frequencies; and others that a role
    names."""


class StatedOutcome(Source):
    """A probability or a category that a reply stated, and whether it came true."""

    kind: str
    """The statement, such as `play fits`."""
    probability: float | None
    """0 to 1; None where a category was stated."""
    category: str | None
    """In the reply's own word, such as `high`; None where a probability was stated."""
    true: bool


def place(recorded: RecordedReply, turn: int, seat: int) -> dict[str, Any]:
    """Return where a reply was given and who gave it."""
    node = recorded.node
    source = {"node": node.name, "role": node.role.name, "model": node.model}
    return {"turn": turn, "seat": seat, "sample": recorded.sample, **source}


def marks(
    source: Mapping[str, Any],
    scores: Mapping[str, float],
    baselines: Mapping[str, Mapping[str, float]],
    other: str | None = None,
) -> Iterator[RoleMark]:
    """Yield the marks of a reply, each beside the same mark of others, as far as they have it."""
    for name, value in scores.items():
        beside = {}
        for baseline, theirs in baselines.items():
            if name in theirs:
                beside[baseline] = theirs[name]
        yield RoleMark(**source, name=name, value=value, other=other, baselines=beside)
