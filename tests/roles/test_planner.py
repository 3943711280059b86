"""Planners with theory of mind: the recommender's shortlist, who is bound to it, and what the planner makes of it."""

from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable, read
from hanabi_orchestrator.roles import Notes
from hanabi_orchestrator.roles.hanabi.beliefs import Belief, FirstOrder, MoveReading, SecondOrder
from hanabi_orchestrator.roles.hanabi.plan_evaluator import PlannedChoice
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.reply_types import Recommended, Shortlist
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import (
    POSITIONS,
    events_of,
    literal_views,
    position,
    random_views,
    turn_of,
)
from tests.support.small_graph import LAST, OPENING, scripted, turn

PLANNERS = ("tom_planner_0", "tom_planner_1", "tom_planner_2")


def recommended(view: View, **options: Any) -> Shortlist:
    solve = roles.get("action_recommender").solve
    assert solve is not None
    found = solve(cut(view, [(kind, {}) for kind in TAKES], options=options), {})
    assert isinstance(found, Shortlist)
    return found


def at(view: View) -> Position:
    return Position.read(cut(view, [(kind, {}) for kind in TAKES]))


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_every_move_has_its_rank_and_the_literal_one_is_first(players: int) -> None:
    for view in [*random_views(players, 4)[::5], *literal_views(players, 4)[::5]]:
        ranked = [move for move, _ in literal_play.ranked(at(view))]
        assert len(ranked) == len(view.legal) and set(map(str, ranked)) == set(map(str, view.legal))
        assert next(literal_play.ranked(at(view))) == literal_play.best(at(view))


def test_the_recommender_lists_the_best_five_three_or_all() -> None:
    view = position("3p-middle")
    whole = recommended(view, k="all")
    assert len(whole.entries) == len(view.legal) == 24
    ranked = tuple(sorted(whole.entries, key=lambda entry: entry.rank))
    assert recommended(view).entries == ranked[:5] and recommended(view, k=3).entries == ranked[:3]
    assert [entry.rank for entry in ranked] == list(range(1, 25)) and all(
        entry.why for entry in ranked
    )
    assert [entry.action for entry in whole.entries] == list(
        view.legal
    )  # the order tells no ranking


def test_a_shuffled_list_keeps_its_ranks_and_is_the_same_for_the_same_view() -> None:
    orders = set()
    for view in map(position, POSITIONS):
        plain = recommended(view)
        shuffled = recommended(view, shuffle=True)
        assert sorted(shuffled.entries, key=lambda entry: entry.rank) == list(plain.entries)
        assert shuffled == recommended(view, shuffle=True)
        orders.add(tuple(entry.rank for entry in shuffled.entries))
    assert len(orders) > 2


async def prompts_of(graph: str, view: View, **recommender: Any) -> dict[str, Any]:
    config = graphs.at(
        graphs.change(graphs.read(graph), recommender={"options": recommender}), view.players
    )
    return requests(config, view, await turn_of(config, view))


@pytest.mark.parametrize("graph", PLANNERS)
async def test_who_hears_the_list_is_told_its_moves_alone_in_its_order(graph: str) -> None:
    view = position("4p-one-life")
    told = await prompts_of(graph, view, shuffle=True)
    listed = recommended(view, shuffle=True).moves
    for node, ask in told.items():
        parts = {part.name: part.text for part in ask.parts}
        if node == "first_order":
            assert "legal_moves" not in parts and not ask.moves
            continue
        assert list(ask.moves.items()) == [
            (str(number), move) for number, move in enumerate(listed)
        ]
        assert "recommender listed, of 27 legal ones" in parts["legal_moves"]
        assert all(
            f"{number}: {move}\n" in parts["legal_moves"] for number, move in enumerate(listed)
        )
        assert "rank:" not in parts.get("notes", "") and "recommender" not in parts.get("notes", "")
    assert list(told) == [node for node in graphs.read(graph).nodes if node != "recommender"]


async def test_with_no_recommender_all_moves_are_told() -> None:
    alone = graphs.without(graphs.read("tom_planner_0"), "recommender")
    assert tuple(requests(alone, LAST, {})["planner"].moves.values()) == LAST.legal
    with pytest.raises(
        UserError, match=r"option 'k' .* is 0; it can be: 5, 3, all, a number from 1 to 50"
    ):
        await prompts_of("tom_planner_0", LAST, k=0)


async def test_letters_label_a_shortlist_too() -> None:
    config = graphs.dotted(graphs.read("tom_planner_0"), ["options.legal_moves.labels=letters"])
    ask = requests(config, LAST, await turn_of(config, LAST))["planner"]
    assert list(ask.moves) == ["A", "B", "C", "D", "E"]


async def test_a_refused_move_leaves_the_list_and_the_others_keep_their_labels() -> None:
    data = graphs.read("tom_planner_0").model_dump() | {
        "check": {"judge": "check", "redo": "planner"}
    }
    data["nodes"]["check"] = {"role": "self_verifier", "reads": ["planner"]}
    brain = scripted(
        plan_evaluator=lambda ask: {
            "plans": [],
            "reason": "r",
            "action": "1" if ask.node == "planner" else "2",
        },
        self_verifier=lambda ask: {
            "reason": f"the move of {ask.node}",
            "accept": ask.node != "check",
        },
    )
    decision, _ = await turn(checked(data, "planner"), brain)
    first, again = (ask for ask in brain.asked if ask.role == "plan_evaluator")
    assert list(again.moves.items()) == [pair for pair in first.moves.items() if pair[0] != "1"]
    listed = recommended(LAST)
    assert decision.move == listed.moves[2] and decision.rank == 3 and decision.node == "planner-2"


async def test_a_move_outside_the_list_is_asked_again() -> None:
    outside = next(move for move in LAST.legal if move not in recommended(LAST).moves)
    brain = scripted(
        plan_evaluator=lambda ask: {
            "plans": [],
            "reason": "r",
            "action": str(outside) if ask.ask == 0 else "0",
        }
    )
    decision, events = await turn("tom_planner_0", brain)
    calls = [event for event in events if isinstance(event, Call) and event.node == "planner"]
    assert [call.outcome for call in calls] == [
        "reasked",
        "ok",
    ] and "is not a legal move now" in str(calls[0].error)
    assert decision.move == recommended(LAST).moves[0] and decision.rank == 1


@pytest.mark.parametrize("graph", PLANNERS)
@pytest.mark.parametrize("players", (2, 3, 4, 5))
async def test_whole_games_keep_to_the_list_and_the_journal_says_the_rank(
    graph: str, players: int
) -> None:
    events = await events_of(graph, players=players, seed=6)
    lists = {
        event.turn: event
        for event in events
        if isinstance(event, Call) and event.node == "recommender"
    }
    plans = {
        event.turn: event for event in events if isinstance(event, Call) and event.node == "planner"
    }
    decided = [event for event in events if isinstance(event, Decided)]
    assert len(decided) > 20
    for event in decided:
        listed = _reply(lists[event.turn])
        planned = _reply(plans[event.turn])
        ranks = {entry["action"]: entry["rank"] for entry in listed["entries"]}
        assert event.rank == ranks[str(event.move)] <= 5
        assert [plan["action"] for plan in planned["plans"]] == list(ranks)
        assert all(-25 <= plan["gain"] <= 25 for plan in planned["plans"])


def _reply(call: Call) -> dict[str, Any]:
    assert call.reply is not None
    return call.reply


async def test_a_graph_without_a_recommender_has_no_ranks() -> None:
    events = await events_of("watson", players=2, seed=6)
    assert {event.rank for event in events if isinstance(event, Decided)} == {None}


@pytest.mark.parametrize("graph", PLANNERS)
async def test_the_baseline_always_takes_the_first(graph: str) -> None:
    config = graphs.dotted(graphs.read(graph), ["nodes.planner.role=first_ranked"])
    events: list[Event] = await events_of(config, players=3, seed=2)
    assert {event.rank for event in events if isinstance(event, Decided)} == {1}
    shuffled = graphs.change(config, recommender={"options": {"shuffle": True}})
    moves = [event.move for event in events if isinstance(event, Decided)]
    assert moves == [
        e.move for e in await events_of(shuffled, players=3, seed=2) if isinstance(e, Decided)
    ]


def planned(view: View, notes: Notes) -> PlannedChoice:
    solve = roles.get("plan_evaluator").solve
    assert solve is not None
    found = solve(cut(view, [(kind, {}) for kind in TAKES]), notes)
    assert isinstance(found, PlannedChoice)
    return found


def shortlist(*moves: Any) -> Shortlist:
    return Shortlist(
        entries=tuple(Recommended(action=m, rank=i, why="w") for i, m in enumerate(moves, 1))
    )


def test_the_planners_program_saves_a_hint_that_its_owner_does_not_need() -> None:
    view, lesson = next(
        (view, found)
        for view in literal_views(2, 3)
        for found in literal_play.lessons(at(view))
        if found.plays
        and not found.saves
        and len(_playable(view, found.touched, found.hint.to)) == 1
    )
    other = next(move for move in view.legal if move != lesson.hint and not isinstance(move, Play))
    (slot,) = _playable(view, lesson.touched, lesson.hint.to)
    belief = Belief(
        seat=lesson.hint.to, knows="", pattern="", next_action="", plays=slot, chance=0.9
    )
    notes: Notes = {"r": (shortlist(lesson.hint, other),)}
    assert planned(view, notes).action == lesson.hint
    assert planned(view, {**notes, "f": (FirstOrder(beliefs=(belief,)),)}).action == other
    doubted = MoveReading(action=lesson.hint, reading="", understood=0.2)
    assert (
        planned(view, {**notes, "s": (SecondOrder(mirrors=(), readings=(doubted,)),)}).action
        == other
    )


def _playable(view: View, slots: tuple[int, ...], seat: int) -> list[int]:
    cards = at(view).hands[seat]
    return [
        slot
        for slot in slots
        if cards[slot].rank == view.fireworks["RYGWB".index(cards[slot].colour)] + 1
    ]


def test_beliefs_are_about_every_partner_and_readings_about_every_move() -> None:
    for view in map(position, POSITIONS):
        for name in ("first_order", "second_order"):
            role = roles.get(name)
            assert role.solve is not None
            found = role.solve(cut(view, [(kind, {}) for kind in role.takes]), {})
            seats = [hand.seat for hand in view.hands]
            if isinstance(found, FirstOrder):
                assert [belief.seat for belief in found.beliefs] == seats
            else:
                assert isinstance(found, SecondOrder)
                assert [mirror.seat for mirror in found.mirrors] == seats
                assert tuple(reading.action for reading in found.readings) == view.legal


def test_a_plan_in_plain_text_is_no_second_chosen_move() -> None:
    moves = dict(enumerate(LAST.legal))
    made = planned(LAST, {"r": (recommended(LAST),)})
    text = writer.write(PlannedChoice, made.as_data())
    assert "\n- action: " in text
    assert (
        read(text, PlannedChoice, {str(n): move for n, move in moves.items()}, "text").reply == made
    )
    other = made.model_copy(update={"action": LAST.legal[0]})
    drafted = f"{text}\n\n{writer.write(PlannedChoice, other.as_data())}"  # after a whole draft the last one counts
    assert (
        read(drafted, PlannedChoice, {str(n): move for n, move in moves.items()}, "text").reply
        == other
    )
    with pytest.raises(Unreadable, match="in two ways"):
        read(
            f"{text}\nChosen move: {LAST.legal[0]}",
            PlannedChoice,
            {str(n): m for n, m in moves.items()},
            "text",
        )


def test_a_wrong_option_of_the_recommender_is_named() -> None:
    with pytest.raises(
        UserError,
        match="option 'k' of role 'action_recommender' is 'many'; it can be: 5, 3, all, a",
    ):
        graphs.change(graphs.read("tom_planner_0"), recommender={"options": {"k": "many"}})
    with pytest.raises(UserError, match="only a program plays role 'first_ranked'"):
        graphs.dotted(
            graphs.read("tom_planner_0"), ["nodes.planner={role: first_ranked, model: other}"]
        )


def test_an_opening_move_that_is_a_hint_has_a_rank() -> None:
    assert recommended(OPENING, k="all").rank(HintRank(to=0, rank=1)) is None
    assert recommended(OPENING, k="all").rank(recommended(OPENING).moves[1]) == 2
