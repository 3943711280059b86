"""Arms that are listed in short forms alone: `arms: [removed, placebo:analyst]`, with their
names."""

import re
from collections.abc import Iterable, Iterator, Sequence

from hanabi_orchestrator.experiments.study.coalitions import FULL
from hanabi_orchestrator.experiments.study.file_schema import Changes
from hanabi_orchestrator.graphs import interventions
from hanabi_orchestrator.graphs.config import GraphConfig, between
from hanabi_orchestrator.graphs.interventions import Intervention
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.roles.reply_types import Choice, Shortlist

ABOUT_A_NODE = (
    "removed",
    "exact",
    "model",
    "perturbed",
    "placebo",
    "padded",
    "shuffled",
    "advise",
    "gate",
)
"""Kinds that stand for an arm of each colleague where they name no node."""
OFFERING: dict[str, tuple[type[Reply], ...]] = {"advise": (Shortlist,), "gate": (Shortlist, Choice)}
"""Kinds that say how a node's moves reach its readers, and the replies that have some."""
OFFERED_BY = {"advise": "a recommender", "gate": "a recommender, or a colleague who chooses a move"}


def named_arms(shorts: Iterable[str], config: GraphConfig) -> dict[str, Changes]:
    """Return the arms of a list by name, first the graph as it is.

    A kind that names no node stands for one arm for each colleague whose note the deciding node
    reads, directly or through others. Raises UserError.
    """
    arms = {FULL: Changes()}
    for short in shorts:
        for step in _steps(short, config):
            name = _name(step)
            if name in arms:
                raise UserError(
                    f"two arms are called {name!r}; give them names: `arms: {{NAME: {step}}}`"
                )
            arms[name] = Changes(interventions=(str(step),))
    return arms


def _steps(short: str, config: GraphConfig) -> Iterator[Intervention]:
    step = interventions.parse(short)
    if step.kind not in ABOUT_A_NODE or step.node:
        yield step
        return
    colleagues = advisers(config)
    if not colleagues:
        kind = step.kind
        raise UserError(
            f"graph {config.title!r} has no colleague whose note {config.decides!r} reads, so no "
            f"{kind} arm"
        )
    replies = OFFERING.get(step.kind, (object,))
    nodes = [name for name in colleagues if issubclass(config.role(name).reply, replies)]
    if not nodes:
        missing = f"no colleague of {config.decides!r} lists moves in graph {config.title!r}"
        raise UserError(f"arm {short!r}: {missing}; {step.kind} is for {OFFERED_BY[step.kind]}")
    for node in nodes:
        yield Intervention(step.kind, node, step.value)


def _name(step: Intervention) -> str:
    """Return the name of an arm: `no-analyst`, `placebo-analyst`, `with-chop`, `permuted`."""
    if step.kind == "added":
        value = ""
    else:
        value = re.sub(r"[^\w.]+", "-", str(step.value or "")).strip("-")
    if step.kind == "setting":
        return "-".join((*step.keys, value))
    prefix = {"removed": "no", "added": "with"}.get(step.kind, step.kind.replace("_", "-"))
    parts = (prefix, step.node or "", value)
    return "-".join(part for part in parts if part)


def advisers(config: GraphConfig) -> Sequence[str]:
    """Return the nodes whose notes the deciding node reads, directly or through others, in the
    graph's order."""
    names = []
    for name in config.nodes:
        if name != config.decides and between(config, name, config.decides):
            names.append(name)
    return names
