"""A local OpenAI-compatible server that answers blindly: a public test double.

It fills in the request's JSON schema with well-formed values, and names legal moves where moves are asked for: the
prompt's numbered list of them is all that it reads. Answers depend on the prompt alone, so that a game against it
can be repeated. It knows nothing of Hanabi; scores of games against it mean nothing.
"""

import asyncio
import hashlib
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

MODEL = "fake"
MOVE_KEYS = ("action", "hint", "best")
"""Properties of reply types that name moves."""

_LEGAL = re.compile(r"^ *(\d+): ((?:play|discard|hint) .+)$", re.MULTILINE)


def fill(schema: dict[str, Any], moves: list[str], chance: random.Random, key: str = "") -> Any:
    """A value of a JSON schema; a string under one of MOVE_KEYS is a legal move."""
    if options := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return chance.choice(options)
    if "anyOf" in schema:
        return fill(chance.choice(schema["anyOf"]), moves, chance, key)
    match schema.get("type"):
        case "object":
            return {name: fill(sub, moves, chance, name) for name, sub in schema.get("properties", {}).items()}
        case "array":
            length = chance.randint(1, 3)
            return [fill(schema.get("items") or {}, moves, chance, key) for _ in range(length)]
        case "integer":
            return 1  # within the bounds of every count in a reply; strict schemas do not state them
        case "number":
            return round(chance.random(), 2)
        case "boolean":
            return chance.random() < 0.7
        case "null":
            return None
    return chance.choice(moves) if key in MOVE_KEYS and moves else "A blind answer of the fake endpoint."


def complete(request: dict[str, Any]) -> dict[str, Any]:
    """The chat completion for a request."""
    prompt = "\n".join(str(message.get("content")) for message in request.get("messages", []))
    chance = random.Random(hashlib.sha256(prompt.encode()).digest())
    moves = list(dict.fromkeys(text for _, text in _LEGAL.findall(prompt)))
    schema = ((request.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if schema is None:
        schema = {"type": "object", "properties": {"reason": {"type": "string"}, "action": {"type": "string"}}}
    text = json.dumps(fill(schema, moves, chance))
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
    return {
        "id": "fake",
        "object": "chat.completion",
        "model": request.get("model", MODEL),
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }


def app(latency_s: float = 0.0) -> web.Application:
    """The server; every answer waits `latency_s` and leaves in one write."""

    async def completions(request: web.Request) -> web.Response:
        try:
            answer = complete(await request.json())
        except (ValueError, TypeError, AttributeError):
            return web.json_response({"error": {"message": "this is no chat completion request"}}, status=400)
        await asyncio.sleep(latency_s)
        return web.json_response(answer)

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    made = web.Application(client_max_size=64 * 2**20)
    made.router.add_post("/v1/chat/completions", completions)
    made.router.add_get("/v1/models", models)
    return made


@asynccontextmanager
async def serving(served: web.Application, port: int = 0) -> AsyncIterator[str]:
    """Serve on 127.0.0.1 (port 0: a free one) while the context lasts; yields the base URL."""
    runner = web.AppRunner(served, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        bound = runner.addresses[0][1]
        yield f"http://127.0.0.1:{bound}/v1"
    finally:
        await runner.cleanup()
