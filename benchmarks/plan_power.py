"""Power of the size that `experiment plan` proposes, by simulation, where games are struck out.

Kept scores are normal, rounded to 0 to 25, and correlate between two arms on a deal, as the plan assumes; a share of
all games loses the third life and scores 0. The arm's true strict score is `effect` points lower.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA
from hanabi_orchestrator.experiments.analysis.statistics.permutation import sign_flip_test
from hanabi_orchestrator.experiments.analysis.statistics.power import pairs_needed
from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.forecast.spread import CORRELATION, MEAN, SD, assumed_spread

LOST = (0.0, 0.15, 0.3)
EFFECTS = (3.0, 4.0)
TRIALS = 1_000
DRAWS = 999


@dataclass(frozen=True)
class Power:
    effect: float
    lost: float
    """The share of games that are struck out."""
    deals: int
    """That the plan proposes."""
    shown: float
    """The share of runs in which the difference is shown with the right sign."""


def measure(effects: tuple[float, ...] = EFFECTS, trials: int = TRIALS) -> Iterator[Power]:
    """Yield the power of the proposed size for each effect and share of lost games."""
    chance = np.random.default_rng(1)
    for effect in effects:
        deals = pairs_needed(assumed_spread().sd, effect, step=1.0)
        for lost in LOST:
            shown = sum(_shown(effect, lost, deals, chance) for _ in range(trials))
            yield Power(effect, lost, deals, shown / trials)


def _shown(effect: float, lost: float, deals: int, chance: np.random.Generator) -> bool:
    """Return whether one run shows that the arm scores less."""
    means = MEAN, MEAN - effect / (1 - lost)
    shared = chance.normal(0, SD * CORRELATION**0.5, deals)
    scores = []
    for mean in means:
        kept = mean + shared + chance.normal(0, SD * (1 - CORRELATION) ** 0.5, deals)
        scores.append(np.clip(np.round(kept), 0, 25) * (chance.random(deals) >= lost))
    differences = scores[1] - scores[0]
    return bool(differences.mean() < 0 and sign_flip_test(differences.tolist(), DRAWS).p < ALPHA)


def show(powers: list[Power], console: Console) -> None:
    """Print the table."""
    table = plain_table("effect", "struck out", "deals", "shown")
    for power in powers:
        table.add_row(
            f"{power.effect:g}", f"{power.lost:.0%}", str(power.deals), f"{power.shown:.0%}"
        )
    console.print(table)
