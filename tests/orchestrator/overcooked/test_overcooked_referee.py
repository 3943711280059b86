"""The table of Overcooked: who is asked when, what is sealed, what games score, and its deals."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.overcooked.kitchen import COOKING, Cook
from hanabi_orchestrator.orchestrator.overcooked.layouts import EAST, LAYOUTS, WEST
from hanabi_orchestrator.orchestrator.overcooked.macros import MOVE_AWAY, WAIT, PickUp, Put
from hanabi_orchestrator.orchestrator.overcooked.programs import overcooked_greedy
from hanabi_orchestrator.orchestrator.overcooked.referee import (
    Past,
    Referee,
    View,
    check_deal,
    deal,
    deal_name,
)

ONION = PickUp(item="onion", place="o0")


@cache
def greedy_game(seed: int) -> Referee:
    """The whole game of two greedy cooks."""
    referee = Referee(2, deal(seed))
    while not referee.over:
        macro, reason = overcooked_greedy(referee.view())
        assert reason
        referee.apply(macro)
    return referee


# Figures of the specification


@pytest.mark.parametrize(
    ("seed", "least"), [(1, 200), (2, 360), (3, 120), (4, 240), (5, 200), (6, 240)]
)
def test_two_greedy_cooks_score_on_every_layout(seed: int, least: int) -> None:
    referee = greedy_game(seed)
    assert referee.score >= least
    assert (referee.kitchen.tick, referee.end, len(referee.joint_actions)) == (400, "ticks", 400)
    assert 67 <= len(referee.history) <= 450


def test_in_forced_coordination_the_cooks_pass_things_over() -> None:
    moves = {(past.seat, str(past.move)) for past in greedy_game(4).history}
    assert (1, "place onion on s0") in moves and (1, "place plate on s0") in moves
    assert (0, "pick up onion from s0") in moves and (0, "pick up plate from s0") in moves


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_greedy_cook_scores_beside_one_who_chooses_by_chance(seed: int) -> None:
    referee = Referee(2, deal(seed, ticks=200))
    rng = Random(seed)
    while not referee.over:
        view = referee.view()
        referee.apply(overcooked_greedy(view)[0] if view.seat == 0 else rng.choice(view.legal))
    assert referee.score >= 20


def test_the_same_decisions_are_the_same_game() -> None:
    played = greedy_game(3)
    again = Referee(2, played.deck)
    for past in played.history:
        assert again.turn == past.turn and again.seat == past.seat
        assert again.apply(past.move) == past
    assert (again.kitchen, again.history) == (played.kitchen, played.history)


# Who is asked


def test_both_are_asked_at_first_and_then_whoever_has_no_plan() -> None:
    referee = Referee(2, deal(1))
    assert (referee.seat, referee.turn) == (0, 1)
    first = referee.apply(ONION)
    assert (first.outcome, first.tick, referee.seat, referee.kitchen.tick) == (None, 0, 1, 0)
    second = referee.apply(WAIT)
    assert second.outcome is not None and (second.tick, second.outcome.tick) == (0, 1)
    assert referee.seat == 1, "seat 0 is on its way to the onions"
    third = referee.apply(WAIT)
    assert (third.seat, third.tick) == (1, 1) and third.outcome is not None
    assert Past.model_validate_json(third.model_dump_json()) == third


def test_a_game_ends_at_its_last_tick_whatever_is_planned() -> None:
    referee = Referee(2, deal(1, ticks=1))
    referee.apply(ONION)
    referee.apply(PickUp(item="onion", place="o1"))
    assert (referee.over, referee.kitchen.tick, referee.end) == (True, 1, "ticks")
    assert referee.view(0).legal == () and referee.view(1).legal == ()
    with pytest.raises(IllegalMove, match="none, the game is over"):
        referee.apply(WAIT)


def test_patience_is_the_length_of_a_wait() -> None:
    referee = Referee(2, deal(1, patience=5))
    referee.apply(WAIT)
    referee.apply(WAIT)
    assert referee.kitchen.tick == 5
    referee.apply(MOVE_AWAY)
    referee.apply(WAIT)
    assert (referee.kitchen.tick, referee.seat) == (6, 0)


def test_an_illegal_move_changes_nothing() -> None:
    referee = Referee(2, deal(1))
    referee.apply(ONION)
    before = (referee.view(), referee.history, referee.kitchen)
    with pytest.raises(
        IllegalMove,
        match=r"place onion in c0 is not legal on turn 2; legal: pick up onion from o0, ",
    ):
        referee.apply(Put(item="onion", place="c0"))
    assert (referee.view(), referee.history, referee.kitchen) == before


def test_seat_1_steps_away_when_both_want_the_same_cell() -> None:
    referee = Referee(2, deal(1))
    alice = Cook(place=(1, 1), facing=EAST, held="onion")
    bob = Cook(place=(3, 1), facing=WEST, held="onion")
    referee.kitchen = replace(referee.kitchen, cooks=(alice, bob))
    for _ in range(2):
        referee.apply(Put(item="onion", place="c0"))
    assert [actions[1] for actions in referee.joint_actions[:3]] == ["west", "west", "south"]
    assert referee.seat == 1, "its way is blocked now"
    referee.apply(WAIT)
    assert [actions[0] for actions in referee.joint_actions] == [
        "east",
        "east",
        "east",
        "north",
        "interact",
    ]
    assert referee.kitchen.cookers[2, 0].onions == 1


# What is sealed and seen


def walked(seed: int, choices: Sequence[int]) -> Referee:
    """A game after some decisions, as far as it goes."""
    referee = Referee(2, deal(seed, ticks=100))
    for choice in choices:
        if not referee.over:
            legal = referee.legal()
            referee.apply(legal[choice % len(legal)])
    return referee


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(1, 6), choices=st.lists(st.integers(0, 99), max_size=20))
def test_both_seats_see_the_same_whatever_is_sealed(seed: int, choices: list[int]) -> None:
    referee = walked(seed, choices)
    texts: list[set[str]] = [set(), set()]
    for macro in referee.legal():
        game = walked(seed, choices)
        if game.apply(macro).outcome is None:
            for seat in (0, 1):
                texts[seat].add(game.view(seat).model_dump_json())
    assert all(len(views) <= 1 for views in texts)


def test_a_round_of_both_seats_seals_the_first_decision() -> None:
    views = set()
    for macro in Referee(2, deal(5)).legal():
        referee = Referee(2, deal(5))
        referee.apply(macro)
        views.add(referee.view().model_dump_json())
    assert len(views) == 1
    assert len(referee.history) == 1 and referee.view().history == ()


def test_a_view_is_plain_data_that_holds_the_kitchen() -> None:
    referee = walked(5, [0, 1, 2, 3, 4, 5, 0, 3, 1, 1, 2])
    view = referee.view()
    assert View.model_validate_json(view.model_dump_json()) == view
    kitchen = view.kitchen
    assert (kitchen.cooks, kitchen.tick) == (referee.kitchen.cooks, referee.kitchen.tick)
    assert (dict(kitchen.counters), dict(kitchen.cookers)) == (
        referee.kitchen.counters,
        referee.kitchen.cookers,
    )
    assert (view.players, view.layout, view.ticks) == (2, "counter_circuit_o_1order", 100)
    with pytest.raises(UserError, match="there is no seat 2; the seats are 0 to 1"):
        referee.view(2)


# Deals


def test_a_deal_is_a_layout_and_its_times() -> None:
    assert deal(1) == ("layout: cramped_room", "ticks: 400", "patience: 1")
    assert [deal_name(deal(seed)) for seed in range(1, 7)] == [
        "CR",
        "AA",
        "Ring",
        "FC",
        "CC",
        "AA wide",
    ]
    assert deal(9, "coordination_ring", 100, 3)[0] == "layout: coordination_ring"
    assert deal_name(deal(9, "coordination_ring", 100, 3)) == "Ring, 100 ticks, patience 3"
    assert [check_deal(list(deal(seed)))[0] for seed in range(1, 7)] == [
        f"layout: {name}" for name in LAYOUTS
    ]


@pytest.mark.parametrize(
    ("deck", "sentence"),
    [
        ((), r"is no deal of Overcooked; .* 'layout: cramped_room', 'ticks: 400', 'patience: 1'"),
        (("layout: cramped_room", "ticks: 0", "patience: 1"), "is no deal of Overcooked"),
        (("layout: cramped_room", "ticks: -4", "patience: 1"), "is no deal of Overcooked"),
        (
            ("layout: kitchen", "ticks: 400", "patience: 1"),
            "there is no layout 'kitchen'; known: cramped_room",
        ),
    ],
)
def test_a_wrong_deal_is_refused(deck: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Referee(2, deck)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(UserError, match="the deals 1 to 6, not 7"):
        deal(7)
    with pytest.raises(UserError, match="for 2 players, not 3"):
        Referee(3, deal(1))


def test_a_soup_takes_its_time() -> None:
    deliveries = [
        past.outcome for past in greedy_game(1).history if past.outcome and past.outcome.score == 20
    ]
    assert deliveries[0].tick > COOKING
