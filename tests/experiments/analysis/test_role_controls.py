"""A role's effect beside its controls: in words, what survives, and what is no hypothesis."""

from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from hanabi_orchestrator.experiments.analysis.analysis import Analysis, analyse
from hanabi_orchestrator.experiments.analysis.caveats import caveats
from hanabi_orchestrator.experiments.analysis.role_controls import (
    RoleControls,
    contrasts,
    gates,
    role_controls,
)
from hanabi_orchestrator.experiments.record.rows import Row
from tests.support.reports import games

FULL = [15, 16, 14, 17, 15, 13, 16, 15, 14, 16]
LESS = [11, 12, 11, 13, 10, 9, 13, 11, 11, 12]
NEARLY = [7, 16, 19, 8, 19, 5, 18, 6, 17, 7]
"""Loses on average, in some deals only: no effect is shown, nor a difference from LESS."""
SAME = [15, 15, 14, 17, 16, 13, 16, 16, 14, 15]
RUN: dict[str, Any] = {
    "arms": {
        "full": {"players": [3]},
        "noise-floor": {"purpose": {"kind": "noise_floor"}},
        "no-x": {"purpose": {"kind": "removed", "nodes": ["x"]}},
        "placebo-x": {"purpose": {"kind": "placebo", "nodes": ["x"]}},
        "shuffled-x": {"purpose": {"kind": "shuffled", "nodes": ["x"]}},
        "padded-x": {"purpose": {"kind": "padded", "nodes": ["x"]}},
    }
}


def noise_floor(scores: list[int]) -> list[Row]:
    return [
        replace(row, graph=f"{row.graph}-noise-floor", control="noise_floor")
        for row in games("noise-floor", scores)
    ]


def found(**arms: list[int]) -> Analysis:
    names = {
        "removed": "no-x",
        "placebo": "placebo-x",
        "shuffled": "shuffled-x",
        "padded": "padded-x",
    }
    named = {name: arms[kind] for kind, name in names.items() if kind in arms}
    rows = [row for arm, scores in named.items() for row in games(arm, scores)]
    every = [*games("full", FULL), *noise_floor(arms.get("noise-floor", SAME)), *rows]
    return analyse(every, "full", metric="kept", contrasts=contrasts(RUN), gates=gates(RUN))


def only(analysis: Analysis) -> RoleControls:
    (one,) = role_controls(analysis, RUN)
    return one


ALL = {"removed": LESS, "padded": LESS, "placebo": LESS, "shuffled": LESS}


def test_an_effect_survives_when_all_notes_in_its_place_show_it_too_and_chance_does_not() -> None:
    one = only(found(**ALL))
    assert one.survives and one.clause == "chance and the length of the prompt do not explain it"
    assert (
        "; chance and the length of the prompt do not explain it; with a note as long that says it is empty, a placebo "
        "and the note of another game the score differs in the same direction, too; the note of another game may also "
        "mislead." in one.sentence
    )


def test_notes_that_may_mislead_do_not_rule_out_the_length_of_the_prompt() -> None:
    one = only(found(removed=LESS, placebo=LESS, shuffled=LESS))
    alike = "with a placebo and the note of another game the score differs in the same direction; they may also mislead"
    assert (
        one.survives is None and one.clause == f"{alike}; not ruled out: the length of the prompt"
    )
    assert f"; {alike}; no arm rules out the length of the prompt." in one.sentence


def test_more_calls_are_a_reading_until_an_arm_with_as_many_scores_less() -> None:
    def asking(arm: str, calls: int) -> list[Row]:
        return [replace(row, calls=calls) for row in games(arm, LESS if arm != "full" else FULL)]

    run = {"arms": {**RUN["arms"], "calls": {"purpose": {"kind": "same_compute", "of": "full"}}}}
    rows = [
        *asking("full", 200),
        *noise_floor(SAME),
        *(row for arm in RUN["arms"] if "x" in arm for row in asking(arm, 150)),
    ]
    rows = [replace(row, calls=200) if row.arm == "noise-floor" else row for row in rows]
    options: dict[str, Any] = {"metric": "kept", "contrasts": contrasts(run), "gates": gates(run)}
    (one,) = role_controls(analyse(rows, "full", **options), run)
    assert one.survives is None and one.clause == "not ruled out: that the baseline asks more often"
    (one,) = role_controls(analyse([*rows, *asking("calls", 200)], "full", **options), run)
    assert (
        one.survives
        and "chance, the length of the prompt and the number of calls do not explain it"
        in one.sentence
    )
    as_good = [replace(row, arm="calls") for row in games("calls", SAME)]
    (one,) = role_controls(analyse([*rows, *as_good], "full", **options), run)
    assert one.survives is None and "so the number of calls may explain it" in one.sentence
    asked_alike = [replace(row, calls=200) for row in rows]
    (one,) = role_controls(analyse(asked_alike, "full", **options), run)
    assert one.survives and "calls" not in one.sentence, (
        "a program in the role's place takes no call away"
    )


def test_controls_take_no_power_from_removals_and_are_tested_only_for_those_that_are_shown() -> (
    None
):
    shown = found(**ALL)
    (alone,) = analyse(
        [*games("full", FULL), *games("no-x", LESS)], "full", metric="kept"
    ).differences
    by_arm = {each.arm: each for each in shown.differences}
    assert by_arm["no-x"].p_holm == alone.p_holm == alone.p and by_arm["no-x"].tests == 1
    assert by_arm["placebo-x"].p_holm == by_arm["placebo-x"].p and by_arm["placebo-x"].claimed
    shut = {each.arm: each for each in found(**{**ALL, "removed": SAME}).differences}["placebo-x"]
    assert (shut.p or 1) < 0.05 and shut.p_holm is None and not shut.claimed and shut.shut


def test_roles_that_an_arm_removes_together_share_a_sentence() -> None:
    one = replace(only(found(**ALL)), nodes=("x", "y"))
    assert one.sentence.startswith("x and y: their removal together shows an effect (-3.80, ")
    one = replace(one, removed=None)
    assert (
        one.sentence == "x and y: no arm removes them, so the controls have no effect to explain."
    )


@pytest.mark.parametrize(
    ("arms", "why"),
    [
        (
            {"padded": SAME},
            "a note as long that says it is empty has no significant effect of its own",
        ),
        ({"placebo": SAME}, "a placebo has no significant effect of its own"),
        ({"shuffled": SAME}, "the note of another game has no significant effect of its own"),
        ({"noise-floor": LESS}, "the baseline differs from itself"),
    ],
)
def test_an_effect_that_a_control_explains_does_not_survive(
    arms: dict[str, list[int]], why: str
) -> None:
    one = only(found(**{**ALL, **arms}))
    assert (
        one.survives is False
        and why in one.sentence
        and one.clause == "a control explains at least part of it"
    )


@pytest.mark.parametrize(
    ("arms", "why"),
    [
        ({"placebo": NEARLY}, "a placebo leaves open"),
        ({"padded": NEARLY}, "a note as long that says it is empty leaves open"),
        ({"shuffled": NEARLY}, "the note of another game leaves open"),
        ({"noise-floor": [8, 22, 9, 23, 8, 20, 9, 22, 8, 21]}, "chance is not ruled out"),
    ],
)
def test_a_control_without_a_significant_effect_explains_nothing_until_it_differs_from_the_removal(
    arms: dict[str, list[int]], why: str
) -> None:
    analysis = found(**{**ALL, **arms})
    one = only(analysis)
    assert (
        one.survives is None and why in one.sentence and one.clause == "its controls leave open why"
    )
    if "placebo" in arms:
        (beside,) = [one for one in analysis.contrasts if one.baseline == "placebo-x"]
        assert beside.mean == pytest.approx(fmean(LESS) - fmean(NEARLY)), (
            "the removal less the placebo, deal by deal"
        )


def test_where_removal_shows_nothing_there_is_nothing_to_explain() -> None:
    one = only(found(**{**ALL, "removed": SAME}))
    assert (
        one.survives is None and "is neither shown nor excluded." in one.sentence and not one.clause
    )


def test_a_placebo_that_does_more_harm_than_the_removal_misleads_and_a_padded_note_decides() -> (
    None
):
    harmful = [score - 6 for score in LESS]
    one = only(found(removed=LESS, placebo=harmful, shuffled=LESS))
    assert one.survives is None and one.clause.endswith("not ruled out: the length of the prompt")
    assert (
        "the placebo changes the score more than the removal (-9.80, p = .002), so it misleads"
        in one.sentence
    )
    assert only(found(**{**ALL, "placebo": harmful})).survives, (
        "the padded note rules out what the placebo cannot"
    )
    misled = only(found(**{**ALL, "padded": SAME}))
    assert misled.survives is False, "what misleading notes cost is no effect of the role's"


def test_a_control_that_was_not_played_is_named() -> None:
    run = {"arms": {arm: one for arm, one in RUN["arms"].items() if not arm.startswith("shuffled")}}
    (one,) = role_controls(found(**ALL), run)
    assert (
        one.survives is None and "no arm rules out that any plausible note would do" in one.sentence
    )


def test_the_noise_floor_and_arms_that_cheat_are_no_hypotheses() -> None:
    cheating = [replace(row, control="own_hand") for row in games("oracle", [24] * 10)]
    made = analyse(
        [*games("full", FULL), *noise_floor(SAME), *cheating, *games("no-x", LESS)],
        "full",
        metric="kept",
    )
    assert [one.arm for one in made.differences] == ["no-x"] and {
        one.arm for one in made.apart
    } == {
        "noise-floor",
        "oracle",
    }
    (alone,) = analyse(
        [*games("full", FULL), *games("no-x", LESS)], "full", metric="kept"
    ).differences
    assert made.differences[0].p_holm == alone.p_holm, "they are not corrected for"
    assert any("oracle cheats: its seats see their own cards" in one for one in caveats(made))


def test_controls_of_several_roles_share_the_level_as_their_removals_do() -> None:
    """So that with many roles "survives" is not said of one by chance more often than it should be."""
    arms = {
        "no-x": LESS,
        "placebo-x": LESS,
        "no-y": [score - 1 for score in LESS],
        "placebo-y": LESS,
    }
    rows = [
        *games("full", FULL),
        *(row for arm, scores in arms.items() for row in games(arm, scores)),
    ]
    pairs = {"placebo-x": "no-x", "placebo-y": "no-y"}
    by_arm = {
        each.arm: each for each in analyse(rows, "full", metric="kept", gates=pairs).differences
    }
    for control, removal in pairs.items():
        level = by_arm[removal].level
        assert level and by_arm[control].level == level
        assert by_arm[control].p_holm == pytest.approx((by_arm[control].p or 1) * 0.05 / level)
    assert sorted(by_arm[removal].tests for removal in pairs.values()) == [2, 2]
    assert sorted(by_arm[control].tests for control in pairs) == [1, 2]
