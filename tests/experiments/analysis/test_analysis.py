"""Analyses of games as a reader relies on them: what is counted, and what is left out."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hanabi_orchestrator.experiments.analysis.analysis import analyse
from hanabi_orchestrator.experiments.analysis.conclusions import sentences
from hanabi_orchestrator.experiments.analysis.statistics.permutation import (
    regrouping_test,
    sign_flip_test,
)
from hanabi_orchestrator.experiments.analysis.statistics.power import detectable
from tests.experiments.analysis.rows import game, games, only, summary
from tests.support.prove import FULL


@pytest.mark.parametrize(("repeats", "counts"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
def test_what_can_be_detected_is_reckoned_with_the_steps_that_differences_of_deals_have(
    repeats: int, counts: int
) -> None:
    """A difference of a deal is a mean of whole numbers, over its repeats and its player counts."""
    chance = Random(f"{repeats} {counts}")
    rows = []
    for arm, seed, players, repeat in product(
        "ab", range(1, 9), range(2, 2 + counts), range(1, repeats + 1)
    ):
        rows.append(game(arm, seed, chance.randint(8, 20), players=players, repeat=repeat))
    found = only(analyse(rows, "a"), players=2 if counts == 1 else None)
    assert found.sd and found.mde == pytest.approx(
        detectable(found.sd, 8, step=1 / repeats / counts)
    )


def test_either_score_can_be_the_one_that_is_compared_and_the_other_is_compared_too() -> None:
    full = (14, 13, 15, 12, 14, 13, 12, 15)
    less = (9, 10, 8, 9, 11, 8, 10, 9)
    rows = [game("full", seed, 0, kept=kept) for seed, kept in enumerate(full)]
    rows += [game("b", seed, 0, kept=kept) for seed, kept in enumerate(less)]
    strict = analyse(rows, "full")
    kept = analyse(rows, "full", metric="kept")
    assert (strict.metric, only(strict).metric, only(strict).mean, only(strict).p) == (
        "strict",
        "strict",
        0,
        1,
    )
    assert (kept.metric, only(kept).metric) == ("kept", "kept") and only(kept).mean == np.mean(
        less
    ) - np.mean(full)
    assert strict.other_differences[0].mean == kept.differences[0].mean
    # No strict difference is shown, so the kept one is not tested; the other way round it is, after the kept one.
    assert strict.other_differences[0].shut and strict.other_differences[0].p_holm is None
    assert not kept.other_differences[0].shut and kept.other_differences[0].p_holm == 1
    assert only(kept).p == 2 / 2**8 and only(kept).se == pytest.approx(
        stats.sem(np.subtract(less, full))
    )
    assert kept.summaries == strict.summaries, "they have both"
    summary = kept.summaries[1]
    found = summary.of("kept")
    bounds = stats.ttest_1samp(full, 0).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx(
        (np.mean(full), bounds.low, bounds.high)
    )
    assert (found.se, found.sd) == pytest.approx((stats.sem(full), np.std(full, ddof=1)))
    assert summary.of("strict").mean == 0 and summary.of("strict").histogram[0] == 8
    assert sum(found.histogram[12:16]) == 8


def test_shares_of_games_have_binomial_intervals_and_repeats_are_no_more_deals() -> None:
    lost = [game("a", seed, 0, kept=9) if seed < 3 else game("a", seed, 25) for seed in range(10)]
    found = summary(analyse(lost))
    ci = stats.binomtest(3, 10).proportion_ci(0.95)
    assert (found.struck_out_low, found.struck_out_high) == pytest.approx((ci.low, ci.high))
    assert (found.perfect_low, found.perfect_high) == pytest.approx((1 - ci.high, 1 - ci.low))
    twice = summary(analyse([*lost, *(replace(row, repeat=2) for row in lost)]))
    assert (twice.n, twice.struck_out_low, twice.struck_out_high) == (
        20,
        found.struck_out_low,
        found.struck_out_high,
    )
    never = summary(analyse(games("a", [20] * 5 + [21] * 5)))
    assert (never.struck_out_low, never.struck_out_high) == pytest.approx((0, 1 - 0.025**0.1))


def test_the_interval_of_a_mean_ends_where_scores_end_and_equal_scores_are_not_certain() -> None:
    found = summary(analyse(games("a", [25] * 9 + [20])))
    expected = stats.ttest_1samp([25] * 9 + [20], 0).confidence_interval(0.95)
    strict = found.of("strict")
    assert expected.high > 25 and (strict.low, strict.high) == pytest.approx((expected.low, 25))
    zeros = summary(analyse([game("a", seed, 0, kept=5) for seed in range(10)]))
    other = 1 - 0.05**0.1  # in more of the deals, one of ten would have scored
    strict = zeros.of("strict")
    kept = zeros.of("kept")
    assert (strict.low, strict.high) == pytest.approx((0, 25 * other))
    assert (kept.low, kept.high) == pytest.approx((5 - 5 * other, 5 + 20 * other))


def test_games_that_are_the_same_are_no_evidence() -> None:
    deterministic = [game("full", 7, 20, repeat=r, moves_digest="a") for r in range(10)]
    deterministic += [game("no-x", 7, 18, repeat=r, moves_digest="b") for r in range(10)]
    found = only(analyse(deterministic, "full"))
    assert (found.p, found.p_holm, found.low, found.mde, found.mean) == (None, None, None, None, -2)
    said = sentences(analyse(deterministic, "full"))
    assert said[0] == (
        "no-x: -2.00 points beside full; all 10 repeats are the same game, so they allow no conclusion."
    )
    one = summary(analyse(deterministic[:10]))
    strict = one.of("strict")
    assert (strict.low, strict.se, strict.sd, strict.iqm_low) == (None,) * 4
    assert one.struck_out_high == pytest.approx(0.975), "one game was seen"


def test_hundreds_of_arms_can_still_be_told_apart() -> None:
    arms = 300 if FULL else 100
    better = [
        row for arm in range(arms) for row in games(f"a{arm}", [20] * 18 if arm else [18, 17] * 9)
    ]
    found = analyse(better, "a0").differences
    assert len(found) == arms - 1 and all(one.claimed for one in found)


SLOWLY = settings(max_examples=10, deadline=None)


SCORES = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=2, max_size=20)


@SLOWLY
@given(SCORES)
def test_a_comparison_with_the_baseline_is_the_paired_test(scores: list[tuple[int, int]]) -> None:
    base, arm = zip(*scores, strict=True)
    rows = [*games("base", base), *games("arm", arm), game("arm", 1000, 25), game("base", 2000, 0)]
    found = only(analyse(rows, "base"))
    assert (found.arm, found.unit, found.n, found.left_out) == ("arm", "deals", len(scores), 2)
    assert found.mean == pytest.approx(np.mean(arm) - np.mean(base))
    deltas = [a - b for b, a in scores]
    assert (found.wins, found.losses) == (sum(d > 0 for d in deltas), sum(d < 0 for d in deltas))
    assert found.wins + found.ties + found.losses == found.n
    assert found.p == pytest.approx(sign_flip_test(deltas).p)
    assert found.se == pytest.approx(stats.sem(deltas)) and found.sd == pytest.approx(
        np.std(deltas, ddof=1)
    )
    assert (found.low is None) == (found.mde is None or not found.sd) == (
        found.n < 6
    ) or not found.sd
    if found.low is not None and found.high is not None and found.p is not None:
        assert found.low <= found.mean <= found.high and (found.low <= 0 <= found.high) == (
            found.p >= 0.05
        )
    assert (found.low, found.high) == (found.low_holm, found.high_holm), (
        "one arm needs no correction"
    )


def test_repeats_of_a_deal_are_one_score_and_those_without_a_partner_are_left_out() -> None:
    rows = [
        game("a", 1, 10),
        game("a", 1, 20, repeat=2),
        game("a", 2, 5),
        game("a", 2, 1, repeat=2),
    ]
    rows += [game("b", 1, 12), game("b", 1, 14, repeat=2), game("b", 2, 2)]
    analysis = analyse(rows, "b")
    found = only(analysis)
    assert (found.n, found.left_out, found.mean) == (2, 1, (15 - 13 + 5 - 2) / 2)
    a = analysis.summaries[0]
    assert (a.arm, a.n, a.deals, a.of("strict").mean) == ("a", 4, 2, 9)
    strict = a.of("strict")
    assert strict.se == pytest.approx(stats.sem([15, 3])) and strict.sd == pytest.approx(
        np.std([10, 20, 5, 1], ddof=1)
    )


def test_a_summary_counts_what_happened() -> None:
    rows = [
        game("a", 1, 25, calls=4, usd=0.5),
        game("a", 2, 0, kept=17, calls=8, hints_wasted=3, usd=0.1, forced=5),
    ]
    found = summary(analyse([*rows, game("a", 3, 20, hints_wasted=1)]))
    strict = found.of("strict")
    assert (found.n, found.deals, strict.mean, found.counts) == (3, 3, 15, (3,))
    assert (found.of("kept").mean, found.perfect, found.struck_out) == pytest.approx(
        (62 / 3, 1 / 3, 1 / 3)
    )
    assert (found.mean("misplays"), found.mean("turns"), found.mean("calls")) == pytest.approx(
        (5 / 3, 50, 4)
    )
    assert found.forced_share == pytest.approx(5 / 150)
    assert found.means["usd"] is None, "one game does not say"
    assert found.ends == {"deck_exhausted": 1, "lives_lost": 1, "perfect": 1}
    assert [score for score, n in enumerate(strict.histogram) for _ in range(n)] == [0, 20, 25]
    assert (
        strict.iqm_low is not None
        and 0 <= strict.iqm_low <= strict.iqm <= (strict.iqm_high or 0) <= 25
    )
    two = [*games("a", [0, 4, 8, 25], players=2), *games("a", [10, 12, 14, 16])]
    assert summary(analyse(two), None).of("kept").iqm == 11, (
        "of all games together, not of the deals' means"
    )
    single = summary(analyse([rows[0]]))
    strict = single.of("strict")
    assert (single.means["usd"], strict.sd, strict.se, strict.low, strict.iqm_high) == (
        0.5,
        None,
        None,
        None,
        None,
    )


@SLOWLY
@given(st.lists(st.tuples(*[st.integers(0, 25)] * 4), min_size=2, max_size=15))
def test_pooled_is_over_seeds_each_the_mean_of_its_player_counts(
    scores: list[tuple[int, ...]],
) -> None:
    rows = []
    for seed, (a2, a3, b2, b3) in enumerate(scores):
        rows += [
            game("a", seed, a2, players=2),
            game("a", seed, a3),
            game("b", seed, b2, players=2),
        ]
        rows += [game("b", seed, b3)]
    rows += [game("a", 99, 25, players=2), game("b", 99, 0, players=2)]  # not played at three
    analysis = analyse(rows, "b")
    found = only(analysis, None)
    deltas = [(a2 - b2 + a3 - b3) / 2 for a2, a3, b2, b3 in scores]
    assert (found.counts, found.n, found.left_out) == ((2, 3), len(scores), 2)
    assert found.mean == pytest.approx(np.mean(deltas))
    at = analyse([row for row in rows if row.seed != 99], "b")
    assert found.mean == pytest.approx((only(at, 2).mean + only(at, 3).mean) / 2)
    bounds = sign_flip_test(deltas).interval()
    assert found.p == pytest.approx(sign_flip_test(deltas).p) and (found.low, found.high) == (
        bounds or (None, None)
    )
    pooled = [one for one in analysis.summaries if one.players is None]
    assert [(one.arm, one.deals) for one in pooled] == [("a", len(scores)), ("b", len(scores))]
    assert pooled[0].of("strict").mean == pytest.approx(
        np.mean([score for row in scores for score in row[:2]])
    )


def test_player_counts_count_alike_however_many_repeats_they_have() -> None:
    rows = [
        game("a", 1, 10, players=2),
        game("a", 1, 20, players=2, repeat=2),
        game("a", 1, 25),
        game("a", 2, 8),
    ]
    assert (
        summary(analyse([*rows, game("a", 2, 6, players=2)]), None).of("strict").mean
        == ((15 + 25) / 2 + (8 + 6) / 2) / 2
    )


def test_an_arm_that_is_void_at_a_count_is_pooled_over_the_others() -> None:
    rows = [row for n in (2, 3, 4) for row in games("full", (20, 21, 22), players=n)]
    rows += [row for n in (3, 4) for row in games("void", (18, 20, 20), players=n)]
    found = analyse(rows, "full", ["full", "void"])
    assert [(one.players, one.counts) for one in found.differences] == [
        (3, (3,)),
        (4, (4,)),
        (None, (3, 4)),
    ]
    assert found.differences[-1].left_out == 0 and found.differences[-1].mean == pytest.approx(
        -5 / 3
    )
    assert [(one.arm, one.players) for one in found.summaries] == [
        *(("full", n) for n in (2, 3, 4, None)),
        *(("void", n) for n in (3, 4, None)),
    ]


def test_p_is_corrected_for_the_arms_of_a_player_count() -> None:
    rows = games("full", [10] * 8) + games("b", [12] * 8) + games("c", [11, 9] * 4)
    rows += games("full", [10] * 8, players=2) + games("b", [12] * 8, players=2)
    found = {(one.arm, one.players): one for one in analyse(rows, "full").differences}
    assert (
        found["b", 3].p
        == found["b", 2].p
        == found["b", 2].p_holm
        == found["b", None].p_holm
        == 2 / 2**8
    )
    assert found["b", 3].p_holm == 4 / 2**8 and found["c", 3].p_holm == found["c", 3].p == 1.0


def test_one_deal_is_judged_by_its_repeats_and_said_to_be_one() -> None:
    one = [18, 22, 20, 25, 19]
    other = [12, 15, 0, 16, 14]
    rows = [game("full", 7, score, repeat=r) for r, score in enumerate(one)]
    rows += [game("no-x", 7, score, repeat=r) for r, score in enumerate(other)]
    analysis = analyse(rows, "full")
    found = only(analysis)
    assert (found.unit, found.n, (found.low, found.high)) == (
        "repeats",
        5,
        regrouping_test(other, one).interval(),
    )
    assert found.p == 2 / 252, "no other of the 252 groups is as far apart, but its mirror"
    assert (
        analysis.summaries[0].of("strict").se == pytest.approx(stats.sem(one))
        and analysis.summaries[0].deals == 1
    )
    assert sentences(analysis)[0].startswith(
        "no-x scores 9.40 points less than full (95 % interval -17.50 to -3.50, p = .008, 5 repeats)"
    )
    assert "conditional on this deal" in sentences(analysis)[1]
    alone = analyse([rows[0], rows[5]], "full")
    assert (
        alone.differences[0].low is alone.differences[0].p is None
        and "allows no conclusion" in sentences(alone)[0]
    )


def test_several_counts_of_one_deal_are_pooled_repeat_by_repeat() -> None:
    rows = [game("full", 7, 20 + r % 3, repeat=r, players=n) for n in (2, 3) for r in range(6)]
    rows += [game("no-x", 7, 15 + r % 4 + n, repeat=r, players=n) for n in (2, 3) for r in range(6)]
    alone = [game(arm, 7, 0, repeat=9) for arm in ("full", "no-x")]  # not played at two
    found = only(analyse([*rows, *alone], "full"), None)
    one = [17.5 + r % 4 for r in range(6)]
    other = [20 + r % 3 for r in range(6)]
    assert (found.unit, found.n, found.left_out) == ("repeats", 6, 2)
    assert (found.low, found.high) == pytest.approx(regrouping_test(one, other).interval())


def test_games_with_forced_moves_can_be_left_out_with_their_partners() -> None:
    rows = games("full", [20, 21, 22, 23]) + [
        game("weak", seed, score, forced=forced)
        for seed, (score, forced) in enumerate([(19, 0), (25, 11), (17, 0), (18, 0)], 1)
    ]
    found = analyse(rows, "full")
    assert found.flagged == ("weak",) and any(
        "weak: 6% of its moves were forced" in said for said in sentences(found)
    )
    assert found.unforced and (only(found).n, only(found.unforced).n) == (4, 3)
    assert (
        only(found.unforced).mean == pytest.approx((-1 - 5 - 5) / 3)
        and only(found.unforced).left_out == 1
    )
    assert found.unforced.unforced is None and not found.unforced.flagged
    assert analyse(games("full", [20, 21])).unforced is None


def test_bootstrap_intervals_are_those_of_all_means_and_differences() -> None:
    rows = games("a", [0, 18, 20, 19, 25, 22]) + games("b", [17, 17, 0, 21, 20, 20])
    student = analyse(rows, "b")
    boot = analyse(rows, "b", interval="bootstrap")
    assert (student.interval, boot.interval) == ("t", "bootstrap")
    assert only(boot) == only(student), "the interval of a difference is that of its test"
    of_boot, of_t = (each.summaries[0].of("strict") for each in (boot, student))
    assert of_boot.low != of_t.low
    assert 0 <= (of_boot.low or 0) < of_boot.mean < (of_boot.high or 0) <= 25
