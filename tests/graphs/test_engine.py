"""Which engine calls the nodes of a graph, and what a tracer sees of a game."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
import structlog
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda

from benchmarks.engine_cost import measure
from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import langgraph_compile
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles import sections
from tests.support.small_graph import OPENING


class Seen(BaseCallbackHandler):
    """The runs that a handler is told of: name, metadata and parent by id."""

    def __init__(self) -> None:
        self.runs: dict[UUID, tuple[str, dict[str, Any], UUID | None]] = {}
        self.inputs: list[Any] = []

    def on_chain_start(self, serialized: Any, inputs: Any, **told: Any) -> None:
        self.runs[told["run_id"]] = (
            told.get("name", ""),
            told.get("metadata") or {},
            told.get("parent_run_id"),
        )
        self.inputs.append(inputs)

    def named(self, start: str) -> list[tuple[str, dict[str, Any], UUID | None]]:
        return [run for run in self.runs.values() if run[0].startswith(start)]


async def test_a_game_is_one_trace() -> None:
    seen = Seen()
    seat = graphs.seat("house", callbacks=[seen])
    with structlog.contextvars.bound_contextvars(arm="full"):
        await play_async(seat, players=2, seed=1, max_turns=3)
    (root,) = [run for run, (_, _, parent) in seen.runs.items() if parent is None]
    name, told, _ = seen.runs[root]
    assert name == "game house" and told["arm"] == "full" and told["players"] == 2
    turns = seen.named("turn ")
    assert [name for name, _, _ in turns] == ["turn 1, P0", "turn 2, P1", "turn 3, P0"]
    assert {parent for _, _, parent in turns} == {root} and {
        told["thread_id"] for _, told, _ in turns
    } == {told["thread_id"]}
    assert [(told["turn"], told["seat"], told["arm"]) for _, told, _ in turns] == [
        (turn, (turn - 1) % 2, "full") for turn in (1, 2, 3)
    ]
    assert (
        len(seen.named("aggregator")) == 3
        and seen.named("aggregator")[0][1]["role"] == "aggregator"
    )
    assert all("deck" not in inputs for inputs in seen.inputs if isinstance(inputs, dict))


async def test_handlers_of_a_seat_join_those_of_a_runnable_around_the_game() -> None:
    own = Seen()
    outer = Seen()
    seat = graphs.seat("house", callbacks=[own])

    async def game(_: object) -> None:
        await play_async(seat, players=2, seed=1, max_turns=1)

    await RunnableLambda(game).ainvoke(None, {"callbacks": [outer], "run_name": "mine"})
    ((root, (_, _, parent)),) = [
        (run, told) for run, told in own.runs.items() if told[0] == "game house"
    ]
    assert outer.runs.keys() - own.runs.keys() == {parent} and outer.named("mine")
    assert {node for node, _, above in own.runs.values() if above == root} == {"turn 1, P0"}
    assert {"aggregator", "safety"} <= {name for name, _, _ in outer.runs.values()}


async def test_who_listens_decides_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []
    ours = langgraph_compile.play

    async def noted(*arguments: Any) -> Any:
        played.append("langgraph")
        return await ours(*arguments)

    monkeypatch.setattr(langgraph_compile, "play", noted)
    always, never = (
        graphs.setting(graphs.read("house"), engine=engine) for engine in ("langgraph", "walk")
    )
    moves = []
    for config, callbacks, expected in (
        ("house", [], 0),
        (always, [], 1),
        ("house", [Seen()], 1),
        (never, [Seen()], 0),
    ):
        played.clear()
        moves.append((await graphs.seat(config, callbacks=callbacks)(OPENING, {})).move)
        assert len(played) == expected
    monkeypatch.setattr("hanabi_orchestrator.graphs.tracing.listens", lambda callbacks: True)
    await graphs.seat("house")(OPENING, {})
    assert len(played) == 1 and len(set(moves)) == 1
    with pytest.raises(UserError, match="engine: walk is for programs alone"):
        graphs.seat(never, "sim:average")


async def test_a_seat_reads_no_view_again_and_makes_its_sections_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seat = graphs.seat(graphs.setting(graphs.read("house"), engine="langgraph"))
    views = list[View]()
    new = sections._Made.__init__

    def counted(cache: sections._Made, view: View) -> None:
        views.append(view)
        new(cache, view)

    monkeypatch.setattr(
        "hanabi_orchestrator.graphs.turn_state.VALIDATED",
        lambda data: pytest.fail("the table's view is there"),
    )
    monkeypatch.setattr(sections._Made, "__init__", counted)
    await asyncio.gather(*(seat(OPENING.model_copy(), {}) for _ in range(3)))
    assert len(views) == 3


def test_a_switch_of_langsmith_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    from hanabi_orchestrator.graphs.tracing import listens
    from hanabi_orchestrator.orchestrator.models.llm_runs import SWITCHES

    for name in SWITCHES:
        monkeypatch.delenv(name, raising=False)
    assert not listens()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert listens()


def test_the_cost_of_langgraph_is_measured_on_the_same_games() -> None:
    spent = measure("house_solo", 1, players=2)
    assert spent["langgraph"][0] > spent["walk"][0] > 0
