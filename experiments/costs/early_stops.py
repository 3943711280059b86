"""When a run with a stop rule may be expected to stop, before it is played.

Differences are taken as normal, with the planned spread: then the sums over the looks are those of a random walk, and
the limits of the looks are found from walks without an effect, as the test finds them from flipped signs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from experiments.costs.sample_size import Spread
from experiments.statistics.estimates import Matrix
from experiments.statistics.sequential import limits
from experiments.study.stop_rule import Stop, StopRule, resolved

WALKS = 20_000
SHOWN = (0.0, 1.0, 2.0)
"""True differences, in points, for which the expected deals are told."""


@dataclass(frozen=True)
class Expected:
    """What becomes of an arm with a true difference of this size."""

    effect: float
    deals: float
    """On average."""
    shown: float
    """The probability that its difference is shown."""
    excluded: float
    """The probability that the rule's effect is excluded."""


def expected(rule: StopRule, sd: float, effect: float) -> Expected:
    """`sd`: standard deviation of the deals' differences, averaged over player counts."""
    deals, sums = np.array(rule.looks), _walks(rule.looks) * sd
    bounds = np.array(limits(np.abs(sums).T, [look / rule.most for look in rule.looks], rule.level))
    walks = sums + effect * deals
    shown = np.abs(walks) > bounds if rule.when != "excluded" else np.zeros(walks.shape, bool)
    excluded = np.zeros(walks.shape, bool)
    if rule.effect is not None:
        near, far = (np.abs(walks + side * rule.effect * deals) > bounds for side in (-1, 1))
        excluded = near & far & (np.abs(walks) < rule.effect * deals)
    stops = shown | excluded
    first = np.where(stops.any(axis=1), stops.argmax(axis=1), len(deals) - 1)
    each = np.arange(len(walks)), first
    return Expected(
        effect, float(deals[first].mean()), float(shown[each].mean()), float((excluded & ~shown)[each].mean())
    )


@cache
def _walks(looks: tuple[int, ...]) -> Matrix:
    """Sums of standard normal differences at the looks, a row for each walk without an effect."""
    steps = np.diff([0, *looks])
    return np.cumsum(np.random.default_rng(1).normal(size=(WALKS, len(looks))) * np.sqrt(steps), axis=1)


def sentences(rule: StopRule, spread: Spread, counts: int) -> Iterator[str]:
    """What the rule makes of the most that is planned. Nothing for metrics whose spread is not known."""
    yield f"with its stop rule these are the most games: {rule.sentence}"
    if rule.metric not in ("strict", "kept"):
        return
    found = [expected(rule, spread.pooled(counts), effect) for effect in SHOWN]
    said = [_said(one, rule) for one in found]
    yield f"expected deals of an arm, of at most {rule.most}: {'; '.join(said)} (normal differences, with that SD)"


def of_size(stop: Stop, deals: int, arms: int, spread: Spread, counts: int) -> Iterator[str]:
    """The same of a proposed number of deals, with the rule's looks as far as they lie before it."""
    looks = tuple(look for look in stop.looks if look < deals)
    rule = resolved(
        stop.model_copy(update={"looks": looks}),
        metric="strict",
        baseline="baseline",
        arms=[f"arm {number}" for number in range(1, arms + 1)],
        seeds=range(deals),
        players=(),
        repeats=1,
    )
    yield from sentences(rule, spread, counts)


def _said(one: Expected, rule: StopRule) -> str:
    chances = [f"shown {one.shown:.0%}"] if rule.when != "excluded" else []
    chances += [f"excluded {one.excluded:.0%}"] if rule.effect is not None else []
    return f"{one.deals:.0f} at a true difference of {one.effect:g} ({', '.join(chances)})"
