"""A graph of programs leaves the same notes node by node as by LangGraph's scheduler."""

from typing import Any

import pytest

import graphs
from graphs.langgraph_compile import build
from graphs.node import SeatRuntime, SeatState
from graphs.walk import Walk, walk
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event
from orchestrator.table.seat import GameContext
from tests.support.positions import random_views

NAMES = [name for name in graphs.names() if name != "house_planner"]  # the same nodes and one that takes its time


def bound(name: str, players: int) -> graphs.GraphConfig:
    config = graphs.verified(graphs.read(name), "safety")
    return graphs.at(graphs.bind(config, {"default": "program"}), players)


async def both(name: str, view: View) -> tuple[Any, Any]:
    """What is left and told by the walk, and by LangGraph."""
    config, found = bound(name, view.players), []
    for walked in (walk(config), None):
        events: list[Event] = []
        state: SeatState = {"view": view, "memory": {}, "notes": {}, "failed": []}
        runtime = SeatRuntime({}, GameContext(events.append))
        done = await (walked(state, runtime) if walked else build(config, view.players).ainvoke(state, context=runtime))
        found.append((done["notes"], sorted(event.model_dump_json() for event in events)))
    return found[0], found[1]


@pytest.mark.parametrize("name", NAMES)
async def test_the_walk_leaves_what_langgraph_leaves(name: str) -> None:
    for players in (2, 4):
        for view in random_views(players, seed=players)[::9]:
            walked, scheduled = await both(name, view)
            assert walked == scheduled and walked[1]


def test_a_graph_that_asks_a_model_is_not_walked() -> None:
    config = graphs.replace(graphs.read("house"), aggregator="other")
    assert walk(graphs.at(graphs.bind(config, {"default": "program", "other": "openai:some"}), 3)) is None
    assert isinstance(walk(bound("house", 3)), Walk)
