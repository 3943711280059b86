"""Whole experiments under a stop rule, simulated: how often they show a difference where there is none, how often their
intervals hold the truth, and how many deals they save.

Scores are drawn from recorded games, so that they are as skewed as scores are. Both arms draw from the same games; then
an effect is added to the games that were not lost, as whole points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from experiments.design.stop_rule import Stop, StopRule, resolved
from experiments.results.rows import PERFECT, Row
from experiments.show.terminal import plain_table
from experiments.statistics.differences import Difference, Stopped, differences
from experiments.statistics.estimates import Matrix
from experiments.statistics.stopping import outcomes

POOLS: dict[str, tuple[int, ...]] = {
    "literal": (0, 0, 0, 0, 0, 2, 0, 3, 3, 3, 5, 7, 10, 10, 17, 14, 21, 23, 16, 20, 15, 16, 11, 4, 0, 0),
    "piers": (67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 7, 13, 22, 18, 21, 15, 9, 10, 7, 2, 2, 0, 0),
}
"""Strict scores of recorded games of two players, `smart` with the partner of this name: how many games had the score
0, 1 ... 25. docs/statistics.md has the command."""
DEALS = 60
EXPERIMENTS = 1000


@dataclass(frozen=True)
class Design:
    pool: str
    effect: float
    """The true difference of the first arm, in points; other arms have none."""
    arms: int = 1
    excluded: float = 2.0
    """The effect that the rule excludes."""


DESIGNS = (
    *(Design(pool, 0.0, arms) for pool in POOLS for arms in (1, 3)),
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


def measure(experiments: int = EXPERIMENTS) -> Iterator[Tried]:
    for design in DESIGNS:
        yield tried(design, experiments)


def tried(design: Design, experiments: int) -> Tried:
    chance = np.random.default_rng([len(design.pool), round(10 * design.effect), design.arms])
    rule = _rule(design)
    found = [_one(chance, design, rule) for _ in range(experiments)]
    arms = [one for each in found for one in each]
    truth = [design.effect, *[0.0] * (design.arms - 1)]
    return Tried(
        design,
        rule.most,
        shown=float(np.mean([any(one.claimed for one in each) for each in found])),
        wrong=float(np.mean([any(_wrong(design, *one) for one in zip(each, truth, strict=True)) for each in found])),
        excluded=float(np.mean([one.stop is not None and one.stop.settled == "excluded" for one in arms])),
        held=float(np.mean([all(map(_holds, each, truth)) for each in found])),
        deals=float(np.mean([one.n for one in arms])),
    )


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


def _one(chance: np.random.Generator, design: Design, rule: StopRule) -> Sequence[Difference]:
    """The differences of an experiment, each at the look at which its arm stopped."""
    games = [_games(arm, scores) for arm, scores in enumerate(_scores(chance, design))]
    counts = {f"a{arm}": (2,) for arm in range(design.arms + 1)}
    arms = outcomes(rule, [row for arm in games for row in arm], counts)
    return differences([(arm, games[0]) for arm in games[1:]], stopped=Stopped(rule, arms))


def _scores(chance: np.random.Generator, design: Design) -> Matrix:
    """By arm, the baseline first."""
    pool = np.repeat(np.arange(PERFECT + 1), POOLS[design.pool])
    scores = chance.choice(pool, size=(design.arms + 1, DEALS))
    played = scores[1] > 0
    more = design.effect / float(np.mean(pool > 0))
    scores[1] += played * (int(more) + (chance.random(DEALS) < more % 1))
    return scores


def _games(arm: int, scores: Matrix) -> list[Row]:
    return [_row(f"a{arm}", seed, int(score)) for seed, score in enumerate(scores)]


def _row(arm: str, seed: int, score: int) -> Row:
    end = "deck_exhausted" if score else "lives_lost"
    made = Row(arm, "", 2, seed, 1, score, score, 3 if score else 0, 60, end, 0, 0, 0, 0, 0, None, "")
    return Row(**{**vars(made), "moves_digest": f"{arm} {seed}"})


def _wrong(design: Design, one: Difference, truth: float) -> bool:
    if one.claimed:
        return one.mean * truth <= 0
    return one.stop is not None and one.stop.settled == "excluded" and truth >= design.excluded


def _holds(one: Difference, truth: float) -> bool:
    return one.low_holm is None or one.high_holm is None or one.low_holm <= truth <= one.high_holm


def show(found: Sequence[Tried], console: Console) -> None:
    columns = "shown", "wrong", "excluded", "held", "deals", "of at most", "saved"
    table = plain_table("scores", "arms", "effect", *columns, words=("scores",))
    for one in found:
        shares = f"{one.shown:.1%}", f"{one.wrong:.1%}", f"{one.excluded:.1%}", f"{one.held:.1%}"
        deals = f"{one.deals:.1f}", str(one.most), f"{1 - one.deals / one.most:.0%}"
        table.add_row(one.design.pool, str(one.design.arms), f"{one.design.effect:g}", *shares, *deals)
    console.print(table)
