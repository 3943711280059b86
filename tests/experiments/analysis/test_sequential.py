"""The sequential test against its definition, and against whole simulated experiments."""

from itertools import product

import numpy as np
import pytest

from benchmarks import stop_simulation
from benchmarks.stop_simulation import POOLS
from hanabi_orchestrator.experiments.analysis.differences import differences
from hanabi_orchestrator.experiments.analysis.statistics.sequential import (
    SequentialTest,
    spent_level,
)
from hanabi_orchestrator.experiments.analysis.stopping import Stopped, outcomes
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.stop_rule import Stop, resolved
from tests.experiments.analysis.rows import game
from tests.support.prove import FULL


def rejected(deltas: list[int], looks: list[int], difference: int, level: float) -> bool:
    """By the definition, for every pattern of signs and in whole numbers."""
    shifted = [delta - difference for delta in deltas]
    alive = list(product((1, -1), repeat=len(deltas)))
    whole = len(alive)
    gone = 0
    rejects = False
    for look in looks:
        sizes = {
            one: abs(sum(s * d for s, d in zip(one[:look], shifted, strict=False))) for one in alive
        }
        room = spent_level(look / len(deltas), level) * whole
        ordered = sorted({*sizes.values()}, reverse=True)
        fits = [
            size
            for size in ordered
            if gone + sum(of >= size for of in sizes.values()) < room - 1e-9
        ]
        staying = [size for size in ordered if size not in fits]
        rejects = bool(fits or not staying) and abs(sum(shifted[:look])) > max(staying, default=-1)
        alive = [one for one in alive if sizes[one] in staying]
        gone = whole - len(alive)
    return rejects


@pytest.mark.parametrize("seed", range(3))
def test_a_look_rejects_what_its_definition_rejects(seed: int) -> None:
    chance = np.random.default_rng(seed)
    deltas = [int(one) for one in np.rint(chance.normal(2, 3, 9))]
    looks = [4, 6, 9]
    for at in range(1, 4):
        test = SequentialTest(tuple(deltas[: looks[at - 1]]), tuple(looks[:at]), 9)
        for level, difference in product((0.05, 0.2), (0, 1, -2, 4)):
            # patterns of deals to come do not matter to a look; the definition sees whole patterns of nine
            padded = [*deltas[: looks[at - 1]], *[0] * (9 - looks[at - 1])]
            asked = rejected(padded, looks[:at], difference, level)
            assert test.rejects(difference, level) == asked, (at, level, difference)


def test_intervals_hold_what_is_not_rejected_and_agree_with_p() -> None:
    chance = np.random.default_rng(4)
    for mean in (0.0, 0.6, 1.5):
        deltas = tuple(np.rint(chance.normal(mean, 3, 60)))
        for looks in ((30,), (30, 45), (30, 45, 60)):
            test = SequentialTest(deltas[: looks[-1]], looks, 60)
            for level in (0.05, 0.0125):
                bounds = test.interval(level)
                assert (test.p < level) == test.rejects(0.0, level)
                if bounds is None:
                    continue
                low, high = bounds
                assert (low <= 0 <= high) != test.rejects(0.0, level) or 0.0 in bounds
                grid = np.linspace(low - 1, high + 1, 41)
                inside = [low + 1e-6 < one < high - 1e-6 for one in grid]
                outside = [one < low - 1e-6 or one > high + 1e-6 for one in grid]
                found = [test.rejects(float(one), level) for one in grid]
                assert not any(one for one, held in zip(found, inside, strict=True) if held)
                assert all(one for one, held in zip(found, outside, strict=True) if held)


def test_an_arm_that_plays_the_baseline_again_goes_along_and_settles_nothing() -> None:
    asked = Stop(when="shown", looks=(6, 12))
    shared = {
        "metric": "strict",
        "baseline": "base",
        "seeds": range(20),
        "players": [3],
        "repeats": 1,
    }
    rule = resolved(asked, arms=["worse"], alongside=["noise-floor"], **shared)  # type: ignore[arg-type]
    rows = [game(arm, seed, 20 - less * (seed % 3 + 5)) for arm, less in ARMS for seed in range(12)]
    stood = outcomes(rule, rows, {arm: (3,) for arm, _ in ARMS})
    assert stood["worse"].settled == "shown" and stood["worse"].deals == 12
    assert stood["noise-floor"].settled is None and stood["noise-floor"].deals == 12, (
        "though it differs as much"
    )
    pairs = [(rows_of(rows, arm), rows_of(rows, "base")) for arm in ("worse", "noise-floor")]
    worse, floor = differences(pairs, stopped=Stopped(rule, stood))
    assert worse.claimed and worse.tests == 1 and floor.tests == 1 and worse.p_holm == floor.p_holm
    assert outcomes(rule, rows[:-1], {arm: (3,) for arm, _ in ARMS})["noise-floor"].look == 1, (
        "a game is missing"
    )


ARMS = (("base", 0), ("worse", 1), ("noise-floor", 1))


def rows_of(rows: list[Row], arm: str) -> list[Row]:
    return [row for row in rows if row.arm == arm]


def test_the_rule_keeps_its_error_rate_and_its_intervals_hold_the_truth() -> None:
    """Whole experiments, stopped by the rule of runs: a binomial test at 1 in 1,000 would notice a rate of 10 %."""
    from scipy.stats import binom

    experiments = 1000 if FULL else 25
    for pool in POOLS:
        found = stop_simulation.tried(
            stop_simulation.Design(pool, 0.0, arms=3 if FULL else 1), experiments
        )
        assert binom.sf(round(found.shown * experiments) - 1, experiments, 0.05) > 0.001, (
            "too many are shown"
        )
        assert binom.cdf(round(found.held * experiments), experiments, 0.95) > 0.001, (
            "too few hold the truth"
        )
    large = stop_simulation.tried(stop_simulation.Design("literal", 4.0), 10)
    assert large.shown == 1.0 and large.deals < 0.75 * large.most, "a large effect is shown early"
