"""A graph of programs leaves the same notes node by node as by LangGraph's scheduler."""

import json
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.asking import SeatRuntime
from hanabi_orchestrator.graphs.langgraph_compile import compiled
from hanabi_orchestrator.graphs.node import SeatState
from hanabi_orchestrator.graphs.role_step import AT_TABLE
from hanabi_orchestrator.graphs.turn_state import plain_view, typed
from hanabi_orchestrator.graphs.walk import Walk, walk
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Notes
from tests.support.positions import literal_views, random_views
from tests.support.prove import FULL

NAMES = [
    name for name in graphs.names("hanabi") if name != "house_planner"
]  # the same nodes and one that takes its time


def bound(name: str, players: int) -> graphs.GraphConfig:
    config = graphs.verified(graphs.read(name), "safety")
    return graphs.at(graphs.bind(config, {"default": "program"}), players)


async def both(config: graphs.GraphConfig, view: View) -> tuple[Any, Any]:
    """What is left and told by the walk, and by LangGraph."""
    found: list[Any] = []
    for walked in (walk(config), None):
        events: list[Event] = []
        runtime = SeatRuntime({}, GameContext(events.append))
        state: SeatState = {"view": view, "memory": {}, "notes": {}}
        notes = (
            (await walked(state, runtime))["notes"]
            if walked
            else await scheduled(config, view, runtime)
        )
        found.append((notes, sorted(event.model_dump_json() for event in events)))
    return found[0], found[1]


async def scheduled(config: graphs.GraphConfig, view: View, runtime: SeatRuntime) -> Notes:
    """The notes that LangGraph leaves."""
    token = AT_TABLE.set(runtime)
    app = compiled(config.model_dump_json(), view.players)
    notes = (await app.ainvoke({"view": plain_view(None, view)}))["notes"]
    AT_TABLE.reset(token)
    return typed(notes, notes)


@pytest.mark.parametrize("name", NAMES)
async def test_the_walk_leaves_what_langgraph_leaves(name: str) -> None:
    for players in (2, 4):
        for view in random_views(players, seed=players)[:: 9 if FULL else 18]:
            walked, scheduled = await both(bound(name, players), view)
            assert walked == scheduled and walked[1]


@pytest.mark.parametrize("name", ["watson", "house"])
async def test_a_refused_choice_is_asked_again_by_the_walk_as_by_langgraph(name: str) -> None:
    """The rule refuses any play that may fail, and both graphs make such plays while they have lives to spare."""
    strict = graphs.dotted(
        bound(name, 2), ["verify.limits={1: 1.0, 2: 1.0, 3: 1.0}", "verify.conventions=false"]
    )
    refusals = 0
    for view in [
        view
        for seed in (4, 5)
        for view in literal_views(2, seed)
        if not view.deck_size or view.turn % 4 == 0
    ]:
        walked, scheduled = await both(strict, view)
        assert walked == scheduled
        events = [json.loads(line) for line in walked[1]]
        refused = sum(one["event"] == "verdict" and not one["accepted"] for one in events)
        asked = sum(node.split("-")[0] == strict.decides for node in walked[0])
        assert asked == 1 + min(refused, strict.at_most), (
            "once more after each refusal that may be asked again"
        )
        refusals += refused
    assert refusals


def test_a_graph_that_asks_a_model_is_not_walked() -> None:
    config = graphs.replace(graphs.read("house"), aggregator="other")
    assert (
        walk(graphs.at(graphs.bind(config, {"default": "program", "other": "openai:some"}), 3))
        is None
    )
    assert isinstance(walk(bound("house", 3)), Walk)
