"""What each part of a graph is worth in a design of coalitions, from combinations of arms that are
tested deal by deal.

A part has no one worth: what it adds depends on who else is there. Leave-one-out is what the whole
graph loses without it, `alone` what it adds to none of the others, and its Shapley value the mean
of what it adds over all orders in which the parts may join, which divides the difference of all and
none among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from hanabi_orchestrator.experiments.analysis.compare import Weigh
from hanabi_orchestrator.experiments.analysis.conclusions import widest
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.differences import combinations as tested_combinations
from hanabi_orchestrator.experiments.analysis.games import Sampled, by_arm
from hanabi_orchestrator.experiments.analysis.statistics import coalition_terms as terms
from hanabi_orchestrator.experiments.analysis.statistics.coalition_terms import Sizes, Weights
from hanabi_orchestrator.experiments.analysis.summaries import too_few_own
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.coalitions import (
    FULL,
    Absence,
    Coalitions,
    Term,
    label,
    listed_names,
    run,
)

Kind = Term | Literal["all_parts", "disagreement"]
"""A kind of term; `all_parts`: all together, less none; `disagreement`: leave-one-out less the
Shapley value."""
OF_A_PART: tuple[Kind, ...] = ("leave_one_out", "shapley", "alone", "banzhaf", "disagreement")


@dataclass(frozen=True)
class Effect:
    """One term of a design: what a part, a pair of parts, or all parts add."""

    kind: Kind
    parts: tuple[str, ...]
    """The part, the two, or all of them."""
    absence: str
    """How parts are absent."""
    difference: Difference
    """The mean over deals, with its interval and its test, corrected among the terms of its
    kind."""

    @property
    def name(self) -> str:
        return " x ".join(self.parts)

    @property
    def benefit(self) -> float | None:
        """The mean with the sign of a gain; None for a metric of which neither side is better."""
        mean = self.difference.mean
        better = self.difference.better
        if better is None:
            return None
        if better == "more":
            return mean
        return -mean


@dataclass(frozen=True)
class CoalitionStudy:
    design: Coalitions
    effects: tuple[Effect, ...]
    """At each player count, then pooled over all; in the order of kinds, then of parts."""
    withheld: tuple[str, ...] = ()
    """Arms with so few own moves that no term is computed."""

    @property
    def absences(self) -> list[str]:
        """How parts are absent, each way with terms of its own."""
        return [label(absence) for absence in self.design.by]

    @cached_property
    def pooled(self) -> tuple[Effect, ...]:
        """The terms over all player counts, which sentences are about."""
        widest_differences = set()
        for each in widest([effect.difference for effect in self.effects]):
            widest_differences.add(id(each))
        return tuple(
            effect for effect in self.effects if id(effect.difference) in widest_differences
        )

    @property
    def arms(self) -> set[str]:
        """The arms of the design, which its terms compare."""
        return listed_names(self.design)

    def of(self, kind: Kind, absence: str) -> list[Effect]:
        """Return the terms of a kind over all player counts, in the order of the parts."""
        effects = list[Effect]()
        for effect in self.pooled:
            if (effect.kind, effect.absence) == (kind, absence):
                effects.append(effect)
        return effects


def coalition_study(
    rows: Sequence[Row], run: Mapping[str, Any], measure: Measure
) -> CoalitionStudy | None:
    """Return the terms of a run's design of coalitions; None for a run without one, or without a
    complete deal.

    `run`: the contents of its run.yaml.
    """
    settings = (run.get("experiment") or {}).get("coalitions")
    if not settings:
        return None
    design = Coalitions.model_validate(settings)
    return study_of(design, _arms(design, rows, run.get("arms") or {}), measure)


def study_of(
    design: Coalitions, arms: Mapping[str, Sequence[Sampled]], measure: Measure
) -> CoalitionStudy | None:
    """Return the terms of a design from the games, or decisions, of each coalition's arm; None
    without a complete deal."""
    withheld = tuple(arm for arm, games in arms.items() if too_few_own(games))
    keys = {}
    for absence, kind, parts in _terms(design):
        keys[f"{label(absence)}.{kind}.{'+'.join(parts)}"] = (absence, kind, parts)
    weighed = {name: _weigh(design, *term) for name, term in keys.items()}
    differences = tested_combinations(
        _complete(design, arms, measure),
        weighed,
        measure,
        family=lambda name: family(keys[name][1], keys[name][0]),
    )
    effects = [_effect(keys[difference.arm], difference) for difference in differences]
    if effects or withheld:
        return CoalitionStudy(design, tuple(effects), withheld)
    return None


def family(kind: Kind, absence: Absence) -> tuple[str, ...]:
    """Return which terms are corrected together: those of a kind; of all parts together there is
    one for each way."""
    if kind == "all_parts":
        return (kind, label(absence))
    return (kind,)


def weights(design: Coalitions, kind: Kind, parts: Sequence[str], seed: int = 0) -> Weights | None:
    """Return the weights of coalitions in a term; None where the deal's circle does not have it."""
    order = design.circle(seed)
    if order is None:
        return exact(design.names, kind, parts)
    sizes = joined_on_circle(order, parts)
    if sizes is None:
        return None
    return _weights(design.names, kind, parts, sizes)


def exact(names: Sequence[str], kind: Kind, parts: Sequence[str]) -> Weights:
    """Return the weights of a term in a design that plays all coalitions of these parts."""
    return _weights(names, kind, parts, terms.subsets(name for name in names if name not in parts))


def _weights(names: Sequence[str], kind: Kind, parts: Sequence[str], sizes: Sizes) -> Weights:
    """Return the weights of a term; `sizes`: the coalitions that its parts join, by size."""
    every = frozenset(names)
    last = terms.derivative(parts, every.difference(parts))
    first = terms.derivative(parts, frozenset())
    if kind == "all_parts":
        return {every: 1.0, frozenset(): -1.0}
    if kind == "leave_one_out":
        return last
    if kind in ("alone", "highest_order"):
        return first
    if kind == "banzhaf":
        return terms.banzhaf(parts, sizes)
    if kind == "disagreement":
        return terms.difference(last, terms.shapley(parts, sizes))
    return terms.shapley(parts, sizes)


def joined_on_circle(order: Sequence[str], parts: Sequence[str]) -> Sizes | None:
    """Return the coalitions before some neighbours on a circle, by size; None for parts that are no
    neighbours."""
    places = sorted(map(order.index, parts))
    if places[-1] - places[0] < len(parts):
        start = places[0]
    else:
        start = places[-1]
    if set(parts) != run(order, start, len(parts)):
        return None
    sizes = range(len(order) - len(parts) + 1)
    return [[run(order, start - size, size)] for size in sizes]


def _terms(design: Coalitions) -> Iterator[tuple[Absence, Kind, tuple[str, ...]]]:
    """Yield every term of a design: how parts are absent, its kind, and the parts that it is
    about."""
    names = design.names
    for absence in design.by:
        yield absence, "all_parts", names
        for kind in OF_A_PART:
            if kind == "disagreement" and len(names) == 1:
                continue  # a single part's share is all that the whole loses without it
            for part in names:
                yield absence, kind, (part,)
        for pair in combinations(names, 2):
            yield absence, "interaction", pair
        if design.complete and len(names) > 2:
            yield absence, "highest_order", names


def _weigh(design: Coalitions, absence: Absence, kind: Kind, parts: tuple[str, ...]) -> Weigh:
    """Return the function from a deal to the weights of its arms in a term."""

    def weigh(seed: int) -> Mapping[str, float] | None:
        if design.complete:
            return always
        return by_arms(weights(design, kind, parts, seed))

    def by_arms(of_coalitions: Weights | None) -> Mapping[str, float] | None:
        if of_coalitions is None:
            return None
        weighted = {coalition: weight for coalition, weight in of_coalitions.items() if weight}
        return {design.arm(absence, coalition): weight for coalition, weight in weighted.items()}

    always = by_arms(weights(design, kind, parts)) if design.complete else None
    return weigh


def _effect(term: tuple[Absence, Kind, tuple[str, ...]], difference: Difference) -> Effect:
    absence, kind, parts = term
    return Effect(kind, parts, label(absence), difference)


def _arms(
    design: Coalitions, rows: Sequence[Row], recorded: Mapping[str, Any]
) -> dict[str, list[Row]]:
    """Return the games of each coalition's arm. Where an arm would play the same games as the whole
    graph, because a part has no node at that player count, they are those of the whole graph."""
    games = by_arm(rows)
    full_games = games.get(FULL, [])
    arms = {FULL: full_games}
    for absence in design.by:
        for present in design.every:
            arm = design.arm(absence, present)
            played = set((recorded.get(arm) or {}).get("players", ()))
            arms[arm] = games.get(arm, []) + (
                [] if arm == FULL else [row for row in full_games if row.players not in played]
            )
    return arms


def _complete(
    design: Coalitions, arms: Mapping[str, Sequence[Sampled]], measure: Measure
) -> dict[str, list[Sampled]]:
    """Return the games of deals that all of their coalitions played, so that all terms are of the
    same deals."""
    arms = dict(arms)
    for arm, games in arms.items():
        arms[arm] = [row for row in games if measure.of(row) is not None]
    repeats: dict[tuple[int, int | None], dict[str, set[int]]] = {}
    for arm, games in arms.items():
        for row in games:
            repeats.setdefault((row.seed, row.players), {}).setdefault(arm, set()).add(row.repeat)
    shared: dict[tuple[int, int | None], set[int]] = {}
    for (seed, players), of_arm in repeats.items():
        needed = set()
        for absence in design.by:
            for present in design.dealt(seed):
                needed.add(design.arm(absence, present))
        if needed <= of_arm.keys():
            shared[seed, players] = set.intersection(*(of_arm[arm] for arm in needed))
    complete = {}
    for arm, games in arms.items():
        complete[arm] = [
            row for row in games if row.repeat in shared.get((row.seed, row.players), ())
        ]
    return complete
