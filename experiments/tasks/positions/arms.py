"""The arms of a position-level ablation: interventions on a colleague's note, see `graphs.interventions`.

A kind that is about a note and names no node stands for one arm for each colleague whose note the deciding node reads,
directly or through others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from typing import Literal

from graphs import interventions
from graphs.config import GraphConfig
from graphs.interventions import Intervention, Kind
from graphs.recorded import depending
from orchestrator.errors import UserError, did_you_mean
from orchestrator.replies.reply import Reply
from roles.reply_types import Choice, Shortlist

ABOUT_A_NOTE = ("removed", "exact", "model", "perturbed", "placebo", "shuffled", "advise", "gate", "own_hand")
KINDS = (*ABOUT_A_NOTE, "added", "null", "permuted", "same_compute")
PUT = ("placebo", "shuffled", "own_hand")
"""Arms that put a note in the place of the node's own."""
OFFERING: Mapping[str, tuple[type[Reply], ...]] = {"advise": (Shortlist,), "gate": (Shortlist, Choice)}
"""Arms that say how a node's moves reach its readers, and whose notes have some."""
OFFERED_BY = {"advise": "a recommender", "gate": "a recommender, or a colleague who chooses a move"}
BASELINE, NULL = "baseline", "null"


@dataclass(frozen=True)
class Arm:
    name: str
    kind: Kind | Literal["baseline"]
    node: str | None = None
    """Whose note it is about."""
    value: str | None = None
    """The model, the rate, or the short form of a new node."""
    null: str | None = None
    """The arm in which the same nodes are asked again with nothing changed: its noise floor."""

    @property
    def step(self) -> Intervention:
        """The change of the baseline's graph."""
        assert self.kind != "baseline"
        if self.kind == "added":
            return interventions.parse(str(self.value))
        return Intervention(self.kind, self.node if self.kind in ABOUT_A_NOTE else None, self.value)

    @property
    def cheats(self) -> bool:
        """Whether it tells an agent what no seat may know."""
        return self.kind == "own_hand"


def read(shorts: Iterable[str] | Mapping[str, str], config: GraphConfig, *, null: bool) -> tuple[Arm, ...]:
    """Return the arms of short forms, the baseline first; a mapping names them. `null`: with their null arms.

    `config` is the graph as it is at the player count. Raises UserError.
    """
    named = shorts.items() if isinstance(shorts, Mapping) else (("", short) for short in shorts)
    arms = [arm for name, short in named for arm in _arms(name, short, config)]
    names = [arm.name for arm in arms]
    if twice := next((name for n, name in enumerate(names) if name in names[:n]), None):
        raise UserError(f"two arms are called {twice!r}; name them in the study file: `arms: {{NAME: {arms[0].step}}}`")
    floors: dict[frozenset[str], Arm] = {}  # by the nodes that are asked again
    if null or any(arm.kind == "null" for arm in arms):
        floors[downstream(config, Arm(NULL, "null"))] = Arm(NULL, "null")
        for arm in arms:
            if arm.node and arm.kind != "added":
                floors.setdefault(downstream(config, arm), Arm(f"{NULL}-{arm.node}", "null", arm.node))
    changes = [arm for arm in arms if arm.kind != "null"]
    rest = [replace(a, null=floor.name if (floor := floors.get(downstream(config, a))) else None) for a in changes]
    return (Arm(BASELINE, "baseline"), *floors.values(), *rest)


def _arms(name: str, short: str, config: GraphConfig) -> Iterator[Arm]:
    step = interventions.parse(short)
    kind, node = step.kind, step.node
    if kind not in KINDS:
        raise UserError(f"arm {short!r}: positions have no such arm; {did_you_mean(kind, KINDS, 'the kinds are')}")
    if kind == "added":
        if str(node) not in advisers(step.apply(config)):
            raise UserError(f"arm {str(step)!r}: what {node!r} says does not reach {config.decides!r}, which decides")
        yield Arm(name or f"with-{node}", kind, node, str(step))
        return
    if step.value and kind not in ("model", "perturbed"):
        raise UserError(f"arm {short!r}: positions take everything from their bank; leave {step.value!r} out")
    if kind not in ABOUT_A_NOTE:
        yield Arm(name or kind, kind)
        return
    nodes = _nodes(kind, node, config)
    if kind == "own_hand" and not node:
        nodes = nodes[:1]
    if not nodes and kind in OFFERING:
        missing = f"{node!r} lists no moves" if node else f"no colleague of {config.decides!r} lists moves"
        raise UserError(f"arm {short!r}: {missing} in graph {config.name!r}; {kind} is for {OFFERED_BY[kind]}")
    if not nodes:
        raise UserError(f"graph {config.name!r} has no colleague whose note {config.decides!r} reads, so no {kind} arm")
    value = re.sub(r"[^\w.]+", "-", step.value).strip("-") if step.value else ""
    for node in nodes:
        short_name = f"no-{node}" if kind == "removed" else "-".join(filter(None, (kind, node, value)))
        long_name = f"{name}-{node}" if len(nodes) > 1 else name
        yield Arm(long_name if name else short_name, kind, node, step.value)


def _nodes(kind: Kind, node: str | None, config: GraphConfig) -> Sequence[str]:
    """Return the colleagues that an arm is about: the named one, or all whose notes have what it changes."""
    colleagues = advisers(config)
    if node == config.decides:
        raise UserError(
            f"{node!r} decides in graph {config.name!r}, so it gives no note; its colleagues are: {list(colleagues)}"
        )
    if node and node not in colleagues:
        hint = did_you_mean(node, colleagues, "they are")
        raise UserError(f"{config.decides!r} reads no note of {node!r} in graph {config.name!r}; {hint}")
    offering = OFFERING.get(kind, (object,))
    return [name for name in ([node] if node else colleagues) if issubclass(config.role(name).reply, offering)]


def advisers(config: GraphConfig) -> tuple[str, ...]:
    """Return the nodes whose notes the deciding node reads, directly or through others, in the graph's order."""
    order = TopologicalSorter({name: node.reads for name, node in config.nodes.items()}).static_order()
    above = {config.decides}
    for name in reversed(list(order)):
        if name in above:
            above.update(config.nodes[name].reads)
    return tuple(name for name in config.nodes if name in above - {config.decides})


def downstream(config: GraphConfig, arm: Arm) -> frozenset[str]:
    """Return the nodes that an arm asks again because something before them changed; with the deciding node where no
    note changes."""
    if arm.kind == "added":
        return depending(arm.step.apply(config), {str(arm.node)})
    if arm.node is not None and arm.node in config.nodes:
        return depending(config, {arm.node})
    return frozenset({config.decides, *depending(config, {config.decides})})
