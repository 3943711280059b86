"""The kitchen: its rules, what is conserved, and that it equals the package `overcooked` tick by tick."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.overcooked.kitchen import (
    ACTION_OF,
    COOKING,
    Action,
    Cook,
    Cooker,
    Item,
    Kitchen,
    after,
    opening,
)
from hanabi_orchestrator.orchestrator.overcooked.layouts import (
    EAST,
    LAYOUTS,
    NORTH,
    SOUTH,
    WEST,
    Place,
    Step,
    layout_of,
)
from tests.support.kitchen_oracle import Oracle, Trace, clumsy_game, digest, text, traces

ACTIONS: tuple[Action, ...] = (*ACTION_OF.values(), "interact", "stay")
CRAMPED = layout_of("cramped_room")


def cooks(
    first: tuple[Place, Step, Item | None], second: tuple[Place, Step, Item | None]
) -> tuple[Cook, Cook]:
    alice = Cook(place=first[0], facing=first[1], held=first[2])
    bob = Cook(place=second[0], facing=second[1], held=second[2])
    return alice, bob


def cramped(
    first: tuple[Place, Step, Item | None],
    second: tuple[Place, Step, Item | None] = ((3, 1), NORTH, None),
    onions: int = 0,
    ticks: int = 0,
    counters: dict[Place, Item] | None = None,
) -> Kitchen:
    """A moment of the cramped room, whose cooker stands at (2, 0)."""
    cookers = {(2, 0): Cooker(onions=onions, ticks=ticks)}
    return Kitchen(CRAMPED, cooks(first, second), counters or {}, cookers)


# The oracle


@pytest.mark.parametrize("trace", traces(), ids=lambda trace: trace.layout)
def test_the_kitchen_equals_the_traces_of_the_oracle(trace: Trace) -> None:
    kitchen = opening(layout_of(trace.layout))
    digests = []
    deliveries = []
    for actions in trace.joint():
        before = kitchen
        kitchen = after(kitchen, actions)
        digests.append(digest(kitchen))
        if kitchen.score > before.score:
            deliveries.append(kitchen.tick)
    assert digests == trace.digests.split()
    assert deliveries == trace.deliveries and len(deliveries) >= 5
    assert kitchen.tick == 400


def test_there_is_a_trace_of_every_layout() -> None:
    assert [trace.layout for trace in traces()] == list(LAYOUTS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_kitchen_equals_the_oracle_where_it_is_installed(layout: str) -> None:
    pytest.importorskip("overcooked")
    oracle = Oracle(layout_of(layout))
    kitchen = opening(layout_of(layout))
    for actions in clumsy_game(layout):
        kitchen = after(kitchen, actions)
        assert text(kitchen) == text(oracle.step(actions))


# Conservation


def onions(kitchen: Kitchen) -> int:
    """All onions that were ever taken from a dispenser."""
    loose = [cook.held for cook in kitchen.cooks] + list(kitchen.counters.values())
    cooking = sum(pot.onions for pot in kitchen.cookers.values())
    return loose.count("onion") + cooking + 3 * (loose.count("soup") + kitchen.delivered)


def plates(kitchen: Kitchen) -> int:
    """All plates that were ever taken from a dispenser."""
    loose = [cook.held for cook in kitchen.cooks] + list(kitchen.counters.values())
    return loose.count("plate") + loose.count("soup") + kitchen.delivered


def taken(kitchen: Kitchen, actions: tuple[Action, Action], sign: str) -> int:
    """How many cooks take something from a dispenser."""
    signs = kitchen.layout.signs
    return sum(
        action == "interact" and cook.held is None and signs[cook.ahead] == sign
        for cook, action in zip(kitchen.cooks, actions, strict=True)
    )


@settings(max_examples=25, deadline=None)
@given(
    layout=st.sampled_from(list(LAYOUTS)),
    joint=st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from(ACTIONS)), max_size=60),
    lead=st.integers(0, 300),
)
def test_nothing_appears_or_vanishes(
    layout: str, joint: list[tuple[Action, Action]], lead: int
) -> None:
    trace = next(trace for trace in traces() if trace.layout == layout)
    kitchen = opening(layout_of(layout))
    for actions in [*list(trace.joint())[:lead], *joint]:
        later = after(kitchen, actions)
        assert onions(later) == onions(kitchen) + taken(kitchen, actions, "O")
        assert plates(later) == plates(kitchen) + taken(kitchen, actions, "D")
        first, second = later.cooks
        assert first.place != second.place
        assert {first.place, second.place} <= later.layout.floor
        assert all(later.layout.signs[place] == "X" for place in later.counters)
        assert all(pot.onions <= 3 and pot.ticks <= COOKING for pot in later.cookers.values())
        assert later.tick == kitchen.tick + 1
        kitchen = later


# Rules


def test_three_onions_start_to_cook_by_themselves_in_the_tick_of_the_third() -> None:
    kitchen = cramped(((2, 1), NORTH, "onion"), onions=2)
    kitchen = after(kitchen, ("interact", "stay"))
    assert kitchen.cookers[2, 0] == Cooker(onions=3, ticks=1)
    for _ in range(COOKING - 1):
        assert not kitchen.cookers[2, 0].ready
        kitchen = after(kitchen, ("stay", "stay"))
    assert kitchen.cookers[2, 0].ready
    assert after(kitchen, ("interact", "stay")).cookers == kitchen.cookers, (
        "nobody starts a cooker, nor empties it"
    )


def test_two_onions_do_not_cook_and_a_fourth_stays_in_the_hand() -> None:
    assert (
        after(cramped(((2, 1), NORTH, None), onions=2), ("interact", "stay")).cookers[2, 0].ticks
        == 0
    )
    full = after(cramped(((2, 1), NORTH, "onion"), onions=3, ticks=20), ("interact", "stay"))
    assert (full.cooks[0].held, full.cookers[2, 0].onions) == ("onion", 3)


def test_a_plate_takes_only_a_cooked_soup_and_a_delivery_scores_20() -> None:
    raw = after(cramped(((2, 1), NORTH, "plate"), onions=3, ticks=18), ("interact", "stay"))
    assert raw.cooks[0].held == "plate"
    done = after(cramped(((2, 1), NORTH, "plate"), onions=3, ticks=20), ("interact", "stay"))
    assert (done.cooks[0].held, done.cookers[2, 0]) == ("soup", Cooker())
    delivered = after(cramped(((3, 2), SOUTH, "soup")), ("interact", "stay"))
    assert (delivered.cooks[0].held, delivered.score) == (None, 20)
    assert after(cramped(((3, 2), SOUTH, "plate")), ("interact", "stay")).cooks[0].held == "plate"


def test_dispensers_give_to_empty_hands_alone() -> None:
    assert after(cramped(((1, 1), WEST, None)), ("interact", "stay")).cooks[0].held == "onion"
    assert after(cramped(((1, 2), SOUTH, None)), ("interact", "stay")).cooks[0].held == "plate"
    assert after(cramped(((1, 1), WEST, "plate")), ("interact", "stay")).cooks[0].held == "plate"


def test_a_counter_holds_one_thing_and_seat_0_is_first() -> None:
    down = after(cramped(((1, 1), NORTH, "onion")), ("interact", "stay"))
    assert (down.cooks[0].held, down.counters) == (None, {(1, 0): "onion"})
    taken_back = after(down, ("interact", "stay"))
    assert (taken_back.cooks[0].held, taken_back.counters) == ("onion", {})
    full = after(
        cramped(((1, 1), NORTH, "onion"), counters={(1, 0): "plate"}), ("interact", "stay")
    )
    assert (full.cooks[0].held, full.counters) == ("onion", {(1, 0): "plate"})
    circuit = layout_of("forced_coordination")
    across = Kitchen(
        circuit,
        cooks(((3, 1), WEST, "onion"), ((1, 1), EAST, "plate")),
        {},
        opening(circuit).cookers,
    )
    both = after(across, ("interact", "interact"))
    assert (both.counters[2, 1], both.cooks[1].held) == ("onion", "plate")


def test_a_direction_turns_and_steps_onto_floor_alone() -> None:
    kitchen = cramped(((1, 1), NORTH, None))
    assert after(kitchen, ("west", "stay")).cooks[0] == Cook(place=(1, 1), facing=WEST)
    assert after(kitchen, ("south", "stay")).cooks[0] == Cook(place=(1, 2), facing=SOUTH)


@pytest.mark.parametrize(
    ("places", "actions"),
    [
        (((1, 1), (3, 1)), ("east", "west")),  # one cell
        (((1, 1), (2, 1)), ("east", "west")),  # they would change cells
        (((1, 1), (2, 1)), ("east", "stay")),  # the partner stays
    ],
)
def test_cooks_who_collide_both_stay_but_turn(
    places: tuple[Place, Place], actions: tuple[Action, Action]
) -> None:
    before = cramped((places[0], NORTH, None), (places[1], NORTH, None))
    later = after(before, actions)
    assert tuple(cook.place for cook in later.cooks) == places
    assert later.cooks[0].facing == EAST
    assert later.cooks[1].facing == (NORTH if actions[1] == "stay" else WEST)


def test_cooks_may_follow_each_other() -> None:
    before = cramped(((1, 1), NORTH, None), ((2, 1), NORTH, None))
    assert [cook.place for cook in after(before, ("east", "east")).cooks] == [(2, 1), (3, 1)]
