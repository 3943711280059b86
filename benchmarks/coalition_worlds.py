"""Designs of coalitions in planted worlds: how often intervals hold the true terms, how often a term is claimed that is
0, and whether a planted interaction or share is found as often as a plan says.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from rich.console import Console

from hanabi_orchestrator.experiments.analysis.coalitions import (
    CoalitionStudy,
    Kind,
    coalition_study,
    exact,
)
from hanabi_orchestrator.experiments.analysis.statistics.power import pairs_needed
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.forecast import coalition_sizes
from hanabi_orchestrator.experiments.forecast.spread import CORRELATION, SD, assumed_spread
from hanabi_orchestrator.experiments.record.measures import STRICT
from hanabi_orchestrator.experiments.record.rows import PERFECT, Row
from hanabi_orchestrator.experiments.study.coalitions import Coalitions, Parts, Term

RUNS = 1_000
"""Simulated runs of each world."""
MEAN = 11.0
"""Points of the whole graph without any effect."""
NULL = 0.02
"""Terms nearer to 0 than this are none: they come from rounding scores and from their bounds."""
Values = Callable[[Parts], float]
"""The mean score of a coalition."""

WORLDS: dict[str, Values] = {
    "null": lambda present: MEAN,
    "additive": lambda present: MEAN + 2 * ("a" in present) + ("b" in present),
    "redundant pair": lambda present: MEAN + 3 * bool({"a", "b"} & present),
    "complementary pair": lambda present: MEAN + 3 * ({"a", "b"} <= present),
    "harmful alone": lambda present: (
        MEAN + ("a" in present) - 3 * ("c" in present and "a" not in present)
    ),
}
"""Of the parts a, b, c and, where there are more, others that add nothing."""


@dataclass(frozen=True)
class World:
    name: str
    parts: str
    deals: int
    lost: float = 0.0
    """The probability that a game is lost, with a strict score of 0."""

    @property
    def design(self) -> Coalitions:
        return Coalitions.model_validate({"parts": list(self.parts)})


TRIED = (
    *(World(name, "abc", deals) for name in WORLDS for deals in (10, 20, 50)),
    *(World("null", "abc", 20, lost) for lost in (0.1, 0.3)),
    *(World(name, "abcdgh", 20) for name in ("null", "complementary pair")),
)
POWERED: tuple[tuple[str, Term, tuple[str, ...]], ...] = (
    ("complementary pair", "interaction", ("a", "b")),
    ("redundant pair", "interaction", ("a", "b")),
    ("planted share", "shapley", ("a",)),
)
"""The world, the kind of term, and the term of three points that is to be found."""
EFFECT = 3.0


@dataclass(frozen=True)
class Held:
    """What the runs of one world show."""

    world: World
    covered: dict[Kind, float]
    """By kind of term, the share of 95 % intervals that hold the true term."""
    false: dict[Kind, float]
    """By kind of term, the share of runs that claim a term that is 0, or one with the wrong sign."""


@dataclass(frozen=True)
class Found:
    """The runs of the size that a plan proposes for a term of three points."""

    world: str
    term: Term
    deals: int
    found: float
    """The share of runs that claim it with its sign."""


@dataclass(frozen=True)
class Measured:
    held: tuple[Held, ...]
    found: tuple[Found, ...]


def measure(runs: int = RUNS) -> Measured:
    return Measured(tuple(held(runs)), tuple(found(runs)))


def held(runs: int = RUNS, worlds: Sequence[World] = TRIED) -> Iterator[Held]:
    for world in worlds:
        chance = np.random.default_rng([world.deals, len(world.parts), len(world.name)])
        values = WORLDS[world.name]
        studies = [_study(chance, world, values) for _ in range(runs)]
        yield _held(
            world,
            studies,
            {present: _expected(values(present), world.lost) for present in world.design.every},
        )


def _held(world: World, studies: Sequence[CoalitionStudy], values: dict[Parts, float]) -> Held:
    covers: dict[Kind, list[bool]] = {}
    false: dict[Kind, list[bool]] = {}
    for study in studies:
        wrong: dict[Kind, bool] = {}
        for effect in study.effects:
            truth = _truth(world, effect.kind, effect.parts, values)
            difference = effect.difference
            if difference.bounds:
                low, high = difference.bounds
                covers.setdefault(effect.kind, []).append(low <= truth <= high)
            against = abs(truth) < NULL or truth * difference.mean < 0
            wrong[effect.kind] = wrong.get(effect.kind, False) or (difference.claimed and against)
        for kind, one in wrong.items():
            false.setdefault(kind, []).append(one)
    shares = {kind: fmean(each) for kind, each in covers.items()}
    return Held(world, shares, {kind: fmean(each) for kind, each in false.items()})


def _truth(world: World, kind: Kind, parts: tuple[str, ...], values: dict[Parts, float]) -> float:
    """Return the true term, over all coalitions also where a design plays some of them."""
    of_coalitions = exact(world.design.names, kind, parts)
    return math.fsum(weight * values[present] for present, weight in of_coalitions.items())


def found(runs: int = RUNS) -> Iterator[Found]:
    for name, term, parts in POWERED:
        values = WORLDS.get(name, lambda present: MEAN + EFFECT * ("a" in present))
        world = World(name, "abc", 2)
        spread = coalition_sizes.term_spreads(world.design, assumed_spread("kept"))[term]
        deals = pairs_needed(spread.spread.sd, EFFECT, tests=spread.tests, step=spread.step)
        planned = World(name, "abc", deals)
        chance = np.random.default_rng([deals, len(name)])
        studies = [_study(chance, planned, values) for _ in range(runs)]
        sign = -1 if name.startswith("redundant") else 1
        claims = [_claims(study, term, parts, sign) for study in studies]
        yield Found(name, term, deals, fmean(claims))


def _claims(study: CoalitionStudy, term: Term, parts: tuple[str, ...], sign: int) -> bool:
    """Return whether a run claims the term with this sign."""
    terms = [
        effect.difference
        for effect in study.effects
        if (effect.kind, effect.parts) == (term, parts)
    ]
    return any(difference.claimed and difference.mean * sign > 0 for difference in terms)


def _study(chance: np.random.Generator, world: World, values: Values) -> CoalitionStudy:
    """Return the study of a simulated run: scores of a deal have a part in common, and are whole numbers to 25."""
    design = world.design
    rows = list[Row]()
    for seed in range(1, world.deals + 1):
        deal = chance.normal() * math.sqrt(CORRELATION)
        for present in design.dealt(seed):
            noise = SD * (deal + chance.normal() * math.sqrt(1 - CORRELATION))
            kept = int(np.clip(np.rint(values(present) + noise), 0, PERFECT))
            lost = bool(chance.random() < world.lost)
            rows.append(_row(design.arm("removed", present), seed, kept, lost=lost))
    settings = {"parts": list(world.parts)}
    arms = {row.arm: {"players": [2]} for row in rows}
    study = coalition_study(rows, {"experiment": {"coalitions": settings}, "arms": arms}, STRICT)
    assert study is not None
    return study


def _expected(mean: float, lost: float) -> float:
    """Return the mean of scores that are rounded, bounded, and sometimes lost."""
    points = np.arange(PERFECT + 1)
    edges = np.array([math.erf((point + 0.5 - mean) / SD / math.sqrt(2)) for point in points[:-1]])
    below = np.concatenate([[0.0], (1 + edges) / 2, [1.0]])
    return float((points * np.diff(below)).sum() * (1 - lost))


def _row(arm: str, seed: int, kept: int, *, lost: bool) -> Row:
    return Row(
        arm=arm,
        graph="",
        players=2,
        seed=seed,
        repeat=1,
        score_strict=0 if lost else kept,
        score_kept=kept,
        lives=0 if lost else 3,
        turns=60,
        end="lives_lost" if lost else "deck_exhausted",
        calls=0,
        fallbacks=0,
        forced=0,
        tokens_in=0,
        tokens_out=0,
        usd=None,
        journal="",
        moves_digest=f"{arm} {seed}",
    )


KINDS: tuple[Kind, ...] = (
    "shapley",
    "leave_one_out",
    "alone",
    "banzhaf",
    "interaction",
    "highest_order",
    "disagreement",
)


def show(measured: Measured, console: Console) -> None:
    for title, part in (
        ("95 % intervals that hold the true term", "covered"),
        ("runs with a false claim", "false"),
    ):
        console.print(f"\n{title}")
        table = plain_table("world", "parts", "deals", "lost", *KINDS)
        for row in measured.held:
            shares = [
                f"{share:.1%}" if (share := getattr(row, part).get(kind)) is not None else "-"
                for kind in KINDS
            ]
            world = row.world
            table.add_row(
                world.name, str(len(world.parts)), str(world.deals), f"{world.lost:.0%}", *shares
            )
        console.print(table)
    console.print("\na term of three points at the planned size")
    table = plain_table("world", "term", "deals", "found")
    for each in measured.found:
        table.add_row(each.world, each.term, str(each.deals), f"{each.found:.1%}")
    console.print(table)
