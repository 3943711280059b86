"""What LangChain's callbacks are told of a game: every request as an `llm` run, and no key and no hidden card."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from aiohttp import web
from langchain_core.callbacks import BaseCallbackHandler, UsageMetadataCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.graph_seat import Model
from hanabi_orchestrator.orchestrator import play_async
from hanabi_orchestrator.orchestrator.errors import Suspended
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from tests.support.servers import completion, quick, server

KEY = "sk-marker-of-a-key"


class Watching(BaseCallbackHandler):
    """Keeps every run: its parent, and all that it is told."""

    def __init__(self) -> None:
        self.parents: dict[UUID, UUID | None] = {}
        self.names: dict[UUID, str] = {}
        self.llm: dict[UUID, dict[str, Any]] = {}
        self.heard: list[str] = []

    def _told(self, *data: Any) -> None:
        self.heard += [repr(item) for item in data]

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **more: Any) -> None:
        self.parents[run_id], self.names[run_id] = more["parent_run_id"], more.get("name") or ""
        self._told(serialized, inputs, more["tags"], more["metadata"])

    def on_chain_end(self, outputs: Any, **more: Any) -> None:
        self._told(outputs)

    def on_chain_error(self, error: BaseException, **more: Any) -> None:
        self._told(error)

    def on_chat_model_start(
        self, serialized: Any, messages: list[list[BaseMessage]], *, run_id: UUID, **more: Any
    ) -> None:
        self.parents[run_id] = more["parent_run_id"]
        self.llm[run_id] = {"messages": messages[0], **more}
        self._told(serialized, messages, more)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        self.llm[run_id]["response"] = response
        self._told(response)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self.llm[run_id]["error"] = error
        self._told(error, error.__cause__, error.__context__)


async def watched(seat: Any, *handlers: BaseCallbackHandler, **options: Any) -> list[Call]:
    calls: list[Call] = []

    async def game(_: object) -> None:
        await play_async(
            seat,
            players=2,
            sink=lambda event: calls.append(event) if isinstance(event, Call) else None,
            **options,
        )

    try:
        await RunnableLambda(game).ainvoke(
            None, {"callbacks": list(handlers), "run_name": "a game"}
        )
    finally:
        await seat.aclose()
    return [call for call in calls if call.of_model]


@pytest.fixture(params=["openai", "langchain"])
def provider(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


def asked(provider: str, url: str) -> Model:
    return (
        ChatOpenAI(model="fake", base_url=url, api_key=SecretStr(KEY))
        if provider == "langchain"
        else quick(url)
    )


async def test_every_request_is_an_llm_run_under_the_run_of_its_node(provider: str) -> None:
    watching = Watching()
    usage = UsageMetadataCallbackHandler()
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        calls = await watched(
            graphs.seat("cac", asked(provider, url)), watching, usage, seed=1, max_turns=3
        )
    assert len(watching.llm) == len(calls) > 6
    for run, call in zip(watching.llm.values(), calls, strict=True):
        assert {
            f"node:{call.node}",
            f"role:{call.role}",
            f"turn:{call.turn}",
            f"seat:{call.seat}",
            "graph:cac",
        } <= {*run["tags"]}
        assert (
            run["metadata"]["hanabi_sample"] == call.sample
            and run["metadata"]["ls_model_name"] == "fake"
        )
        assert [message.content for message in run["messages"]] == [
            message.content for message in call.messages
        ]
        (answered,) = run["response"].generations[0]
        told = answered.message.usage_metadata
        assert answered.text == call.text and (told["input_tokens"], told["output_tokens"]) == (
            call.tokens_in,
            call.tokens_out,
        )
        assert watching.names[run["parent_run_id"]] == call.node
    assert usage.usage_metadata["fake"]["output_tokens"] == sum(call.tokens_out for call in calls)


async def test_runs_of_a_game_are_one_tree(provider: str) -> None:
    watching = Watching()
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        await watched(graphs.seat("watson", asked(provider, url)), watching, seed=1, max_turns=2)
    roots = [run for run, parent in watching.parents.items() if parent is None]
    assert [watching.names[run] for run in roots] == ["a game"]


async def test_a_failed_try_is_a_run_of_its_own_and_holds_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", KEY)
    answers = iter(
        (
            web.json_response({"error": {"message": f"{KEY} is busy"}}, status=503),
            completion(f"{KEY} plays"),
        )
    )

    async def handle(_: web.Request) -> web.Response:
        return next(answers, completion("{}"))

    watching = Watching()
    async with fake_endpoint.serving(server(handle)) as url:
        await watched(graphs.seat("watson", quick(url)), watching, seed=1, max_turns=1)
    first, second, *_ = watching.llm.values()
    assert str(first["error"]) == "the model server answered HTTP 503: *** is busy"
    assert second["response"].generations[0][0].text == "*** plays"
    assert KEY not in "".join(watching.heard)


async def test_a_cancelled_request_ends_its_run() -> None:
    sent = asyncio.Event()

    async def handle(_: web.Request) -> web.Response:
        sent.set()
        await asyncio.sleep(60)
        return completion("{}")

    watching = Watching()
    async with fake_endpoint.serving(server(handle)) as url:
        game = asyncio.create_task(
            watched(graphs.seat("cac", quick(url)), watching, seed=1, max_turns=1)
        )
        await sent.wait()
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game
    (run,) = watching.llm.values()
    assert str(run["error"]) == "the request was cancelled" and "response" not in run


async def test_no_key_is_told_where_the_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANABI_API_KEY", KEY)

    async def handle(request: web.Request) -> web.Response:
        return web.json_response(
            {"error": {"message": f"wrong {request.headers['Authorization']}"}}, status=400
        )

    watching = Watching()
    async with fake_endpoint.serving(server(handle)) as url:
        with pytest.raises(Suspended):
            await watched(graphs.seat("watson", quick(url)), watching, seed=1, max_turns=1)
    assert watching.llm and KEY not in "".join(watching.heard)


async def test_no_run_holds_a_hidden_card(provider: str) -> None:
    """Whatever hand and deck the player to move does not see, every run of their turn is told the same."""
    dealt = deal(1)
    others = dealt[5:10]
    hidden = [*dealt[:5], *dealt[10:]]
    decks = ([*hidden[:5], *others, *hidden[5:]], [*hidden[::-1][:5], *others, *hidden[::-1][5:]])
    told = []
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        for deck in decks:
            watching = Watching()
            seat = graphs.seat("cac", asked(provider, url))
            await watched(
                seat, watching, deck=[str(card) for card in deck], label="one", max_turns=1
            )
            told.append(watching.heard)
    assert len(told[0]) > 20 and [without_ids(text) for text in told[0]] == [
        without_ids(text) for text in told[1]
    ]


def without_ids(text: str) -> str:
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|fake-\w+", "", text)
