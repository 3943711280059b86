"""How often 95 % intervals hold the truth when scores are as skewed as Hanabi's, simulated, so that it is known.

A game is struck out, and scores 0, with a given chance; else it scores 15 to 25, 20 in the mean. Two arms play the
deals: in the baseline half as many games are struck out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from experiments.statistics.estimates import Bounds, Matrix, bootstrapped, means, of_one

STRUCK_OUT = (0.02, 0.15, 0.4)
DEALS = (10, 20, 50, 100)
TRIALS = 10_000
LEAST, MORE, CHANCE = 15, 10, 0.5
"""A game that is not struck out scores LEAST and a binomial share of MORE."""
MEAN = LEAST + MORE * CHANCE


@dataclass(frozen=True)
class Coverage:
    struck_out: float
    """The chance of a game."""
    deals: int
    mean_t: float
    """The share of Student's t intervals that held the true mean."""
    mean_bootstrap: float
    """Of bootstrap intervals, on a tenth as many trials."""
    difference_t: float
    """Of the true difference to the baseline, paired by deal."""
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
        mean_t=_held(student, scores, mean),
        mean_bootstrap=_held(resampled, scores[:some], mean),
        difference_t=_held(student, deltas, difference),
        difference_bootstrap=_held(resampled, deltas[:some], difference),
    )


def drawn(chance: np.random.Generator, struck_out: float, shape: tuple[int, int]) -> Matrix:
    """Scores of games."""
    return (LEAST + chance.binomial(MORE, CHANCE, shape)) * (chance.random(shape) >= struck_out)


def student(sample: list[float]) -> Bounds | None:
    estimate = of_one(sample)
    return estimate.interval if estimate else None


def resampled(sample: list[float]) -> Bounds | None:
    return bootstrapped(means, sample)


def _held(interval: Callable[[list[float]], Bounds | None], samples: Matrix, truth: float) -> float:
    bounds = [interval(sample) for sample in samples.tolist()]
    return sum(one is not None and one[0] <= truth <= one[1] for one in bounds) / len(bounds)


def show(found: list[Coverage], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("struck out", "deals", "mean, t", "bootstrap", "difference, t", "bootstrap"):
        table.add_column(column, justify="right")
    for one in found:
        shares = one.mean_t, one.mean_bootstrap, one.difference_t, one.difference_bootstrap
        table.add_row(f"{one.struck_out:.0%}", str(one.deals), *(f"{share:.1%}" for share in shares))
    console.print(table)
