"""Coalitions: parts of a graph, of which any may be absent; an arm for every set of parts that is
present.

Up to five parts every deal is played by every coalition. Beyond that, each deal has a random circle
of the parts, and is played by the runs of neighbours on it, so that every part joins a coalition of
every size once. Deals are the sample, so the draw of the circles is part of the spread over deals.
docs/statistics.md has the formulas.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator

from hanabi_orchestrator.experiments.study.file_schema import Changes, Name
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore, as_list

FULL = "full"
"""The arm with all parts, the baseline."""
COMPLETE = 5
"""The most parts of which every deal is played by all coalitions: with five, a circle has all of
them, too."""
MOST_PARTS = 10
"""Of them there are up to 1,024 arms."""

Term = Literal["shapley", "leave_one_out", "alone", "banzhaf", "interaction", "highest_order"]
"""What a design measures of a part, of a pair of parts, and of all parts together."""
TERMS: tuple[Term, ...] = get_args(Term)
Program = Literal["removed", "placebo", "padded", "shuffled", "program"]
Parts = frozenset[str]


class Replacement(Frozen):
    """An absent part is answered by another model."""

    model: str
    """A name under `models`, or a model."""


def _absence(value: Any) -> Any:
    ways = get_args(Program)
    if isinstance(value, str) and value not in ways:
        raise ValueError(
            f"an absent part is not {value!r}; {did_you_mean(value, ways)}, or {{model: NAME}}"
        )
    return value


Absence = Annotated[Program | Replacement, BeforeValidator(_absence)]
"""How a part is absent."""


def label(absence: Absence) -> str:
    """Return how a part is absent, in names of arms and in words."""
    if isinstance(absence, Replacement):
        return absence.model.replace(":", "-")
    return absence


def _parts(value: Any) -> Any:
    """Name each part of a list by itself."""
    items = as_list(value)
    if isinstance(value, dict) or not isinstance(items, list | tuple):
        return value
    if group := next((part for part in items if not isinstance(part, str)), None):
        raise ValueError(
            f"{group!r} needs a name: parts are names, or a mapping {{NAME: [node, node]}}"
        )
    if twice := next((part for part in items if items.count(part) > 1), None):
        raise ValueError(f"the part {twice!r} is there twice")
    return {part: part for part in items}


class Coalitions(Frozen):
    """The parts of which any may be absent, and how they are absent."""

    parts: Annotated[
        dict[Name, OneOrMore[str]],
        BeforeValidator(_parts),
        Field(min_length=1, max_length=MOST_PARTS),
    ]
    """By name: the nodes (or roles) and sections that are present or absent together."""
    by: OneOrMore[Absence] = ("removed",)
    """How parts are absent; each of several ways has its own coalitions on the same deals."""
    primary: Term = "shapley"
    """The kind of term that the study is about, named before it is played."""
    games: int | None = Field(default=None, ge=1)
    """The most games of coalitions: only so many deals are played. None: all deals."""
    draw: int = 1
    """Seed of the circles, where there are more than five parts."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.keys() & cls.model_fields.keys():
            return value
        return {"parts": value}

    @model_validator(mode="after")
    def _once(self) -> Self:
        members = list[str]()
        for names in self.parts.values():
            members.extend(names)
        if twice := next((member for member in members if members.count(member) > 1), None):
            raise ValueError(f"{twice!r} is in two parts; a node or section is in one")
        if empty := next((name for name, names in self.parts.items() if not names), None):
            raise ValueError(f"the part {empty!r} has no node and no section")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.parts)

    @property
    def complete(self) -> bool:
        """Whether every deal is played by all coalitions."""
        return len(self.parts) <= COMPLETE

    @cached_property
    def every(self) -> list[Parts]:
        """All coalitions, from all parts to none."""
        numbers = range(2 ** len(self.names))
        sets = []
        for number in numbers:
            sets.append(
                frozenset(name for place, name in enumerate(self.names) if number >> place & 1)
            )
        return sorted(
            sets, key=lambda present: (-len(present), [name not in present for name in self.names])
        )

    @cached_property
    def games_of_deal(self) -> int:
        """The games of a deal at one player count: the baseline, and all other coalitions for each
        way to be absent."""
        return 1 + len(self.by) * (len(self.dealt(0)) - 1)

    def circle(self, seed: int) -> tuple[str, ...] | None:
        """Return the order of the parts on the circle of a deal; None where all coalitions are
        played."""
        if self.complete:
            return None
        order = Random(f"{self.draw} {seed}").sample(self.names, len(self.names))
        return tuple(order)

    def dealt(self, seed: int) -> list[Parts]:
        """Return the coalitions that play a deal."""
        order = self.circle(seed)
        if order is None:
            return self.every
        return on_circle(order)

    def arm(self, absence: Absence, present: Parts) -> str:
        """Return the name of a coalition's arm, by the parts that are absent or, where these are
        fewer, present."""
        absent = [name for name in self.names if name not in present]
        if not absent:
            return FULL
        removed = absence == "removed"
        way = "without" if removed else label(absence)
        if not present:
            return f"{way}-all"
        if len(present) < len(absent):
            kept = "+".join(name for name in self.names if name in present)
            if removed:
                return f"only-{kept}"
            return f"{way}-all-but-{kept}"
        return f"{way}-{'+'.join(absent)}"


def on_circle(order: Sequence[str]) -> list[Parts]:
    """Return the coalitions of a circle: all runs of neighbours, and each run with the neighbour of
    its neighbour.

    With the runs, each part joins one coalition of every size. With the others, each pair of
    neighbours joins one of every size, in both orders.
    """
    n = len(order)
    runs = []
    for size in range(n, -1, -1):
        for start in range(n if 0 < size < n else 1):
            runs.append((start, size))
    skipping = []
    for size in range(n - 3, 0, -1):
        for start in range(n):
            skipping.append((start, size))
    coalitions = [run(order, start, size) for start, size in runs]
    coalitions += [
        run(order, start, size) | {order[(start + size + 1) % n]} for start, size in skipping
    ]
    return list(dict.fromkeys(coalitions))


def run(order: Sequence[str], start: int, size: int) -> Parts:
    """Return so many neighbours on a circle, from a place on."""
    return frozenset(order[(start + step) % len(order)] for step in range(size))


# The arms of coalitions


@dataclass(frozen=True)
class CoalitionArm:
    changes: Changes
    absent: tuple[str, ...]
    """The absent parts."""
    seeds: frozenset[int] | None
    """The deals that it plays; None for all."""


def listed(
    coalitions: Coalitions, config: GraphConfig, seeds: Iterable[int]
) -> dict[str, CoalitionArm]:
    """Return the arms of all coalitions by name, the whole graph first. Raises UserError for a part
    that the graph does not have."""
    members = {name: _members(config, names) for name, names in coalitions.parts.items()}
    nodes = []
    for own_nodes, _ in members.values():
        for node in own_nodes:
            nodes.append(node)
    if twice := next((node for node in nodes if nodes.count(node) > 1), None):
        raise UserError(f"coalitions: the node {twice!r} is in two parts; a node is in one")
    deals = played(coalitions, seeds)
    arms = {FULL: CoalitionArm(Changes(), (), None)}
    for absence in coalitions.by:
        for present in coalitions.every:
            name = coalitions.arm(absence, present)
            if not deals.get(present, True) or name == FULL:
                continue
            if name in arms:
                raise UserError(
                    f"coalitions: two arms would be called {name!r}; give a part another name"
                )
            absent = tuple(part for part in coalitions.names if part not in present)
            steps = []
            for part in absent:
                for step in _steps(absence, part, *members[part]):
                    steps.append(step)
            arms[name] = CoalitionArm(
                Changes(interventions=tuple(steps)), absent, deals.get(present)
            )
    return arms


def played(coalitions: Coalitions, seeds: Iterable[int]) -> dict[Parts, frozenset[int]]:
    """Return the deals of each coalition; empty where every coalition plays all deals."""
    deals: dict[Parts, set[int]] = (
        {} if coalitions.complete else {present: set() for present in coalitions.every}
    )
    for seed in () if coalitions.complete else seeds:
        for present in coalitions.dealt(seed):
            deals[present].add(seed)
    return {present: frozenset(of_coalition) for present, of_coalition in deals.items()}


def arms_played(coalitions: Coalitions, seeds: Iterable[int]) -> dict[str, frozenset[int]]:
    """Return the same by the names of arms."""
    deals = played(coalitions, seeds)
    arms = dict[str, frozenset[int]]()
    for absence in coalitions.by:
        for present, seeds_of in deals.items():
            arms[coalitions.arm(absence, present)] = seeds_of
    return arms


def listed_names(coalitions: Coalitions) -> set[str]:
    """Return the names of all coalitions' arms, those included that no deal is played by."""
    arms = set[str]()
    for absence in coalitions.by:
        for present in coalitions.every:
            arms.add(coalitions.arm(absence, present))
    return arms


def _members(config: GraphConfig, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the nodes and the sections of a part. Raises UserError."""
    sections = set[str]()
    for node in config.nodes:
        sections.update(config.context_of(node).names)
    nodes = list[str]()
    removed = list[str]()
    for name in names:
        of_role = [node for node, settings in config.nodes.items() if settings.role == name]
        if name in config.nodes or of_role:
            nodes += [name] if name in config.nodes else of_role
        elif name in sections:
            removed.append(name)
        else:
            hint = did_you_mean(name, [*config.nodes, *sorted(sections)])
            raise UserError(
                f"coalitions: graph {config.title!r} has no node, role or section {name!r}; {hint}"
            )
    return nodes, removed


def _steps(absence: Absence, part: str, nodes: Iterable[str], sections: list[str]) -> Iterator[str]:
    """Return the interventions that make a part absent, in their short forms. Raises UserError."""
    if sections and absence != "removed":
        raise UserError(
            f"coalitions: the part {part!r} has the section {sections[0]!r}, and a section can "
            f"only be removed, not be absent by {label(absence)}"
        )
    for node in nodes:
        if absence == "removed":
            yield f"removed:{node}"
        else:
            yield f"{node}={_answerer(absence)}"
    yield from (f"without_section:{section}" for section in sections)


def _answerer(absence: Absence) -> str:
    if isinstance(absence, Replacement):
        return absence.model
    return absence
