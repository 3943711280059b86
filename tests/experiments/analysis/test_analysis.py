"""Analyses of games as a reader relies on them: what is counted, what is left out, what is said."""

import csv
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from experiments.analysis.analysis import Analysis, analyse
from experiments.analysis.caveats import caveats
from experiments.analysis.conclusions import claims, compared, sentences
from experiments.analysis.differences import Difference
from experiments.analysis.summaries import Summary
from experiments.record.rows import Row
from experiments.report import score_tables
from experiments.statistics.permutation import regrouping_test, sign_flip_test
from experiments.statistics.power import detectable
from orchestrator.hanabi.literal_knowledge import wasted_hints
from orchestrator.hanabi.moves import HintColour, HintRank
from orchestrator.hanabi.view import View
from orchestrator.models import list_prices
from roles.words import percent
from tests.conftest import Run
from tests.support.positions import partners_game, random_game
from tests.support.prove import FULL


def game(arm: str, seed: int, score: int, *, repeat: int = 1, players: int = 3, **more: Any) -> Row:
    kept = more.pop("kept", score)
    lives = 0 if kept != score else 2
    end = "lives_lost" if lives == 0 else "perfect" if score == 25 else "deck_exhausted"
    row = Row(arm, "g", players, seed, repeat, score, kept, lives, 50, end, 0, 0, 0, 0, 0, None, "x")
    played = {"model": "m", "misplays": 3 - lives, "moves_digest": f"{arm} {players} {seed} {repeat}"}
    return Row(**{**vars(row), **played, **more})


def games(arm: str, scores: Iterable[int], **more: Any) -> list[Row]:
    return [game(arm, seed, score, **more) for seed, score in enumerate(scores, 1)]


def only(analysis: Analysis, players: int | None = 3) -> Difference:
    (found,) = (one for one in analysis.differences if one.players == players)
    return found


def summary(analysis: Analysis, players: int | None = 3) -> Summary:
    (found,) = (one for one in analysis.summaries if one.players == players)
    return found


@pytest.mark.parametrize(("repeats", "counts"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
def test_what_can_be_detected_is_reckoned_with_the_steps_that_differences_of_deals_have(
    repeats: int, counts: int
) -> None:
    """A difference of a deal is a mean of whole numbers, over its repeats and its player counts."""
    chance, rows = Random(f"{repeats} {counts}"), []
    for arm, seed, players, repeat in product("ab", range(1, 9), range(2, 2 + counts), range(1, repeats + 1)):
        rows.append(game(arm, seed, chance.randint(8, 20), players=players, repeat=repeat))
    found = only(analyse(rows, "a"), players=2 if counts == 1 else None)
    assert found.sd and found.mde == pytest.approx(detectable(found.sd, 8, step=1 / repeats / counts))


def test_either_score_can_be_the_one_that_is_compared_and_the_other_is_compared_too() -> None:
    full, less = (14, 13, 15, 12, 14, 13, 12, 15), (9, 10, 8, 9, 11, 8, 10, 9)
    rows = [game("full", seed, 0, kept=kept) for seed, kept in enumerate(full)]
    rows += [game("b", seed, 0, kept=kept) for seed, kept in enumerate(less)]
    strict, kept = analyse(rows, "full"), analyse(rows, "full", metric="kept")
    assert (strict.metric, only(strict).metric, only(strict).mean, only(strict).p) == ("strict", "strict", 0, 1)
    assert (kept.metric, only(kept).metric) == ("kept", "kept") and only(kept).mean == np.mean(less) - np.mean(full)
    assert (kept.differences, kept.other_differences) == (strict.other_differences, strict.differences)
    assert only(kept).p == 2 / 2**8 and only(kept).se == pytest.approx(stats.sem(np.subtract(less, full)))
    assert kept.summaries == strict.summaries, "they have both"
    summary = kept.summaries[1]
    found, bounds = summary.of("kept"), stats.ttest_1samp(full, 0).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(full), bounds.low, bounds.high))
    assert (found.se, found.sd) == pytest.approx((stats.sem(full), np.std(full, ddof=1)))
    assert summary.of("strict").mean == 0 and summary.of("strict").histogram[0] == 8
    assert sum(found.histogram[12:16]) == 8


def test_shares_of_games_have_binomial_intervals_and_repeats_are_no_more_deals() -> None:
    lost = [game("a", seed, 0, kept=9) if seed < 3 else game("a", seed, 25) for seed in range(10)]
    found, ci = summary(analyse(lost)), stats.binomtest(3, 10).proportion_ci(0.95)
    assert (found.struck_out_low, found.struck_out_high) == pytest.approx((ci.low, ci.high))
    assert (found.perfect_low, found.perfect_high) == pytest.approx((1 - ci.high, 1 - ci.low))
    twice = summary(analyse([*lost, *(replace(row, repeat=2) for row in lost)]))
    assert (twice.n, twice.struck_out_low, twice.struck_out_high) == (20, found.struck_out_low, found.struck_out_high)
    never = summary(analyse(games("a", [20] * 5 + [21] * 5)))
    assert (never.struck_out_low, never.struck_out_high) == pytest.approx((0, 1 - 0.025**0.1))


def test_the_interval_of_a_mean_ends_where_scores_end_and_equal_scores_are_not_certain() -> None:
    found = summary(analyse(games("a", [25] * 9 + [20])))
    expected = stats.ttest_1samp([25] * 9 + [20], 0).confidence_interval(0.95)
    strict = found.of("strict")
    assert expected.high > 25 and (strict.low, strict.high) == pytest.approx((expected.low, 25))
    zeros = summary(analyse([game("a", seed, 0, kept=5) for seed in range(10)]))
    other = 1 - 0.05**0.1  # in more of the deals, one of ten would have scored
    strict, kept = zeros.of("strict"), zeros.of("kept")
    assert (strict.low, strict.high) == pytest.approx((0, 25 * other))
    assert (kept.low, kept.high) == pytest.approx((5 - 5 * other, 5 + 20 * other))


def test_games_that_are_the_same_are_no_evidence() -> None:
    deterministic = [game("full", 7, 20, repeat=r, moves_digest="a") for r in range(10)]
    deterministic += [game("no-x", 7, 18, repeat=r, moves_digest="b") for r in range(10)]
    found = only(analyse(deterministic, "full"))
    assert (found.p, found.p_holm, found.low, found.mde, found.mean) == (None, None, None, None, -2)
    said = sentences(analyse(deterministic, "full"))
    assert said[0] == (
        "no-x scores 2.00 points less than full at 3 players; all 10 repeats are the same game, so nothing can be "
        "concluded."
    )
    one = summary(analyse(deterministic[:10]))
    strict = one.of("strict")
    assert (strict.low, strict.se, strict.sd, strict.iqm_low) == (None,) * 4
    assert one.struck_out_high == pytest.approx(0.975), "one game was seen"


def test_an_arm_that_replays_the_games_of_the_baseline_is_said_to_and_is_no_test_among_others() -> None:
    scores = (20, 22, 18, 21, 20, 22, 18, 21)
    rows = games("full", scores) + games("b", [score - 3 for score in scores])
    alone = only(analyse(rows, "full"))
    again = [replace(row, arm="no-x") for row in rows[:8]]
    both = analyse([*rows, *again], "full")
    (b, none) = both.differences
    assert (b.p_holm, none.p, none.p_holm, none.alike, none.n) == (alone.p_holm, None, None, 8, 8)
    said = "no-x and full at 3 players: the same games in 8 of 8 deals, move by move, so there is nothing to compare."
    assert said in sentences(both)
    some = [*again[:4], *games("no-x", scores)[4:]]
    assert ", the same games in 4 of them" in sentences(analyse([*rows, *some], "full"))[1]
    old = [replace(row, moves_digest=None) for row in [*rows, *again]]
    assert analyse(old, "full").differences[1].alike == 8, "old games are the same when all that is known is"


def test_no_claim_has_an_interval_over_0_and_no_null_result_one_beside_it() -> None:
    chance = np.random.default_rng(2)
    for deals in (3, 6, 8, 10, 18, 30):
        for _ in range(15 if FULL else 6):
            shifts = chance.integers(-3, 4, 5)
            arms = {f"a{i}": chance.integers(10, 16, deals) + shift for i, shift in enumerate(shifts)}
            rows = [row for arm, all in arms.items() for row in games(arm, map(int, all))]
            for one in analyse(rows, "a0").differences:
                if one.low_holm is not None and one.high_holm is not None:
                    assert one.claimed == (not one.low_holm <= 0 <= one.high_holm)
                assert one.low_holm is not None or not one.claimed
                assert (one.level is not None) and 0.05 / 4 <= one.level <= 0.05


def test_hundreds_of_arms_can_still_be_told_apart() -> None:
    better = [row for arm in range(300) for row in games(f"a{arm}", [20] * 18 if arm else [18, 17] * 9)]
    found = analyse(better, "a0").differences
    assert len(found) == 299 and all(one.claimed for one in found)


def test_either_score_says_so_where_the_other_does_not() -> None:
    rows = [game("full", seed, 0, kept=12 + seed % 3) for seed in range(8)]
    rows += [game("b", seed, 0, kept=8 + seed % 2) for seed in range(8)]
    first, other, *_ = sentences(analyse(rows, "full"))
    assert first.startswith("b scores as much as full at 3 players in each of 8 deals; it may differ in up to 31% of")
    assert other.startswith("By the kept score instead: b scores ") and "kept points less than full" in other
    by_kept = sentences(analyse(rows, "full", metric="kept"))
    assert by_kept[1].startswith("By the strict score instead: b scores as much as full")


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
    assert found.se == pytest.approx(stats.sem(deltas)) and found.sd == pytest.approx(np.std(deltas, ddof=1))
    assert (found.low is None) == (found.mde is None or not found.sd) == (found.n < 6) or not found.sd
    if found.low is not None and found.high is not None and found.p is not None:
        assert found.low <= found.mean <= found.high and (found.low <= 0 <= found.high) == (found.p >= 0.05)
    assert (found.low, found.high) == (found.low_holm, found.high_holm), "one arm needs no correction"


def test_repeats_of_a_deal_are_one_score_and_those_without_a_partner_are_left_out() -> None:
    rows = [game("a", 1, 10), game("a", 1, 20, repeat=2), game("a", 2, 5), game("a", 2, 1, repeat=2)]
    rows += [game("b", 1, 12), game("b", 1, 14, repeat=2), game("b", 2, 2)]
    analysis = analyse(rows, "b")
    found = only(analysis)
    assert (found.n, found.left_out, found.mean) == (2, 1, (15 - 13 + 5 - 2) / 2)
    a = analysis.summaries[0]
    assert (a.arm, a.n, a.deals, a.of("strict").mean) == ("a", 4, 2, 9)
    strict = a.of("strict")
    assert strict.se == pytest.approx(stats.sem([15, 3])) and strict.sd == pytest.approx(np.std([10, 20, 5, 1], ddof=1))


def test_a_summary_counts_what_happened() -> None:
    rows = [game("a", 1, 25, calls=4, usd=0.5), game("a", 2, 0, kept=17, calls=8, hints_wasted=3, usd=0.1, forced=5)]
    found = summary(analyse([*rows, game("a", 3, 20, hints_wasted=1)]))
    strict = found.of("strict")
    assert (found.n, found.deals, strict.mean, found.counts) == (3, 3, 15, (3,))
    assert (found.of("kept").mean, found.perfect, found.struck_out) == pytest.approx((62 / 3, 1 / 3, 1 / 3))
    assert (found.mean("misplays"), found.mean("turns"), found.mean("calls")) == pytest.approx((5 / 3, 50, 4))
    assert found.forced_share == pytest.approx(5 / 150)
    assert found.means["hints_wasted"] is None and found.means["usd"] is None, "one game does not say"
    assert found.ends == {"deck_exhausted": 1, "lives_lost": 1, "perfect": 1}
    assert [score for score, n in enumerate(strict.histogram) for _ in range(n)] == [0, 20, 25]
    assert strict.iqm_low is not None and 0 <= strict.iqm_low <= strict.iqm <= (strict.iqm_high or 0) <= 25
    single = summary(analyse([rows[0]]))
    strict = single.of("strict")
    assert (single.means["usd"], strict.sd, strict.se, strict.low, strict.iqm_high) == (0.5, None, None, None, None)


@SLOWLY
@given(st.lists(st.tuples(*[st.integers(0, 25)] * 4), min_size=2, max_size=15))
def test_pooled_is_over_seeds_each_the_mean_of_its_player_counts(scores: list[tuple[int, ...]]) -> None:
    rows = []
    for seed, (a2, a3, b2, b3) in enumerate(scores):
        rows += [game("a", seed, a2, players=2), game("a", seed, a3), game("b", seed, b2, players=2)]
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
    assert found.p == pytest.approx(sign_flip_test(deltas).p) and (found.low, found.high) == (bounds or (None, None))
    pooled = [one for one in analysis.summaries if one.players is None]
    assert [(one.arm, one.deals) for one in pooled] == [("a", len(scores)), ("b", len(scores))]
    assert pooled[0].of("strict").mean == pytest.approx(np.mean([score for row in scores for score in row[:2]]))


def test_player_counts_count_alike_however_many_repeats_they_have() -> None:
    rows = [game("a", 1, 10, players=2), game("a", 1, 20, players=2, repeat=2), game("a", 1, 25), game("a", 2, 8)]
    assert (
        summary(analyse([*rows, game("a", 2, 6, players=2)]), None).of("strict").mean
        == ((15 + 25) / 2 + (8 + 6) / 2) / 2
    )


def test_an_arm_that_is_void_at_a_count_is_pooled_over_the_others() -> None:
    rows = [row for n in (2, 3, 4) for row in games("full", (20, 21, 22), players=n)]
    rows += [row for n in (3, 4) for row in games("void", (18, 20, 20), players=n)]
    found = analyse(rows, "full", ["full", "void"])
    assert [(one.players, one.counts) for one in found.differences] == [(3, (3,)), (4, (4,)), (None, (3, 4))]
    assert found.differences[-1].left_out == 0 and found.differences[-1].mean == pytest.approx(-5 / 3)
    assert [(one.arm, one.players) for one in found.summaries] == [
        *(("full", n) for n in (2, 3, 4, None)),
        *(("void", n) for n in (3, 4, None)),
    ]


def test_p_is_corrected_for_the_arms_of_a_player_count() -> None:
    rows = games("full", [10] * 8) + games("b", [12] * 8) + games("c", [11, 9] * 4)
    rows += games("full", [10] * 8, players=2) + games("b", [12] * 8, players=2)
    found = {(one.arm, one.players): one for one in analyse(rows, "full").differences}
    assert found["b", 3].p == found["b", 2].p == found["b", 2].p_holm == found["b", None].p_holm == 2 / 2**8
    assert found["b", 3].p_holm == 4 / 2**8 and found["c", 3].p_holm == found["c", 3].p == 1.0


def test_one_deal_is_judged_by_its_repeats_and_said_to_be_one() -> None:
    one, other = [18, 22, 20, 25, 19], [12, 15, 0, 16, 14]
    rows = [game("full", 7, score, repeat=r) for r, score in enumerate(one)]
    rows += [game("no-x", 7, score, repeat=r) for r, score in enumerate(other)]
    analysis = analyse(rows, "full")
    found = only(analysis)
    assert (found.unit, found.n, (found.low, found.high)) == ("repeats", 5, regrouping_test(other, one).interval())
    assert found.p == 2 / 252, "no other of the 252 groups is as far apart, but its mirror"
    assert analysis.summaries[0].of("strict").se == pytest.approx(stats.sem(one)) and analysis.summaries[0].deals == 1
    assert sentences(analysis)[0].startswith(
        "no-x scores 9.40 points less than full at 3 players (95 % interval -17.50 to -3.50"
    ) and ("Holm p = .008, 5 repeats)" in sentences(analysis)[0])
    assert "conditional on this deal" in sentences(analysis)[1]
    alone = analyse([rows[0], rows[5]], "full")
    assert (
        alone.differences[0].low is alone.differences[0].p is None and "nothing can be concluded" in sentences(alone)[0]
    )


def test_several_counts_of_one_deal_are_pooled_repeat_by_repeat() -> None:
    rows = [game("full", 7, 20 + r % 3, repeat=r, players=n) for n in (2, 3) for r in range(6)]
    rows += [game("no-x", 7, 15 + r % 4 + n, repeat=r, players=n) for n in (2, 3) for r in range(6)]
    alone = [game(arm, 7, 0, repeat=9) for arm in ("full", "no-x")]  # not played at two
    found = only(analyse([*rows, *alone], "full"), None)
    one, other = [17.5 + r % 4 for r in range(6)], [20 + r % 3 for r in range(6)]
    assert (found.unit, found.n, found.left_out) == ("repeats", 6, 2)
    assert (found.low, found.high) == pytest.approx(regrouping_test(one, other).interval())


def test_games_with_forced_moves_can_be_left_out_with_their_partners() -> None:
    rows = games("full", [20, 21, 22, 23]) + [
        game("weak", seed, score, forced=forced)
        for seed, (score, forced) in enumerate([(19, 0), (25, 11), (17, 0), (18, 0)], 1)
    ]
    found = analyse(rows, "full")
    assert found.flagged == ("weak",) and any("weak: 6% of its moves were forced" in said for said in sentences(found))
    assert found.unforced and (only(found).n, only(found.unforced).n) == (4, 3)
    assert only(found.unforced).mean == pytest.approx((-1 - 5 - 5) / 3) and only(found.unforced).left_out == 1
    assert found.unforced.unforced is None and not found.unforced.flagged
    assert analyse(games("full", [20, 21])).unforced is None


OWN = {"calls": 100, "model_moves": 50}


def test_below_ninety_percent_own_moves_a_caveat_leads_and_below_half_nothing_is_compared() -> None:
    full, good = games("full", [20, 21], **OWN, own=50), games("a", [9, 9], **OWN, own=45)
    some = games("b", [9, 9], **OWN, own=44, forced=6)
    few = games("c", [9, 9], **OWN, own=24, forced=26)
    found = analyse([*full, *good, *some, *few], "full")
    said = caveats(found)
    assert [one.split(":")[0] for one in said] == ["b", "c"] and "only 88% of 100 moves are the model's own" in said[0]
    assert said[1].endswith("No comparison is made with it.") and "comparison" not in said[0]
    assert sentences(found)[0] == "No comparison is made with c: fewer than 50% of the moves are the model's own."
    assert found.withheld == ("c",) and [one.arm for one in found.differences] == ["a", "b"]
    assert found.unforced and "c" not in {one.arm for one in found.unforced.differences}
    assert not any(one.startswith(("b", "c:")) and "forced" in one for one in sentences(found)), "said already"
    assert not analyse([*few, *full], "c").differences


def test_old_games_that_state_forced_moves_alone_are_judged_by_these() -> None:
    old = games("old", [9, 9], calls=100, forced=30)
    assert caveats(analyse(old))[0].startswith("old: only 40% of 100 moves") and analyse(old).withheld == ("old",)
    programs = games("p", [9, 9], forced=30)
    assert analyse(programs).withheld == () and summary(analyse(programs)).own_share is None
    assert summary(analyse(programs)).means["refused"] is None


def test_a_program_that_refuses_often_is_named_with_what_the_first_choices_would_have_done() -> None:
    effects = {"first_misplays": 4, "first_points": 1, "played_misplays": 0, "played_points": 2}
    found = games("a", [9, 9], **OWN, own=50, refused=9, refused_by_rule=6, refused_turns=7, **effects)
    (said,) = caveats(analyse(found))
    assert "the exact safety rule, refused 6.0 choices per game of 50.0 turns" in said
    assert "would have cost 4.0 lives and scored 1.0 points per game; the moves played instead cost 0.0 and" in said
    assert not caveats(analyse(games("a", [9, 9], **OWN, own=50, refused=9, refused_by_rule=2, **effects)))


def test_what_can_be_concluded_is_said() -> None:
    chance = Random(1)
    base = [chance.randint(17, 25) for _ in range(40)]
    rows = games("full", base) + games("same", base)
    rows += games("worse", [score - chance.randint(1, 4) for score in base])
    rows += games("like", [score + chance.choice((-2, -1, 1, 2)) for score in base])
    analysis = analyse(rows, "full", ["full", "same", "like", "worse"])
    same, like, worse, planning, rare = sentences(analysis)
    assert (
        same.startswith("same scores as much as full at 3 players in each of 40 deals")
        and "up to 7% of other deals" in same
    )
    assert worse.startswith("worse scores ") and " points less than full at 3 players (98.33 % interval -" in worse
    assert worse.endswith("Holm p < .001, 40 deals).")
    shown = analysis.differences[1]
    assert shown.low_holm and shown.high_holm and shown.mde and shown.low_holm < 0 < shown.high_holm
    assert like.startswith("like: no significant difference from full at 3 players (") and (
        f"excludes a loss of over {-shown.low_holm:.2f} points and a gain of over {shown.high_holm:.2f};" in like
    )
    assert "detect" not in like and planning.startswith("For planning only: with 80 % power, another experiment")
    assert f"to {shown.mde:.2f} points, by arm, corrected for 3 arms." in planning and rare.startswith(
        "Strike-outs are rare"
    )
    assert [one.arm for one in claims(analysis.differences)] == ["worse"]


def test_where_strike_outs_are_rare_the_sample_cannot_tell_and_this_is_said() -> None:
    never, some = games("full", [20, 21] * 10), games("some", [20, 21] * 10)
    often = [game("often", seed, 0, kept=9) for seed in range(5)] + games("often", [20] * 20)[5:]
    (said,) = sentences(analyse([*never, *often, *some[:19], game("some", 20, 0, kept=3)]))
    assert said.startswith("Strike-outs are rare: fewer than 5 deals with one in full, some.")
    assert f"(up to {percent(stats.binomtest(1, 20).proportion_ci().high)} of games)" in said
    assert not sentences(analyse(often)) and not sentences(analyse(never, metric="kept"))
    assert not sentences(analyse(never[:1])), "a single game has no interval"


def test_every_figure_of_the_kept_score_is_in_kept_points() -> None:
    like = games("like", [score + (-1) ** score for score in range(4, 20)])
    said = sentences(analyse([*games("full", list(range(4, 20))), *like], "full", metric="kept"))
    assert len(re.findall(r"\d points|[^t] points", " ".join(said))) == 0
    assert len(re.findall("kept points", " ".join(said))) == 3, "difference, interval and plan"


def test_an_interval_that_ends_at_0_has_no_minus_0() -> None:
    (one,) = analyse(games("full", [9] * 8) + games("b", [9, 9, 9, 9, 9, 9, 9, 10]), "full").differences
    assert "loss of over 0.00 points and a gain of over 1.00;" in compared(replace(one, low_holm=0.0, high_holm=1.0))


def test_repeats_that_cannot_differ_are_said_to_add_nothing() -> None:
    fixed = [game("fixed", seed, seed + 9, repeat=r, moves_digest=f"{seed}") for seed in range(8) for r in (1, 2)]
    chance = [game("chance", seed, seed + r, repeat=r) for seed in range(8) for r in (1, 2)]
    said = [one for one in sentences(analyse([*fixed, *chance])) if "all repeats" in one]
    assert said == ["In fixed all repeats of a deal are the same game, so they add nothing to its first."]
    once = [row for row in fixed if row.repeat == 1]
    assert not any("all repeats" in one for one in sentences(analyse([*once, *chance])))


def test_few_deals_are_said_to_be_few() -> None:
    said = sentences(analyse(games("full", [20, 22, 21, 25]) + games("no-x", [10, 11, 12, 14]), "full"))
    never = (
        "With 4 deals and one arm to compare, no Holm p can be below .05, however large the effect; with 6 it could."
    )
    assert never in said and not any("planning" in one for one in said)
    assert not any(one.startswith("10 deals or fewer") for one in said), "it has just been said that none can be shown"
    more = sentences(analyse(games("full", range(9, 16)) + games("no-x", [9, 11, 12, 9, 14, 13, 14]), "full"))
    assert "10 deals or fewer can show only large effects." in more


def test_too_few_deals_are_named_once_for_the_arms_that_are_claimed() -> None:
    same = [game(arm, seed, 20, players=2, moves_digest=f"{seed}") for arm in ("full", "a") for seed in (1, 2)]
    other = [row for arm, score in (("full", 20), ("a", 18), ("b", 15)) for row in games(arm, [score, score + 1])]
    analysis = analyse([*same, *games("b", [15, 16], players=2), *other], "full")
    assert {one.players: one.p is None for one in analysis.differences if one.arm == "a"} == {
        2: True,
        3: False,
        None: False,
    }
    assert [one for one in sentences(analysis) if "no Holm p" in one] == [
        "With 2 deals and 2 arms to compare, no Holm p can be below .05, however large the effect; with 7 it could."
    ]


def test_programs_and_simulated_models_are_told_from_models() -> None:
    program, model = games("p", [20, 21], model="program"), games("m", [20, 21])
    simulated = games("s", [1, 2], model="program+sim:careless", simulated=True)
    assert sentences(analyse(program))[1:] == ("All of these are games of programs: no model was asked.",)
    said = sentences(analyse([*program, *model, *simulated]))
    assert said[1:] == ("In p no model was asked: programs played.",)
    assert sentences(analyse(model))[1:] == () and caveats(analyse(model)) == ()
    (warned,) = caveats(analyse([*program, *model, *simulated]))
    assert warned.startswith("s uses simulated models") and "say nothing about a language model" in warned
    faked = games("f", [20, 21], fake=True)
    assert caveats(analyse(faked))[0].startswith("These games were answered by the package's fake server, not by a")
    assert caveats(analyse([*faked, *model]))[0].startswith("The games of f were answered by the package's fake")


def test_bootstrap_intervals_are_those_of_all_means_and_differences() -> None:
    rows = games("a", [0, 18, 20, 19, 25, 22]) + games("b", [17, 17, 0, 21, 20, 20])
    student, boot = analyse(rows, "b"), analyse(rows, "b", interval="bootstrap")
    assert (student.interval, boot.interval) == ("t", "bootstrap")
    assert only(boot) == only(student), "the interval of a difference is that of its test"
    of_boot, of_t = (each.summaries[0].of("strict") for each in (boot, student))
    assert of_boot.low != of_t.low
    assert 0 <= (of_boot.low or 0) < of_boot.mean < (of_boot.high or 0) <= 25


def told(view: View, seat: int) -> list[int]:
    """What a seat knows of its cards, as HLE says it."""
    known = view.own if view.seat == seat else next(hand.known for hand in view.hands if hand.seat == seat)
    return [card.mask for card in known]


@pytest.mark.parametrize("players", [2, 3, 5])
def test_wasted_hints_are_those_after_which_hle_says_the_same(players: int) -> None:
    found = 0
    for seed in range(2):
        for referees in (random_game(players, seed), partners_game(["random"] * players, seed)):
            before, waste = None, 0
            for referee in referees:
                history = referee.history
                if before and isinstance(move := history[-1].move, HintColour | HintRank):
                    waste += told(before, move.to) == told(referee.view(before.seat), move.to)
                before = None if referee.over else referee.view()
            assert wasted_hints(players, history) == waste
            found += waste
    assert found


SMALL = {"name": "small", "graph": "partner:random", "players": [2], "seeds": [1, 2, 3, 4]}


def ran(run: Run, out: str, **changes: Any) -> None:
    Path("small.yaml").write_text(yaml.safe_dump({**SMALL, **changes}), "utf-8")
    assert run("experiment", "run", "small.yaml", "--out", out, "-q")[0] == 0


def test_results_say_models_misplays_and_wasted_hints(run: Run) -> None:
    ran(run, "here")
    for row in csv.DictReader(Path("here/results.csv").read_text("utf-8").splitlines()):
        assert row["model"] == "program" and int(row["misplays"]) == 3 - int(row["lives"])
        assert int(row["hints_wasted"]) >= 0


def scored(run: str) -> dict[int, int]:
    """By seed: arm `one` at two players."""
    rows = csv.DictReader(Path(run, "results.csv").read_text("utf-8").splitlines())
    return {int(r["seed"]): int(r["score_strict"]) for r in rows if (r["arm"], r["players"]) == ("one", "2")}


def test_two_runs_are_compared_arm_by_arm_on_what_both_played(run: Run) -> None:
    ran(run, "a", arms={"one": {}, "gone": {}})
    ran(run, "b", arms={"one": {"graph": "partner:piers"}, "new": {}}, seeds=[2, 3, 4, 5], players=[2, 3])
    code, out, _ = run("experiment", "compare", "a", "b", "--json")
    found = json.loads(out)
    scores = {folder: scored(folder) for folder in "ab"}
    (one,) = found["differences"]
    assert (code, one["arm"], one["baseline"], one["n"]) == (0, "B: one", "A: one", 3)
    assert one["mean"] == pytest.approx(np.mean([scores["b"][seed] - scores["a"][seed] for seed in (2, 3, 4)]))
    assert found["pairs"][0]["differs"] == ["graph was 'partner:random', is 'partner:piers'"]
    assert found["only"] == ["A: gone", "B: new"]
    code, out, _ = run("experiment", "compare", "a", "b", "--arm", "gone", "--arm-b", "new")
    assert code == 0 and "B: new differs from A: gone in: nothing that affects a game." in out
    assert "B: new and A: gone at 2 players: the same games in 3 of 3 deals, move by move" in out
    assert "no model was asked" in out


REFUSED = {
    ("a", "nowhere"): "'nowhere' is not a run folder with finished games",
    ("a", "b"): "'a' (one) and 'b' (new) have no arm of the same name; name them with --arm and --arm-b",
    ("a", "b", "--arm", "one"): "'b' has no games of arm 'one'; its arms are: new",
    ("a", "b", "--arm", "one", "--arm-b", "new"): "'a' and 'b' have no deal in common",
}


def test_what_cannot_be_compared_is_refused_in_one_sentence(run: Run) -> None:
    ran(run, "a", arms={"one": {}}, seeds=[1])
    ran(run, "b", arms={"new": {}}, seeds=[2])
    for arguments, said in REFUSED.items():
        code, out, err = run("experiment", "compare", *arguments)
        assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_where_so_few_can_show_nothing_this_is_said_instead_of_what_they_would_have_shown() -> None:
    first = sentences(analyse(games("full", [20, 22, 21]) + games("no-x", [1, 2, 2]), "full"))[0]
    assert "with so few deals none could be significant" in first and "detectable" not in first


def test_a_sentence_names_few_arms_only() -> None:
    played = [row for number in range(6) for row in games(f"p{number}", [20, 21], model="program")]
    asked = [row for number in range(4) for row in games(f"m{number}", [20, 21])]
    assert "In all arms but m0 no model was asked: programs played." in sentences(analyse(played + asked[:2]))
    assert "In 6 of 10 arms no model was asked: programs played." in sentences(analyse(played + asked))


def test_money_without_a_price_is_estimated_at_the_list_price_and_called_an_estimate() -> None:
    listed: dict[str, Any] = {"model": "openai:gpt-4.1-mini", "tokens_in": 1_000_000, "tokens_out": 500_000}
    rows = [
        *(game("listed", seed, 10, **listed) for seed in (1, 2)),
        game("paid", 1, 10, **listed, usd=0.5),
        game("own", 1, 10, **{**listed, "model": "openai:gpt-4.1-mini@http://localhost:8000/v1"}),
    ]
    analysis = analyse(rows)
    found = analysis.summaries
    listed_price = list_prices.of_name("openai:gpt-4.1-mini")
    assert listed_price is not None
    price = listed_price.price
    by_arm = {one.arm: (one.means["usd"], one.usd_listed) for one in found if one.players == 3}
    estimate = pytest.approx(price.input + price.output / 2)
    assert by_arm == {"listed": (None, estimate), "paid": (0.5, None), "own": (None, None)}
    cells = {row[0]: row[-1] for row in score_tables.play(analysis).texts()}
    assert cells["listed"].startswith("~") and "estimate by list price" in cells["listed"]
    assert "estimate" not in cells["paid"] + cells["own"]
