"""Coverage of the 95 % intervals for scores as skewed as Hanabi's, by simulation with known true means.

A game is lost, and scores 0, with a given probability; otherwise it scores 15 to 25, with mean 20. Two arms play the
same deals: what makes a deal hard is hard for both, for the scores and for the risk of losing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from hanabi_orchestrator.experiments.analysis.compare import STRIKE_OUTS
from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    bootstrap_clusters,
    interquartile_mean,
    over_all,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    ALPHA,
    Bounds,
    Matrix,
    bootstrap_interval,
    estimate_mean,
)
from hanabi_orchestrator.experiments.analysis.statistics.permutation import sign_flip_test
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.record.rows import PERFECT

DEALS = (10, 20, 50, 100)
TRIALS = 4_000
TESTED = 1_000
RESAMPLED = 250
"""The most trials of the test and of the bootstrap, which are slow."""
DRAWS = 999
"""Random flips in a test of more than 16 deals, a tenth of an analysis's."""
LEAST = 15
MORE = 10
CHANCE = 0.5
"""A game that is not lost scores LEAST plus a binomial number of MORE more points."""
MEAN = LEAST + MORE * CHANCE


@dataclass(frozen=True)
class Arms:
    """What the two arms are like."""

    lost: float
    """The probability that the arm loses a game."""
    baseline: float
    """The same of the baseline."""
    correlation: float
    """Of both arms' luck on a deal: that of two different models is small, that of two similar programs large."""


ARMS = (
    *(Arms(lost, lost / 2, 0.3) for lost in (0.02, 0.15, 0.4)),
    *(Arms(lost, 0.0, 0.8) for lost in (0.01, 0.02, 0.05)),
)


@dataclass(frozen=True)
class Coverage:
    arms: Arms
    deals: int
    mean_t: float
    """The share of Student's t intervals of the arm's mean that contain the true mean."""
    mean_bootstrap: float
    """The same for bootstrap intervals, on fewer trials."""
    difference_test: float
    """The share of intervals of the sign-flip test that contain the true difference from the baseline."""
    difference_t: float
    warned: float
    """The share of samples with so few lost games that the analysis says its intervals may not hold."""
    difference_unwarned: float | None
    """As `difference_test`, among the samples without that warning; None where there are too few."""


def measure(trials: int = TRIALS) -> Iterator[Coverage]:
    for arms in ARMS:
        for deals in DEALS:
            yield _measured(arms, deals, trials)


def _measured(arms: Arms, deals: int, trials: int) -> Coverage:
    chance = np.random.default_rng([int(1000 * arms.lost), int(1000 * arms.baseline), deals])
    ours, theirs = drawn(chance, arms, (trials, deals))
    deltas = ours - theirs
    some = min(trials, TESTED)
    mean = MEAN * (1 - arms.lost)
    difference = MEAN * (arms.baseline - arms.lost)
    held = np.array(
        [sign_flip_test(list(sample - difference), DRAWS).p >= ALPHA for sample in deltas[:some]]
    )
    warned = np.maximum((ours == 0).sum(axis=1), (theirs == 0).sum(axis=1)) < STRIKE_OUTS
    free = held[~warned[:some]]
    return Coverage(
        arms,
        deals,
        mean_t=_coverage(student, ours, mean),
        mean_bootstrap=_coverage(resampled, ours[:RESAMPLED], mean),
        difference_test=float(held.mean()),
        difference_t=_coverage(student, deltas, difference),
        warned=float(warned.mean()),
        difference_unwarned=float(free.mean()) if len(free) >= some / 20 else None,
    )


def drawn(chance: np.random.Generator, arms: Arms, shape: tuple[int, int]) -> tuple[Matrix, Matrix]:
    """Scores of the arm and of the baseline, a column for each deal, which both arms play."""
    risks, points = (_luck(chance, arms.correlation, shape) for _ in range(2))
    one, other = (
        _points(luck) * (risk >= lost)
        for risk, luck, lost in zip(risks, points, (arms.lost, arms.baseline), strict=True)
    )
    return one, other


def _luck(chance: np.random.Generator, correlation: float, shape: tuple[int, int]) -> list[Matrix]:
    """The luck of two arms on each deal, from 0 to 1, part of which is the deal's own."""
    from scipy.special import ndtr

    deal = chance.normal(size=shape) * math.sqrt(correlation)
    own = (chance.normal(size=shape) * math.sqrt(1 - correlation) for _ in range(2))
    return [np.asarray(ndtr(deal + one)) for one in own]


def _points(luck: Matrix) -> Matrix:
    from scipy.stats import binom

    limits = binom.cdf(np.arange(MORE), MORE, CHANCE)
    return LEAST + np.searchsorted(limits, luck).astype(float)


def student(sample: list[float]) -> Bounds | None:
    estimate = estimate_mean(sample)
    return estimate.interval if estimate else None


def resampled(sample: list[float]) -> Bounds | None:
    return bootstrap_interval(sample)


def _coverage(
    interval: Callable[[list[float]], Bounds | None], samples: Matrix, truth: float
) -> float:
    bounds = [interval(sample) for sample in samples.tolist()]
    return sum(one is not None and one[0] <= truth <= one[1] for one in bounds) / len(bounds)


FEW = (5, 10)
"""Deals at which bootstrap intervals hold less often than they say."""
LOST = (0.0, 0.3, 0.8)


@dataclass(frozen=True)
class FewDeals:
    """The shares of 95 % intervals that contain the truth, with few deals."""

    deals: int
    lost: float
    mean_t: float
    mean_bootstrap: float
    iqm: float
    """Of the bootstrap interval of the interquartile mean, against that of ten thousand deals."""


def few_deals(trials: int = RESAMPLED) -> Iterator[FewDeals]:
    for deals in FEW:
        for lost in LOST:
            chance = np.random.default_rng([deals, int(100 * lost)])
            arms = Arms(lost, lost, 0.3)
            ours, _ = drawn(chance, arms, (trials, deals))
            many, _ = drawn(chance, arms, (1, 10_000))
            middle = over_all(interquartile_mean, many.T)
            mean = MEAN * (1 - lost)
            yield FewDeals(
                deals,
                lost,
                mean_t=_coverage(bounded_by_t, ours, mean),
                mean_bootstrap=_coverage(resampled, ours, mean),
                iqm=_coverage(iqm_interval, ours, middle or 0.0),
            )


def bounded_by_t(sample: list[float]) -> Bounds | None:
    """Return the interval of a mean score as reports have it."""
    estimate = estimate_mean(sample)
    return estimate.within(0, PERFECT) if estimate else None


def iqm_interval(sample: list[float]) -> Bounds | None:
    return bootstrap_clusters(
        interquartile_mean, [np.array([[value]]) for value in sample]
    ).interval


def show_few(rows: Sequence[FewDeals], console: Console) -> None:
    table = plain_table("deals", "struck out", "mean, t", "bootstrap", "IQM")
    for row in rows:
        shares = (f"{share:.0%}" for share in (row.mean_t, row.mean_bootstrap, row.iqm))
        table.add_row(str(row.deals), f"{row.lost:.0%}", *shares)
    console.print(table)


def show(found: list[Coverage], console: Console) -> None:
    names = (
        "struck out",
        "baseline",
        "correlation",
        "deals",
        "mean, t",
        "bootstrap",
        "difference, test",
        "t",
    )
    table = plain_table(*names, "warned", "test, not warned")
    for one in found:
        shares = one.mean_t, one.mean_bootstrap, one.difference_test, one.difference_t
        free = "-" if one.difference_unwarned is None else f"{one.difference_unwarned:.0%}"
        arms = f"{one.arms.lost:.0%}", f"{one.arms.baseline:.0%}", f"{one.arms.correlation:g}"
        table.add_row(
            *arms, str(one.deals), *(f"{share:.0%}" for share in shares), f"{one.warned:.0%}", free
        )
    console.print(table)
