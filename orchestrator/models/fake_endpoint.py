"""A local OpenAI-compatible server with meaningless but well-formed answers: a public test double.

It has Chat Completions and the Responses API. It fills in the JSON schema of the request, or else the form in the
prompt, and names legal moves where moves are asked for, and an option where there is a list of options: these are all
that it reads of a prompt. Answers depend on the prompt alone, so that games against it can be repeated. It knows
nothing of Hanabi, so scores of games against it mean nothing. With `Faults` it makes the mistakes of real servers.
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

from hanabi_orchestrator.orchestrator.models.fake_faults import WIRE, Faults, spoil
from hanabi_orchestrator.orchestrator.models.request import FAKE

MODEL = "fake"
MOVE_KEYS = ("action", "hint", "best")
"""Properties of reply types that name moves."""

_MOVE = r"(?:play|discard) slot \d|hint P\d (?:rank \d|[a-z]+)"
LISTED_MOVE = re.compile(rf"^ *(?:(\d+|[A-Z]{{1,2}}):|-) ({_MOVE})$", re.MULTILINE)
"""A legal move in a prompt: its label, empty where there is none, and its text."""

KINDS_OF_MOVE = re.compile(r"^You may ((?:discard|play|hint)[a-z, ]*)\.", re.MULTILINE)
"""The kinds of legal moves, where a prompt lists no moves and asks for a move alone."""

LISTED_OPTION = re.compile(r"^ *([A-Z])\. *(.*\S)", re.MULTILINE)
"""An option of a multiple-choice question, behind a line that begins with `Available`."""


YES = 0.7
"""How often a yes-or-no question is answered with yes."""
BLIND = "A blind answer of the fake endpoint."
SCRIPT = "<script>alert('hanabi')</script><img src=x onerror=alert(1)> \x1b[31m & ]]> {{7*7}}"
ILLEGAL = ("play slot 9", "hint P7 red", "discard nothing", "99")


def fill(
    schema: dict[str, Any],
    moves: list[str],
    chance: random.Random,
    key: str = "",
    words: str = BLIND,
) -> Any:
    """Return a value of a JSON schema; a string under one of MOVE_KEYS is a legal move."""
    if options := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return chance.choice(options)
    if "anyOf" in schema:
        return fill(chance.choice(schema["anyOf"]), moves, chance, key, words)
    match schema.get("type"):
        case "object":
            return {
                name: fill(sub, moves, chance, name, words)
                for name, sub in schema.get("properties", {}).items()
            }
        case "array":
            length = chance.randint(1, min(3, schema.get("maxItems", 3)))
            entries = [
                fill(schema.get("items") or {}, moves, chance, key, words) for _ in range(length)
            ]
            # what an entry is about is its first value; a list has one entry about each
            subjects = (
                next(iter(entry.values())) if isinstance(entry, dict) and entry else entry
                for entry in entries
            )
            return list(dict(zip(map(str, subjects), entries, strict=True)).values())
        case "integer":
            return 1  # within the bounds of every count in a reply; plain schemas do not state them
        case "number":
            return round(chance.uniform(schema.get("minimum", 0), schema.get("maximum", 1)), 2)
        case "boolean":
            return chance.random() < YES
        case "null":
            return None
    return (
        _move(key, moves, chance)
        if key in MOVE_KEYS and moves
        else words[: schema.get("maxLength")]
    )


def _move(key: str, moves: list[str], chance: random.Random) -> str | None:
    """Return a legal move; under the key `hint` a hint, or None where none is legal."""
    fitting = [
        move for move in moves if key != "hint" or not move.startswith(("play", "discard slot"))
    ]
    return chance.choice(fitting) if fitting else None


_FORM = re.compile(r"(?:Fill in this form: |请填写下面的格式：)[^\n]*\n(.*?)(?:\n\n|\Z)", re.DOTALL)
_BLANK = re.compile(r"<([^<>]+)>")
_RANGE = re.compile(r"(-?\d+) (?:to|到) (-?\d+)")


def _value(blank: str, moves: list[str], chance: random.Random, words: str) -> str:
    """Return what may stand in a blank: `a legal move`, `number from -1 to 1`, `yes | no`, `"text", or null`."""
    description, nothing, none = (
        blank.partition(", or ") if ", or " in blank else blank.partition("，或 ")
    )
    quote = '"' if description.startswith('"') else ""
    description = description.strip('"')
    if re.search("legal (move|hint)|合法(行动|提示)", description):
        move = _move(
            "hint" if "hint" in description or "提示" in description else "", moves, chance
        )
        return none if nothing and move is None else f"{quote}{move or 'none'}{quote}"
    if " | " in description:
        options = description.removesuffix(" ...").split(" | ")
        return f"{quote}{chance.choices(options, (YES, 1 - YES) if len(options) == 2 else None)[0]}{quote}"
    if "whole number" in description or "整数" in description:
        return "1"
    if bounds := _RANGE.search(description):
        return f"{round(chance.uniform(*map(float, bounds.groups())), 2)}"
    return "1" if "number" in description or description == "数" else f"{quote}{words}{quote}"


def complete(request: dict[str, Any], kind: str | None = None) -> dict[str, Any]:
    """Return the chat completion for a request, with one of the faults of `fake_faults.CONTENT` if `kind` is given."""
    prompt = "\n\n".join(str(message.get("content")) for message in request.get("messages", []))
    chance = random.Random(hashlib.sha256(prompt.encode()).digest())
    moves = list(dict.fromkeys(text for _, text in LISTED_MOVE.findall(prompt)))
    if bare := not moves and KINDS_OF_MOVE.search(prompt):
        moves = [
            f"{kind} slot {slot}"
            for kind in ("discard", "play")
            if kind in bare[1]
            for slot in range(4)
        ]
    schema = ((request.get("response_format") or {}).get("json_schema") or {}).get("schema")
    named = list(ILLEGAL) if kind == "illegal" else moves
    words = SCRIPT if kind == "script" else BLIND
    if schema is None and (options := LISTED_OPTION.findall(prompt.rpartition("\nAvailable ")[2])):
        text = f"Explanation: {words}\nAnswer: {'. '.join(chance.choice(options))}"
    elif schema is None and bare:
        text = chance.choice(named)
    elif schema is None:
        forms = _FORM.findall(prompt)
        form = str(forms[-1]) if forms else '{"reason": "<text>", "action": "<a legal move>"}'
        spoken = json.dumps(words)[1:-1] if form.startswith("{") else words
        text = _BLANK.sub(lambda blank: _value(blank[1], named, chance, spoken), form)
    else:
        text = json.dumps(fill(schema, named, chance, words=words))
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
    answer = {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", MODEL),
        "system_fingerprint": FAKE,
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }
    if kind is not None:
        spoil(kind, answer)
    return answer


THOUGHT = "A blind thought of the fake endpoint."


def as_chat(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request of the Responses API as one of Chat Completions."""
    format = dict((request.get("text") or {}).get("format") or {})
    schema = {"type": format.pop("type"), "json_schema": format} if format else None
    return {
        "model": request.get("model", MODEL),
        "messages": request.get("input", []),
        **({"response_format": schema} if schema else {}),
    }


def as_response(answer: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Return a chat completion as a response, with a summary of thinking where one is asked for."""
    choice = answer["choices"][0]
    usage = answer["usage"]
    message = choice["message"]
    cut_off = choice["finish_reason"] == "length"
    text = message["content"]
    refusal = message.get("refusal")
    text = (
        {"type": "refusal", "refusal": refusal}
        if refusal
        else {"type": "output_text", "text": text, "annotations": []}
    )
    thought = {
        "type": "reasoning",
        "id": "fake",
        "summary": [{"type": "summary_text", "text": THOUGHT}],
    }
    thinks = bool((request.get("reasoning") or {}).get("summary"))
    spoken = {"type": "message", "id": "fake", "role": "assistant", "content": [text]}
    thinking = len(THOUGHT) // 4 * thinks
    return {
        **{key: answer[key] for key in ("id", "model", "system_fingerprint")},
        "object": "response",
        "status": "incomplete" if cut_off else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut_off else None,
        "output": [*([thought] if thinks else []), spoken],
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"] + thinking,
            "output_tokens_details": {"reasoning_tokens": thinking},
            "total_tokens": usage["total_tokens"] + thinking,
        },
    }


def app(latency_s: float = 0.0, faults: Faults | None = None) -> web.Application:
    """Return the server; every response is sent after `latency_s`."""

    counts = Counter[str]()

    async def completions(request: web.Request) -> web.StreamResponse:
        counts["requests"] += 1
        try:
            body = await request.json()
            responds = request.path.endswith("/responses")
            chat = as_chat(body) if responds else body
            kind = faults.pick(chat) if faults else None
            if faults and kind in WIRE:
                return await faults.on_the_wire(kind, request)
            answer = complete(chat, kind)
            answer = as_response(answer, body) if responds else answer
        except (ValueError, TypeError, AttributeError):
            return web.json_response(
                {"error": {"message": "this is no chat completion request"}}, status=400
            )
        await asyncio.sleep(latency_s)
        return web.json_response(answer)

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def done(_: web.Request) -> web.Response:
        return web.json_response({**counts, "faults": faults.done if faults else {}})

    server = web.Application(client_max_size=64 * 2**20)
    server.router.add_post("/v1/chat/completions", completions)
    server.router.add_post("/v1/responses", completions)
    server.router.add_get("/v1/models", models)
    server.router.add_get("/faults", done)
    return server


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
