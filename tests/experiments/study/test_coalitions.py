"""Coalitions: which arms a design makes, which deals they play, and what cannot be, in one sentence."""

from itertools import combinations
from typing import Any

import pytest

from hanabi_orchestrator.experiments.study.coalitions import Coalitions, Parts
from hanabi_orchestrator.graphs import read
from hanabi_orchestrator.graphs.interventions import dotted
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.support.experiments import asked, plan

ROLES = ["history_analyst", "tom_interpreter", "discard_strategist"]
SIX = [f"part{number}" for number in range(6)]


def coalition_arms(*changes: str, **keys: Any) -> dict[str, Any]:
    """Return the graphs of the arms by name."""
    return {
        arm.name: arm.everybody.config
        for arm in plan(*changes, graph="house", players=2, seeds=2, **keys).arms
    }


def test_every_set_of_parts_is_an_arm_that_lacks_the_others_and_nothing_else() -> None:
    arms = coalition_arms(coalitions=ROLES)
    assert list(arms) == [
        "full",
        "without-discard_strategist",
        "without-tom_interpreter",
        "without-history_analyst",
        "only-history_analyst",
        "only-tom_interpreter",
        "only-discard_strategist",
        "without-all",
    ]
    house = read("house")
    for name, config in arms.items():
        present = {
            "full": ROLES,
            "without-all": [],
            **{f"only-{role}": [role] for role in ROLES},
            **{f"without-{role}": [other for other in ROLES if other != role] for role in ROLES},
        }[name]
        plain = dotted(house, [f"removed:{role}" for role in ROLES if role not in present])
        assert config.model_copy(update={"name": ""}) == plain.model_copy(update={"name": ""}), name


def test_parts_are_groups_of_nodes_roles_and_sections() -> None:
    parts = {"mind": ["history_analyst", "tom_interpreter"], "facts": ["convention_facts"]}
    arms = coalition_arms(coalitions=parts)
    assert list(arms) == ["full", "without-facts", "without-mind", "without-all"]
    assert not {"history_analyst", "tom_interpreter"} & set(arms["without-mind"].nodes)
    assert arms["without-facts"].without_sections == ("convention_facts",)
    assert arms["without-facts"].nodes.keys() == arms["full"].nodes.keys()


@pytest.mark.parametrize(
    ("absence", "names", "model"),
    [
        ("program", ["full", "program-b", "program-a", "program-all"], "program"),
        ({"model": "cheap"}, ["full", "cheap-b", "cheap-a", "cheap-all"], "cheap"),
    ],
)
def test_an_absent_part_may_be_answered_by_something_else(
    absence: Any, names: list[str], model: str
) -> None:
    design = {"parts": {"a": "history_analyst", "b": "tom_interpreter"}, "by": absence}
    models = {"default": "sim:average", "cheap": "sim:careless"}
    arms = coalition_arms(coalitions=design, models=models)
    assert list(arms) == names
    assert [arms[names[1]].nodes[role].model for role in ROLES[:2]] == ["default", model]
    assert [arms[names[3]].nodes[role].model for role in ROLES[:2]] == [model, model]


def test_several_ways_to_be_absent_share_the_whole_graph_and_other_arms_stand_beside_them() -> None:
    design = {
        "parts": {"a": "history_analyst", "b": "tom_interpreter"},
        "by": ["removed", "placebo"],
    }
    arms = coalition_arms(coalitions=design, arms={"full": {}, "same": {"same_compute": "full"}})
    assert list(arms) == [
        "full",
        "without-b",
        "without-a",
        "without-all",
        "placebo-b",
        "placebo-a",
        "placebo-all",
        "same",
    ]
    assert arms["placebo-b"].controls is not None


def test_a_part_that_is_not_at_a_table_makes_arms_void_there() -> None:
    arms = plan(
        graph="moa_sherlock", players=[2, 3], seeds=2, coalitions=["history_analyst", "analyst"]
    ).arms
    assert {arm.name: arm.void for arm in arms}["without-history_analyst"] == {2: "full"}


# More parts than can all be combined


def test_six_parts_play_on_each_deal_a_circle_in_which_each_joins_a_coalition_of_every_size_once() -> (
    None
):
    design = Coalitions(parts=SIX)
    circles = {design.circle(seed) for seed in range(20)}
    assert len(circles) > 15
    for seed in range(20):
        order = design.circle(seed)
        dealt = set(design.dealt(seed))
        assert order is not None and len(dealt) == design.games_of_deal == 2 + 6 * 5 + 6 * 3
        for part in SIX:
            assert {frozenset({part}), frozenset(SIX) - {part}} <= dealt
        for place, (first, second) in enumerate(zip(order, (*order[1:], order[0]), strict=True)):
            for size in range(5):
                before: Parts = frozenset(order[place - step] for step in range(1, size + 1))
                assert {
                    before,
                    before | {first},
                    before | {second},
                    before | {first, second},
                } <= dealt


def test_a_circle_of_five_parts_is_all_coalitions() -> None:
    from hanabi_orchestrator.experiments.study.coalitions import on_circle

    parts = tuple("abcde")
    every = {frozenset(some) for size in range(6) for some in combinations(parts, size)}
    assert set(on_circle(parts)) == every == set(Coalitions(parts=parts).every)


def test_a_sampled_design_plays_only_the_coalitions_of_each_deals_circle() -> None:
    roles = [*ROLES, "convention_facts", "discards", "history"]
    planned = plan(graph="house", players=2, seeds=3, coalitions=roles)
    design = asked(coalitions=roles, graph="house").coalitions
    assert design is not None
    for seed in (1, 2, 3):
        names = {job.arm for job in planned.jobs if job.deal.seed == seed}
        assert names == {design.arm("removed", present) for present in design.dealt(seed)}


def test_a_budget_of_games_says_how_many_deals_are_played() -> None:
    design = {"parts": ROLES, "games": 100}
    assert asked(graph="house", players=2, seeds=50, coalitions=design).numbers == list(
        range(1, 13)
    )
    assert asked(graph="house", players=[2, 3], seeds=50, coalitions=design).numbers == list(
        range(1, 7)
    )
    assert (
        len(plan("coalitions.games=40", graph="house", players=2, seeds=9, coalitions=ROLES).jobs)
        == 40
    )


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        (
            {"coalitions": ["history_analyst", "historian"]},
            "no node, role or section 'historian'; did you mean",
        ),
        (
            {"coalitions": {"a": "history_analyst", "b": ["history_analyst"]}},
            "'history_analyst' is in two parts",
        ),
        (
            {"coalitions": ["history_analyst", "history_analyst"]},
            "the part 'history_analyst' is there twice",
        ),
        ({"coalitions": [["history_analyst", "aggregator"]]}, "needs a name"),
        ({"coalitions": {"a": []}}, "the part 'a' has no node"),
        ({"coalitions": {"by": "removed"}}, "parts"),
        ({"coalitions": {"parts": ["history_analyst"], "by": "remove"}}, "did you mean 'removed'"),
        ({"coalitions": {"parts": ["discards"], "by": "placebo"}}, "a section can only be removed"),
        ({"coalitions": {"parts": ["history_analyst"], "games": 3}}, "two deals take 4 games"),
        ({"coalitions": {"parts": ["history_analyst"], "primary": "shaply"}}, "primary"),
        (
            {"coalitions": ["history_analyst"], "baseline": "without-all"},
            "with coalitions it is 'full'",
        ),
        (
            {"coalitions": ["history_analyst"], "arms": "leave_one_out"},
            "have the arms of leave_one_out",
        ),
        (
            {"coalitions": ["history_analyst"], "arms": {"without-all": {"verify": "none"}}},
            "name of a coalition",
        ),
        (
            {"coalitions": ["history_analyst"], "matrix": {"verify": ["none"]}},
            "coalitions and matrix do not",
        ),
        (
            {"coalitions": ["history_analyst"], "stop": {"looks": [4]}},
            "coalitions and stop do not go together",
        ),
        (
            {"coalitions": ["history_analyst"], "graph": ["house", "watson"]},
            "coalitions are of one graph",
        ),
        (
            {"coalitions": ["history_analyst"], "graph": "partner:piers"},
            "partner:piers is not a graph",
        ),
        ({"coalitions": ["aggregator"]}, "arm 'without-all'"),
        ({"arms": {"a": {}, "b": {}}, "contrasts": {"x": {"a": 1, "b": -0.5}}}, "sum to 0.5"),
        ({"arms": {"a": {}, "b": {}}, "contrasts": {"x": {}}}, "give two arms or more"),
        ({"arms": {"a": {}, "b": {}}, "contrasts": {"x": {"a": 1, "c": -1}}}, "'c' is not an arm"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(keys: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as error:
        plan(**{"graph": "house", "players": 2, **keys})
    assert "\n" not in str(error.value)
