"""What an analysis says: its conclusions, its caveats, and where it says nothing."""

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from scipy import stats

from hanabi_orchestrator.experiments.analysis.analysis import analyse
from hanabi_orchestrator.experiments.analysis.caveats import caveats
from hanabi_orchestrator.experiments.analysis.conclusions import (
    arm_verdicts,
    claims,
    compared,
    sentences,
)
from hanabi_orchestrator.experiments.record.measures import METRICS
from hanabi_orchestrator.roles.words import percent
from tests.experiments.analysis.rows import game, games, only
from tests.support.prove import FULL
from tests.support.sentences import template_of


def test_an_arm_that_replays_the_games_of_the_baseline_is_said_to_and_is_no_test_among_others() -> (
    None
):
    scores = (20, 22, 18, 21, 20, 22, 18, 21)
    rows = games("full", scores) + games("b", [score - 3 for score in scores])
    alone = only(analyse(rows, "full"))
    again = [replace(row, arm="no-x") for row in rows[:8]]
    both = analyse([*rows, *again], "full")
    (b, none) = both.differences
    assert (b.p_holm, none.p, none.p_holm, none.alike, none.n) == (alone.p_holm, None, None, 8, 8)
    said = "no-x and full: the same games in 8 of 8 deals, move by move, so this run cannot compare them."
    assert said in sentences(both)
    some = [*again[:4], *games("no-x", scores)[4:]]
    assert ", the same games in 4 of them" in sentences(analyse([*rows, *some], "full"))[1]


def test_no_claim_has_an_interval_over_0_and_no_null_result_one_beside_it() -> None:
    chance = np.random.default_rng(2)
    for deals in (3, 6, 8, 10, 18, 30):
        for _ in range(15 if FULL else 3):
            shifts = chance.integers(-3, 4, 5)
            arms = {
                f"a{i}": chance.integers(10, 16, deals) + shift for i, shift in enumerate(shifts)
            }
            rows = [row for arm, all in arms.items() for row in games(arm, map(int, all))]
            for one in analyse(rows, "a0").differences:
                if one.low_holm is not None and one.high_holm is not None:
                    assert one.claimed == (not one.low_holm <= 0 <= one.high_holm)
                assert one.low_holm is not None or not one.claimed
                assert (one.level is not None) and 0.05 / 4 <= one.level <= 0.05


def test_either_score_says_so_where_the_other_does_not() -> None:
    rows = [game("full", seed, 0, kept=12 + seed % 3) for seed in range(8)]
    rows += [game("b", seed, 0, kept=8 + seed % 2) for seed in range(8)]
    first = sentences(analyse(rows, "full"))[0]
    assert first.startswith(
        "b scores as much as full in each of 8 deals; it may differ in up to 31% of"
    )
    assert first.endswith(
        "; by the kept score -4.38 kept points (95 % interval -5.00 to -3.67), not tested, since the score that the "
        "run names shows no difference."
    )
    by_kept = sentences(analyse(rows, "full", metric="kept"))[0]
    assert by_kept.startswith("b scores ") and by_kept.endswith(
        "; by the strict score it is not shown (p = 1.000)."
    )


OWN = {"calls": 100, "model_moves": 50}


def test_below_ninety_percent_own_moves_a_caveat_leads_and_below_half_nothing_is_compared() -> None:
    full = games("full", [20, 21], **OWN, own=50)
    good = games("a", [9, 9], **OWN, own=45)
    some = games("b", [9, 9], **OWN, own=44, forced=6)
    few = games("c", [9, 9], **OWN, own=24, forced=26)
    found = analyse([*full, *good, *some, *few], "full")
    said = caveats(found)
    assert [one.split(":")[0] for one in said] == [
        "b",
        "c",
    ] and "only 88% of 100 moves are the model's own" in said[0]
    assert said[1].endswith("No comparison is made with it.") and "comparison" not in said[0]
    assert (
        sentences(found)[0]
        == "No comparison is made with c: fewer than 50% of the moves are the model's own."
    )
    assert found.withheld == ("c",) and [one.arm for one in found.differences] == ["a", "b"]
    assert found.unforced and "c" not in {one.arm for one in found.unforced.differences}
    assert not any(one.startswith(("b", "c:")) and "forced" in one for one in sentences(found)), (
        "said already"
    )
    assert not analyse([*few, *full], "c").differences


def test_a_program_that_refuses_often_is_named_with_what_the_first_choices_would_have_done() -> (
    None
):
    effects = {"first_misplays": 4, "first_points": 1, "played_misplays": 0, "played_points": 2}
    found = games(
        "a", [9, 9], **OWN, own=50, refused=9, refused_by_rule=6, refused_turns=7, **effects
    )
    (said,) = caveats(analyse(found))
    assert "the exact safety rule, refused 6.0 choices per game of 50.0 turns" in said
    assert (
        "would have cost 4.0 lives and scored 1.0 points per game; the moves played instead cost 0.0 and"
        in said
    )
    assert not caveats(
        analyse(games("a", [9, 9], **OWN, own=50, refused=9, refused_by_rule=2, **effects))
    )


def test_what_can_be_concluded_is_said() -> None:
    chance = Random(1)
    base = [chance.randint(17, 25) for _ in range(40)]
    rows = games("full", base) + games("same", base)
    rows += games("worse", [score - chance.randint(1, 4) for score in base])
    rows += games("like", [score + chance.choice((-2, -1, 1, 2)) for score in base])
    analysis = analyse(rows, "full", ["full", "same", "like", "worse"])
    same, like, worse, planning = sentences(analysis)
    assert (
        same.startswith("same scores as much as full in each of 40 deals")
        and "up to 7% of other deals" in same
    )
    assert worse.startswith("worse scores ") and " points less than full (95 % interval -" in worse
    assert worse.endswith("Holm-corrected p < .001, 40 deals); neither struck out in these deals.")
    shown = analysis.differences[1]
    assert shown.low and shown.high and shown.mde and shown.low < 0 < shown.high
    assert like.startswith("like: a difference from full is neither shown nor excluded (")
    assert f"; 95 % interval {shown.low:+.2f} to {shown.high:+.2f}, Holm-corrected p = " in like
    assert "power" not in like and planning.startswith(
        "For planning only: with 80 % power, another experiment"
    )
    assert (
        f"to {shown.mde:.2f} points, by arm, corrected for 3 arms, if differences vary as they do here."
        in planning
    )
    assert [one.arm for one in claims(analysis.differences)] == ["worse"]


@pytest.mark.parametrize(
    ("deals", "arms", "least"), [(6, 1, ".031"), (7, 1, None), (7, 2, ".031"), (8, 2, None)]
)
def test_where_only_deals_that_all_agree_are_significant_the_sentence_of_an_arm_says_it(
    deals: int, arms: int, least: str | None
) -> None:
    worse = [
        row for arm in "ab"[:arms] for row in games(arm, [12 - seed % 3 for seed in range(deals)])
    ]
    first, *_ = sentences(analyse([*games("full", [20] * deals), *worse], "full"))
    caution = f"; no p below {least} is possible with {deals} deals and {'one arm' if arms == 1 else '2 arms'}."
    assert " less than full (" in first and template_of(first)
    assert first.endswith(caution) if least else "is possible" not in first


def test_where_strike_outs_are_rare_the_sample_cannot_tell_and_this_is_said() -> None:
    never = games("full", [20, 21] * 10)
    some = games("some", [20, 21] * 10)
    often = [game("often", seed, 0, kept=9) for seed in range(5)] + games("often", [20] * 20)[5:]
    (said,) = sentences(analyse([*never, *often, *some[:19], game("some", 20, 0, kept=3)]))
    assert said.startswith(
        "Too few deals were struck out to estimate how often that happens: one to 4 in some ("
    )
    assert (
        f"(up to {percent(stats.binomtest(1, 20).proportion_ci().high)} of games are possible)"
        in said
    )
    assert not sentences(analyse(often)) and not sentences(analyse(never, metric="kept"))
    assert not sentences(analyse(never)), "where nobody struck out there is nothing to warn of"


def test_a_strict_score_is_not_claimed_for_the_one_that_struck_out_more_often_while_that_is_rare() -> (
    None
):
    """However it is told: by the sentence, the state, the figures' claims, or with a stop rule."""
    full = games("full", [10 + seed % 3 for seed in range(40)])
    better = games("arm1", [14 + seed % 3 for seed in range(40)])
    for struck in (1, 4):
        rows = [
            *full,
            *(game("arm1", row.seed, 0, kept=9) for row in better[:struck]),
            *better[struck:],
        ]
        analysis = analyse(rows, "full")
        (arm,) = arm_verdicts(analysis)
        assert (arm.p or 1) < 0.05 and arm.state == "withheld" and not claims(analysis.differences)
        counts = f"; full struck out in 0 of 40 deals, arm1 in {struck}, too few to tell how often"
        assert (
            arm.sentence.startswith("arm1: no difference from full is claimed (+")
            and counts in arm.sentence
        )
        assert arm.sentence in sentences(analysis) and template_of(arm.sentence)
        reverse = next(iter(arm_verdicts(analyse(rows, "arm1"))))
        assert reverse.state == "withheld", "the baseline is flattered as an arm is"
        assert arm_verdicts(analyse(rows, "full", metric="kept"))[0].state == "shown", (
            "which counts no strike-outs"
        )
    often = [*full, *(game("arm1", row.seed, 0, kept=9) for row in better[:5]), *better[5:]]
    assert "too few" not in arm_verdicts(analyse(often, "full"))[0].sentence
    fewer = [game("full", row.seed, 0, kept=9) for row in full[:2]] + full[2:] + better
    (arm,) = arm_verdicts(analyse(fewer, "full"))
    assert (
        arm.state == "shown"
        and "; full struck out in 2 of 40 deals, arm1 in 0, too few" in arm.sentence
    )


def test_every_figure_of_the_kept_score_is_in_kept_points() -> None:
    like = games("like", [score + (-1) ** score for score in range(4, 20)])
    said = sentences(analyse([*games("full", list(range(4, 20))), *like], "full", metric="kept"))
    assert len(re.findall(r"\d points|[^t] points", " ".join(said))) == 0
    assert len(re.findall("kept points", " ".join(said))) == 2, "difference and plan"


def test_an_interval_that_ends_at_0_has_no_minus_0() -> None:
    (one,) = analyse(
        games("full", [9] * 8) + games("b", [9, 9, 9, 9, 9, 9, 9, 10]), "full"
    ).differences
    assert "95 % interval +0.00 to +1.00, " in compared(replace(one, low=0.0, high=1.0))
    for low, high, said in (
        (0.0556, 1.3, "+0.06 to +1.30"),
        (0.004, 1.3, "+0.0040 to +1.3000"),
        (-0.02, 0.03, "-0.0200 to +0.0300"),
        (-1.0, -0.0, "-1.00 to +0.00"),
    ):
        assert f"95 % interval {said}, " in compared(replace(one, low=low, high=high)), (
            "equal decimals, no -0.00"
        )


def test_what_is_said_of_a_single_deal_is_said_of_the_arms_that_have_one() -> None:
    full = games("full", [20, 22, 21, 19, 20, 24])
    few = [*full, *games("some", [19, 20, 22, 18, 17, 20]), game("new", 1, 18)]
    said = [each for each in sentences(analyse(few, "full")) if "single deal" in each]
    assert said == ["Of new a single deal is compared: nothing follows for other deals."]
    alone = sentences(analyse([full[0], game("new", 1, 18)], "full"))
    assert (
        "With a single deal all results are conditional on this deal: nothing follows for other deals."
        in alone
    )


def test_an_interval_without_0_beside_a_corrected_p_of_05_or_more_is_explained() -> None:
    rows = games("full", [15] * 10) + games("b", [12, 13, 16, 12, 16, 13, 13, 12, 14, 12])
    rows += [
        row for n in range(8) for row in games(f"c{n}", [15 + (-1) ** seed for seed in range(10)])
    ]
    said = next(said for said in sentences(analyse(rows, "full")) if said.startswith("b: "))
    assert said.startswith(
        "b: the difference from full is not significant after correction (-1.70 points; "
    )
    assert said.endswith("although the uncorrected interval excludes 0.")


def test_repeats_that_cannot_differ_are_said_to_add_nothing() -> None:
    fixed = [
        game("fixed", seed, seed + 9, repeat=r, moves_digest=f"{seed}")
        for seed in range(8)
        for r in (1, 2)
    ]
    chance = [game("chance", seed, seed + r, repeat=r) for seed in range(8) for r in (1, 2)]
    said = [one for one in sentences(analyse([*fixed, *chance])) if "all repeats" in one]
    assert said == [
        "In fixed all repeats of a deal are the same game, so they add nothing to its first."
    ]
    once = [row for row in fixed if row.repeat == 1]
    assert not any("all repeats" in one for one in sentences(analyse([*once, *chance])))


def test_few_deals_are_said_to_be_few() -> None:
    said = sentences(
        analyse(games("full", [20, 22, 21, 25]) + games("no-x", [10, 11, 12, 14]), "full")
    )
    assert said[0] == (
        "With 4 deals and one arm to compare, no effect could reach p < .05, however large; with 6 deals it could. "
        "Differences from full, in points, inconclusive: no-x -10.25."
    )
    assert not any("planning" in one for one in said)
    more = sentences(
        analyse(games("full", range(9, 16)) + games("no-x", [9, 11, 12, 9, 14, 13, 14]), "full")
    )
    assert more[0].endswith("; 7 deals reach 80 % power only from 2.15 points on.")


def test_an_arm_whose_games_are_mostly_struck_out_says_so_beside_both_scores() -> None:
    base = games("full", [20, 22, 18, 21, 20, 22])
    lost = games("a", [0] * 6, kept=9)
    some = games("b", [0] * 2, kept=5)
    struck_out = "6 of 6 games struck out, strict score 0.00, kept score 9.00"
    said = sentences(analyse([*base, *lost], "full"))[0]
    assert (
        said.startswith("a scores 20.50 points less than full ")
        and f"; {struck_out}; no p below .031" in said
    )
    assert sentences(analyse([*base[:2], *lost[:2], *some], "full"))[0].endswith(
        "inconclusive: a -21.00 (2 of 2 games struck out, strict score 0.00, kept score 9.00), "
        "b -21.00 (2 of 2 games struck out, strict score 0.00, kept score 5.00)."
    )
    few = [*some, *games("b", range(5, 12))[2:]]
    assert not any("struck out," in one for one in sentences(analyse([*base, *few], "full"))), (
        "2 of 7 are not most"
    )
    swapped = sentences(analyse([*base, *lost], "a"))
    assert f"a: {struck_out}." in swapped and all(
        template_of(one) for one in swapped if "struck out," in one
    )


def test_games_that_are_left_out_have_each_their_own_reason() -> None:
    full, less = (
        [game(arm, s, 20, usd=float(s + less)) for s in range(1, 11)]
        for arm, less in (("full", 5), ("a", 0))
    )
    unknown = replace(less[0], usd=None)
    said = sentences(analyse([*full[:-1], unknown, *less[1:]], "full", metric=METRICS["usd"]))[0]
    assert said.endswith(
        "; games left out because they have no value: 1; games left out because they have no counterpart: 2."
    ), "the game beside the one without a value, and that of a deal which the baseline lacks"
    assert template_of(said)
    assert "left out" not in sentences(analyse([*full, *less], "full", metric=METRICS["usd"]))[0]


def test_too_few_deals_are_named_once_for_the_arms_that_are_claimed() -> None:
    same = [
        game(arm, seed, 20, players=2, moves_digest=f"{seed}")
        for arm in ("full", "a")
        for seed in (1, 2)
    ]
    other = [
        row
        for arm, score in (("full", 20), ("a", 18), ("b", 15))
        for row in games(arm, [score, score + 1])
    ]
    analysis = analyse([*same, *games("b", [15, 16], players=2), *other], "full")
    assert {one.players: one.p is None for one in analysis.differences if one.arm == "a"} == {
        2: True,
        3: False,
        None: False,
    }
    assert sentences(analysis)[0] == (
        "With 2 deals and 2 arms to compare, no effect could reach p < .05, however large; with 7 deals it could. "
        "Differences from full, in points, inconclusive: a -1.00, b -4.75."
    )


def test_programs_and_simulated_models_are_told_from_models() -> None:
    program = games("p", [20, 21], model="program")
    model = games("m", [20, 21])
    simulated = games("s", [1, 2], model="program+sim:careless", simulated=True)
    assert sentences(analyse(program)) == (
        "All of these are games of programs: no model was asked.",
    )
    said = sentences(analyse([*program, *model, *simulated]))
    assert said == ("In p no model was asked: programs played.",)
    assert sentences(analyse(model)) == () and caveats(analyse(model)) == ()
    (warned,) = caveats(analyse([*program, *model, *simulated]))
    assert (
        warned.startswith("s uses simulated models")
        and "say nothing about a language model" in warned
    )
    faked = games("f", [20, 21], fake=True)
    assert caveats(analyse(faked))[0].startswith(
        "These games were answered by the package's fake server, not by a"
    )
    assert caveats(analyse([*faked, *model]))[0].startswith(
        "The games of f were answered by the package's fake"
    )


def test_where_so_few_can_show_nothing_this_is_said_instead_of_what_they_would_have_shown() -> None:
    first = sentences(analyse(games("full", [20, 22, 21]) + games("no-x", [1, 2, 2]), "full"))[0]
    assert first.startswith("With 3 deals and one arm to compare, no effect could reach p < .05")


def test_a_sentence_names_few_arms_only() -> None:
    played = [row for number in range(6) for row in games(f"p{number}", [20, 21], model="program")]
    asked = [row for number in range(4) for row in games(f"m{number}", [20, 21])]
    assert "In all arms but m0 no model was asked: programs played." in sentences(
        analyse(played + asked[:2])
    )
    assert "In 6 of 10 arms no model was asked: programs played." in sentences(
        analyse(played + asked)
    )


def test_each_arm_has_one_state_and_its_sentence_is_a_listed_one() -> None:
    scores = [20, 22, 18, 21, 20, 22, 18, 21]
    full = games("full", scores)
    worse = games("worse", [score - 3 for score in scores])
    like = games("like", scores[::-1])
    few = games("few", [9, 9], **OWN, own=24, forced=26)
    same = [replace(row, arm="same") for row in full]
    single = games("single", [3])
    oracle = [replace(row, control="own_hand", arm="oracle") for row in worse]
    rows = [*full, *worse, *like, *few, *same, *single, *oracle]
    verdicts = {each.arm: each for each in arm_verdicts(analyse(rows, "full"))}
    assert {arm: each.state for arm, each in verdicts.items()} == {
        "worse": "shown",
        "like": "not_shown",
        "same": "same_games",
        "single": "no_evidence",
        "oracle": "apart",
        "few": "withheld",
    }
    assert all(template_of(each.sentence) for each in verdicts.values())
    untested = arm_verdicts(analyse([*full[:4], *worse[:4]], "full"))
    assert [each.state for each in untested] == ["untested"]
