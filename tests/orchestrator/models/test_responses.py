"""The Responses API: what is sent, what is read of it, and whole turns with the fake endpoint."""

from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play_async
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.completion import parse_completion, parse_response
from hanabi_orchestrator.orchestrator.models.fake_faults import Faults
from hanabi_orchestrator.orchestrator.models.faults import AnsweredError, NotACompletion
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import ModelResponse, messages
from hanabi_orchestrator.orchestrator.models.settings import settings
from tests.support.servers import GOOD, ask, quick

ANSWER: dict[str, Any] = {
    "object": "response",
    "model": "gpt-5-2025",
    "status": "completed",
    "service_tier": "flex",
    "output": [
        {
            "type": "reasoning",
            "summary": [
                {"type": "summary_text", "text": "One."},
                {"type": "summary_text", "text": "Two."},
            ],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": GOOD}],
        },
    ],
    "usage": {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 800},
        "output_tokens": 70,
        "output_tokens_details": {"reasoning_tokens": 60},
        "total_tokens": 1070,
    },
}


async def asked(answer: dict[str, Any], **more: Any) -> tuple[ModelResponse, str, dict[str, Any]]:
    seen: list[tuple[str, dict[str, Any]]] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append((request.path, await request.json()))
        return web.json_response(answer)

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    async with fake_endpoint.serving(app) as url:
        brain = ModelLayer().brain(quick(url, **more))
        response = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    return response, *seen[-1]


async def test_a_request_says_what_is_set_as_the_api_wants_it() -> None:
    more = {
        "reasoning_effort": "low",
        "reasoning_summary": "auto",
        "max_tokens": 2000,
        "temperature": 0.5,
    }
    _, path, body = await asked(
        ANSWER, api="responses", extra_body={"text": {"verbosity": "low"}}, **more
    )
    schema = body["text"]["format"].pop("schema")
    assert path == "/v1/responses" and set(schema["properties"]) == {"reason", "action"}
    assert body == {
        "model": "fake",
        "store": False,
        "stream": False,
        "input": [{"role": "user", "content": "A table."}],
        "temperature": 0.5,
        "max_output_tokens": 2000,
        "reasoning": {"effort": "low", "summary": "auto"},
        "text": {
            "format": {"type": "json_schema", "name": "Choice", "strict": True},
            "verbosity": "low",
        },
    }
    _, _, bare = await asked(ANSWER, api="responses", response_format="none")
    assert set(bare) == {"model", "store", "stream", "input"}


async def test_summaries_cached_tokens_and_the_tier_are_read_and_priced() -> None:
    price = {"input": 1, "cached": 0.1, "output": 10}
    response, _, _ = await asked(ANSWER, api="responses", price=price)
    assert (response.text, response.reasoning, response.finish) == (GOOD, "One.\n\nTwo.", "stop")
    assert (response.tokens_in, response.cached_tokens) == (1000, 800)
    assert (response.tokens_out, response.reasoning_tokens) == (70, 60)
    assert response.usd == pytest.approx((200 * 1 + 800 * 0.1 + 70 * 10) / 1e6)
    assert (response.served_by, response.service_tier, response.constraint) == (
        "gpt-5-2025",
        "flex",
        "moves",
    )


@pytest.mark.parametrize(
    ("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter")]
)
async def test_an_incomplete_response_says_why(reason: str, finish: str) -> None:
    cut = {**ANSWER, "status": "incomplete", "incomplete_details": {"reason": reason}}
    response, _, _ = await asked(cut, api="responses")
    assert response.finish == finish


def test_a_refusal_is_a_text_and_a_failure_is_none() -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    assert parse_response({"status": "completed", "output": [refusal]}).text == "I cannot."
    with pytest.raises(AnsweredError, match="server_error"):
        parse_response({"status": "failed", "output": [], "error": {"code": "server_error"}})
    with pytest.raises(NotACompletion):
        parse_response({"choices": []})


def test_cached_tokens_of_chat_completions_are_read_by_either_name() -> None:
    choices = [{"message": {"content": GOOD}, "finish_reason": "stop"}]
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    openai = {**usage, "prompt_tokens_details": {"cached_tokens": 64}}
    deepseek = {**usage, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}
    for counts in (openai, deepseek):
        read = parse_completion({"choices": choices, "usage": counts, "service_tier": "default"})
        assert (read.tokens_in, read.cached_tokens, read.service_tier) == (100, 64, None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "openai:m", "api": "responses", "seed": 1}, "the Responses API takes no seed"),
        (
            {"model": "azure:m", "api": "responses"},
            r"openai:m@https://RESOURCE.openai.azure.com/openai/v1 with key:",
        ),
        (
            {"model": "langchain:openai:m", "api": "responses"},
            "api: responses is for openai: models",
        ),
        ({"model": "openai:m", "reasoning_summary": "auto"}, "set api: responses"),
    ],
)
def test_what_an_api_does_not_have_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        settings(given)


@pytest.mark.parametrize(
    "faults", [None, Faults(1, kinds=("length",)), Faults(0.3, kinds=("fenced", "503", "refusal"))]
)
async def test_a_game_is_played_with_the_fake_endpoint(faults: Faults | None) -> None:
    events: list[Event] = []
    async with fake_endpoint.serving(fake_endpoint.app(faults=faults)) as url:
        model = quick(url, api="responses", reasoning_effort="low", reasoning_summary="auto")
        seat = graphs.seat("cac", model)
        await play_async(seat, players=2, seed=1, max_turns=2, sink=events.append)
        await seat.aclose()
    calls = [event for event in events if isinstance(event, Call) and event.of_model]
    assert calls and all(call.fake and call.reasoning == fake_endpoint.THOUGHT for call in calls)
    assert all(0 < call.reasoning_tokens < call.tokens_out for call in calls)
    assert {call.cause for call in calls} >= ({"cut_off"} if faults and faults.rate == 1 else set())
    assert seat.info.models[model["model"]]["api"] == "responses"
