"""The arms of a position-level ablation, in their short form: `removed:analyst`, `perturbed:analyst@0.3`, `null`.

`KIND[:NODE][@VALUE]`. A kind that is about a note and names no node stands for one arm for each colleague whose note
the deciding node reads, directly or through others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Literal, get_args

from graphs.config import GraphConfig
from graphs.fixed_notes import depending
from orchestrator.errors import UserError, did_you_mean
from orchestrator.replies.reply import Reply
from roles.reply_types import Choice, Shortlist

Kind = Literal[
    "baseline",
    "removed",
    "exact",
    "model",
    "perturbed",
    "placebo",
    "shuffled",
    "advise",
    "gate",
    "own_hand",
    "null",
    "permuted",
    "same_compute",
]
KINDS: Mapping[Kind, str] = {
    "removed": "the node is taken away",
    "exact": "its note is its program's",
    "model": "its note is another model's: model:NODE@MODEL",
    "perturbed": "its note is its program's with errors at a rate: perturbed:NODE@0.3",
    "placebo": "its note is as long and tells nothing",
    "shuffled": "its note is one that the same role gave elsewhere",
    "advise": "its list of moves is a report: its readers choose from all legal moves",
    "gate": "its moves are the only ones that its readers may choose from",
    "own_hand": "its note is the true own hand: cheating, an upper line",
    "null": "nothing: the baseline again with other seeds, the noise floor",
    "permuted": "the colleagues' reports come in the reverse order",
    "same_compute": "best of K answers of one player with as many calls",
}
ABOUT_A_NOTE = ("removed", "exact", "model", "perturbed", "placebo", "shuffled", "advise", "gate", "own_hand")
WITH_VALUE = ("model", "perturbed")
PUT = ("placebo", "shuffled", "own_hand")
"""Arms that put a note in the place of the node's own."""
OFFERING: Mapping[Kind, tuple[type[Reply], ...]] = {"advise": (Shortlist,), "gate": (Shortlist, Choice)}
"""Arms that say how a node's moves reach its readers, and whose notes have some."""
OFFERED_BY: Mapping[Kind, str] = {
    "advise": "advise is for a recommender",
    "gate": "gate is for a recommender, or a colleague who chooses a move",
}
BASELINE, NULL = "baseline", "null"
SHORT = re.compile(r"(?P<kind>[a-z_]+)(?::(?P<node>[\w-]+))?(?:@(?P<value>.+))?")
ALSO: Mapping[str, Kind] = {"swapped": "shuffled"}


@dataclass(frozen=True)
class Arm:
    name: str
    kind: Kind
    node: str | None = None
    """Whose note it is about."""
    value: str | None = None
    """The model, or the rate."""
    null: str | None = None
    """The arm in which the same nodes are asked again with nothing changed: its noise floor."""

    @property
    def short(self) -> str:
        """The short form."""
        node = f":{self.node}" if self.node and self.kind in ABOUT_A_NOTE else ""
        return f"{self.kind}{node}{f'@{self.value}' if self.value else ''}"

    @property
    def cheats(self) -> bool:
        """Whether it tells an agent what no seat may know."""
        return self.kind == "own_hand"


def read(given: Iterable[str] | Mapping[str, str], config: GraphConfig, *, null: bool) -> tuple[Arm, ...]:
    """The arms in their short forms, the baseline first; `given` may name them. `null`: with the null arms that belong
    to them. `config` is the graph as it is at the player count.

    Raises UserError.
    """
    named = given.items() if isinstance(given, Mapping) else (("", short) for short in given)
    made = [arm for name, short in named for arm in _arms(name, short, config)]
    if twice := next((arm.name for n, arm in enumerate(made) if arm.name in [one.name for one in made[:n]]), None):
        raise UserError(
            f"two arms are called {twice!r}; name them in the study file: `arms: {{NAME: {made[0].short}}}`"
        )
    floors = _floors(made, config) if null or any(arm.kind == "null" for arm in made) else {}
    rest = [_with_floor(arm, config, floors) for arm in made if arm.kind != "null"]
    nulls = [Arm(name, "null", next(iter(reads), None)) for reads, name in floors.items()]
    return (Arm(BASELINE, "baseline"), *nulls, *rest)


def _arms(name: str, short: str, config: GraphConfig) -> Iterator[Arm]:
    found = SHORT.fullmatch(short.strip())
    kind = ALSO.get(found["kind"], found["kind"]) if found else None
    if found is None or kind not in KINDS:
        known = did_you_mean(found["kind"] if found else short, KINDS, "the kinds are")
        raise UserError(f"{short!r} is no arm: KIND[:NODE][@VALUE], e.g. removed:analyst; {known}")
    kind = next(one for one in KINDS if one == kind)
    node, value = found["node"], found["value"]
    if (value is None) == (kind in WITH_VALUE):
        example = {"model": "model:analyst@openai:NAME", "perturbed": "perturbed:analyst@0.3"}.get(kind, kind)
        raise UserError(f"arm {short!r}: {'give it a value' if value is None else 'it takes no value'}, e.g. {example}")
    if kind == "perturbed" and not _is_rate(str(value)):
        raise UserError(f"arm {short!r}: the rate of errors is {value!r}; it is a number from 0 to 1")
    if kind not in ABOUT_A_NOTE:
        if node is not None:
            raise UserError(f"arm {short!r}: {kind} is about no node; leave {node!r} out")
        yield Arm(name or kind, kind)
        return
    nodes = [one for one in ([_known(node, config)] if node else advisers(config)) if _offers(kind, one, config)]
    if kind == "own_hand" and not node:
        nodes = nodes[:1]
    if not nodes:
        if kind in OFFERING:
            whose = f"{node!r} lists no moves" if node else f"no colleague of {config.decides!r} lists moves"
            raise UserError(f"arm {short!r}: {whose} in graph {config.name!r}; {OFFERED_BY[kind]}")
        raise UserError(f"graph {config.name!r} has no colleague whose note {config.decides!r} reads, so no {kind} arm")
    for one in nodes:
        yield Arm(_name(name, kind, one, value, several=len(nodes) > 1), kind, one, value)


def _offers(kind: Kind, node: str, config: GraphConfig) -> bool:
    return kind not in OFFERING or issubclass(config.role(node).reply, OFFERING[kind])


def _is_rate(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _name(given: str, kind: Kind, node: str, value: str | None, *, several: bool) -> str:
    """The given name; else `no-NODE`, as `leave_one_out` calls it, or `KIND-NODE`."""
    if given:
        return f"{given}-{node}" if several else given
    said = re.sub(r"[^\w.]+", "-", value).strip("-") if value else ""
    return f"no-{node}" if kind == "removed" else "-".join(filter(None, (kind, node, said)))


def _known(node: str, config: GraphConfig) -> str:
    there = list(advisers(config))
    if node == config.decides:
        raise UserError(f"{node!r} decides in graph {config.name!r}, so it gives no note; its colleagues are: {there}")
    if node not in there:
        known = did_you_mean(node, there, "they are")
        raise UserError(f"{config.decides!r} reads no note of {node!r} in graph {config.name!r}; {known}")
    return node


def advisers(config: GraphConfig) -> tuple[str, ...]:
    """The nodes whose notes the deciding node reads, directly or through others; readers after those they read."""
    order = TopologicalSorter({name: node.reads for name, node in config.nodes.items()}).static_order()
    above = {config.decides}
    for name in reversed(list(order)):
        if name in above:
            above.update(config.nodes[name].reads)
    kept = above - {config.decides}
    return tuple(name for name in config.nodes if name in kept)


def downstream(config: GraphConfig, arm: Arm) -> frozenset[str]:
    """The nodes that an arm asks again because something before them changed; with the deciding node where no note
    changes."""
    if arm.node is not None and arm.node in config.nodes:
        return depending(config, {arm.node})
    return frozenset({config.decides, *depending(config, {config.decides})})


def _floors(arms: Iterable[Arm], config: GraphConfig) -> dict[tuple[str, ...], str]:
    """The names of null arms by the node whose readers they ask again; () for the deciding node alone."""
    only = downstream(config, Arm("", "null"))
    found: dict[tuple[str, ...], str] = {(): NULL}
    sets = {only: ()}
    for arm in arms:
        asks = downstream(config, arm)
        if arm.node and asks not in sets:
            found[arm.node,] = f"{NULL}-{arm.node}"
            sets[asks] = ()
    return found


def _with_floor(arm: Arm, config: GraphConfig, floors: Mapping[tuple[str, ...], str]) -> Arm:
    asks = downstream(config, arm)
    fitting = (
        name for reads, name in floors.items() if downstream(config, Arm("", "null", next(iter(reads), None))) == asks
    )
    return Arm(arm.name, arm.kind, arm.node, arm.value, next(fitting, None))


assert set(KINDS) == set(get_args(Kind)) - {BASELINE}
