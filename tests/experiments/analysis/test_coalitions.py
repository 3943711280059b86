"""Coalitions: the terms of a design by brute force, on circles, in made-up games, and what is not evidence."""

from dataclasses import replace
from itertools import combinations, permutations
from math import fsum
from random import Random
from statistics import fmean

import pytest

from hanabi_orchestrator.experiments.analysis import coalition_sentences, coalitions
from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, coalition_study
from hanabi_orchestrator.experiments.analysis.statistics import coalition_terms
from hanabi_orchestrator.experiments.analysis.statistics.coalition_terms import Coalition, Weights
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import STRICT
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.study.coalitions import Coalitions
from tests.experiments.analysis.rows import game
from tests.support.sentences import template_of

Values = dict[Coalition, float]
VALUES = [3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, -8, 9, 7, 9, -3]
"""Of the coalitions of four players: bit i of the place says whether player i is in it."""
SHAPIQ = {
    "shapley": {"a": -3.333333, "b": -1.833333, "c": 2.166667, "d": -3.0},
    "banzhaf": {"a": -1.0, "b": -0.5, "c": 4.0, "d": -0.25},
    "interaction": {
        **{
            "ab": -8.166667,
            "ac": 5.833333,
            "ad": -5.666667,
            "bc": -0.166667,
            "bd": -2.666667,
            "cd": 7.333333,
        },
    },
    "highest_order": {"abcd": 22.0},
}
"""SV, BV, SII and the highest Moebius coefficient of that game by ExactComputer of shapiq 1.4.1."""


def value(weights: Weights | None, values: Values) -> float:
    assert weights is not None
    assert abs(fsum(weights.values())) < 1e-12, "a term compares coalitions"
    return fsum(weight * values[coalition] for coalition, weight in weights.items())


def design(parts: str, **settings: object) -> Coalitions:
    return Coalitions.model_validate({"parts": list(parts), **settings})


def drawn(parts: str, seed: int) -> Values:
    chance = Random(seed)
    return {present: chance.uniform(-9, 9) for present in design(parts).every}


def test_terms_are_those_of_an_independent_library() -> None:
    values = {
        frozenset("abcd"[player] for player in range(4) if place >> player & 1): float(points)
        for place, points in enumerate(VALUES)
    }
    for kind, expected in SHAPIQ.items():
        for parts, number in expected.items():
            weights = coalitions.weights(design("abcd"), kind, parts)  # type: ignore[arg-type]
            assert value(weights, values) == pytest.approx(number, abs=1e-6), (kind, parts)


@pytest.mark.parametrize("parts", ["a", "ab", "abc", "abcde"])
def test_a_shapley_value_is_the_mean_over_all_orders_in_which_the_parts_may_join(
    parts: str,
) -> None:
    values = drawn(parts, 7)
    whole = design(parts)
    orders = list(permutations(parts))
    shares = {}
    for part in parts:
        before = [frozenset(order[: order.index(part)]) for order in orders]
        joining = fmean(values[joined | {part}] - values[joined] for joined in before)
        shares[part] = value(coalitions.weights(whole, "shapley", part), values)
        assert shares[part] == pytest.approx(joining)
    assert fsum(shares.values()) == pytest.approx(values[frozenset(parts)] - values[frozenset()])


def test_the_terms_of_circles_are_on_average_those_of_all_coalitions() -> None:
    parts = "abcdgh"
    values = drawn("abcdgh", 3)
    every = [
        coalition for size in range(7) for coalition in map(frozenset, combinations(parts, size))
    ]
    assert len(values) == len(every) == 64
    orders = list(permutations(parts))
    for players, term in (
        ("a", coalition_terms.shapley),
        ("a", coalition_terms.banzhaf),
        ("ab", coalition_terms.shapley),
    ):
        exact = value(term(players, coalition_terms.subsets(set(parts) - set(players))), values)
        joined = [coalitions.joined_on_circle(order, players) for order in orders]
        of_circles = [value(term(players, sizes), values) for sizes in joined if sizes is not None]
        assert len(of_circles) == (720 if players == "a" else 288)
        assert fmean(of_circles) == pytest.approx(exact)


def test_on_each_circle_shapley_values_sum_to_all_less_none_and_use_only_coalitions_that_are_played() -> (
    None
):
    circles = design("abcdgh")
    values = drawn("abcdgh", 5)
    for seed in range(20):
        played = set(circles.dealt(seed))
        shares = [coalitions.weights(circles, "shapley", part, seed) for part in "abcdgh"]
        total = fsum(value(weights, values) for weights in shares)
        assert total == pytest.approx(values[frozenset("abcdgh")] - values[frozenset()])
        for kind, parts in [
            ("banzhaf", "c"),
            ("disagreement", "c"),
            *(("interaction", pair) for pair in combinations("abcdgh", 2)),
        ]:
            weights = coalitions.weights(circles, kind, tuple(parts), seed)  # type: ignore[arg-type]
            assert weights is None or weights.keys() <= played


# Made-up games


def played(
    values: Values, deals: int = 12, *, noise: float = 1.0, skip: str = "", **keys: object
) -> tuple[list[Row], dict[str, object]]:
    """Return the games of a design in which each coalition scores about so much, and the run that they are of."""
    settings = {"parts": sorted(frozenset().union(*values)), **keys}
    whole = Coalitions.model_validate(settings)
    chance = Random(1)
    dealt = {seed: set(whole.dealt(seed)) for seed in range(1, deals + 1)}
    rows = [
        game(whole.arm(absence, present), seed, round(points + chance.gauss(0, noise)))
        for seed in dealt
        for present, points in values.items()
        for absence in whole.by
        if present in dealt[seed] and (whole.arm(absence, present), seed) != (skip, 1)
    ]
    arms = {row.arm: {"players": [3]} for row in rows}
    return rows, {"experiment": {"coalitions": settings}, "arms": arms}


def study(*args: object, **keys: object) -> CoalitionStudy:
    found = coalition_study(*played(*args, **keys), STRICT)  # type: ignore[arg-type]
    assert found is not None
    return found


def means(found: CoalitionStudy, kind: str) -> dict[str, float]:
    return {effect.name: effect.difference.mean for effect in found.of(kind, "removed")}  # type: ignore[arg-type]


def test_terms_are_computed_deal_by_deal_and_shares_sum_to_the_whole() -> None:
    values = {
        present: 10 + 3 * len(present) - 4 * ({"a", "b"} <= present)
        for present in design("abc").every
    }
    found = study(values, noise=0)
    assert means(found, "leave_one_out") == pytest.approx({"a": -1, "b": -1, "c": 3})
    assert means(found, "alone") == pytest.approx({"a": 3, "b": 3, "c": 3})
    assert means(found, "shapley") == pytest.approx({"a": 1, "b": 1, "c": 3})
    assert means(found, "interaction") == pytest.approx(
        {"a x b": -4, "a x c": 0, "b x c": 0}, abs=1e-12
    )
    assert means(found, "highest_order") == pytest.approx({"a x b x c": 0}, abs=1e-12)
    assert means(found, "disagreement") == pytest.approx({"a": -2, "b": -2, "c": 0}, abs=1e-12)
    assert means(found, "all_parts") == pytest.approx({"a x b x c": 5})


def test_each_kind_of_term_is_corrected_among_its_own() -> None:
    found = study(dict.fromkeys(design("abc").every, 10.0), noise=3)
    for kind, tests in (
        ("shapley", 3),
        ("interaction", 3),
        ("highest_order", 1),
        ("all_parts", 1),
        ("alone", 3),
    ):
        assert {effect.difference.tests for effect in found.of(kind, "removed")} == {tests}, kind  # type: ignore[arg-type]


def test_a_deal_counts_for_no_term_where_one_of_its_coalitions_is_missing() -> None:
    values = dict.fromkeys(design("abc").every, 10.0)
    found = study(values, noise=3, skip="only-b")
    assert {effect.difference.n for effect in found.effects} == {11}


def test_the_pairs_of_a_circle_are_tested_on_the_deals_in_which_they_are_neighbours() -> None:
    found = study({present: float(len(present)) for present in design("abcdgh").every}, 8)
    assert {effect.difference.n for effect in found.of("shapley", "removed")} == {8}
    assert not found.of("highest_order", "removed")
    pairs = found.of("interaction", "removed")
    assert sum(effect.difference.n for effect in pairs) == 8 * 6
    assert len({effect.difference.n for effect in pairs}) > 1


def test_where_a_part_has_no_node_its_arms_are_those_of_the_whole_graph() -> None:
    rows, run = played(
        {present: 5.0 + 5 * ("b" in present) for present in design("ab").every}, noise=0
    )
    more = [
        game(row.arm, row.seed, row.score_strict, players=2)
        for row in rows
        if row.arm in ("full", "without-b")
    ]
    run["arms"] = {
        "full": {"players": [2, 3]},
        "without-b": {"players": [2, 3]},
        "without-a": {"players": [3]},
        "without-all": {"players": [3]},
    }
    third = [
        game("without-all", row.seed, 5, players=2) for row in rows if row.arm == "without-all"
    ]
    run["arms"]["without-all"] = {"players": [2, 3]}  # type: ignore[index]
    found = coalition_study([*rows, *more, *third], run, STRICT)
    assert found is not None
    at_two = {
        effect.name: effect.difference.mean
        for effect in found.effects
        if effect.kind == "shapley" and effect.difference.players == 2
    }
    assert at_two == {"a": 0, "b": 5}


def test_the_same_games_are_no_evidence() -> None:
    rows, run = played({present: 5.0 + 5 * ("b" in present) for present in design("ab").every})
    twins = {
        "full": "full",
        "without-a": "full",
        "without-b": "without-all",
        "without-all": "without-all",
    }
    scores = {(row.arm, row.seed): row.score_strict for row in rows}
    alike = [
        game(
            row.arm,
            row.seed,
            scores[twins[row.arm], row.seed],
            moves_digest=f"{twins[row.arm]} {row.seed}",
        )
        for row in rows
    ]
    found = coalition_study(alike, run, STRICT)
    assert found is not None
    shares = {effect.name: effect.difference for effect in found.of("shapley", "removed")}
    assert shares["a"].same_games and shares["a"].p is None and not shares["a"].claimed
    assert shares["b"].claimed


@pytest.mark.parametrize("arm", ["without-a", "full"])
def test_no_term_is_claimed_that_favours_an_arm_with_rare_strike_outs(arm: str) -> None:
    """Each coalition with `a` scores five more; the strikes of `full` speak for it."""
    rows, run = played(
        {present: 10.0 + 5 * ("a" in present) for present in design("ab").every}, noise=0.5
    )
    struck = [
        replace(row, score_strict=0, lives=0, score_kept=row.score_strict)
        if (row.arm, row.seed) == (arm, 3)
        else row
        for row in rows
    ]
    found = coalition_study(struck, run, STRICT)
    assert found is not None
    (share,) = (
        effect.difference for effect in found.of("shapley", "removed") if effect.name == "a"
    )
    assert share.mean > 4 and share.p_holm is not None and share.p_holm < 0.05
    assert share.flattered is (arm == "full") and share.claimed is (arm == "without-a")
    said = next(
        sentence
        for sentence in coalition_sentences.sentences(found)
        if sentence.startswith("Shapley values")
    )
    assert ("not claimed, since it favours arms that struck out more often" in said) is (
        arm == "full"
    )
    by_kept = coalition_study(struck, run, measures.KEPT)
    assert by_kept is not None
    assert all(
        effect.difference.claimed
        for effect in by_kept.of("shapley", "removed")
        if effect.name == "a"
    )


def test_a_run_without_coalitions_or_without_a_complete_deal_has_no_study() -> None:
    rows, run = played(dict.fromkeys(design("ab").every, 5.0))
    assert coalition_study(rows, {}, STRICT) is None
    assert coalition_study([row for row in rows if row.arm != "without-all"], run, STRICT) is None


# In words


def spoken(values: Values, deals: int = 12, *, metric: str = "strict", **keys: object) -> list[str]:
    rows, run = played(values, deals, **keys)  # type: ignore[arg-type]
    found = coalition_study(rows, run, measures.metric(metric))
    assert found is not None
    said = list(coalition_sentences.sentences(found))
    assert not [sentence for sentence in said if not template_of(sentence)]
    return said


def bonus(size: float, *, sign: int = 1) -> Values:
    """Return values in which a and b each add 2 points, and their sum has so many more."""
    return {
        present: 10.0 + 2 * len(present & {"a", "b"}) + sign * size * ({"a", "b"} <= present)
        for present in design("abc").every
    }


def test_redundant_and_complementary_pairs_are_told_apart_and_only_where_they_are_shown() -> None:
    assert any(
        s.startswith("a and b are complementary: each is worth 3.") for s in spoken(bonus(3))
    )
    redundant = spoken(bonus(3, sign=-1))
    assert any(
        s.startswith("a and b are redundant: each is worth 2.6") and "less where" in s
        for s in redundant
    )
    plain = spoken(bonus(0), noise=4)
    assert not any("complementary" in s or "redundant" in s for s in plain)
    assert any(
        s.startswith("Of 3 pairs, no interaction is shown, and none is excluded; so many deals")
        for s in plain
    )


def test_a_metric_with_less_of_which_is_better_has_the_signs_the_other_way_round() -> None:
    rows, run = played({**bonus(3)})
    fewer = [replace(row, turns=row.score_strict) for row in rows]
    found = coalition_study(fewer, run, replace(measures.metric("turns"), better="fewer"))
    assert found is not None
    assert any(
        "a and b are redundant" in sentence for sentence in coalition_sentences.sentences(found)
    )
    neither = coalition_study(fewer, run, replace(measures.metric("turns"), better=None))
    assert neither is not None
    assert any(
        "a and b interact: each adds +3" in sentence
        for sentence in coalition_sentences.sentences(neither)
    )


def test_leave_one_out_never_passes_for_a_share() -> None:
    said = spoken(bonus(-3))
    shares = next(
        s for s in said if s.startswith("Shapley values, which divide this among the parts")
    )
    assert (
        "neither shown nor excluded" in shares
        and "a +1.01 (+0.60 to +1.40, p = .003)" in shares
        and "corrected for 3, 12 deals" in shares
    )
    gaps = [s for s in said if "is not its share" in s]
    assert [s[0] for s in gaps] == ["a", "b"] and all(
        "it adds less where all others are there" in s for s in gaps
    )
    assert not any("is not its share" in s for s in spoken(bonus(0), noise=3))
    other = spoken(bonus(-3), primary="leave_one_out")
    assert any(s.startswith("Lost without one of them (leave-one-out, no shares") for s in other)


def test_a_part_that_harms_alone_is_named() -> None:
    values = {
        present: 12.0 + 3 * ("a" in present) - 4 * (present == {"c"})
        for present in design("abc").every
    }
    assert any(
        s.startswith("c alone does harm: -4.") and "beside without-all" in s for s in spoken(values)
    )


def test_few_deals_are_inconclusive_and_ways_to_be_absent_have_their_own_sentences() -> None:
    assert any("inconclusive, since with 3 deals no effect could" in s for s in spoken(bonus(0), 3))
    both = spoken(bonus(3), by=["removed", {"model": "cheap"}])
    assert {s.split(":")[0] for s in both} == {"removed", "cheap"}
