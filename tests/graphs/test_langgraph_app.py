"""`langgraph.json`: a seat's graph as LangGraph's own tools open it."""

import importlib.util
import itertools
import json
from functools import partial
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Decided
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.support.folders import ROOT
from tests.support.positions import literal_views
from tests.support.prove import FULL
from tests.support.small_graph import LAST, OPENING


def factory() -> Any:
    """The factory, imported from its path as those tools do."""
    named = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    path, _, name = named["graphs"]["house"].partition(":")
    spec = importlib.util.spec_from_file_location("opened", ROOT / path)
    assert spec and spec.loader and named["dependencies"] == ["."]
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def as_input(view: View) -> dict[str, Any]:
    """What a person pastes from a journal: a view without its defaults."""
    shown: dict[str, Any] = json.loads(view.model_dump_json(exclude_defaults=True))
    return {"view": shown}


def test_what_goes_in_and_comes_out_has_a_schema() -> None:
    opened = factory()({})
    given = opened.get_input_jsonschema()
    assert set(given["properties"]) == {"view", "memory"} and given["required"] == ["view"]
    assert "legal" in given["properties"]["view"]["properties"], "a form can be made of it"
    assert set(opened.get_output_jsonschema()["properties"]) == {"decision", "memory", "notes"}
    assert set(opened.get_context_jsonschema()["properties"]) == {"graph", "model", "players"}


@pytest.mark.parametrize("view", (LAST, OPENING))
async def test_plain_data_goes_in_and_the_decision_comes_out(view: View) -> None:
    opened = factory()({"configurable": {"players": view.players}})
    decision = await graphs.seat("house")(view, {})
    done = await opened.ainvoke(as_input(view))
    assert json.loads(json.dumps(done)) == done, "plain data"
    assert (
        done["decision"]["move"] == str(decision.move)
        and done["decision"]["reason"] == decision.why
    )
    assert done["notes"]["aggregator"]["replies"][0]["action"] == str(decision.move)
    assert await opened.ainvoke({"view": view}) == done, "a view goes in as it is"


async def test_a_loop_over_the_app_plays_as_a_seat_does() -> None:
    """Games of each graph, the memory of each seat handed on."""
    for name, seed in itertools.product(
        ("house", "cac", "moa_sherlock", "tom_planner_2"), range(1, 6 if FULL else 3)
    ):
        app: Any = graphs.build(name, players=2)
        referee = Referee(2, deal(seed))
        memories = dict[int, Any]()
        moves = list[str]()
        played = list[str]()
        while not referee.over and len(moves) < TURNS:
            view = referee.view()
            done = await app.ainvoke({"view": view, "memory": memories.get(view.seat, {})})
            memories[view.seat] = done["memory"]
            moves.append(done["decision"]["move"])
            referee.apply(view.legal[list(map(str, view.legal)).index(moves[-1])])
        seat = graphs.seat(name)
        await play_async(seat, players=2, seed=seed, max_turns=TURNS, sink=partial(noted, played))
        assert moves == played and len(moves) >= 10


TURNS = 100 if FULL else 10


def noted(moves: list[str], event: Any) -> None:
    if isinstance(event, Decided):
        moves.append(str(event.move))


async def test_a_turn_is_stopped_before_the_rule_changed_and_resumed() -> None:
    """A person reads the choice, puts another in its place, and the rule judges that."""
    app: Any = graphs.build("house", 2, checkpointer=InMemorySaver(), interrupt_before=["safety"])
    thread: Any = {"configurable": {"thread_id": "1"}}
    stopped = await app.ainvoke(as_input(OPENING), thread)
    assert not stopped["decision"] and (await app.aget_state(thread)).next == ("safety",)
    note = stopped["notes"]["aggregator"]
    other = next(str(move) for move in OPENING.legal if str(move) != note["replies"][0]["action"])
    note["replies"] = [{"reason": "the person says so", "action": other}]
    await app.aupdate_state(thread, {"notes": {"aggregator": note}})
    done = await app.ainvoke(None, thread)
    assert done["decision"]["move"] == other and done["decision"]["node"] == "aggregator"


async def test_a_thread_holds_a_game_and_its_past(caplog: pytest.LogCaptureFixture) -> None:
    """No note of an earlier turn, or of an earlier run of the same turn, counts; nothing stored needs a type."""
    strict = graphs.dotted(
        graphs.read("house"), ["verify.limits={1: 1.0, 2: 1.0, 3: 1.0}", "verify.conventions=false"]
    )
    app: Any = graphs.build(strict, 2, checkpointer=InMemorySaver())
    fresh: Any = graphs.build(strict, 2)
    thread: Any = {"configurable": {"thread_id": "game"}}
    redone = 0
    for view in [view for view in literal_views(2, 4) for _ in range(2)][::5]:
        before = await fresh.ainvoke(as_input(view))
        after = await app.ainvoke({"view": view}, thread)
        assert after["decision"] == before["decision"] and after["memory"] == before["memory"]
        redone += "aggregator-2" in before["notes"]
    history = [state async for state in app.aget_state_history(thread)]
    again = next(state for state in history if state.next == ("safety",))
    assert (await app.ainvoke(None, again.config))["decision"] == after["decision"]
    assert redone and not caplog.records, "no warning of an unregistered type"


async def test_every_stream_shows_the_nodes() -> None:
    app: Any = graphs.build("cac", 2)
    for mode in ("values", "updates", "tasks", "debug", "custom", "messages", "checkpoints"):
        chunks = [chunk async for chunk in app.astream(as_input(OPENING), stream_mode=mode)]
        assert bool(chunks) == (mode in ("values", "updates", "tasks", "debug")), mode
        assert (
            mode != "updates"
            or [*dict.fromkeys(name for chunk in chunks for name in chunk)][-1] == "played-move"
        )


async def test_a_graph_is_a_node_of_somebodys_graph() -> None:
    def cheer(state: graphs.TurnState) -> dict[str, Any]:
        return {"decision": {**state["decision"], "reason": "hooray"}}

    outer: Any = StateGraph(graphs.TurnState)
    outer.add_sequence([("house", graphs.build("house", 2)), ("cheer", cheer)])
    outer.add_edge(START, "house")
    done = await outer.compile().ainvoke({"view": OPENING})
    alone = await graphs.seat("house")(OPENING, {})
    assert (done["decision"]["move"], done["decision"]["reason"]) == (str(alone.move), "hooray")


async def test_a_redo_is_drawn_as_one_loop() -> None:
    app = graphs.build("cac", 2)
    edges = {(edge.source, edge.target) for edge in app.get_graph().edges}
    assert {("check", "generate"), ("generate", "check")} <= edges
    assert not [name for name in app.get_graph().nodes if name.endswith(("-2", "-3"))]
    assert (await app.aget_graph()).draw_mermaid() == app.get_graph().draw_mermaid()
    assert "generate-2" in app.nodes, "whatever it is compiled to"


async def test_another_graph_and_model_may_be_named() -> None:
    brain = Scripted({"proposer": {"reason": "r", "action": 0}})
    config = {"configurable": {"players": 2, "graph": "spin_bench", "model": brain}}
    done = await factory()(config).ainvoke(as_input(OPENING))
    assert [ask.node for ask in brain.asked] == list(done["notes"]) == ["proposer"]


async def test_a_wrong_setting_is_one_sentence() -> None:
    with pytest.raises(UserError, match="the view is of 5 players; set `players` to that, not 3"):
        await factory()({}).ainvoke(as_input(LAST))
    with pytest.raises(UserError, match="unknown graph 'huose'"):
        factory()({"configurable": {"graph": "huose"}})
