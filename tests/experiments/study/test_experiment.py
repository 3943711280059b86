"""What an experiment may say: its seats, settings of the command line, and arms that would be the game of another."""

from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.forecast import dry_run
from hanabi_orchestrator.graphs import named as library
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.support.experiments import NOWHERE, arms, asked, plan


def test_a_seat_for_other_player_counts_is_refused_before_any_game(tmp_path: Path) -> None:
    watson = library.graphs()["watson"].text
    (tmp_path / "two.yaml").write_text(
        watson.replace("name: watson", "name: two\nplayers: [2]"), "utf-8"
    )
    mixed = {"seats": {1: str(tmp_path / "two.yaml")}}
    assert arms(arms={"mixed": mixed}, players=[2], seeds=[1]) == ["mixed"]
    with pytest.raises(UserError, match=r"two\.yaml is for 2 players, not 3"):
        arms(arms={"mixed": mixed}, players=[2, 3], seeds=[1])


def test_settings_of_the_command_line_reach_into_short_forms() -> None:
    read = asked(
        "models.default.temperature=0.5",
        "seats.1=watson",
        "seats.1.verify=safety",
        models={"default": "openai:x"},
        seats={1: "house"},
    )
    assert read.models["default"].temperature == 0.5  # type: ignore[union-attr]
    assert (read.seats[1].graph, read.seats[1].verify) == ("watson", "safety")
    assert (
        arms("matrix={verify: [none, safety]}", "graph=[watson, house]")[-1]
        == "house.verify-safety"
    )
    assert asked("seeds.count=2", seeds=[4, 5, 6]).numbers == [4, 5]


def test_several_graphs_are_compared_with_the_first_and_errors_name_the_remedy() -> None:
    file: dict[str, Any] = {
        "arms": {"full": {}, "bare": {"verify": "none"}},
        "baseline": "full",
        "graph": "house",
    }
    both = plan("graph=watson,house", **file)
    assert [arm.name for arm in both.arms] == [
        "watson.full",
        "watson.bare",
        "house.full",
        "house.bare",
    ]
    assert (
        both.baseline == "watson.full"
        and "compared with watson.full; --set baseline=ARM names" in " ".join(both.notes)
    )
    assert asked("graph=[watson, house]", "arms={}", **file).baseline == "watson"
    for baseline in ("none", "hose.full"):
        with pytest.raises(UserError, match=r"is not an arm; .*; try --set baseline=watson\.full$"):
            plan("graph=watson,house", f"baseline={baseline}", **file)
    unfit = {**file, "arms": {"full": {}, "less": {"without": "tom_interpreter"}}}
    with pytest.raises(
        UserError,
        match=r"has no node 'tom_interpreter'; .*; --set 'arms={}' compares the whole graphs",
    ):
        plan("graph=house,watson", **unfit)


def test_an_arm_is_left_out_where_it_would_be_the_game_of_another() -> None:
    made = plan(graph="moa_sherlock", players=[2, 3], arms="leave_one_out", baseline="full")
    void = {arm.name: arm.players for arm in made.arms if arm.players != (2, 3)}
    assert void == {"no-history_analyst": (3,)}
    assert made.notes == [
        "The arm no-history_analyst is not played at 2 players, where it is the same as full."
    ]
    assert {job.deal.players for job in made.jobs if job.arm == "no-history_analyst"} == {3}
    assert dry_run.forecast(made.experiment, NOWHERE).notes == tuple(made.notes)


def test_seats_that_differ_by_name_alone_are_the_same_and_others_are_not(tmp_path: Path) -> None:
    text = library.graphs()["watson"].text
    (tmp_path / "mine.yaml").write_text(text.replace("name: watson", "name: mine"), "utf-8")
    twin = {"graph": str(tmp_path / "mine.yaml")}
    changes = {"twin": twin, "stranger": {"seats": {0: twin, 1: "partner:iggi"}}, "again": {}}
    made = plan(graph="watson", players=[2, 3], arms={"base": {}, **changes}, baseline="base")
    assert {arm.name: arm.players for arm in made.arms} == {
        "base": (2, 3),
        "twin": (),
        "stranger": (2, 3),
        "again": (2, 3),  # an arm that says nothing is meant to be the same
    }
    assert (
        "The arm twin is not played at 2 and 3 players, where it is the same as base." in made.notes
    )
    models = {"default": "sim:average"}
    erring = plan(
        graph="watson",
        models=models,
        arms={"base": {}, "exact": {"models": {"default": "program"}}},
    )
    assert all(len(arm.players) == 4 for arm in erring.arms)
