"""A local OpenAI-compatible server with meaningless but well-formed answers: a public test double.

It fills in the JSON schema of the request, or else repeats the example in the prompt with other values, and names legal
moves where moves are asked for: the example and the list of moves are all that it reads of a prompt. Answers depend on
the prompt alone, so that games against it can be repeated. It knows nothing of Hanabi, so scores of games against it
mean nothing. With `Faults` it makes the mistakes of real servers.
"""

import asyncio
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from orchestrator.models import fake_server
from orchestrator.models.fake_faults import WIRE, Faults, spoil

MODEL = "fake"
MOVE_KEYS = ("action", "hint", "best")
"""Properties of reply types that name moves."""

_MOVE = r"(?:play|discard) slot \d|hint P\d (?:rank \d|[a-z]+)"
_LEGAL = re.compile(rf"^ *(\d+|[A-Z]{{1,2}}): ({_MOVE})$", re.MULTILINE)


YES = 0.7
"""How often a yes-or-no question is answered with yes."""
BLIND = "A blind answer of the fake endpoint."
SCRIPT = "<script>alert('hanabi')</script><img src=x onerror=alert(1)> \x1b[31m & ]]> {{7*7}}"
ILLEGAL = ("play slot 9", "hint P7 red", "discard nothing", "99")


def fill(schema: dict[str, Any], moves: list[str], chance: random.Random, key: str = "", words: str = BLIND) -> Any:
    """A value of a JSON schema; a string under one of MOVE_KEYS is a legal move."""
    if options := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return chance.choice(options)
    if "anyOf" in schema:
        return fill(chance.choice(schema["anyOf"]), moves, chance, key, words)
    match schema.get("type"):
        case "object":
            return {name: fill(sub, moves, chance, name, words) for name, sub in schema.get("properties", {}).items()}
        case "array":
            length = chance.randint(1, 3)
            return [fill(schema.get("items") or {}, moves, chance, key, words) for _ in range(length)]
        case "integer":
            return 1  # within the bounds of every count in a reply; strict schemas do not state them
        case "number":
            return round(chance.random(), 2)
        case "boolean":
            return chance.random() < YES
        case "null":
            return None
    return _move(key, moves, chance) if key in MOVE_KEYS and moves else words


def like(example: Any, moves: list[str], chance: random.Random, key: str = "", words: str = BLIND) -> Any:
    """A value shaped like an example; a string under one of MOVE_KEYS is a legal move, every reason is `words`."""
    if isinstance(example, dict):
        return {name: like(inner, moves, chance, name, words) for name, inner in example.items()}
    if isinstance(example, list):
        return [like(inner, moves, chance, key, words) for inner in example]
    if isinstance(example, bool):
        return chance.random() < YES
    if key == "reason":
        return words
    return _move(key, moves, chance) if isinstance(example, str) and key in MOVE_KEYS and moves else example


def _move(key: str, moves: list[str], chance: random.Random) -> str | None:
    """A legal move; under the key `hint` a hint, or None where none is legal."""
    fitting = [move for move in moves if key != "hint" or not move.startswith(("play", "discard slot"))]
    return chance.choice(fitting) if fitting else None


_EXAMPLE = re.compile(r"(?:to show the form only:|只用来说明格式：)\n(.*?)(?:\n\n|\Z)", re.DOTALL)
_NAMED = re.compile(_MOVE)


def _example(prompt: str) -> str:
    """The example reply of a prompt, or a simple choice of a move where it has none."""
    found = _EXAMPLE.findall(prompt)
    return str(found[-1]) if found else json.dumps({"reason": BLIND, "action": "0"})


def _like(example: str, moves: list[str], chance: random.Random, words: str) -> str:
    """An answer shaped like an example, in JSON or plain text."""
    if example.startswith("{"):
        return json.dumps(like(json.loads(example), moves, chance, words=words))
    reasoned = re.sub(r"^(Reason\w*:).*", lambda said: f"{said[1]} {words}", example, flags=re.MULTILINE)
    answered = re.sub(r"(?<=: )(?:yes|no)$", lambda _: "yes" if chance.random() < YES else "no", reasoned, flags=re.M)
    return _NAMED.sub(lambda said: _move(said[0].split()[0], moves, chance) or "none", answered)


def complete(request: dict[str, Any], kind: str | None = None) -> dict[str, Any]:
    """The chat completion for a request, with one of the faults of `fake_faults.CONTENT` if `kind` is given."""
    prompt = "\n\n".join(str(message.get("content")) for message in request.get("messages", []))
    chance = random.Random(hashlib.sha256(prompt.encode()).digest())
    moves = list(dict.fromkeys(text for _, text in _LEGAL.findall(prompt)))
    schema = ((request.get("response_format") or {}).get("json_schema") or {}).get("schema")
    named = list(ILLEGAL) if kind == "illegal" else moves
    words = SCRIPT if kind == "script" else BLIND
    if schema is None:
        text = _like(_example(prompt), named, chance, words)
    else:
        text = json.dumps(fill(schema, named, chance, words=words))
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
    answer = {
        "id": "fake",
        "object": "chat.completion",
        "model": request.get("model", MODEL),
        "system_fingerprint": fake_server.FINGERPRINT,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }
    if kind is not None:
        spoil(kind, answer)
    return answer


def app(latency_s: float = 0.0, faults: Faults | None = None) -> web.Application:
    """The server; every response is sent after `latency_s`."""

    asked = Counter[str]()

    async def completions(request: web.Request) -> web.StreamResponse:
        asked["requests"] += 1
        try:
            body = await request.json()
            kind = faults.pick(body) if faults else None
            if faults and kind in WIRE:
                return await faults.on_the_wire(kind, request)
            answer = complete(body, kind)
        except (ValueError, TypeError, AttributeError):
            return web.json_response({"error": {"message": "this is no chat completion request"}}, status=400)
        await asyncio.sleep(latency_s)
        return web.json_response(answer)

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def done(_: web.Request) -> web.Response:
        return web.json_response({**asked, "faults": faults.done if faults else {}})

    made = web.Application(client_max_size=64 * 2**20)
    made.router.add_post("/v1/chat/completions", completions)
    made.router.add_get("/v1/models", models)
    made.router.add_get("/faults", done)
    return made


@asynccontextmanager
async def serving(served: web.Application, port: int = 0) -> AsyncIterator[str]:
    """Serve on 127.0.0.1 (port 0: a free one) while the context lasts; yields the base URL."""
    runner = web.AppRunner(served, access_log=None, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        bound = runner.addresses[0][1]
        yield f"http://127.0.0.1:{bound}/v1"
    finally:
        await runner.cleanup()
