"""A role's effect beside its controls: in words, what survives, and what is no hypothesis."""

from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from experiments.analysis.analysis import Analysis, analyse
from experiments.analysis.caveats import caveats
from experiments.analysis.role_controls import RoleControls, contrasts, role_controls
from experiments.record.rows import Row
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
    }
}


def noise_floor(scores: list[int]) -> list[Row]:
    return [
        replace(row, graph=f"{row.graph}-noise-floor", control="noise_floor") for row in games("noise-floor", scores)
    ]


def found(**arms: list[int]) -> Analysis:
    named = {"no-x": arms["removed"], "placebo-x": arms["placebo"], "shuffled-x": arms["shuffled"]}
    rows = [row for arm, scores in named.items() for row in games(arm, scores)]
    every = [*games("full", FULL), *noise_floor(arms.get("noise-floor", SAME)), *rows]
    return analyse(every, "full", metric="kept", contrasts=contrasts(RUN))


def only(analysis: Analysis) -> RoleControls:
    (one,) = role_controls(analysis, RUN)
    return one


def test_an_effect_survives_when_placebo_and_shuffled_notes_show_it_too_and_chance_does_not() -> None:
    one = only(found(removed=LESS, placebo=LESS, shuffled=LESS))
    assert one.survives and one.clause == "its controls do not explain it"
    assert "chance, the length of the prompt and the note of another game do not explain it" in one.sentence


def test_roles_that_an_arm_removes_together_share_a_sentence() -> None:
    one = replace(only(found(removed=LESS, placebo=LESS, shuffled=LESS)), nodes=("x", "y"))
    assert one.sentence.startswith("x and y: their removal together shows an effect (-3.80, ")
    one = replace(one, removed=None)
    assert one.sentence == "x and y: no arm removes them, so the controls have no effect to explain."


@pytest.mark.parametrize(
    ("arms", "why"),
    [
        ({"placebo": SAME}, "a placebo of the same length has no significant effect of its own"),
        ({"shuffled": SAME}, "the note of another game has no significant effect of its own"),
        ({"noise-floor": LESS}, "the baseline differs from itself"),
    ],
)
def test_an_effect_that_a_control_explains_does_not_survive(arms: dict[str, list[int]], why: str) -> None:
    one = only(found(**{"removed": LESS, "placebo": LESS, "shuffled": LESS, **arms}))
    assert one.survives is False and why in one.sentence and one.clause == "a control explains at least part of it"


@pytest.mark.parametrize(
    ("arms", "why"),
    [
        ({"placebo": NEARLY}, "a placebo of the same length leaves open"),
        ({"shuffled": NEARLY}, "the note of another game leaves open"),
        ({"noise-floor": [8, 22, 9, 23, 8, 20, 9, 22, 8, 21]}, "chance is not ruled out"),
    ],
)
def test_a_control_without_a_significant_effect_explains_nothing_until_it_differs_from_the_removal(
    arms: dict[str, list[int]], why: str
) -> None:
    analysis = found(**{"removed": LESS, "placebo": LESS, "shuffled": LESS, **arms})
    one = only(analysis)
    assert one.survives is None and why in one.sentence and one.clause == "its controls leave open why"
    if "placebo" in arms:
        (beside,) = [one for one in analysis.contrasts if one.baseline == "placebo-x"]
        assert beside.mean == pytest.approx(fmean(LESS) - fmean(NEARLY)), "the removal less the placebo, deal by deal"


def test_where_removal_shows_nothing_there_is_nothing_to_explain() -> None:
    one = only(found(removed=SAME, placebo=LESS, shuffled=SAME))
    assert one.survives is None and "is neither shown nor excluded." in one.sentence and not one.clause
    assert "A placebo in its place changes the score" in one.sentence


def test_a_placebo_that_does_more_harm_than_the_removal_is_no_neutral_note() -> None:
    one = only(found(removed=LESS, placebo=[score - 6 for score in LESS], shuffled=LESS))
    assert one.survives is None and one.clause == "not ruled out: the length of the prompt"
    assert (
        "the placebo changes the score more than the removal (-9.80, p = .006), so it is no neutral note"
        in one.sentence
    )


def test_a_control_that_was_not_played_is_named() -> None:
    run = {"arms": {arm: one for arm, one in RUN["arms"].items() if not arm.startswith("shuffled")}}
    (one,) = role_controls(found(removed=LESS, placebo=LESS, shuffled=LESS), run)
    assert one.survives is None and "no arm rules out that any plausible note would do" in one.sentence


def test_the_noise_floor_and_arms_that_cheat_are_no_hypotheses() -> None:
    cheating = [replace(row, control="own_hand") for row in games("oracle", [24] * 10)]
    made = analyse([*games("full", FULL), *noise_floor(SAME), *cheating, *games("no-x", LESS)], "full", metric="kept")
    assert [one.arm for one in made.differences] == ["no-x"] and {one.arm for one in made.apart} == {
        "noise-floor",
        "oracle",
    }
    (alone,) = analyse([*games("full", FULL), *games("no-x", LESS)], "full", metric="kept").differences
    assert made.differences[0].p_holm == alone.p_holm, "they are not corrected for"
    assert any("oracle cheats: its seats see their own cards" in one for one in caveats(made))
