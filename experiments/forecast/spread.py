"""How much differences vary, measured or assumed, and what an experiment's own analysis can see
before it is played."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, variance

import numpy as np

from hanabi_orchestrator.experiments.analysis import headroom
from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Matrix
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.analysis.statistics.power import detectable
from hanabi_orchestrator.experiments.analysis.statistics.sequential import limits
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.study.stop_rule import Stop, StopRule, resolved

SD = 4.5
"""Assumed standard deviation of a model's kept scores from game to game: papers with ten deals show
4 to 5."""
MEAN = 12.5
"""Assumed mean of a model's kept scores, which a strict score loses where the third life is
lost."""
CORRELATION = 0.3
"""Assumed correlation of two arms' kept scores on the same deal."""
STRUCK_OUT = 0.3
"""The share of games that lose the third life up to which an assumed spread of strict scores
holds."""
WITHOUT_MODELS = (
    "house without one role had 2.3 to 7.4 by role with sim:average, 2.2 to 4.7 with programs"
)
"""SDs of differences at two players, 10 deals and 200: in tables of `role-ablation-controlled` with
sim:average, and of `strength-ablation --set seeds.count=200`."""
PAIRS = 10
"""Measured pairs needed to use their standard deviation; also the deals below which a budget is
spent on a single player count, since fewer would show nothing at any."""
WALKS = 20_000
"""Simulated runs under a stop rule."""
EFFECTS = (0.0, 1.0, 2.0)
"""True differences, in points, for which the expected deals of a stop rule are stated."""


@dataclass(frozen=True)
class Spread:
    sd: float
    """Standard deviation of paired differences at one player count, in points."""
    basis: str
    correlation: float = 0.0
    """Of the differences of a seed at two player counts, 0 to 1; 0 where it is not measured."""

    def pooled(self, counts: int) -> float:
        """Return the same of seeds, whose differences are averaged over this number of player
        counts."""
        return self.sd * math.sqrt((1 + (counts - 1) * self.correlation) / counts)


def assumed_spread(
    metric: str = "strict", *, paid: bool = True, lost: float | None = None
) -> Spread:
    """Return the spread that papers on language models suggest. `paid`: whether a model on a server
    plays; for others the basis says what was measured with them. `lost`: the share of games that
    lose the third life and score 0, if not given, up to STRUCK_OUT by the strict score and none by
    any other metric."""
    if lost is None:
        if metric == "strict":
            lost = STRUCK_OUT
        else:
            lost = 0.0
    else:
        lost = lost
    basis = (
        f"assumed as language models have it: scores with an SD of {SD:g} points from game to "
        f"game, which correlate by {CORRELATION:g} between two arms on a deal"
    )
    basis += (
        f", and up to {lost:.0%} of the games struck out, which score 0 in place of {MEAN:g}"
        if lost
        else ""
    )
    others = "" if paid else f"; {WITHOUT_MODELS}"
    kept = 1 - lost
    variance = kept * (SD**2 + MEAN**2) - (kept * MEAN) ** 2
    shared = kept**2 * CORRELATION * SD**2
    return Spread(
        math.sqrt(2 * (variance - shared)),
        f"{basis}{others}; reports use the SD of their own games",
    )


def measured_spread(
    rows: Iterable[Row],
    baseline: str | None,
    *,
    paid: bool,
    repeats: int = 1,
    metric: str = "strict",
) -> Spread | None:
    """Return the spread of differences of finished games, pooled within arm and player count; None
    for too few.

    `paid`: use only games of models; games of programs and simulated models say nothing about them.
    `repeats`: how many games of a deal are averaged, at most. `metric`: `kept`, or any other for
    the strict score.
    """
    games: dict[tuple[str, int, int], list[int]] = {}
    for row in sorted(rows, key=lambda row: row.repeat):
        if not paid or (row.calls and not row.simulated):
            if metric == "kept":
                score = row.score_kept
            else:
                score = row.score_strict
            games.setdefault((row.arm, row.players, row.seed), []).append(score)
    played = []
    for key, scores in games.items():
        played += [(key, score) for score in scores[:repeats]]
    means = cluster_means(played)
    standard = baseline or next(iter(means), ("",))[0]
    deltas: dict[tuple[str, int], dict[int, float]] = {}
    for (arm, players, seed), mean in sorted(means.items()):
        if arm != standard and (standard, players, seed) in means:
            deltas.setdefault((arm, players), {})[seed] = mean - means[standard, players, seed]
    groups = [list(of_seeds.values()) for of_seeds in deltas.values()]
    pairs = sum(map(len, groups))
    df = sum(len(group) - 1 for group in groups)
    squares = sum(variance(group) * (len(group) - 1) for group in groups if len(group) > 1)
    if pairs < PAIRS or not squares:
        return None
    sd = math.sqrt(squares / df)
    return Spread(sd, f"measured: {pairs} pairs of finished games", _correlation(deltas, sd))


def _correlation(deltas: Mapping[tuple[str, int], Mapping[int, float]], sd: float) -> float:
    """Return that of an arm's differences on the same seed at two player counts; 0 for too few such
    pairs."""
    products = []
    for (arm, players), ours in deltas.items():
        for (same, more), theirs in deltas.items():
            if same == arm and more > players and len(both := ours.keys() & theirs.keys()) > 1:
                means = fmean(ours[seed] for seed in both), fmean(theirs[seed] for seed in both)
                products += [(ours[seed] - means[0]) * (theirs[seed] - means[1]) for seed in both]
    if len(products) >= PAIRS:
        return min(1.0, max(0.0, fmean(products) / sd**2))
    return 0.0


def sentences(
    experiment: Experiment,
    jobs: Collection[Job],
    rows: Sequence[Row],
    *,
    paid: bool,
    metric: str = "strict",
    stop: StopRule | None = None,
) -> list[str]:
    """Say which difference from the baseline a design detects; nothing where nothing is compared.

    `rows`: finished games, which say how much differences vary; `paid`: use only those of models;
    `stop`: the rule by which arms may stop earlier.
    """
    arms: dict[int, set[str]] = {}
    for job in jobs:
        arms.setdefault(job.deal.players, set()).add(job.arm)
    compared = [len(names) - 1 for names in arms.values() if len(names) > 1]
    deals = len({job.deal.seed for job in jobs})
    if experiment.adhoc or experiment.baseline is None or not compared:
        return []
    if deals == 1:
        return ["with a single deal, whatever the repeats show holds for this deal alone"]
    tests = max(compared)
    counts = len(compared)
    against = "one arm" if tests == 1 else f"{tests} arms"
    if deals < fewest_pairs(tests):
        return [
            f"this experiment cannot show any difference, however large: with {deals} deals and "
            f"{against} to compare no corrected p can be below .05; it needs "
            f"{fewest_pairs(tests)} deals at least"
        ]
    measured = measured_spread(
        rows, experiment.baseline, paid=paid, repeats=experiment.repeats, metric=metric
    )
    spread = measured or assumed_spread(metric, paid=paid)
    pooled = detectable(spread.pooled(counts), deals, tests=tests, step=1 / counts)
    each = detectable(spread.sd, deals, tests=tests, step=1.0)
    if counts > 1 and each is not None:
        at_each = f" ({each:.1f} at a single player count)"
    else:
        at_each = ""
    best = None
    if measured is None and metric == "strict":
        best = detectable(
            assumed_spread(lost=0.0).pooled(counts), deals, tests=tests, step=1 / counts
        )
    if best is None:
        unlost = ""
    else:
        unlost = f", from {best:.1f} where no game is struck out"
    room = headroom.sentence(rows, experiment.baseline, pooled, metric)
    repeats = (
        "repeats of a deal are not counted as more deals, so somewhat smaller differences may be "
        "detectable"
    )
    return [
        f"detectable with 80 % power: true differences from {pooled:.1f} points{at_each}{unlost}, "
        f"with {deals} deals and Holm's correction for {against}; SD of paired differences "
        f"{spread.sd:.1f} points, {spread.basis}",
        *([repeats] if experiment.repeats > 1 and not spread.basis.startswith("measured") else []),
        *(stop_sentences(stop, spread, counts) if stop else ()),
        *([room] if room else []),
    ]


def stop_sentences(rule: StopRule, spread: Spread, counts: int) -> Iterator[str]:
    """Say when a run under a stop rule may be expected to stop. Nothing for metrics whose spread is
    not known."""
    yield f"with its stop rule these are the most games: {rule.sentence}"
    if rule.metric in ("strict", "kept"):
        effects = "; ".join(_expected(rule, spread.pooled(counts), effect) for effect in EFFECTS)
        yield (
            f"expected deals of an arm, of at most {rule.most}: {effects} (normal differences, "
            "with that SD)"
        )


def stop_of_size(stop: Stop, deals: int, arms: int, spread: Spread, counts: int) -> Iterator[str]:
    """Say the same of a proposed number of deals, with the rule's looks as far as they lie before
    it."""
    rule = resolved(
        stop.model_copy(update={"looks": tuple(look for look in stop.looks if look < deals)}),
        metric="strict",
        baseline="baseline",
        arms=[f"arm {number}" for number in range(1, arms + 1)],
        seeds=range(deals),
        players=(),
        repeats=1,
    )
    return stop_sentences(rule, spread, counts)


def _expected(rule: StopRule, sd: float, effect: float) -> str:
    """Say after how many deals an arm with a true difference of this size stops on average, and
    with what.

    Differences are taken as normal: then the sums over the looks are those of a random walk, and
    the limits of the looks are found from walks without an effect, as the test finds them from
    flipped signs.
    """
    deals = np.array(rule.looks)
    sums = _walks(rule.looks) * sd
    bounds = np.array(limits(np.abs(sums).T, [look / rule.most for look in rule.looks], rule.level))
    walks = sums + effect * deals
    if rule.when != "excluded":
        shown = np.abs(walks) > bounds
    else:
        shown = np.zeros(walks.shape, bool)
    excluded = np.zeros(walks.shape, bool)
    if rule.effect is not None:
        near, far = (np.abs(walks + side * rule.effect * deals) > bounds for side in (-1, 1))
        excluded = near & far & (np.abs(walks) < rule.effect * deals)
    stops = shown | excluded
    first = np.where(stops.any(axis=1), stops.argmax(axis=1), len(deals) - 1)
    ends = np.arange(len(walks)), first
    chances = [f"shown {float(shown[ends].mean()):.0%}"] if rule.when != "excluded" else []
    chances += (
        [f"excluded {float((excluded & ~shown)[ends].mean()):.0%}"]
        if rule.effect is not None
        else []
    )
    return (
        f"{float(deals[first].mean()):.0f} at a true difference of {effect:g} "
        f"({', '.join(chances)})"
    )


@cache
def _walks(looks: tuple[int, ...]) -> Matrix:
    """Return sums of standard normal differences at the looks, a row for each walk without an
    effect."""
    steps = np.diff([0, *looks])
    return np.cumsum(
        np.random.default_rng(1).normal(size=(WALKS, len(looks))) * np.sqrt(steps), axis=1
    )
