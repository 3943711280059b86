"""The known mistakes of model servers, made on purpose by the fake endpoint.

Which requests are hit, and how, depends on the seed, the prompt, and how often that prompt has come: a run with faults
can be repeated, and a second try may succeed.
"""

import asyncio
import hashlib
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean

WIRE = (
    "429",
    "429_retry_after",
    "500",
    "502",
    "503",
    "drop",
    "drop_midway",
    "hang",
    "html",
    "half_json",
    "no_completion",
    "no_schema",
)
"""No completion comes. `no_schema` is a 400 to a request with `response_format`; it does not hit other requests."""

CONTENT = (
    "empty",
    "null",
    "truncated",
    "length",
    "prose",
    "wrong_schema",
    "illegal",
    "megabyte",
    "refusal",
    "script",
    "fenced",
)
"""A completion comes, with something wrong in it; the last two leave it usable."""

KINDS = (*WIRE, *CONTENT)

STATUS = {"429": 429, "429_retry_after": 429, "500": 500, "502": 502, "503": 503, "no_schema": 400}


@dataclass
class Faults:
    """Which faults occur, how often, and how many have. Raises UserError for an unknown kind."""

    rate: float
    seed: int = 1
    kinds: tuple[str, ...] = KINDS
    hang_s: float = 60
    retry_after_s: float = 1
    done: Counter[str] = field(default_factory=Counter)
    """How many have occurred, by kind."""
    _seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise UserError(f"unknown fault {unknown[0]!r}; {did_you_mean(unknown[0], KINDS)}")

    def pick(self, request: dict[str, Any]) -> str | None:
        """Return the kind of fault that hits a request, or None."""
        prompt = hashlib.sha256(json.dumps(request.get("messages")).encode()).hexdigest()
        self._seen[prompt] += 1
        chance = random.Random(f"{self.seed}-{prompt}-{self._seen[prompt]}")
        if chance.random() >= self.rate:
            return None
        kind = chance.choice(self.kinds)
        if kind == "no_schema" and "response_format" not in request:
            return None
        self.done[kind] += 1
        return kind

    async def on_the_wire(self, kind: str, request: web.Request) -> web.StreamResponse:
        """Return the response that is sent instead of a completion."""
        if kind in STATUS:
            headers = {"Retry-After": str(self.retry_after_s)} if kind == "429_retry_after" else {}
            return web.json_response(
                {"error": {"message": f"fault {kind}"}}, status=STATUS[kind], headers=headers
            )
        if kind == "hang":
            await asyncio.sleep(self.hang_s)
        if kind in ("drop", "hang"):
            _hang_up(request)
        if kind == "drop_midway":
            response = web.StreamResponse(
                headers={"Content-Type": "application/json", "Content-Length": "1000"}
            )
            await response.prepare(request)
            await response.write(b'{"choices": [')
            _hang_up(request)
            return response
        bodies = {
            "html": "<html><body>502 Bad Gateway</body></html>",
            "half_json": '{"choices": [{"mess',
        }
        kinds = {"html": "text/html"}
        return web.Response(
            text=bodies.get(kind, '{"ok": true}'), content_type=kinds.get(kind, "application/json")
        )


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()


def spoil(kind: str, answer: dict[str, Any]) -> None:
    """Put a fault of content into a completion, in place."""
    choice = answer["choices"][0]
    text = choice["message"]["content"]
    spoilt: dict[str, Any] = {
        "empty": "",
        "null": None,
        "refusal": None,
        "truncated": text[: len(text) * 2 // 3],
        "length": text[: len(text) * 2 // 3],
        "prose": "Let me think about the position. I would play the newest card, or perhaps give a hint.",
        "wrong_schema": '{"verdict": "fine", "confidence": 11}',
        "megabyte": f"{'All work and no play makes a dull hand. ' * 26_215}{text}",
        "fenced": f"Here is my answer:\n```json\n{text}\n```",
    }
    choice["message"]["content"] = spoilt.get(kind, text)
    if kind == "length":
        choice["finish_reason"] = "length"
    if kind == "refusal":
        choice["message"]["refusal"] = "I'm sorry, but I cannot help with that."
