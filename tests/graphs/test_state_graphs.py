"""A LangGraph graph of somebody's own as a seat: conditional edges, loops, `Send`, functions, graphs inside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page import turn_page
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study.seat_spec import read_seat
from hanabi_orchestrator.graphs.state_graph_seat import StateGraphSeat
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import Suspended, TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from tests.support.small_graph import OPENING


def state_graph() -> Any:
    return StateGraph(graphs.TurnState)


def looped(model: Any = "program", times: int = 2) -> Any:
    """A proposer whom a strict function sends back."""

    def again(state: graphs.TurnState) -> str:
        return (
            "proposer"
            if len([name for name in state["notes"] if name.startswith("proposer")]) < times
            else END
        )

    graph = state_graph()
    graph.add_node("proposer", graphs.role_node("proposer", model, reads="proposer"))
    graph.add_edge(START, "proposer")
    graph.add_conditional_edges("proposer", again)
    return graph.compile(name="looped")


async def asked(app: Any) -> tuple[Any, list[Call]]:
    """The decision at the opening, and the calls in the journal."""
    events = list[Event]()
    seat = graphs.seat(app).bind(GameContext(events.append))
    decision = await seat(OPENING, {})
    return decision, [event for event in events if isinstance(event, Call)]


async def test_a_loop_numbers_its_visits() -> None:
    decision, calls = await asked(looped(times=3))
    assert [call.node for call in calls] == ["proposer", "proposer-2", "proposer-3"]
    assert decision.node == "proposer-3" and not decision.forced


async def test_send_asks_a_role_several_times_at_once() -> None:
    graph = state_graph()
    graph.add_node("analyst", graphs.role_node("analyst"))
    graph.add_node("chooser", graphs.role_node("aggregator", reads=["analyst"]))
    graph.add_conditional_edges(
        START, lambda state: [Send("analyst", state) for _ in range(3)], ["analyst"]
    )
    graph.add_edge("analyst", "chooser")
    decision, calls = await asked(graph.compile())
    assert [call.node for call in calls] == ["analyst", "analyst-2", "analyst-3", "chooser"]
    assert decision.node == "chooser"


async def test_functions_and_graphs_inside_are_in_the_journal() -> None:
    def coach(state: graphs.TurnState) -> dict[str, Any]:
        return {"decision": {**state["decision"], "reason": "as the coach says"}}

    graph = state_graph()
    graph.add_sequence([("house", graphs.build("house", 2)), ("coach", coach)])
    graph.add_edge(START, "house")
    decision, calls = await asked(graph.compile())
    alone = await graphs.seat("house")(OPENING, {})
    assert (decision.move, decision.why) == (alone.move, "as the coach says")
    assert [call.node for call in calls if call.role != "function"][-1] == "house.safety"
    (function,) = [call for call in calls if call.role == "function"]
    assert function.node == "coach" and set(function.reply or {}) == {"decision"}


async def test_a_graph_inside_that_runs_twice_is_numbered() -> None:
    house = graphs.build("house_solo", 2)

    graph = state_graph()
    graph.add_sequence([("first", house), ("second", house)])
    graph.add_edge(START, "first")
    _, calls = await asked(graph.compile())
    assert len({call.node for call in calls}) == len(calls)
    assert {call.node[:6] for call in calls} == {"first.", "second"}


async def test_a_refused_move_leaves_the_choice_and_a_stubborn_graph_is_forced() -> None:
    graph = state_graph()
    stubborn = Scripted({"proposer": {"reason": "r", "action": "play slot 0"}})
    graph.add_node("proposer", graphs.role_node("proposer", stubborn, reads="rule"))
    graph.add_node("rule", graphs.role_node("safety", judges="proposer"))
    graph.add_edge(START, "proposer")
    graph.add_edge("proposer", "rule")
    graph.add_conditional_edges(
        "rule", lambda state: END if "rule-2" in state["notes"] else "proposer"
    )
    decision, calls = await asked(graph.compile())
    first, second = (
        call.messages[-1].content for call in calls if call.role == "proposer" and call.ask == 0
    )
    assert "\n- play slot 0\n" in first and "\n- play slot 0\n" not in second
    assert "chosen and refused" not in first and "- play slot 0: by hints" in second
    assert decision.forced and "the last choice was refused" in decision.why


RISKY = {"reason": "r", "action": "play slot 0"}


async def test_a_resumed_game_asks_nobody_again(tmp_path: Path) -> None:
    class Failing(Scripted):
        async def __call__(self, request: Any, messages: Any, /) -> Any:
            if request.place.turn == 3 and request.node == "proposer-2" and self.fails:
                raise_lost()
            return await super().__call__(request, messages)

        fails = True

    def raise_lost() -> None:
        from hanabi_orchestrator.orchestrator.errors import ModelError

        raise ModelError("the line is dead")

    path = tmp_path / "game.jsonl"
    brain = Failing({"proposer": RISKY, "proposer-2": RISKY})
    seat = graphs.seat(looped(brain))
    with pytest.raises(Suspended):
        await play_async(seat, players=2, seed=1, journal=path, max_turns=4)
    before = len(brain.asked)
    Failing.fails = False
    await play_async(seat, players=2, seed=1, journal=path, max_turns=4)
    keys = [
        event.key
        for event in journal.read(path)
        if isinstance(event, Call) and event.text is not None
    ]
    assert len(set(keys)) == len(keys) == 6, "two calls a turn, each once"
    assert len(brain.asked) - before == 1, "what was answered in the third turn is not asked again"


async def test_what_cannot_be_played_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="a LangGraph graph has edges of its own"):
        graphs.without(looped(), "proposer")
    with pytest.raises(TurnError, match="the graph failed: GraphRecursionError"):
        await asked(looped(times=1000))
    plain: Any = StateGraph(dict)
    plain.add_sequence([("x", lambda state: state)])
    plain.add_edge(START, "x")
    with pytest.raises(UserError, match="the graph's state has no 'view'"):
        graphs.seat(plain)
    with pytest.raises(
        UserError,
        match="unknown role 'analist': a role of your own needs --import FILE; did you mean 'analyst'",
    ):
        graphs.role_node("analist")


async def test_the_page_shows_the_nodes_in_the_order_asked(tmp_path: Path) -> None:
    graph = state_graph()
    graph.add_sequence(
        [
            ("analyst", graphs.role_node("analyst")),
            ("choose", graphs.role_node("aggregator", reads="analyst")),
        ]
    )
    graph.add_edge(START, "analyst")
    await play_async(
        graphs.seat(graph), players=2, seed=1, journal=tmp_path / "game.jsonl", max_turns=2
    )
    game = Game.open(tmp_path / "game.jsonl")
    game.refresh()
    told = turn_page.turn(game, 2)
    shown = [
        (node["name"], node["role"], node["reads"], node["level"])
        for node in told["graph"]["nodes"]
    ]
    assert shown == [("analyst", "analyst", [], 0), ("choose", "aggregator", ["analyst"], 1)]
    assert told["graph"]["decides"] == "choose" and [call["node"] for call in told["calls"]] == [
        "analyst",
        "choose",
    ]


async def test_a_spec_names_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
from langgraph.graph import START, StateGraph
from hanabi_orchestrator import graphs
graph = StateGraph(graphs.TurnState)
graph.add_node("proposer", graphs.role_node("proposer"))
graph.add_edge(START, "proposer")
app = graph.compile()
"""
    (tmp_path / "somebodys.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    seat = read_seat("python:somebodys:app")
    assert isinstance(seat, StateGraphSeat) and seat.info.graph == "python:somebodys:app"
    assert (
        "proposer" in str(seat.info.drawing) and json.loads(seat.info.model_dump_json())["drawing"]
    )
    result = await play_async(seat, players=2, seed=1, max_turns=3)
    assert result.turns == 3 and not result.forced
