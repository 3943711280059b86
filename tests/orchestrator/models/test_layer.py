"""The model layer: asks and re-asks, the OpenAI-compatible client, other LangChain models, the public doubles."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.recorded_answers import response_of
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models import layer as models
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Brain,
    Exchange,
    Message,
    ModelRequest,
    ModelResponse,
    Part,
    Scripted,
    answer,
    messages,
)
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles import Choice
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from tests.support.servers import GOOD, ask, server


async def asked(*answers: str) -> tuple[object, list[Exchange], Scripted]:
    waiting = list(answers)
    seen = list[Exchange]()
    brain = Scripted({"proposer": lambda _: waiting.pop(0)})
    return await answer(ask(), brain, seen.append), seen, brain


async def test_a_good_answer_is_asked_for_once() -> None:
    reply, seen, _ = await asked(GOOD)
    assert isinstance(reply, Choice) and reply.as_data() == {"reason": "r", "action": "play slot 1"}
    assert [exchange.outcome for exchange in seen] == ["ok"]


async def test_an_unusable_answer_is_asked_again_with_the_error_named() -> None:
    reply, seen, brain = await asked('{"reason": "r", "action": "play slot 7"}', GOOD)
    assert isinstance(reply, Choice)
    assert [exchange.outcome for exchange in seen] == ["reasked", "ok"]
    again = brain.heard[1]
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert "'play slot 7' is not a legal move now" in again[2].content


async def test_two_unusable_answers_are_an_absence() -> None:
    reply, seen, _ = await asked("", "prose")
    assert reply == Absent(reason="it holds no complete JSON object", cause="prose")
    assert [exchange.outcome for exchange in seen] == ["reasked", "fallback"]
    assert seen[0].recorded["prompt_hash"] != seen[1].recorded["prompt_hash"]


async def test_a_recorded_answer_that_was_unusable_stays_so() -> None:
    """A later version may read more, but a game that goes on, or is replayed, asked again at the time."""
    told: dict[str, Any] = {
        "turn": 1,
        "seat": 0,
        "node": "proposer",
        "role": "proposer",
        "model": "m",
    }
    calls = [
        Call(**told, text=GOOD, outcome="reasked", error="it had no reason"),
        Call(**told, text=GOOD.replace("slot 1", "slot 0"), ask=1),
    ]

    class Recorded(Scripted):
        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            return response_of(calls[request.ask])

    seen = list[Exchange]()
    reply = await answer(ask(), Recorded({}), seen.append)
    assert isinstance(reply, Choice) and str(reply.action) == "play slot 0"
    assert [(one.outcome, one.error) for one in seen] == [
        ("reasked", "it had no reason"),
        ("ok", None),
    ]


async def test_a_mended_answer_is_marked() -> None:
    _, seen, _ = await asked(f"```json\n{GOOD}\n```")
    assert [exchange.outcome for exchange in seen] == ["repaired"]


def test_messages_keep_the_parts_as_spans() -> None:
    system, user = messages(
        (Part("rules", "Rules.", "system"), Part("state", "State."), Part("history", "Past."))
    )
    assert (system.role, system.content) == ("system", "Rules.")
    assert [(span.name, user.content[span.start : span.end]) for span in user.spans] == [
        ("state", "State."),
        ("history", "Past."),
    ]


def test_the_response_format_is_flat_strict_and_built_once() -> None:
    for name in roles.names():
        made = response_format(roles.get(name).reply)
        assert made is response_format(roles.get(name).reply)
        text = json.dumps(made)
        assert "$ref" not in text and "$defs" not in text and "minimum" not in text
        _strict(made["json_schema"]["schema"])


def _strict(schema: object) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            assert (
                schema["required"] == list(schema["properties"])
                and schema["additionalProperties"] is False
            )
        for inner in schema.values():
            _strict(inner)
    elif isinstance(schema, list):
        for inner in schema:
            _strict(inner)


# Over the wire


async def test_the_openai_client_sends_what_is_set_and_keeps_what_comes_back() -> None:
    bodies = []

    async def complete(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return web.json_response(
            {
                "model": "served-1",
                "system_fingerprint": "fp",
                "choices": [
                    {
                        "message": {"content": GOOD, "reasoning_content": "hm"},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {
                    "prompt_tokens": 9,
                    "completion_tokens": 4,
                    "prompt_tokens_details": {"cached_tokens": 8},
                    "completion_tokens_details": {"reasoning_tokens": 3},
                },
            }
        )

    async with fake_endpoint.serving(server(complete)) as url:
        brain = ModelLayer().brain(f"openai:some@{url}")
        said = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    assert set(bodies[0]) == {
        "model",
        "messages",
        "response_format",
        "stream",
    }  # what is not set is not sent
    assert bodies[0]["stream"] is False
    assert bodies[0]["messages"] == [{"role": "user", "content": "A table."}]
    assert bodies[0]["response_format"]["json_schema"]["name"] == "Choice"
    assert (said.tokens_in, said.tokens_out, said.cached_tokens, said.reasoning_tokens) == (
        9,
        4,
        8,
        3,
    )
    assert (said.served_by, said.fingerprint, said.finish, said.reasoning) == (
        "served-1",
        "fp",
        "stop",
        "hm",
    )


async def test_a_page_is_no_model_server() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html>hello</html>", content_type="text/html")

    async with fake_endpoint.serving(server(page)) as url:
        layer, brain = checking(url)
        with pytest.raises(
            UserError, match="does not answer as a model server does, but with a page"
        ):
            await layer.check()
        await brain.aclose()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9/v1", "nothing listens there"),
        ("http://no-such-host.invalid/v1", "its host is unknown"),
    ],
)
async def test_why_a_server_cannot_be_reached_is_said(url: str, said: str) -> None:
    layer, brain = checking(url)
    with pytest.raises(UserError, match=said):
        await layer.check()
    await brain.aclose()


def checking(url: str) -> tuple[ModelLayer, Brain]:
    layer = ModelLayer()
    return layer, layer.brain(f"openai:some@{url}")


async def test_a_server_is_checked_before_the_first_call() -> None:
    async def forbid(_: web.Request) -> web.Response:
        return web.Response(status=403)

    async def missing(_: web.Request) -> web.Response:
        return web.Response(status=404)

    async with fake_endpoint.serving(server(missing)) as url:
        layer, brain = checking(url)
        await layer.check()  # not every server lists its models
        await brain.aclose()
    async with fake_endpoint.serving(server(forbid)) as url:
        layer, brain = checking(url)
        with pytest.raises(UserError, match="refuses access: HTTP 403"):
            await layer.check()
        await brain.aclose()
    layer, brain = checking(url)
    with pytest.raises(UserError, match="cannot reach a model server at"):
        await layer.check()
    await brain.aclose()


async def test_odd_counts_and_content_parts_are_read_as_far_as_they_go() -> None:
    async def odd(_: web.Request) -> web.Response:
        parts = [{"type": "text", "text": GOOD[:10]}, {"type": "text", "text": GOOD[10:]}]
        return web.json_response(
            {"usage": "many", "model": 7, "choices": [{"message": {"content": parts}}]}
        )

    async with fake_endpoint.serving(server(odd)) as url:
        brain = ModelLayer().brain(f"openai:some@{url}")
        said = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    assert (said.text, said.estimated, said.served_by) == (GOOD, True, None)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://HOST:PORT/v1", "is not a server's address"),
        ("http://[::1/v1", "is not a server's address"),
        ("http:///v1", "is not a server's address"),
        ("http://me:secret@host/v1", "cannot hold a user or a password"),
    ],
)
def test_a_url_that_is_no_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        models.transport(f"openai:some@{url}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("spec", ["gpt-4", "openai:", "anthropic:x", ""])
def test_an_unknown_model_is_named_with_the_known_forms(spec: str) -> None:
    with pytest.raises(UserError, match="nown: program, openai:NAME, openai:NAME@http"):
        models.transport(spec)


def test_an_address_without_its_scheme_is_told_with_it() -> None:
    with pytest.raises(
        UserError, match=r"begins with http:// or https://, e\.g\. openai:x@http://nowhere"
    ):
        models.transport("openai:x@nowhere")


def test_keys_go_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="needs a key: set OPENAI_API_KEY"):
        models.transport("openai:gpt-4.1-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    here, elsewhere = (
        models.transport(f"openai:gpt-4.1-mini{at}") for at in ("", "@http://127.0.0.1:1/v1")
    )
    assert isinstance(here, OpenAITransport) and here.secrets == ("sk-mine",)
    assert isinstance(elsewhere, OpenAITransport) and elsewhere.secrets == ()
    assert "sk-mine" not in repr(models.transport("openai:gpt-4.1-mini"))


# Whole seats


async def test_any_langchain_chat_model_can_be_bound() -> None:
    text = '{"ratings": [], "reason": "r", "action": 0}'
    chat = GenericFakeChatModel(messages=iter([AIMessage(content=text)] * 9))
    events: list[Event] = []
    result = await play_async(
        graphs.seat("watson", chat), players=2, seed=1, sink=events.append, max_turns=2
    )
    assert (result.calls, result.fallbacks, result.forced) == (2, 0, 0)
    assert {event.model for event in events if isinstance(event, Call)} == {result.model}
    assert result.model.startswith("GenericFakeChatModel")


async def test_the_fake_endpoint_answers_by_schema_and_repeats_itself() -> None:
    view_free = ask(Part("legal_moves", "0: play slot 0\n1: play slot 1"))
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        brain = ModelLayer().brain(f"openai:fake@{url}")
        first, second = [await brain(view_free, messages(view_free.parts)) for _ in range(2)]
        report = ModelRequest("h", "history_analyst", 0, view_free.parts, HistoryReport, {})
        typed = await answer(report, brain, lambda _: None)
        await brain.aclose()
    assert first.text == second.text
    assert json.loads(first.text)["action"] in ("play slot 0", "play slot 1")
    assert isinstance(typed, HistoryReport)


class Slow:
    """A brain that takes its time and counts how many wait for it together; its answers are unusable."""

    together = most = 0

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        self.together += 1
        self.most = max(self.most, self.together)
        await asyncio.sleep(0.02)
        self.together -= 1
        return ModelResponse(text="")

    async def aclose(self) -> None:
        """Nothing to close."""


async def test_specialists_of_a_graph_are_asked_at_the_same_time() -> None:
    brain = Slow()
    await play_async(graphs.seat("moa_sherlock", brain), players=3, seed=1, max_turns=2)
    assert brain.most == 5
