"""Second asks: what they say by cause, how long they are, when they go with a schema, and prompts that do not fit."""

import json
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play_async
from hanabi_orchestrator.orchestrator.errors import ModelError, Suspended
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.models import fake_endpoint, faults
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Exchange,
    ModelRequest,
    ModelResponse,
    Part,
    Place,
    answer,
)
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.second_ask import ECHO
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.transport import FakeTransport
from hanabi_orchestrator.roles import Choice
from tests.support.servers import GOOD, ask, completion, quick, server

LATER = Place(turn=9)
PROSE = "Let me think about the whole position before I say what I would like to do. " * 40


def brain(*said: str | ModelResponse | Exception, **more: Any) -> ChatBrain:
    return ChatBrain(
        FakeTransport(said), settings(quick("http://127.0.0.1:9/v1", **more)), Limiter(2)
    )


async def second(first: str, finish: str = "stop", request: ModelRequest | None = None) -> Exchange:
    """The second exchange after such a first answer."""
    seen: list[Exchange] = []
    asked = brain(ModelResponse(first, finish=finish), GOOD)
    assert isinstance(await answer(request or ask(place=LATER), asked, seen.append), Choice)
    return seen[1]


@pytest.mark.parametrize(
    ("first", "finish", "told"),
    [
        (GOOD[:20], "length", ("it was cut off before its end.", "Be much briefer")),
        (
            PROSE,
            "stop",
            ("it holds no complete JSON object.", "Write the reply itself and nothing else."),
        ),
        ("", "stop", ("it is empty.", "Reply once more, in the answer format given above.")),
    ],
)
async def test_what_helps_nobody_is_not_said_back(
    first: str, finish: str, told: tuple[str, ...]
) -> None:
    """The whole second ask is one user message: the prompt, and what was wrong."""
    (message,) = (await second(first, finish)).messages
    assert message.content.startswith("A table.\n\nYou have replied to this once already")
    assert all(sentence in message.content for sentence in told)
    assert len(message.content) < 400 and PROSE[:40] not in message.content


async def test_an_answer_with_one_wrong_field_is_quoted() -> None:
    wrong = '{"reason": "r"}'
    prompt, quoted, complaint = (await second(wrong)).messages
    assert (prompt.content, quoted.content, quoted.role) == ("A table.", wrong, "assistant")
    assert (
        complaint.content.startswith("That reply cannot be used: action: ")
        and "legal moves" not in complaint.content
    )


async def test_the_legal_moves_are_listed_again_after_an_illegal_one() -> None:
    *_, complaint = (await second('{"reason": "r", "action": "play slot 4"}')).messages
    assert "'play slot 4' is not a legal move now" in complaint.content
    assert "The legal moves are: 0: play slot 0; 1: play slot 1." in complaint.content


async def test_a_long_answer_and_its_thinking_are_not_quoted() -> None:
    long = json.dumps({"reason": "r" * ECHO, "action": "play slot 4"})
    assert len((await second(long)).messages) == 1
    thought = f"<think>{PROSE}</think>" + '{"reason": "r", "action": "play slot 4"}'
    _, quoted, _ = (await second(thought)).messages
    assert quoted.content == '{"reason": "r", "action": "play slot 4"}'


async def test_every_exchange_says_why_it_was_unusable() -> None:
    seen: list[Exchange] = []
    await answer(ask(place=LATER), brain(PROSE, '{"reason": "r", "action": "fold"}'), seen.append)
    assert [exchange.cause for exchange in seen] == ["prose", "illegal"]
    await answer(ask(place=LATER), brain(GOOD), seen.append)
    assert seen[2].cause is None


# With a schema


async def test_a_second_ask_goes_with_a_schema_where_the_server_takes_one() -> None:
    """The prompt says how to answer now, the journal says what was asked for, and the reply is read as such."""
    events: list[Event] = []
    transport = FakeTransport([PROSE, GOOD])
    seat = graphs.seat(
        "cac_generator", ChatBrain(transport, settings(quick("http://127.0.0.1:9/v1")), Limiter(2))
    )
    await play_async(seat, players=2, seed=1, max_turns=1, sink=events.append)
    first, again = [event for event in events if isinstance(event, Call)]
    assert (first.form, first.constraint, first.cause) == (None, None, "prose")
    assert (again.form, again.constraint, again.outcome) == ("json_schema", "moves", "ok")
    assert "Answer with one JSON object" in again.messages[-1].content
    assert "takes the place of the one above" in again.messages[-1].content
    assert [request.response_format is not None for request in transport.requests] == [False, True]


@pytest.mark.parametrize("more", [{"response_format": "none"}, {"response_format": "json_object"}])
async def test_a_model_without_schemas_is_asked_in_the_same_format(more: dict[str, Any]) -> None:
    request = ModelRequest(
        "n", "r", 0, (Part("state", "A table."),), Choice, ask().moves, "text", place=LATER
    )
    changing = ModelRequest(
        **{**vars(request), "second_form": "json_schema", "second_format": "JSON, please."}
    )
    seen: list[Exchange] = []
    reply = await answer(
        changing, brain(PROSE, "Reasoning: r\nChosen move: play slot 1", **more), seen.append
    )
    assert isinstance(reply, Choice) and seen[1].form is None
    assert "JSON, please." not in seen[1].messages[-1].content


# Prompts that do not fit


REFUSALS: dict[str, tuple[int, dict[str, Any], int | None]] = {
    "OpenAI": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in "
                "9001 tokens. Please reduce the length of the messages.",
                "type": "invalid_request_error",
                "code": "context_length_exceeded",
            }
        },
        8192,
    ),
    "vLLM": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 4596 tokens (4096 "
            "in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
            "type": "BadRequestError",
            "code": 400,
        },
        4096,
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 4390,
                "n_ctx": 4096,
            }
        },
        4096,
    ),
    "llama.cpp, older": (
        500,
        {"error": {"code": 500, "message": "Context size has been exceeded."}},
        None,
    ),
    "llama-cpp-python": (
        400,
        {
            "error": {
                "message": "Requested tokens (2285) exceed context window of 2048",
                "type": "internal",
            }
        },
        2048,
    ),
    "Ollama": (
        400,
        {"error": {"message": "prompt too long; exceeded max context length by 120 tokens"}},
        None,
    ),
    "TGI": (
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` "
            "tokens and 300 `max_new_tokens`",
            "error_type": "validation",
        },
        4096,
    ),
    "SGLang": (
        400,
        {
            "message": "The input (5000 tokens) is longer than the model's context length (4096 tokens)."
        },
        4096,
    ),
    "Anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
        },
        200000,
    ),
    "Google": (
        400,
        {
            "error": {
                "code": 400,
                "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
            }
        },
        1048575,
    ),
}


class Refusal(Exception):  # noqa: N818  # what clients raise has a status and a body
    def __init__(self, status: int, body: Any) -> None:
        super().__init__("Error code")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize("name", REFUSALS)
def test_every_servers_word_for_a_prompt_too_long_is_known(name: str) -> None:
    status, body, context = REFUSALS[name]
    found = faults.classify(Refusal(status, body))
    assert (found.too_long, found.context, found.heals) == (True, context, False)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (
            400,
            "max_tokens is too large: 500000. This model supports at most 16384 completion tokens.",
        ),
        (400, "Invalid schema for response_format 'Choice'"),
        (
            429,
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 43000.",
        ),
        (413, "no"),
        (500, "internal error"),
    ],
)
def test_other_refusals_are_not_taken_for_it(status: int, message: str) -> None:
    assert not faults.classify(Refusal(status, {"error": {"message": message}})).too_long


TOO_LONG = Refusal(*REFUSALS["llama.cpp"][:2])


async def test_a_second_ask_that_does_not_fit_is_a_fallback() -> None:
    seen: list[Exchange] = []
    reply = await answer(ask(place=LATER), brain(PROSE, TOO_LONG), seen.append)
    assert (
        isinstance(reply, Absent)
        and "exceeds the available context size (4096 tokens)" in reply.reason
    )
    assert [exchange.outcome for exchange in seen] == ["reasked", "fallback"]
    assert seen[1].cause == "overflow" and [one.status for one in seen[1].attempts] == [400]


async def test_a_first_ask_that_does_not_fit_is_made_once() -> None:
    """Nor is it taken for a refusal of the schema."""
    seen: list[Exchange] = []
    asked = brain(TOO_LONG)
    assert isinstance(await answer(ask(place=LATER), asked, seen.append), Absent)
    assert [exchange.outcome for exchange in seen] == ["fallback"] and asked.facts.schemas.takes(
        "Choice", "moves"
    )


async def test_where_not_even_the_first_turn_fits_it_is_said_at_once() -> None:
    with pytest.raises(
        ModelError, match=r"exceeds the available context size .*longer context"
    ) as raised:
        await answer(ask(place=Place(turn=1)), brain(TOO_LONG), lambda _: None)
    assert raised.value.final


async def test_a_prompt_is_not_sent_where_the_context_is_known_to_be_too_short() -> None:
    seen: list[Exchange] = []
    counted = ModelResponse(PROSE, tokens_in=40, tokens_out=2, finish="stop")
    asked = brain(
        counted, context_length=50
    )  # room for the first ask, by the server's count, and not for more
    assert isinstance(await answer(ask(place=LATER), asked, seen.append), Absent)
    assert [exchange.cause for exchange in seen] == ["prose", "overflow"]
    assert "was not asked: the prompt is too long" in str(seen[1].error) and "takes 50" in str(
        seen[1].error
    )


@pytest.mark.parametrize(
    ("listed", "props", "known"),
    [
        ({"max_model_len": 4096}, {}, 4096),
        (
            {"meta": {"n_ctx": 8192, "n_ctx_train": 32768}},
            {"default_generation_settings": {"n_ctx": 2048}},
            2048,
        ),
        ({"meta": {"n_ctx": 8192, "n_ctx_train": 32768}}, {}, 8192),
        ({}, {}, None),
    ],
)
async def test_the_context_is_asked_of_the_server(
    listed: dict[str, Any], props: dict[str, Any], known: int | None
) -> None:
    async def models(request: web.Request) -> web.Response:
        told = {"data": [{"id": "fake", **listed}]} if request.path == "/v1/models" else props
        return web.json_response(told)

    made = web.Application()
    made.router.add_get("/v1/models", models)
    made.router.add_get("/props", models)
    async with fake_endpoint.serving(made) as url:
        layer = ModelLayer()
        asked = layer.brain(quick(url))
        await layer.check()
        assert isinstance(asked, ChatBrain) and asked.window.tokens == known
        await asked.aclose()


async def test_a_game_goes_on_where_prompts_outgrow_the_context() -> None:
    """No game is suspended, and it is told apart from other fallbacks."""
    asked = 0

    async def handle(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        if asked == 1:
            return completion('{"ratings": [], "reason": "r", "action": 0}')
        status, body, _n = REFUSALS["llama.cpp"]
        return web.json_response(body, status=status)

    events: list[Event] = []
    async with fake_endpoint.serving(server(handle)) as url:
        seat = graphs.seat("sherlock", quick(url, response_format="none"))
        result = await play_async(seat, players=2, seed=1, max_turns=4, sink=events.append)
        await seat.aclose()
    calls = [event for event in events if isinstance(event, Call)]
    assert [call.cause for call in calls if call.outcome == "fallback"] == [
        "overflow"
    ] * result.fallbacks
    assert result.fallbacks == result.forced == 3


async def test_a_game_whose_first_prompt_does_not_fit_is_a_mistake_of_the_command() -> None:
    async def handle(_: web.Request) -> web.Response:
        status, body, _n = REFUSALS["vLLM"]
        return web.json_response(body, status=status)

    async with fake_endpoint.serving(server(handle)) as url:
        seat = graphs.seat("sherlock", quick(url))
        with pytest.raises(Suspended, match="maximum context length is 4096 tokens") as raised:
            await play_async(seat, players=2, seed=1)
        await seat.aclose()
    assert raised.value.refused
