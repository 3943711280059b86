"""Collab Capture: its rules, deals and texts, and the figures of exact and greedy play."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.collab.capture import (
    DOOR_STATES,
    Move,
    MoveTo,
    Position,
    Press,
    Stay,
    ThiefRule,
    after,
    caught,
    check_deal,
    deal,
    deal_name,
    flight,
    legal,
    parse,
    start,
)
from hanabi_orchestrator.orchestrator.collab.capture_referee import Past, Referee, View
from hanabi_orchestrator.orchestrator.collab.maps import capture_map
from hanabi_orchestrator.orchestrator.collab.plans import (
    NEVER,
    capture_joints,
    capture_plan,
    capture_positions,
)
from hanabi_orchestrator.orchestrator.collab.programs import capture_nearest, capture_planner
from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError

Rule = Callable[[View], tuple[Move, str]]
OPEN = (True, True)


def played(seed: int, rule: Rule, thief: ThiefRule = "distance") -> Referee:
    """A finished game in which both seats play by a rule."""
    referee = Referee(2, deal(seed, thief))
    while not referee.over:
        move, reason = rule(referee.view())
        assert reason
        referee.apply(move)
    return referee


# Figures of the specification


@pytest.mark.parametrize(
    ("thief", "rounds"), [("distance", [2, 4, 2, 4]), ("numbers", [1, 3, 1, 3])]
)
def test_exact_play_catches_the_thief_in_the_fewest_rounds(
    thief: ThiefRule, rounds: list[int]
) -> None:
    games = [played(seed, capture_planner, thief) for seed in (1, 2, 3, 4)]
    assert [game.end for game in games] == ["caught"] * 4
    assert [game.round for game in games] == rounds
    assert [capture_plan(thief).rounds[start(doors)] for doors in DOOR_STATES] == rounds


def test_the_greedy_pair_catches_the_thief_in_half_of_the_deals() -> None:
    games = [played(seed, capture_nearest) for seed in (1, 2, 3, 4)]
    assert [game.end for game in games] == ["rounds", "caught", "caught", "rounds"]
    assert [game.round for game in games] == [30, 4, 2, 30]


def test_most_positions_are_won_in_at_most_six_rounds() -> None:
    plan = capture_plan()
    assert (len(plan.rounds), max(plan.rounds.values())) == (2_276, 6)


def test_each_seat_of_a_plan_makes_the_best_move_beside_the_other() -> None:
    plan = capture_plan()
    for position in list(plan.rounds)[::97]:
        moves = plan.best(position)
        assert plan.with_moves(position, moves) == plan.rounds[position]
        for seat in (0, 1):
            assert plan.with_move(position, seat, moves[seat]) == plan.rounds[position]
        assert (
            min(plan.with_moves(position, joint) for joint in capture_joints(position))
            == plan.rounds[position]
        )


def test_a_position_without_a_capture_still_has_a_legal_move() -> None:
    plan = capture_plan()
    hopeless = next(position for position in capture_positions() if position not in plan.rounds)
    assert plan.with_moves(hopeless, plan.best(hopeless)) == NEVER


# Rules


def test_the_map_is_that_of_the_paper() -> None:
    neighbours = capture_map(OPEN).neighbours
    assert neighbours == {
        1: (2, 6),
        2: (1, 3),
        3: (2, 4),
        4: (3, 5),
        5: (4, 6, 7),
        6: (1, 5, 9),
        7: (5, 8),
    } | {
        8: (7,),
        9: (6,),
    }
    assert capture_map((False, True)).neighbours[2] == (3,)
    assert capture_map((True, False)).distances[2][8] == 5


def test_a_closed_door_is_no_move_and_a_button_is_one_in_its_room() -> None:
    assert [str(move) for move in legal(start((False, True)), 0)] == [
        "move to room 6",
        "stay in room 1",
    ]
    assert [str(move) for move in legal(Position((9, 8), 2, OPEN), 0)] == [
        "move to room 6",
        "stay in room 9",
        "press the button in room 9",
    ]
    assert Press(room=8) in legal(Position((9, 8), 2, OPEN), 1)


def test_buttons_change_doors_after_the_moves_of_the_round() -> None:
    before = Position((9, 2), 4, OPEN)
    later = after(before, (Press(room=9), MoveTo(room=1)), "distance")
    assert (later.rooms, later.doors) == ((9, 1), (False, True))
    twice = after(Position((9, 9), 4, OPEN), (Press(room=9), Press(room=9)), "distance")
    assert twice.doors == OPEN


def test_the_thief_goes_farthest_from_the_nearer_player() -> None:
    assert flight(Position((1, 6), 2, OPEN), (1, 6), "distance") == 3
    assert flight(Position((5, 5), 3, (False, True)), (5, 5), "distance") == 2
    assert flight(Position((6, 6), 8, OPEN), (6, 6), "distance") == 8, (
        "of equal rooms it stays, and 7 is nearer"
    )


def test_the_thief_of_the_code_looks_at_numbers_and_must_move() -> None:
    assert flight(Position((1, 6), 2, OPEN), (2, 5), "numbers") == 1, "both rooms differ by 1 or 2"
    assert flight(Position((6, 6), 8, OPEN), (7, 7), "numbers") == 7, (
        "the only way, though a player comes by it"
    )


def test_the_thief_is_caught_in_a_room_or_on_the_way() -> None:
    before = Position((1, 6), 2, OPEN)
    assert caught(before, Position((2, 6), 2, OPEN))
    assert caught(before, Position((2, 6), 1, OPEN)), "they changed rooms"
    assert not caught(before, Position((2, 6), 3, OPEN))


# Table


def test_a_round_is_resolved_with_its_last_decision() -> None:
    referee = Referee(2, deal(1))
    first = referee.apply(MoveTo(room=2))
    assert (first.outcome, referee.seat, referee.turn, referee.round) == (None, 1, 2, 1)
    second = referee.apply(Stay(room=6))
    assert second.outcome is not None and second.outcome.rooms == (2, 6)
    assert second.outcome.thief == referee.position.thief == 3
    assert referee.view().history == referee.history == (first, second)
    assert Past.model_validate_json(second.model_dump_json()) == second


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(1, 4), choices=st.lists(st.integers(0, 99), max_size=12))
def test_both_seats_see_the_same_whatever_is_sealed(seed: int, choices: list[int]) -> None:
    seats = range(2)
    referee = walked(seed, choices)
    if referee.over or referee.seat:
        return
    views: list[set[str]] = [set(), set()]
    for move in referee.legal():
        game = walked(seed, choices)
        game.apply(move)
        for seat in seats:
            views[seat].add(game.view(seat).model_dump_json())
    assert [len(texts) for texts in views] == [1, 1]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(1, 4), choices=st.lists(st.integers(0, 99), max_size=60))
def test_whatever_is_chosen_everybody_walks_open_ways_and_only_buttons_change_doors(
    seed: int, choices: list[int]
) -> None:
    referee = walked(seed, choices)
    before = start(DOOR_STATES[seed - 1])
    again = Referee(2, deal(seed))
    for past in referee.history:
        assert again.apply(past.move) == past
        if past.outcome is None:
            continue
        later = again.position
        pressed = [p.move.room for p in again.history[-2:] if isinstance(p.move, Press)]
        for door, room in enumerate((9, 8)):
            changed = pressed.count(room) == 1
            assert later.doors[door] == (before.doors[door] != changed)
        walks = [*zip(before.rooms, later.rooms, strict=True), (before.thief, later.thief)]
        assert all(room == goal or goal in before.map.neighbours[room] for room, goal in walks)
        assert past.outcome.caught == (again.over and again.end == "caught")
        before = later
    assert again.view(0) == referee.view(0)


def walked(seed: int, choices: Sequence[int]) -> Referee:
    """A game after some decisions, as far as it goes."""
    referee = Referee(2, deal(seed))
    for choice in choices:
        if not referee.over:
            legal_moves = referee.legal()
            referee.apply(legal_moves[choice % len(legal_moves)])
    return referee


def test_an_illegal_move_changes_nothing() -> None:
    referee = Referee(2, deal(2))
    referee.apply(Stay(room=1))
    before = (referee.view(), referee.history, referee.position)
    with pytest.raises(
        IllegalMove,
        match=r"press the button in room 9 is not legal on turn 2; legal: move to room 1, ",
    ):
        referee.apply(Press(room=9))
    assert (referee.view(), referee.history, referee.position) == before


def test_after_the_game_it_is_nobodys_turn() -> None:
    referee = played(1, capture_planner)
    assert referee.legal() == () and referee.view(0).legal == ()
    with pytest.raises(IllegalMove, match="nobody's turn"):
        _ = referee.seat
    with pytest.raises(IllegalMove, match="none, the game is over"):
        referee.apply(Stay(room=1))


def test_a_view_is_plain_data_that_reads_back() -> None:
    referee = walked(3, [1, 2, 1, 2])
    view = referee.view()
    assert View.model_validate_json(view.model_dump_json()) == view
    assert (view.players, view.seat, view.turn, view.round, len(view.history)) == (2, 0, 5, 3, 4)
    with pytest.raises(UserError, match="there is no seat 2; the seats are 0 to 1"):
        referee.view(2)


# Deals and texts


def test_a_deal_is_a_list_of_texts_and_has_a_name() -> None:
    assert deal(2) == ("door 1-2: closed", "door 3-4: open", "thief: distance")
    assert [deal_name(deal(seed)) for seed in (1, 2, 3, 4)] == [
        "open, open",
        "closed, open",
        "open, closed",
        "closed, closed",
    ]
    assert deal_name(deal(1, "numbers")) == "open, open, thief: numbers"
    assert check_deal(list(deal(4))) == deal(4)


@pytest.mark.parametrize(
    "deck", [(), ("door 1-2: ajar", "door 3-4: open", "thief: distance"), deal(1)[:2]]
)
def test_a_wrong_deal_is_refused_with_an_example(deck: tuple[str, ...]) -> None:
    with pytest.raises(
        UserError, match=r"is no deal of Collab Capture; .* 'door 1-2: open', 'door 3-4: open'"
    ):
        Referee(2, deck)


def test_wrong_numbers_and_rules_are_refused() -> None:
    with pytest.raises(UserError, match="the deals 1 to 4, not 5"):
        deal(5)
    with pytest.raises(UserError, match=r"'thief: brave'.*distance or numbers"):
        deal(1, "brave")
    with pytest.raises(UserError, match="for 2 players, not 3"):
        Referee(3, deal(1))


def test_every_move_reads_back_from_its_text() -> None:
    moves = {
        move
        for doors in DOOR_STATES
        for room in range(1, 10)
        for move in legal(Position((room, 1), 2, doors), 0)
    }
    assert all(parse(str(move)) == move for move in moves)
    assert len({str(move) for move in moves}) == len(moves) == 20
    for text in (
        "move to room 0",
        "stay",
        "press the button in room 1",
        "Move to room 2",
        "play slot 0",
    ):
        assert parse(text) is None
