"""The layouts: what stands where, what it is called, and who reaches it."""

import pytest

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.overcooked.layouts import LAYOUTS, Layout, layout_of


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_a_layout_is_a_closed_room_with_all_that_a_soup_needs(layout: Layout) -> None:
    assert len({len(row) for row in layout.rows}) == 1
    width = len(layout.rows[0])
    height = len(layout.rows)
    border = [
        (x, y)
        for x in range(width)
        for y in range(height)
        if x in (0, width - 1) or y in (0, height - 1)
    ]
    assert not layout.floor & set(border)
    assert set(layout.starts) <= layout.floor and len(set(layout.starts)) == 2
    reached = {
        name[0] for name in layout.names if layout.reaches(0, name) or layout.reaches(1, name)
    }
    assert set("opcdk") <= reached
    assert len(layout.names) == len(layout.signs) - len(layout.floor)


def test_things_are_numbered_in_reading_order_and_shared_counters_apart() -> None:
    forced = layout_of("forced_coordination")
    assert [forced.names[name] for name in ("o0", "o1", "p0", "c0", "c1", "d0")] == [
        (0, 1),
        (0, 2),
        (0, 3),
        (3, 0),
        (4, 1),
        (3, 4),
    ]
    assert [forced.names[name] for name in forced.lettered("s")] == [(2, 1), (2, 2), (2, 3)]
    assert not set(forced.shared) & {forced.names[name] for name in forced.lettered("k")}
    assert [len(layout.lettered("s")) for layout in LAYOUTS.values()] == [0, 0, 0, 3, 4, 0]


def test_in_forced_coordination_only_the_shared_counters_are_reached_by_both() -> None:
    forced = layout_of("forced_coordination")
    both = [name for name in forced.names if forced.reaches(0, name) and forced.reaches(1, name)]
    assert both == ["s0", "s1", "s2"]
    assert forced.reaches(0, "c0") and forced.reaches(1, "o0")
    assert not forced.reaches(0, "o0") and not forced.reaches(1, "d0")


def test_distances_count_steps_to_a_cell_beside_and_go_around_the_partner() -> None:
    ring = layout_of("coordination_ring")
    assert ring.distance((1, 3), "o0") == 0
    assert ring.distance((2, 1), "o1") == 3
    assert ring.distance((2, 1), "o1", blocked=(1, 1)) == 5
    assert ring.distance((2, 1), "c0", blocked=(3, 1)) is None
    assert layout_of("forced_coordination").distance((3, 1), "o0") is None


def test_asymmetric_advantages_come_in_both_widths() -> None:
    narrow = layout_of("asymmetric_advantages")
    wide = layout_of("asymmetric_advantages_wide")
    assert (len(narrow.rows[0]), len(wide.rows[0])) == (9, 11)
    assert wide.lettered("k")[-1] == "k28"
    for layout in (narrow, wide):
        assert all(layout.reaches(seat, name) for seat in (0, 1) for name in ("c0", "c1"))
        assert [layout.reaches(0, name) for name in ("d0", "d1")] == [False, True]
        assert [layout.reaches(1, name) for name in ("d0", "d1")] == [True, False]


def test_an_unknown_layout_is_refused_with_a_near_name() -> None:
    with pytest.raises(UserError, match="no layout 'cramped_rooms'; did you mean 'cramped_room'"):
        layout_of("cramped_rooms")
