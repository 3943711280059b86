"""Collab Escape: its rules, deals and texts, and the figures of exact and greedy play."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.orchestrator.collab import escape_referee
from hanabi_orchestrator.orchestrator.collab.escape import (
    START,
    Fix,
    FixRule,
    GoTo,
    Move,
    Position,
    Wait,
    after,
    check_deal,
    deal,
    deal_name,
    killer_room,
    killer_rooms,
    legal,
    next_target,
    parse,
)
from hanabi_orchestrator.orchestrator.collab.escape_referee import Past, Referee, View
from hanabi_orchestrator.orchestrator.collab.maps import ESCAPE_MAP, GATE
from hanabi_orchestrator.orchestrator.collab.plans import escape_joints, escape_plan
from hanabi_orchestrator.orchestrator.collab.programs import escape_bold, escape_planner
from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError

Rule = Callable[[View], tuple[Move, str]]
SEEDS = range(1, 201)


def played(seed: int, rule: Rule, fixes: FixRule = "once") -> Referee:
    """A finished game in which both seats play by a rule."""
    referee = Referee(2, deal(seed, fixes))
    while not referee.over:
        move, reason = rule(referee.view())
        assert reason
        referee.apply(move)
    return referee


# Figures of the specification


def test_exact_play_escapes_with_every_seed_in_at_most_eight_rounds() -> None:
    games = [played(seed, escape_planner) for seed in SEEDS]
    assert {game.end for game in games} == {"escaped"}
    assert {game.round for game in games} == {6, 8}


@pytest.mark.parametrize("rule", ["once", "each"])
def test_the_chance_of_an_escape_is_known_exactly(rule: FixRule) -> None:
    plan = escape_plan(rule)
    assert plan.chance(START, 5) == 0
    assert plan.chance(START, 6) == pytest.approx(0.52083, abs=1e-5)
    assert plan.chance(START, 8) == 1
    assert (plan.rounds(START), plan.rounds(START, most=7), plan.positions) == (8, 6, 4_985)


def test_the_greedy_pair_seldom_escapes() -> None:
    ends = Counter(played(seed, escape_bold).end for seed in SEEDS)
    assert 0.08 <= ends["escaped"] / len(SEEDS) <= 0.16
    assert ends["rounds"] == 0


def test_each_seat_of_a_plan_makes_the_best_move_beside_the_other() -> None:
    plan = escape_plan()
    chances = plan.with_moves(START, 8)
    assert list(chances) == escape_joints(START)
    best = plan.best(START)
    assert chances[best] == max(chances.values()) == 1
    assert plan.with_move(START, 0, best[0], 8) == 1
    danger = Position((5, 2), 6, (2, 0), 0)
    assert plan.with_move(danger, 0, Wait(room=5)) == 0, "the killer comes to room 5"


# Rules


def test_the_map_is_symmetric() -> None:
    ways = ESCAPE_MAP.ways
    assert len(ways) == len(set(ways)) == 11
    assert all(
        room in ESCAPE_MAP.neighbours[beside]
        for room in ESCAPE_MAP.rooms
        for beside in ESCAPE_MAP.neighbours[room]
    )
    assert ESCAPE_MAP.neighbours[3] == (2, 4, 8)


def test_a_generator_is_repaired_by_fixes_in_two_rounds_one_after_the_other() -> None:
    fix = Fix(room=1)
    once = after(START, (fix, Wait(room=2)), 5, "once")
    assert once.fixes == (1, 0)
    assert after(once, (fix, Wait(room=2)), 4, "once").fixes == (2, 0)
    idle = after(once, (Wait(room=1), Wait(room=2)), 4, "once")
    assert idle.fixes == (0, 0)
    repaired = Position((1, 2), 4, (2, 1), None)
    assert after(repaired, (Wait(room=1), Wait(room=2)), 5, "once").fixes == (2, 0)


def test_two_players_at_a_generator_count_once_by_the_stated_rule() -> None:
    both = Position((1, 1), 4, (0, 0), None)
    moves = (Fix(room=1), Fix(room=1))
    assert after(both, moves, 5, "once").fixes == (1, 0)
    assert after(both, moves, 5, "each").fixes == (2, 0)


def test_a_repaired_generator_is_not_fixed_again() -> None:
    assert Fix(room=1) in legal(START, 0)
    assert Fix(room=1) not in legal(START._replace(fixes=(2, 0)), 0)


def test_the_killer_goes_where_its_target_is_before_the_moves() -> None:
    position = Position((5, 2), 6, (0, 0), 0)
    assert killer_rooms(position) == (5,)
    swapped = after(position, (GoTo(room=6), Wait(room=2)), 5, "once")
    assert not swapped.lost, "changing rooms with it is safe"
    assert after(position, (Wait(room=5), Wait(room=2)), 5, "once").lost


def test_whom_the_killer_goes_to() -> None:
    nobody = Position((1, 2), 6, (0, 0), None)
    assert next_target(nobody, 6, (1, 2)) is None
    assert next_target(nobody, 6, (1, 5)) == 1
    assert next_target(nobody, 6, (7, 5)) == 0, "it saw nobody: Alice"
    alone = Position((5, 2), 6, (0, 0), 0)
    assert next_target(alone, 5, (4, 6)) == 1, "it saw Alice alone: it turns to the other"
    together = Position((5, 7), 6, (0, 0), 1)
    assert next_target(together, 7, (6, 8)) == 1, "it saw both: it keeps its target"


def test_the_killer_draws_by_seed_and_round_where_it_sees_nobody() -> None:
    draws = [killer_room(START, seed, 1) for seed in range(40)]
    assert set(draws) == {5, 7}
    assert draws == [killer_room(START, seed, 1) for seed in range(40)]
    assert len({killer_room(START, 3, number) for number in range(1, 9)}) == 2


def test_the_killer_in_the_room_comes_before_the_gate() -> None:
    assert Position((GATE, 1), 2, (2, 2), None).escaped
    lost = Position((GATE, 1), GATE, (2, 2), None)
    assert lost.lost and not lost.escaped
    assert not Position((GATE, 1), 2, (2, 1), None).escaped


def test_a_game_without_an_end_stops_after_its_last_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(escape_referee, "ROUNDS", 2)
    referee = Referee(2, deal(5))
    for room in (1, 2, 1, 2):
        assert not referee.over
        referee.apply(Wait(room=room))
    assert (referee.end, referee.round) == ("rounds", 2)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), choices=st.lists(st.integers(0, 99), max_size=60))
def test_whatever_is_chosen_everybody_walks_ways_and_what_is_repaired_stays_so(
    seed: int, choices: list[int]
) -> None:
    referee = Referee(2, deal(seed))
    for choice in choices:
        if referee.over:
            break
        before = referee.position
        moves = referee.legal()
        past = referee.apply(moves[choice % len(moves)])
        if past.outcome is None:
            continue
        later = referee.position
        assert later.killer in killer_rooms(before)
        walks = zip(before.rooms, later.rooms, strict=True)
        assert all(room == goal or goal in ESCAPE_MAP.neighbours[room] for room, goal in walks)
        for old, new in zip(before.fixes, later.fixes, strict=True):
            assert new in {0, old + 1} if old < 2 else new == 2
        assert referee.over == (later.lost or later.escaped)
    again = Referee(2, referee.deck)
    for past in referee.history:
        assert again.apply(past.move) == past
    assert again.view(0) == referee.view(0)


# Table


def test_a_round_is_resolved_with_its_last_decision() -> None:
    referee = Referee(2, deal(1))
    first = referee.apply(Fix(room=1))
    assert (first.outcome, referee.seat, referee.turn, referee.round) == (None, 1, 2, 1)
    second = referee.apply(GoTo(room=3))
    assert second.outcome is not None
    assert (second.outcome.rooms, second.outcome.fixes) == ((1, 3), (1, 0))
    assert referee.view().history == referee.history == (first, second)
    assert Past.model_validate_json(second.model_dump_json()) == second


@pytest.mark.parametrize("rounds", [0, 1, 2, 4])
def test_the_second_seat_sees_the_same_whatever_the_first_sealed(rounds: int) -> None:
    for seat in (0, 1):
        views = set()
        for move in walked(3, rounds).legal():
            referee = walked(3, rounds)
            referee.apply(move)
            views.add(referee.view(seat).model_dump_json())
        assert len(views) == 1


def walked(seed: int, rounds: int) -> Referee:
    """A game after some rounds of exact play."""
    referee = Referee(2, deal(seed))
    for _ in range(2 * rounds):
        referee.apply(escape_planner(referee.view())[0])
    return referee


def test_views_of_other_seeds_are_equal_up_to_the_first_random_step() -> None:
    views = set()
    outcomes = set()
    for seed in range(8):
        referee = Referee(2, deal(seed))
        views.add(referee.view().model_dump_json())
        referee.apply(Wait(room=1))
        views.add(referee.view().model_dump_json())
        referee.apply(Wait(room=2))
        outcomes.add(referee.view().killer)
    assert (len(views), outcomes) == (2, {5, 7})


def test_an_illegal_move_changes_nothing() -> None:
    referee = Referee(2, deal(2))
    before = (referee.view(), referee.history, referee.position)
    with pytest.raises(
        IllegalMove,
        match=r"go to room 7 is not legal on turn 1; legal: go to room 2, go to room 10, fix",
    ):
        referee.apply(GoTo(room=7))
    assert (referee.view(), referee.history, referee.position) == before


def test_a_view_is_plain_data_that_reads_back() -> None:
    view = walked(3, 2).view()
    assert View.model_validate_json(view.model_dump_json()) == view
    assert view.position == walked(3, 2).position
    assert (view.players, view.seat, view.turn, view.round, len(view.history)) == (2, 0, 5, 3, 4)


# Deals and texts


def test_a_deal_is_a_list_of_texts_and_has_a_name() -> None:
    assert deal(2) == ("seed: 2", "fixes: once")
    assert (deal_name(deal(2)), deal_name(deal(2, "each"))) == ("seed 2", "seed 2, fixes: each")
    assert check_deal(list(deal(4))) == deal(4)


@pytest.mark.parametrize(
    "deck",
    [(), ("seed: -1", "fixes: once"), ("seed: 1", "fixes: twice"), ("seed: 01", "fixes: once")],
)
def test_a_wrong_deal_is_refused_with_an_example(deck: tuple[str, ...]) -> None:
    with pytest.raises(
        UserError, match=r"is no deal of Collab Escape; .* 'seed: 1', 'fixes: once'"
    ):
        Referee(2, deck)


def test_every_move_reads_back_from_its_text() -> None:
    moves = {
        move for room in ESCAPE_MAP.rooms for move in legal(START._replace(rooms=(room, 1)), 0)
    }
    assert all(parse(str(move)) == move for move in moves)
    assert len({str(move) for move in moves}) == len(moves) == 22
    for text in (
        "go to room 11",
        "wait",
        "fix the generator in room 2",
        "Go to room 2",
        "stay in room 1",
    ):
        assert parse(text) is None
