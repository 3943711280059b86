"""Macro-actions: their texts, what is offered, and how they are carried out."""

import pytest

from hanabi_orchestrator.orchestrator.overcooked.kitchen import (
    Action,
    Cook,
    Cooker,
    Item,
    Kitchen,
    after,
    opening,
)
from hanabi_orchestrator.orchestrator.overcooked.layouts import NORTH, WEST, Place, layout_of
from hanabi_orchestrator.orchestrator.overcooked.macros import (
    MOVE_AWAY,
    WAIT,
    Load,
    Macro,
    PickUp,
    Put,
    Tick,
    by_distance,
    ground,
    offers,
    parse,
    step_away,
)
from hanabi_orchestrator.orchestrator.overcooked.programs import overcooked_greedy
from hanabi_orchestrator.orchestrator.overcooked.referee import Referee, deal


def kitchen(
    layout: str,
    held: Item | None = None,
    places: tuple[Place, Place] | None = None,
    counters: dict[str, Item] | None = None,
    cookers: dict[str, Cooker] | None = None,
) -> Kitchen:
    """A moment in which both cooks look north, seat 0 with something in hand."""
    start = opening(layout_of(layout))
    names = start.layout.names
    first, second = places or start.layout.starts
    lying = {names[name]: item for name, item in (counters or {}).items()}
    pots = {names[name]: pot for name, pot in (cookers or {}).items()}
    cooks = (Cook(place=first, facing=NORTH, held=held), Cook(place=second, facing=NORTH))
    return Kitchen(start.layout, cooks, lying, {**start.cookers, **pots})


def texts(moment: Kitchen, seat: int = 0) -> list[str]:
    return [str(macro) for macro in offers(moment, seat)]


def carried_out(moment: Kitchen, macro: Macro) -> tuple[list[Action], Kitchen]:
    """What seat 0 does until its macro-action is over, while its partner stands still."""
    actions: list[Action] = []
    while True:
        tick = ground(moment, 0, macro)
        actions.append(tick.action)
        moment = after(moment, (tick.action, "stay"))
        if tick.over:
            return actions, moment
        assert len(actions) < 30


# Offers


def test_empty_hands_are_offered_dispensers_and_what_lies_on_counters() -> None:
    moment = kitchen("coordination_ring", counters={"k2": "soup", "k7": "plate"})
    assert texts(moment) == [
        "pick up onion from o0",
        "pick up onion from o1",
        "pick up plate from p0",
        "pick up cooked soup from k2",
        "pick up plate from k7",
        "wait",
        "move away",
    ]


def test_an_onion_goes_into_cookers_full_ones_too_and_on_counters() -> None:
    moment = kitchen(
        "counter_circuit_o_1order",
        "onion",
        counters={"s1": "onion"},
        cookers={"c0": Cooker(onions=3, ticks=7)},
    )
    assert texts(moment) == [
        "place onion in c0",
        "place onion in c1",
        "place onion on s0",
        "place onion on s2",
        "place onion on s3",
        "place onion on k12",
        "wait",
        "move away",
    ]


def test_a_plate_is_loaded_and_a_soup_delivered() -> None:
    assert texts(kitchen("cramped_room", "plate"))[0] == "load soup on plate from c0"
    assert texts(kitchen("cramped_room", "soup"))[:1] == ["place soup for delivery in d0"]
    assert [text for text in texts(kitchen("cramped_room", "soup")) if " k" in text] == [
        "place soup on k4"
    ]


def test_a_seat_is_offered_only_what_it_reaches() -> None:
    moment = kitchen("forced_coordination", counters={"s1": "onion"})
    assert texts(moment, 0) == ["pick up onion from s1", "wait", "move away"]
    assert texts(moment, 1) == [
        "pick up onion from o0",
        "pick up onion from o1",
        "pick up plate from p0",
        "pick up onion from s1",
        "wait",
        "move away",
    ]
    assert "place soup for delivery in d0" not in texts(kitchen("asymmetric_advantages", "soup"))


def test_the_nearest_things_come_first_those_behind_the_partner_last() -> None:
    moment = kitchen("coordination_ring", places=((2, 1), (3, 2)))
    assert by_distance(moment, 0, ["o1", "p0", "c0"]) == ["c0", "p0", "o1"]
    blocked = kitchen("coordination_ring", places=((2, 1), (3, 1)))
    assert by_distance(blocked, 0, ["c0", "c1", "d0"]) == ["d0", "c0", "c1"]


# Grounding


def test_a_pick_up_walks_turns_and_interacts() -> None:
    actions, moment = carried_out(kitchen("cramped_room"), PickUp(item="onion", place="o0"))
    assert actions == ["north", "west", "interact"]
    assert moment.cooks[0] == Cook(place=(1, 1), facing=WEST, held="onion")


def test_a_walk_goes_around_the_partner() -> None:
    moment = kitchen("coordination_ring", "onion", places=((1, 3), (1, 2)))
    actions, later = carried_out(moment, Put(item="onion", place="c0"))
    assert actions == ["east", "east", "north", "north", "interact"]
    assert later.cookers[3, 0].onions == 1


def test_without_a_way_the_seat_stands_still_and_chooses_again() -> None:
    moment = kitchen("coordination_ring", "onion", places=((1, 3), (3, 1)))
    assert ground(moment, 0, Put(item="onion", place="c0")) == Tick("stay", over=True)


def test_loading_waits_a_tick_for_the_soup_and_chooses_again() -> None:
    raw = kitchen(
        "cramped_room", "plate", ((2, 1), (3, 2)), cookers={"c0": Cooker(onions=3, ticks=19)}
    )
    assert ground(raw, 0, Load(place="c0")) == Tick("stay", over=True)
    actions, later = carried_out(after(raw, ("stay", "stay")), Load(place="c0"))
    assert (actions, later.cooks[0].held) == (["interact"], "soup")


def test_waiting_and_moving_away_last_one_tick() -> None:
    moment = kitchen("cramped_room", places=((2, 1), (1, 1)))
    assert ground(moment, 0, WAIT) == Tick("stay", over=True)
    assert ground(moment, 0, MOVE_AWAY) == Tick("east", over=True)


def test_a_step_away_leads_away_if_it_can() -> None:
    assert step_away(kitchen("cramped_room", places=((2, 1), (2, 2))), 0) == "west"
    assert step_away(kitchen("cramped_room", places=((2, 2), (3, 1))), 0) == "west"
    assert step_away(kitchen("cramped_room", places=((1, 1), (2, 2))), 0) == "south", (
        "west and north are no floor"
    )
    assert step_away(kitchen("cramped_room", places=((1, 1), (2, 2))), 0, "south") == "east"


@pytest.mark.parametrize("seed", [1, 4])
def test_every_offer_of_a_game_can_be_carried_out(seed: int) -> None:
    referee = Referee(2, deal(seed, ticks=60))
    while not referee.over:
        view = referee.view()
        for macro in view.legal:
            assert ground(view.kitchen, view.seat, macro).action
            assert parse(str(macro)) == macro
        referee.apply(overcooked_greedy(view)[0])


# Texts


@pytest.mark.parametrize(
    ("text", "macro"),
    [
        ("pick up cooked soup from s1", PickUp(item="soup", place="s1")),
        ("place onion in c1", Put(item="onion", place="c1")),
        ("place plate on k28", Put(item="plate", place="k28")),
        ("place soup for delivery in d0", Put(item="soup", place="d0")),
        ("load soup on plate from c0", Load(place="c0")),
        ("wait", WAIT),
        ("move away", MOVE_AWAY),
    ],
)
def test_a_macro_action_reads_back_from_its_text(text: str, macro: Macro) -> None:
    assert (str(macro), parse(text)) == (text, macro)


@pytest.mark.parametrize(
    "text", ["Wait", "place plate in c0", "place onion in d0", "pick up onion from c0", "k0", ""]
)
def test_other_texts_are_no_macro_actions(text: str) -> None:
    assert parse(text) is None
