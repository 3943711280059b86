"""The controls of an experiment: what each arm is for, the arm that plays the baseline once more, and matched arms.

A control shows what else than a role could explain a difference: chance, the length of the prompt, that there is any
note at all, or the number of calls. docs/experiments.md lists them.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from experiments.study.file_schema import Changes
from orchestrator.values import Frozen

Kind = Literal[
    "removed",
    "null",
    "placebo",
    "shuffled",
    "permuted",
    "advise",
    "gate",
    "own_hand",
    "same_compute",
    "same_tokens",
    "prompts",
]
NULL = "null"
"""The name of the arm that is added."""


class Purpose(Frozen):
    """What an arm is for, where it does one thing alone: as run.yaml records it."""

    kind: Kind
    nodes: tuple[str, ...] = ()
    """The nodes that are removed, or whose notes are replaced."""
    of: str | None = None
    """The arm whose calls or tokens are matched."""


def purpose(changes: Changes) -> Purpose | None:
    """Return what an arm is for; None for one that changes several things, unless a seat sees its own cards."""
    steps, kinds = changes.steps, {step.kind for step in changes.steps}
    if "own_hand" in kinds:
        return Purpose(kind="own_hand")
    kind = next((kind for kind in get_args(Kind) if kinds == {kind}), None)
    if kind is None or changes.graph or changes.models or changes.verify or changes.seats:
        return None
    nodes = tuple(step.node or "".join(step.keys) for step in steps if step.node or step.keys)
    return Purpose(kind=kind, nodes=nodes, of=next((step.value for step in steps if step == changes.matched), None))


def wants_null(wish: bool | None, *, asks_servers: bool, compared: bool, run: Mapping[str, Any]) -> bool:
    """Whether the baseline is played once more: where it is asked for; else where models on servers are compared,
    unless the run was begun without it. `run`: the contents of its run.yaml, empty for a new run."""
    if wish is not None:
        return wish
    arms = run.get("arms") or {}
    return asks_servers and compared and (not arms or NULL in arms)
