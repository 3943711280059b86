"""`langgraph.json`: a seat's graph as LangGraph's own tools open it."""

import importlib.util
import json
from typing import Any

import pytest

import graphs
from orchestrator.errors import UserError
from orchestrator.hanabi.view import View
from orchestrator.models.request import Scripted
from roles import Choice
from tests.support.folders import ROOT
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


def test_its_nodes_are_the_houses() -> None:
    opened = factory()({})
    assert set(opened.get_graph().nodes) == set(graphs.build(graphs.read("house"), 3).get_graph().nodes)
    assert set(opened.get_input_jsonschema()["properties"]) == {"view", "memory"}
    assert "notes" in opened.get_output_jsonschema()["properties"]
    assert opened.context_schema is None  # the tools make one of plain data, and a SeatRuntime is none


@pytest.mark.parametrize("view", (LAST, OPENING))
async def test_plain_data_goes_in_and_the_notes_come_out(view: View) -> None:
    opened = factory()({"configurable": {"players": view.players}})
    done = await opened.ainvoke(as_input(view))
    decision = await graphs.seat("house")(view, {})
    (choice,) = done["notes"]["aggregator"]
    assert isinstance(choice, Choice) and choice.action == decision.move


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
