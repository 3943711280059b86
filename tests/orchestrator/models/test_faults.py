"""Servers that misbehave: each fault is classified, tried again as it deserves, recorded, and ends as it should."""

import asyncio
import re
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import ModelError, Suspended, WireTry
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameSuspended
from hanabi_orchestrator.orchestrator.models import fake_endpoint, faults
from hanabi_orchestrator.orchestrator.models.fake_faults import CONTENT, WIRE, Faults, spoil
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import FIRST, Limiter
from hanabi_orchestrator.orchestrator.models.request import (
    Absent,
    Brain,
    Exchange,
    ModelResponse,
    answer,
    messages,
)
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles import Choice
from tests.support.servers import GOOD, Handler, ask, completion, quick, server

HARMLESS = ("script", "fenced", "illegal")
"""Faults of content after which the answer can still be used; `illegal` as long as no move is asked for."""


async def asked_of(served: web.Application, **more: Any) -> tuple[object, list[Exchange]]:
    """One question to a server: the reply or the error, and what was recorded."""
    seen: list[Exchange] = []
    async with fake_endpoint.serving(served) as url:
        brain = ModelLayer().brain(quick(url, **more))
        try:
            return await answer(ask(), brain, seen.append), seen
        except ModelError as error:
            return error, seen
        finally:
            await brain.aclose()


def first(kind: str, times: int = 1) -> web.Application:
    """A server that gets the first requests wrong, and then answers."""
    wrong = Faults(1.0, kinds=(kind,), hang_s=30, retry_after_s=0)
    count = 0

    async def handle(request: web.Request) -> web.StreamResponse:
        nonlocal count
        count += 1
        if count > times:
            return completion()
        asked = await request.json()
        picked = wrong.pick(asked)
        return await wrong.on_the_wire(kind, request) if kind in WIRE and picked else spoilt(kind)

    return server(handle)


def spoilt(kind: str) -> web.Response:
    answer: dict[str, Any] = {"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}]}
    spoil(kind, answer)
    return web.json_response(answer)


@pytest.mark.parametrize("kind", WIRE)
async def test_one_fault_of_the_wire_heals_and_is_recorded(kind: str) -> None:
    reply, (done,) = await asked_of(first(kind), timeout_s=0.3 if kind == "hang" else 5)
    assert isinstance(reply, Choice) and done.outcome == "ok"
    bad, good = done.attempts
    assert bad.error and good.error is None
    status = {"429_retry_after": 429, "no_schema": 400}.get(
        kind, int(kind) if kind.isdigit() else None
    )
    assert bad.status == status


@pytest.mark.parametrize("kind", [kind for kind in WIRE if kind != "no_schema"])
async def test_a_fault_that_stays_is_given_up_in_one_sentence(kind: str) -> None:
    error, (done,) = await asked_of(first(kind, times=99), timeout_s=0.1 if kind == "hang" else 5)
    assert isinstance(error, ModelError) and not error.final
    tries = (
        3 if kind in ("html", "half_json", "no_completion") else 4
    )  # what is the same each time stays
    assert str(error).startswith(
        "node 'proposer': the model server "
    ) and f"given up after {tries} tries" in str(error)
    assert done.outcome == "failed" and len(done.attempts) == tries and "\n" not in str(error)


@pytest.mark.parametrize("kind", CONTENT)
async def test_one_fault_of_content_is_mended_or_asked_again(kind: str) -> None:
    reply, seen = await asked_of(first(kind))
    assert isinstance(reply, Choice)
    outcomes = {"fenced": ["repaired"], "script": ["ok"], "illegal": ["ok"]}
    assert [exchange.outcome for exchange in seen] == outcomes.get(kind, ["reasked", "ok"])
    assert all(len(exchange.attempts) == 1 for exchange in seen)


@pytest.mark.parametrize("kind", [kind for kind in CONTENT if kind not in HARMLESS])
async def test_a_fault_of_content_that_stays_is_an_absence(kind: str) -> None:
    reply, seen = await asked_of(first(kind, times=99))
    assert isinstance(reply, Absent)
    assert [exchange.outcome for exchange in seen] == ["reasked", "fallback"]


async def test_half_characters_and_odd_counts_are_no_trouble_in_a_game() -> None:
    async def odd(_: web.Request) -> web.Response:
        text = '{"choices": [{"message": {"content": "{\\"ratings\\": [], \\"reason\\": \\"\\ud83d\\", \\"action\\": 0}"'
        text += ', "reasoning_content": "\\udc00"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": NaN, "x": -1}}'
        return web.Response(text=text, content_type="application/json")

    events: list[Event] = []
    async with fake_endpoint.serving(server(odd)) as url:
        seat = graphs.seat("watson", quick(url))
        result = await play_async(seat, players=2, seed=1, sink=events.append, max_turns=2)
        await seat.aclose()
    assert (result.calls, result.forced) == (2, 0)
    calls = [event for event in events if isinstance(event, Call)]
    assert all(
        call.reasoning == "?" and call.estimated and "?" in (call.text or "") for call in calls
    )


@pytest.mark.parametrize(
    ("reason", "usable"), [("MAX_TOKENS", False), ("max_tokens", False), ("stop", True)]
)
async def test_every_providers_word_for_a_cut_off_answer_is_known(
    reason: str, usable: bool
) -> None:
    async def cut(_: web.Request) -> web.Response:
        message = {"content": f"Here is my reply: {GOOD} I hope this"}
        return web.json_response({"choices": [{"message": message, "finish_reason": reason}]})

    reply, _ = await asked_of(server(cut))
    assert isinstance(reply, Choice) == usable


async def test_a_megabyte_is_not_said_back() -> None:
    _, seen = await asked_of(first("megabyte"))
    (told,) = seen[1].messages
    assert len(told.content) < 400 and "that reply cannot be used: it has 1048" in told.content


def refusing(status: int, body: dict[str, Any], counted: list[int]) -> web.Application:
    async def handle(_: web.Request) -> web.Response:
        counted.append(status)
        return web.json_response(body, status=status)

    return server(handle)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 413, 418])
async def test_a_server_that_refuses_for_good_is_asked_once(status: int) -> None:
    counted: list[int] = []
    error, (done,) = await asked_of(refusing(status, {"error": {"message": "no"}}, counted))
    assert isinstance(error, ModelError) and error.final and f"HTTP {status}" in str(error)
    assert len(counted) == 1 and done.outcome == "failed"


async def test_a_bad_request_is_tried_without_the_schema_and_then_given_up() -> None:
    counted: list[int] = []
    error, _ = await asked_of(
        refusing(400, {"error": {"message": "temperature is at most 2"}}, counted)
    )
    assert isinstance(error, ModelError) and "HTTP 400: temperature is at most 2" in str(error)
    assert len(counted) == 3


async def test_no_money_is_not_waited_for() -> None:
    counted: list[int] = []
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    error, _ = await asked_of(refusing(429, body, counted))
    assert (
        isinstance(error, ModelError)
        and error.final
        and "wants payment" in str(error)
        and len(counted) == 1
    )


async def test_a_filter_that_refuses_the_content_is_an_absence() -> None:
    body = {"error": {"message": "filtered", "code": "content_filter"}}
    reply, seen = await asked_of(refusing(400, body, []))
    assert isinstance(reply, Absent) and reply.cause == "refused"
    assert {exchange.response.finish for exchange in seen if exchange.response} == {
        "content_filter"
    }
    assert [exchange.cause for exchange in seen] == ["refused", "refused"]


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "refusal", "guardrail_intervened"])
@pytest.mark.parametrize("text", ["", GOOD[:20], GOOD], ids=["none", "half", "all"])
async def test_a_text_that_a_filter_cut_is_not_read(finish: str, text: str) -> None:
    """What stands there may lack the part that was held back."""

    async def filtering(_: web.Request) -> web.Response:
        choice = {
            "index": 0,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text},
        }
        return web.json_response({"choices": [choice]})

    reply, seen = await asked_of(server(filtering))
    assert isinstance(reply, Absent) and reply.cause == "refused"
    assert [(exchange.outcome, exchange.cause) for exchange in seen] == [
        ("reasked", "refused"),
        ("fallback", "refused"),
    ]


async def test_a_server_without_schemas_is_asked_without_from_then_on() -> None:
    formed: list[bool] = []

    async def plain_only(request: web.Request) -> web.Response:
        formed.append("response_format" in await request.json())
        return (
            web.json_response({"error": {"message": "?"}}, status=422)
            if formed[-1]
            else completion()
        )

    async with fake_endpoint.serving(server(plain_only)) as url:
        brain = ModelLayer().brain(quick(url))
        for _ in range(4):
            assert isinstance(await answer(ask(), brain, lambda _: None), Choice)
        await brain.aclose()
    assert formed == [True, True, False, True, True, False, True, False, False]


async def test_retry_after_is_honoured_and_too_long_a_one_is_given_up_at_once() -> None:
    def limited(after: str, header: str = "Retry-After") -> tuple[Handler, list[float]]:
        times: list[float] = []

        async def handle(_: web.Request) -> web.Response:
            times.append(time.monotonic())
            return (
                completion()
                if len(times) > 1
                else web.json_response({}, status=429, headers={header: after})
            )

        return handle, times

    for said in (("0.25", "Retry-After"), ("250", "Retry-After-Ms")):
        handle, times = limited(*said)
        reply, _ = await asked_of(server(handle))
        assert isinstance(reply, Choice) and times[1] - times[0] >= 0.25
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    error, _ = await asked_of(server(limited(in_an_hour)[0]))
    assert isinstance(error, ModelError) and re.search(r"left alone for 3[56]\d\d s", str(error))
    handle, times = limited("86400")
    error, _ = await asked_of(server(handle))
    assert (
        isinstance(error, ModelError)
        and "it wants to be left alone for 86400 s" in str(error)
        and len(times) == 1
    )


async def test_a_retry_after_of_nothing_does_not_empty_the_tries_at_once() -> None:
    brain = chat_brain(backoff_s=1, attempts=8)
    waits = {
        brain._wait(faults.Fault("is busy", 429, heals=True, retry_after_s=after), [])
        for after in (0.0, 0.1, 5.0)
    }
    assert (
        len(waits) == 3
        and all(wait is not None and wait >= 0.5 for wait in waits)
        and max(filter(None, waits)) >= 5
    )


async def test_waits_double_up_to_a_minute_and_end_with_patience() -> None:
    brain = chat_brain(backoff_s=1, attempts=99, patience_s=300)
    fault = faults.Fault("is down", 503, heals=True)
    waits: list[float] = []
    tries: list[WireTry] = []
    while (wait := brain._wait(fault, tries)) is not None:
        waits.append(wait)
        tries.append(WireTry(error="down", waited_s=wait))
    for number, wait in enumerate(waits):
        longest = min(2**number, 60)
        assert longest / 2 <= wait <= longest
    assert sum(waits) <= 300 < sum(waits) + 60


def chat_brain(**more: Any) -> ChatBrain:
    brain = ModelLayer().brain(quick("http://127.0.0.1:9/v1", **more))
    assert isinstance(brain, ChatBrain)
    return brain


async def test_a_servers_words_are_passed_on_without_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-marker")
    for status in (400, 401, 403, 404):
        body = {"error": {"message": "bad key sk-marker\x1b[31m\nplease"}}
        error, (done,) = await asked_of(refusing(status, body, []))
        said = f"{error} {done}"
        assert "sk-marker" not in said and "\\x1b" not in said and "\x1b" not in said
        assert "please" in str(error)


class ProviderError(Exception):
    """What another library's client raises."""

    def __init__(self, **said: Any) -> None:
        super().__init__("no luck at https://host/v1?key=sk-in-the-url")
        vars(self).update(said)


class Response:
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code
        self.headers = {"retry-after": "7"}


@pytest.mark.parametrize(
    ("error", "status", "heals"),
    [
        (ProviderError(status_code=429), 429, True),
        (ProviderError(response=Response(503)), 503, True),
        (ProviderError(response=Response(401)), 401, False),
        (ProviderError(code=404), 404, False),
        (ProviderError(), None, False),
        (ValueError("half an answer"), None, True),
        (KeyError("choices"), None, True),
        (RuntimeError("Event loop is closed"), None, True),
        (ConnectionResetError(), None, True),
        (ConnectionRefusedError(), None, True),
        (TimeoutError(), None, True),
    ],
)
def test_errors_of_other_providers_are_classified_too(
    error: Exception, status: int | None, heals: bool
) -> None:
    found = faults.classify(error)
    crowded = status in faults.CROWDED or isinstance(error, TimeoutError)
    assert (found.status, found.heals, found.crowded) == (status, heals, crowded)
    assert "sk-in-the-url" not in found.sentence


@pytest.mark.parametrize(
    ("cause", "status", "heals"),
    [
        (ProviderError(code=429), 429, True),
        (ProviderError(status_code=503), 503, True),
        (ProviderError(code=401), 401, False),
        (ConnectionRefusedError(), None, True),
        (TimeoutError(), None, True),
    ],
)
def test_what_lies_behind_an_error_is_looked_at(
    cause: Exception, status: int | None, heals: bool
) -> None:
    found = faults.classify(wrapped(cause))
    assert (found.status, found.heals) == (status, heals) and "sk-in-the-url" not in found.sentence


def wrapped(cause: Exception) -> Exception:
    """As some libraries raise their own errors from those of their clients."""
    try:
        raise ProviderError() from cause
    except ProviderError as error:
        return error


async def test_a_port_where_nobody_listens_is_not_called_late() -> None:
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        pass
    brain = ModelLayer().brain(quick(url, attempts=2))
    with pytest.raises(
        ModelError, match="the model server could not be reached; given up after 2 tries"
    ):
        await brain(ask(), messages(ask().parts))
    await brain.aclose()


# Concurrency


@pytest.mark.parametrize(
    ("kind", "shrinks"), [("429", True), ("500", False), ("503", True), ("drop", False)]
)
async def test_crowding_makes_room(kind: str, shrinks: bool) -> None:
    async with fake_endpoint.serving(first(kind, times=2)) as url:
        brain = ModelLayer().brain(quick(url, max_concurrency=8))
        await brain(ask(), messages(ask().parts))
        await brain.aclose()
    assert isinstance(brain, ChatBrain) and isinstance(brain.limiter, Limiter)
    assert (brain.limiter.limit < FIRST) == shrinks


# Whole games


async def suspended(served: web.Application, **more: Any) -> tuple[Suspended, list[Event]]:
    events: list[Event] = []
    async with fake_endpoint.serving(served) as url:
        seat = graphs.seat("moa_sherlock", quick(url, **more))
        with pytest.raises(Suspended) as caught:
            await play_async(seat, players=3, seed=1, sink=events.append)
        await seat.aclose()
    return caught.value, events


async def test_an_always_busy_server_suspends_the_game() -> None:
    error, events = await suspended(first("429", times=10**6))
    assert (
        "has too many requests: HTTP 429" in str(error)
        and "given up after 4 tries" in str(error)
        and not error.refused
    )
    assert isinstance(events[-1], GameSuspended) and events[-1].why == str(error)
    calls = [event for event in events if isinstance(event, Call) and event.outcome != "unasked"]
    assert len(calls) == 4 and {call.outcome for call in calls} == {
        "failed"
    }  # every specialist finished its tries


async def test_a_server_that_goes_away_in_mid_game_suspends_it_and_never_scores_fallbacks() -> None:
    asked = 0

    async def dying(request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        if asked > 20 and request.transport:
            request.transport.close()
        return web.json_response(fake_endpoint.complete(await request.json()))

    error, events = await suspended(server(dying))
    assert "hung up" in str(error) and error.turn > 1
    assert not any(event.outcome == "fallback" for event in events if isinstance(event, Call))


async def test_answers_that_came_while_a_colleague_failed_are_kept() -> None:
    """A specialist's server fails for good at once; the others' slow answers are in the journal all the same."""

    async def one_fails(request: web.Request) -> web.Response:
        asked = await request.json()
        if "analyst" in asked["messages"][-1]["content"]:
            return web.json_response({}, status=404)
        await asyncio.sleep(0.2)
        return web.json_response(fake_endpoint.complete(asked))

    _, events = await suspended(server(one_fails))
    outcomes = [event.outcome for event in events if isinstance(event, Call)]
    assert "failed" in outcomes and "ok" in outcomes and len(outcomes) == 5


async def test_no_task_is_left_behind() -> None:
    await suspended(first("500", times=10**6))
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_every_kind_of_brain_that_fails_suspends(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        async def __call__(self, *_: object) -> ModelResponse:
            raise ModelError("out of order")

        async def aclose(self) -> None:
            """Nothing to close."""

    failing: Brain = Failing()
    with pytest.raises(Suspended, match="out of order"):
        await play_async(graphs.seat("house", failing), players=2, seed=1)
