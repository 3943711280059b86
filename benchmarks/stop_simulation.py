"""Whole experiments under a stop rule, simulated: how often they show a difference where there is none, how often their
intervals hold the truth, and how many deals they save.

Scores are drawn from recorded games, so that they are as skewed as scores are. Both arms draw from the same games; then
an effect is added to the games that were not lost, as whole points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from benchmarks.simulated_experiments import game
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Matrix
from hanabi_orchestrator.experiments.analysis.stopping import ArmStop, Settled, at_look, outcomes
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.rows import PERFECT, Row
from hanabi_orchestrator.experiments.study.stop_rule import Stop, StopRule, resolved

POOLS: dict[str, tuple[int, ...]] = {
    "literal": (
        0,
        0,
        0,
        0,
        0,
        2,
        0,
        3,
        3,
        3,
        5,
        7,
        10,
        10,
        17,
        14,
        21,
        23,
        16,
        20,
        15,
        16,
        11,
        4,
        0,
        0,
    ),
    "piers": (67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 7, 13, 22, 18, 21, 15, 9, 10, 7, 2, 2, 0, 0),
}
"""Strict scores of recorded games of two players, `smart` with the partner of this name: how many games had the score
0, 1 ... 25. benchmarks/README.md has the command."""
DEALS = 60
NULLS = 1000
POWERED = 300
"""Experiments for each design without an effect, and with one."""


@dataclass(frozen=True)
class Design:
    pool: str
    effect: float
    """The true difference of the first arm, in points; other arms have none."""
    arms: int = 1
    excluded: float = 2.0
    """The effect that the rule excludes."""


DESIGNS = (
    *(Design(pool, 0.0) for pool in POOLS),
    Design("literal", 0.0, arms=3),
    *(Design(pool, effect) for pool in POOLS for effect in (0.5, 1.0, 2.0)),
)


@dataclass(frozen=True)
class Tried:
    design: Design
    most: int
    """Deals that are played at most."""
    shown: float
    """The share of experiments that show a difference in any arm: without an effect, an error."""
    wrong: float
    """The share that show one of the wrong sign, or exclude one that is there."""
    excluded: float
    """The share of arms in which a difference of the design's size is excluded."""
    held: float
    """The share of experiments in which all corrected intervals hold the true differences when the arms stop."""
    deals: float
    """The mean number of deals at which arms stop."""


def measure() -> Iterator[Tried]:
    for design in DESIGNS:
        yield tried(design, POWERED if design.effect else NULLS)


def tried(design: Design, experiments: int) -> Tried:
    chance = np.random.default_rng([len(design.pool), round(10 * design.effect), design.arms])
    rule = _rule(design)
    found = [_one(chance, design, rule) for _ in range(experiments)]
    arms = [one for each in found for one in each]
    return Tried(
        design,
        rule.most,
        shown=float(np.mean([any(one.settled == "shown" for one in each) for each in found])),
        wrong=float(np.mean([any(one.wrong for one in each) for each in found])),
        excluded=float(np.mean([one.settled == "excluded" for one in arms])),
        held=float(np.mean([all(one.held for one in each) for each in found])),
        deals=float(np.mean([one.deals for one in arms])),
    )


@dataclass(frozen=True)
class _Arm:
    settled: Settled | None
    deals: int
    wrong: bool
    held: bool
    """Whether the corrected interval holds the true difference when the arm stops."""


def _rule(design: Design) -> StopRule:
    return resolved(
        Stop(when="either", effect=design.excluded),
        metric="strict",
        baseline="a0",
        arms=[f"a{arm}" for arm in range(1, design.arms + 1)],
        seeds=list(range(DEALS)),
        players=[2],
        repeats=1,
    )


def _one(chance: np.random.Generator, design: Design, rule: StopRule) -> Sequence[_Arm]:
    """The arms of an experiment, each at the look at which it stopped."""
    games = [_games(arm, scores) for arm, scores in enumerate(_scores(chance, design))]
    counts = {f"a{arm}": (2,) for arm in range(design.arms + 1)}
    stops = outcomes(rule, [row for arm in games for row in arm], counts)
    truth = [design.effect, *[0.0] * (design.arms - 1)]
    return [
        _arm(design, rule, stop, ours, games[0], true)
        for stop, ours, true in zip(stops.values(), games[1:], truth, strict=True)
    ]


def _arm(
    design: Design,
    rule: StopRule,
    stop: ArmStop,
    ours: Sequence[Row],
    theirs: Sequence[Row],
    truth: float,
) -> _Arm:
    comparison, test = at_look(rule, stop.look, ours, theirs, (2,), measures.STRICT)
    held = test is None or not test.rejects(truth, rule.level)  # so is the interval defined
    excluded = stop.settled == "excluded" and truth >= design.excluded
    opposite = comparison is not None and comparison.mean * truth <= 0
    return _Arm(stop.settled, stop.deals, excluded or (stop.settled == "shown" and opposite), held)


def _scores(chance: np.random.Generator, design: Design) -> Matrix:
    """By arm, the baseline first."""
    pool = np.repeat(np.arange(PERFECT + 1), POOLS[design.pool])
    scores = chance.choice(pool, size=(design.arms + 1, DEALS))
    played = scores[1] > 0
    more = design.effect / float(np.mean(pool > 0))
    scores[1] += played * (int(more) + (chance.random(DEALS) < more % 1))
    return scores


def _games(arm: int, scores: Matrix) -> list[Row]:
    return [game(f"a{arm}", seed, int(score), lost=not score) for seed, score in enumerate(scores)]


def show(found: Sequence[Tried], console: Console) -> None:
    columns = "shown", "wrong", "excluded", "held", "deals", "of at most", "saved"
    table = plain_table("scores", "arms", "effect", *columns, words=("scores",))
    for one in found:
        shares = f"{one.shown:.1%}", f"{one.wrong:.1%}", f"{one.excluded:.1%}", f"{one.held:.1%}"
        deals = f"{one.deals:.1f}", str(one.most), f"{1 - one.deals / one.most:.0%}"
        table.add_row(
            one.design.pool, str(one.design.arms), f"{one.design.effect:g}", *shares, *deals
        )
    console.print(table)
