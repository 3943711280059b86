"""Coverage of the 95 % intervals for scores as skewed as Hanabi's, by simulation with a known true mean.

A game is lost, and scores 0, with a given probability; otherwise it scores 15 to 25, with mean 20. Two arms play the
same deals; in the baseline half as many games are lost.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from experiments.show.terminal import plain_table
from experiments.statistics.estimates import Bounds, Matrix, bootstrapped, means, of_one

STRUCK_OUT = (0.02, 0.15, 0.4)
DEALS = (10, 20, 50, 100)
TRIALS = 10_000
LEAST, MORE, CHANCE = 15, 10, 0.5
"""A game that is not lost scores LEAST plus a binomial number of MORE more points."""
MEAN = LEAST + MORE * CHANCE


@dataclass(frozen=True)
class Coverage:
    struck_out: float
    """The probability that a game is lost."""
    deals: int
    mean_t: float
    """The share of Student's t intervals that contain the true mean."""
    mean_bootstrap: float
    """The same for bootstrap intervals, on a tenth as many trials."""
    difference_t: float
    """The share that contain the true difference from the baseline, paired by deal."""
    difference_bootstrap: float


def measure(trials: int = TRIALS) -> Iterator[Coverage]:
    for struck_out in STRUCK_OUT:
        for deals in DEALS:
            yield _measured(struck_out, deals, trials)


def _measured(struck_out: float, deals: int, trials: int) -> Coverage:
    chance = np.random.default_rng([int(1000 * struck_out), deals])
    scores = drawn(chance, struck_out, (trials, deals))
    deltas = scores - drawn(chance, struck_out / 2, (trials, deals))
    mean, difference = MEAN * (1 - struck_out), -MEAN * struck_out / 2
    some = max(1, trials // 10)
    return Coverage(
        struck_out,
        deals,
        mean_t=_coverage(student, scores, mean),
        mean_bootstrap=_coverage(resampled, scores[:some], mean),
        difference_t=_coverage(student, deltas, difference),
        difference_bootstrap=_coverage(resampled, deltas[:some], difference),
    )


def drawn(chance: np.random.Generator, struck_out: float, shape: tuple[int, int]) -> Matrix:
    """Random scores of games."""
    return (LEAST + chance.binomial(MORE, CHANCE, shape)) * (chance.random(shape) >= struck_out)


def student(sample: list[float]) -> Bounds | None:
    estimate = of_one(sample)
    return estimate.interval if estimate else None


def resampled(sample: list[float]) -> Bounds | None:
    return bootstrapped(means, sample)


def _coverage(interval: Callable[[list[float]], Bounds | None], samples: Matrix, truth: float) -> float:
    bounds = [interval(sample) for sample in samples.tolist()]
    return sum(one is not None and one[0] <= truth <= one[1] for one in bounds) / len(bounds)


def show(found: list[Coverage], console: Console) -> None:
    table = plain_table("struck out", "deals", "mean, t", "bootstrap", "difference, t", "bootstrap")
    for one in found:
        shares = one.mean_t, one.mean_bootstrap, one.difference_t, one.difference_bootstrap
        table.add_row(f"{one.struck_out:.0%}", str(one.deals), *(f"{share:.1%}" for share in shares))
    console.print(table)
