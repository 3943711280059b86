"""What comes over the wire and is no answer: malformed HTTP, answers without end, redirects to other servers."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from openai import APIConnectionError

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import ModelError, Suspended, UserError
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.faults import RedirectedError
from hanabi_orchestrator.orchestrator.models.http_client import BoundedClient, httpx
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport
from hanabi_orchestrator.orchestrator.models.request import Absent, Exchange, answer, messages
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.transport import FakeTransport
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles import Choice
from tests.conftest import Run
from tests.support.servers import GOOD, ask, completion, in_a_thread, quick, server

BODY = json.dumps({"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}]}).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def whole(body: bytes, more: bytes = b"") -> bytes:
    return HEAD + more + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body


MALFORMED = {
    "chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
    "half a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhello",
    "status line": b"HTP/1.1 200 OK\r\n\r\n",
    "status": b"HTTP/1.1 fine OK\r\n\r\n",
    "content-length": HEAD + b"Content-Length: many\r\n\r\n" + BODY,
    "two lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\n" + BODY,
    "long header": whole(BODY, b"X-Long: " + b"a" * 9000 + b"\r\n"),
    "deep JSON": whole(b'{"choices": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"),
    "no gzip": whole(BODY, b"Content-Encoding: gzip\r\n"),
    "not modified": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "a redirect to nowhere": b"HTTP/1.1 307 Elsewhere\r\nContent-Length: 0\r\n\r\n",
}


@asynccontextmanager
async def raw(*responses: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that sends these bytes in turn, the last one from then on; gives its URL, and what it was asked."""
    asked: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        if length := re.search(rb"(?i)content-length: (\d+)", asked[-1]):
            await reader.readexactly(int(length[1]))
        writer.write(responses[min(len(asked), len(responses)) - 1])
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as served:
        yield f"http://127.0.0.1:{served.sockets[0].getsockname()[1]}/v1", asked


@pytest.mark.parametrize("kind", MALFORMED)
async def test_malformed_http_is_tried_again_and_never_final(kind: str) -> None:
    async with raw(MALFORMED[kind], MALFORMED[kind], whole(BODY)) as (url, asked):
        brain = ModelLayer().brain(quick(url))
        seen = list[Exchange]()
        assert isinstance(await answer(ask(), brain, seen.append), Choice) and len(asked) == 3
        assert [bool(one.error) for one in seen[0].attempts] == [True, True, False]
        await brain.aclose()
    async with raw(MALFORMED[kind]) as (url, asked):
        brain = ModelLayer().brain(quick(url))
        with pytest.raises(
            ModelError, match=r"^node 'proposer': the model server .*; given up after [34] tries"
        ) as caught:
            await brain(ask(), messages(ask().parts))
        assert (
            not caught.value.final
            and "\n" not in str(caught.value)
            and len(str(caught.value)) < 400
        )
        await brain.aclose()


async def test_malformed_http_as_the_first_answer_leaves_a_journal_that_goes_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.jsonl"
    async with raw(MALFORMED["chunk"]) as (url, _):
        seat = graphs.seat("watson", quick(url))
        with pytest.raises(Suspended) as caught:
            await play_async(seat, players=2, seed=1, journal=path, max_turns=1)
        await seat.aclose()
    assert not caught.value.refused and path.exists()


@pytest.mark.parametrize("kind", ["chunk", "status line", "deep JSON"])
async def test_malformed_http_at_the_check_is_one_sentence(kind: str) -> None:
    async with raw(MALFORMED[kind]) as (url, _):
        layer = ModelLayer()
        brain = layer.brain(quick(url))
        with pytest.raises(UserError, match=re.escape(url)):
            await layer.check()
        await brain.aclose()


# Answers without end

BOMB = gzip.compress(b'{"x": "' + b"0" * 30_000_000)


@pytest.mark.parametrize(
    "response",
    [
        whole(json.dumps({"choices": [{"message": {"content": "x" * 120_000}}]}).encode()),
        whole(BOMB, b"Content-Encoding: gzip\r\n"),
        HEAD + b"\r\n" + b"0" * 120_000,
    ],
    ids=["text", "bomb", "no length"],
)
async def test_an_answer_beyond_the_limit_is_not_read_and_counts_as_too_long(
    response: bytes,
) -> None:
    seen: list[Exchange] = []
    async with raw(response) as (url, asked):
        brain = ModelLayer().brain(
            quick(url, max_answer_bytes=100_000, price={"input": 0, "output": 1})
        )
        assert isinstance(await answer(ask(), brain, seen.append), Absent)
        await brain.aclose()
    assert len(asked) == 2  # asked again once, as after any unusable answer
    assert [(one.outcome, one.cause) for one in seen] == [
        ("reasked", "too_long"),
        ("fallback", "too_long"),
    ]
    said = "sent more than 100000 bytes in one answer, the most that are read (max_answer_bytes)"
    assert all(one.attempts[0].error == said and one.response is not None for one in seen)
    told = seen[0].response
    assert (
        told
        and (told.text, told.estimated) == ("", True)
        and told.tokens_out == 31250 == (told.usd or 0) * 1e6
    )


async def test_an_unread_answer_counts_at_most_max_tokens() -> None:
    async with raw(whole(BOMB, b"Content-Encoding: gzip\r\n")) as (url, _):
        brain = ModelLayer().brain(quick(url, max_tokens=500))
        response = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    assert (response.tokens_out, response.estimated) == (500, True)


async def test_the_limit_holds_for_every_client_and_is_of_a_size_that_no_answer_needs() -> None:
    made = settings("openai:m@http://127.0.0.1:9/v1")
    assert made.max_answer_bytes == 4_000_000 and "max_answer_bytes" not in made.deciding
    fake = FakeTransport(["x" * 4_000_001, GOOD])
    reply = await answer(ask(), ChatBrain(fake, made, Limiter(1)), lambda _: None)
    assert isinstance(reply, Choice) and len(fake.requests) == 2


async def test_a_refusal_without_end_keeps_its_status() -> None:
    head = b"HTTP/1.1 503 Busy\r\n\r\n"
    async with raw(head + b"busy " * 30_000, whole(BODY)) as (url, _):
        brain = ModelLayer().brain(quick(url, max_answer_bytes=10_000))
        response = await brain(ask(), messages(ask().parts))
        await brain.aclose()
    assert [one.status for one in response.attempts] == [503, None]


# Redirects


async def test_a_prompt_follows_no_redirect_to_another_server() -> None:
    taken: list[str] = []

    async def other(request: web.Request) -> web.Response:
        taken.append(await request.text())
        return completion()

    async with fake_endpoint.serving(server(other)) as elsewhere:

        async def redirect(_: web.Request) -> web.Response:
            raise web.HTTPTemporaryRedirect(f"{elsewhere}/chat/completions?key=sk-1")

        async with fake_endpoint.serving(server(redirect)) as url:
            layer = ModelLayer()
            brain = layer.brain(quick(url))
            with pytest.raises(ModelError) as caught:
                await brain(ask(), messages(ask().parts))
            with pytest.raises(UserError, match="redirects to another server"):
                await layer.check()
            await brain.aclose()
    assert not taken and caught.value.final
    origin = elsewhere.removesuffix("/v1")
    assert f"redirects to another server, {origin}; if that is right, give its address" in str(
        caught.value
    )


async def test_a_redirect_that_the_client_wraps_is_still_one() -> None:
    class Wrapping(BoundedClient):  # as openai 2 does
        async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
            raise APIConnectionError(request=request) from RedirectedError("http://elsewhere")

    transport = OpenAITransport(settings("openai:fake@http://127.0.0.1:1/v1"))
    transport.client()._client = Wrapping(most=1)
    with pytest.raises(UserError, match="redirects to another server, http://elsewhere;"):
        await transport.check()


async def test_a_redirect_within_a_server_is_followed() -> None:
    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("/v2/chat/completions")

    made = server(moved)

    async def there(request: web.Request) -> web.Response:
        assert (await request.json())["messages"]
        return completion()

    made.router.add_post("/v2/chat/completions", there)
    async with fake_endpoint.serving(made) as url:
        brain = ModelLayer().brain(quick(url))
        assert (await brain(ask(), messages(ask().parts))).text == GOOD
        await brain.aclose()


def test_a_redirecting_server_is_a_mistake_in_the_command(run: Run) -> None:
    async def redirect(_: web.Request) -> web.Response:
        raise web.HTTPPermanentRedirect("http://elsewhere.invalid/v1")

    with in_a_thread(server(redirect)) as url:
        code, _, err = run("play", "--graph", "watson", "--model", f"openai:m@{url}")
    assert (
        code == 2
        and "redirects to another server, http://elsewhere.invalid; " in err
        and err.count("\n") == 1
    )
