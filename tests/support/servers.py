"""Model servers of the tests: handlers on loopback, the fake endpoint in a thread, and quick settings for both."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from hanabi_orchestrator.orchestrator.hanabi.moves import Listed, Play, labelled
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Part, Place
from hanabi_orchestrator.roles import Choice

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

GOOD = '{"reason": "r", "action": "play slot 1"}'


LEGAL: Listed = labelled((Play(slot=0), Play(slot=1)))


def ask(
    *parts: Part, node: str = "proposer", sample: int = 0, place: Place | None = None
) -> ModelRequest:
    """A question of two legal moves."""
    told = parts or (Part("state", "A table."),)
    return ModelRequest(node, "proposer", sample, told, Choice, LEGAL, place=place or Place())


def server(handler: Handler) -> web.Application:
    """Says the same to every request."""
    made = web.Application(client_max_size=2**26)
    made.router.add_post("/v1/chat/completions", handler)
    made.router.add_get("/v1/models", handler)
    return made


def completion(text: str = GOOD, **more: Any) -> web.Response:
    message = {"role": "assistant", "content": text}
    return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], **more})


def quick(url: str, **more: Any) -> dict[str, Any]:
    """A model of a server, asked without long waits."""
    return {
        "model": f"openai:fake@{url}",
        "backoff_s": 0.002,
        "attempts": 4,
        "timeout_s": 5,
        **more,
    }


@contextmanager
def in_a_thread(served: web.Application) -> Iterator[str]:
    """A server beside the test's own event loop, or for another process; gives its URL."""
    loop = asyncio.new_event_loop()
    ready: list[str] = []
    started = threading.Event()
    stop = asyncio.Event()

    async def serve() -> None:
        async with fake_endpoint.serving(served) as url:
            ready.append(url)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait()
    try:
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
