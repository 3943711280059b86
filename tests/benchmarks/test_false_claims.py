"""Reports of runs without an effect claim one as seldom as promised, and controls decide as the world is."""

import numpy as np
import pytest
from scipy import stats

from benchmarks import false_claims
from benchmarks.false_claims import KINDS, NONE_SEEN, WORLDS
from tests.support.prove import FULL

REPORTS = 300 if FULL else 6
FEWER = dict.fromkeys(KINDS, 1)
"""Designs of each kind that are tried where not all are."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != NONE_SEEN])
def test_a_report_without_an_effect_claims_one_in_no_more_than_five_of_a_hundred(kind: str) -> None:
    designs = list(KINDS[kind]())
    reports = REPORTS if FULL or kind not in ("stop rule", "extended run") else 2
    for number, (design, trial) in enumerate(designs if FULL else designs[: FEWER[kind]]):
        chance = np.random.default_rng([number, *kind.encode()])
        false = sum(trial(chance) for _ in range(reports))
        assert false <= stats.binom.ppf(0.999, reports, 0.05), (kind, design, false)


def test_a_claim_that_knows_of_no_strike_out_says_so() -> None:
    """The only kind of sentence that more than five of a hundred such reports have: it says what it does not know."""
    trial = next(trial for design, trial in KINDS[NONE_SEEN]() if design.startswith("6 deals, 12%"))
    chance = np.random.default_rng(1)
    assert any(trial(chance) for _ in range(20))


@pytest.mark.parametrize("world", WORLDS if FULL else WORLDS[4:5], ids=lambda world: world.name)
def test_controls_decide_as_the_world_is(world: false_claims.World) -> None:
    reports = 200 if FULL else 1
    for padded in (False, True) if FULL else (True,):
        decided = false_claims.decide(world, reports, padded=padded)
        assert decided.false <= stats.binom.ppf(0.999, reports, 0.05), decided
        if not padded:
            assert not decided.verdicts.get("survives"), "what may mislead rules nothing out"
