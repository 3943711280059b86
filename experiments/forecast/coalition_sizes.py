"""What a design of coalitions can see: how much each kind of term varies from deal to deal, and how
many there are.

The scores of a deal are taken to vary alike and to correlate alike, whatever coalition plays. Then
the variance of a combination of arms is that of the difference of two arms, times half the sum of
its squared weights.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.analysis.coalitions import coalition_study, weights
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.analysis.statistics.power import POWER, detectable
from hanabi_orchestrator.experiments.forecast.spread import (
    PAIRS,
    Spread,
    assumed_spread,
    measured_spread,
)
from hanabi_orchestrator.experiments.record import measures, run_folder
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.coalitions import FULL, TERMS, Coalitions, Term

WORDS: Mapping[Term, str] = {
    "shapley": "a Shapley value",
    "leave_one_out": "leave-one-out",
    "alone": "alone",
    "banzhaf": "a Banzhaf value",
    "interaction": "an interaction of two",
    "highest_order": "the interaction of all",
}
"""What a reader calls a term of each kind."""
FINEST = 10_000
"""The largest denominator of a weight; those of designs are far below."""


@dataclass(frozen=True)
class TermSpread:
    """How much a kind of term varies, and in how many deals it is measured."""

    term: Term
    tests: int
    """How many of the kind are corrected together."""
    spread: Spread
    """Of a term, from deal to deal."""
    share: float = 1.0
    """The share of deals that measure a term; below 1 for pairs that are not neighbours on every
    circle."""
    step: float = 0.0
    """What terms of a deal at one player count are multiples of, where scores are whole numbers."""

    def detectable(self, deals: int, counts: int = 1, power: float = POWER) -> float | None:
        """Return the smallest true term that so many deals show, over player counts together; None
        where none can."""
        return detectable(
            self.spread.pooled(counts),
            math.floor(deals * self.share),
            power,
            self.tests,
            self.step / counts,
        )


def term_spreads(
    design: Coalitions,
    two_arms: Spread,
    rows: Sequence[Row] = (),
    run: Mapping[str, Any] | None = None,
    metric: str = "strict",
) -> dict[Term, TermSpread]:
    """Return the spread of each kind of term that a design has.

    `two_arms`: the spread of the difference of two arms. `rows`: finished games; their own terms
    say how much terms vary, where there are enough of them and `run`, the contents of their
    run.yaml, has the same design.
    """
    measured = _measured(design, rows, run or {}, metric)
    spreads = dict[Term, TermSpread]()
    for term in TERMS:
        parts = _parts(design, term)
        if not parts:
            continue
        sd = measured.get(term)
        if sd:
            basis = f"measured: terms of {len(rows)} finished games"
        else:
            basis = two_arms.basis
        of_coalitions = _some_weights(design, term, parts[0])
        factor = math.hypot(*of_coalitions) / math.sqrt(2)
        spread = Spread(sd or factor * two_arms.sd, basis, two_arms.correlation)
        if term == "interaction" and not design.complete:
            share = 2 / (len(design.names) - 1)
        else:
            share = 1.0
        tests = len(parts) * len(design.by)
        spreads[term] = TermSpread(term, tests, spread, share, _step(of_coalitions))
    return spreads


def of_experiment(
    design: Coalitions, rows: Sequence[Row], folder: Path, *, paid: bool, metric: str = "strict"
) -> dict[Term, TermSpread]:
    """Return the spread of each kind of term, measured by finished games where there are enough.

    `rows`: finished games, and `folder`, the run folder with their run.yaml; `paid`: use only games
    of models.
    """
    usable = [row for row in rows if not paid or (row.calls and not row.simulated)]
    two_arms = measured_spread(usable, FULL, paid=paid, metric=metric) or assumed_spread(
        metric, paid=paid
    )
    run = run_folder.run(folder) if folder.is_dir() else {}
    return term_spreads(design, two_arms, usable, run, metric)


def sentences(
    spreads: Mapping[Term, TermSpread],
    design: Coalitions,
    deals: int,
    counts: int,
    *,
    basis: bool = True,
) -> Iterator[str]:
    """Say which terms a design detects; `basis`: and what their spread is based on."""
    if deals < 2:
        yield "with a single deal, whatever its games show holds for this deal alone"
        return
    primary = spreads[design.primary]
    if math.floor(deals * primary.share) < fewest_pairs(primary.tests):
        yield (
            f"this experiment cannot show {WORDS[design.primary]}, however large: with {deals} "
            f"deals and {primary.tests} to compare no corrected p can be below .05"
        )
    sizes = []
    for term, each in spreads.items():
        size = each.detectable(deals, counts)
        points = "none" if size is None else f"{size:.1f} points"
        if term == design.primary:
            main = ", the primary one"
        else:
            main = ""
        sizes.append(
            f"{WORDS[term]} {points} (SD {each.spread.sd:.1f}, Holm for {each.tests}{main})"
        )
    based = f"; {primary.spread.basis}" if basis else ""
    yield f"detectable with 80 % power, from {deals} deals: {'; '.join(sizes)}{based}"
    if not design.complete and not primary.spread.basis.startswith("measured"):
        yield "the draw of the circles makes terms vary more; how much, only finished games show"


def _parts(design: Coalitions, term: Term) -> list[tuple[str, ...]]:
    """Return what the terms of a kind are about; empty for a kind that the design does not have."""
    if term == "interaction":
        return list(combinations(design.names, 2))
    if term == "highest_order":
        if design.complete and len(design.names) > 2:
            return [design.names]
        return []
    return [(name,) for name in design.names]


def _some_weights(design: Coalitions, term: Term, parts: tuple[str, ...]) -> list[float]:
    """Return the weights of coalitions in a term, in the first deal that has it."""
    seed = 0
    while (of_coalitions := weights(design, term, parts, seed)) is None:
        seed += 1
    return list(of_coalitions.values())


def _step(of_coalitions: Sequence[float]) -> float:
    """Return what weighted sums of whole numbers are multiples of."""
    numerator = 0
    denominator = 1
    for weight in of_coalitions:
        fraction = Fraction(weight).limit_denominator(FINEST)
        common = math.lcm(denominator, fraction.denominator)
        numerator *= common // denominator
        numerator = math.gcd(numerator, int(fraction * common))
        denominator = common
    return numerator / denominator


def _measured(
    design: Coalitions, rows: Sequence[Row], run: Mapping[str, Any], metric: str
) -> dict[Term, float]:
    """Return the standard deviation of each kind of term at a player count, by finished games; none
    for too few."""
    if metric.startswith(measures.MARK):
        return {}
    study = coalition_study(rows, run, measures.metric(metric))
    if study is None or study.design.parts != design.parts:
        return {}
    measured = dict[Term, float]()
    for term in TERMS:
        differences = []
        for each in study.effects:
            if each.kind == term and each.difference.players:
                differences.append(each.difference)
        variances = [each.sd**2 for each in differences if each.sd]
        if sum(each.n for each in differences) >= PAIRS and variances:
            measured[term] = math.sqrt(fmean(variances))
    return measured
