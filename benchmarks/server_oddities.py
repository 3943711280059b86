"""What a person sees of servers that misbehave: a game on each of 62 servers, every one odd in its own way.

    python -m benchmarks.server_oddities [--only NAME] [--at-once 4]

Each server answers every request so. `play` asks it with its default settings; the table shows how often the same
prompt was sent at most, the seconds between the first and the last of these tries, the exit code, whose fault it is
counted as (the test of this module compares it with the journal), and the last words on the terminal.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import random
import re
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Literal, NamedTuple

from aiohttp import web

from hanabi_orchestrator.orchestrator.models import fake_endpoint

Kind = Literal["read", "unusable", "content", "absent", "refused", "passing"]
"""What becomes of a request: its answer is read; it counts as an unusable answer of the model, or as refused content;
its note is absent; the server refuses for good, or may answer later."""
FAULT_OF: dict[Kind, str] = {
    "read": "nobody",
    "unusable": "model",
    "content": "content",
    "absent": "length",
    "refused": "server",
    "passing": "server",
}
"""Whose fault each kind is counted as; `server` includes its address and the settings of the request."""
Request = dict[str, Any]
Respond = Callable[[Request], web.StreamResponse]


class Oddity(NamedTuple):
    name: str
    kind: Kind
    respond: Respond


def data(body: Any, status: int = 200, **headers: str) -> Respond:
    """Always the same JSON."""
    return lambda _: web.json_response(
        body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def error(status: int, words: str, **more: Any) -> Respond:
    """An error as OpenAI's API writes it."""
    return data({"error": {"message": words, **more}}, status)


def page(status: int, title: str) -> Respond:
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return lambda _: web.Response(text=html, status=status, content_type="text/html")


def changed(change: Callable[[dict[str, Any]], None]) -> Respond:
    """A good answer with a change."""

    def respond(request: Request) -> web.StreamResponse:
        answer = fake_endpoint.complete(request)
        change(answer)
        return web.json_response(answer)

    return respond


def unless_plain(refusal: Respond, strict: str = "response_format") -> Respond:
    """A refusal of requests whose text holds a word, else a good answer."""

    def respond(request: Request) -> web.StreamResponse:
        refused = strict in request or (
            strict != "response_format" and f'"{strict}"' in json.dumps(request)
        )
        return refusal(request) if refused else web.json_response(fake_endpoint.complete(request))

    return respond


def raw(
    body: Callable[[str], str | bytes], media: str = "application/json", **headers: str
) -> Respond:
    """A good answer's JSON in another coat."""

    def respond(request: Request) -> web.StreamResponse:
        text = body(json.dumps(fake_endpoint.complete(request), ensure_ascii=False))
        content = text.encode() if isinstance(text, str) else text
        return web.Response(
            body=content,
            headers={"Content-Type": media, **{k.replace("_", "-"): v for k, v in headers.items()}},
        )

    return respond


def _moved(to: Callable[[str], dict[str, Any]]) -> Respond:
    """A good answer whose text stands in another field."""

    def change(answer: dict[str, Any]) -> None:
        message = answer["choices"][0]["message"]
        text = message.pop("content")
        message |= {"content": None, **to(text)}

    return changed(change)


def _choice(**fields: Any) -> Respond:
    return changed(lambda answer: answer["choices"][0].update(fields))


def _streamed(text: str, *, end: str = "data: [DONE]\n\n") -> str:
    answer = json.loads(text)
    content = answer["choices"][0]["message"]["content"]
    half = len(content) // 2
    parts = [
        {"role": "assistant", "content": ""},
        {"content": content[:half]},
        {"content": content[half:]},
    ]
    chunks = [
        {"model": answer["model"], "choices": [{"index": 0, "delta": part}]} for part in parts
    ]
    chunks.append(
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": answer["usage"]}
    )
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end


def _tool(text: str) -> dict[str, Any]:
    return {
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "reply", "arguments": text}}
        ]
    }


def _two_tools(answer: dict[str, Any]) -> None:
    choice = answer["choices"][0]
    calls = _tool(choice["message"].pop("content"))["tool_calls"]
    choice["message"] |= {"content": None, "tool_calls": [*calls, *calls]}
    choice["finish_reason"] = "tool_calls"


def _second_choice(answer: dict[str, Any]) -> None:
    answer["choices"].insert(
        0, {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}
    )


HALF = '{"reason": "I'
UNFIT = error(
    400,
    "The model's output did not fit the schema.",
    code="json_validate_failed",
    failed_generation=HALF,
)
FLAGGED = {
    "code": 403,
    "message": "input was flagged",
    "metadata": {"reasons": ["violence"], "flagged_input": "..."},
}

ODDITIES: tuple[Oddity, ...] = (
    # crowded: tried again, with fewer calls at a time
    Oddity("503 busy", "passing", error(503, "busy, try later", type="service_unavailable")),
    Oddity(
        "529 overloaded",
        "passing",
        data(
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529
        ),
    ),
    Oddity(
        "503 in a list",
        "passing",
        data([{"error": {"code": 503, "message": "The model is overloaded."}}], 503),
    ),
    Oddity("429 in a 200", "passing", error(200, "provider is rate limited", code=429)),
    Oddity("400 no slots", "passing", error(400, "no free slots")),
    Oddity("500 slow down", "passing", error(500, "slow down, please")),
    Oddity("429 text", "passing", lambda _: web.Response(text="Too Many Requests", status=429)),
    Oddity(
        "finish: no resources", "passing", _choice(finish_reason="insufficient_system_resource")
    ),
    # other faults that may pass
    Oddity("500", "passing", error(500, "internal error")),
    Oddity("502 page", "passing", page(502, "502 Bad Gateway")),
    Oddity("502 in a 200", "passing", error(200, "the provider is away", code=502)),
    Oddity(
        "error in a choice",
        "passing",
        _choice(finish_reason="error", error={"code": 502, "message": "provider timed out"}),
    ),
    # refused for good: at once
    Oddity("401", "refused", error(401, "Incorrect API key provided: sk-ab***yz")),
    Oddity("402", "refused", error(402, "Insufficient credits")),
    Oddity("403 country", "refused", error(403, "Country, region, or territory not supported")),
    Oddity(
        "404 model", "refused", error(404, "The model `x` does not exist", code="model_not_found")
    ),
    Oddity("404 page", "refused", page(404, "404 Not Found")),
    Oddity("405", "refused", data({"detail": "Method Not Allowed"}, 405)),
    Oddity(
        "402 in a 200",
        "refused",
        data({"id": None, "choices": None, "error": {"code": 402, "message": "no credits left"}}),
    ),
    Oddity("401 in a 200", "refused", error(200, "invalid api key", type="authentication_error")),
    Oddity(
        "no /v1, in a 200",
        "refused",
        data({"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
    ),
    Oddity(
        "429 no quota",
        "refused",
        error(429, "You exceeded your current quota", code="insufficient_quota"),
    ),
    Oddity(
        "429 limit too small",
        "refused",
        error(429, "Request too large (TPM): Limit 3000, Requested 6000."),
    ),
    Oddity("429 per day", "refused", error(429, "Rate limit exceeded: free-models-per-day")),
    Oddity("400 balance", "refused", error(400, "Your credit balance is too low")),
    Oddity(
        "400 temperature", "refused", error(400, "temperature is at most 2", param="temperature")
    ),
    Oddity("400 of no reason", "refused", error(400, "?")),
    Oddity(
        "400 http to https",
        "refused",
        page(400, "400 The plain HTTP request was sent to HTTPS port"),
    ),
    Oddity("413 page", "refused", page(413, "413 Request Entity Too Large")),
    Oddity(
        "422 detail",
        "refused",
        data({"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}, 422),
    ),
    # the same answer each time: three tries
    Oddity("a page", "refused", page(200, "Welcome")),
    Oddity("an empty 200", "refused", lambda _: web.Response(body=b"")),
    Oddity("half of the JSON", "refused", raw(lambda text: text[: len(text) // 2])),
    Oddity("no choices", "refused", data({"object": "list", "data": []})),
    Oddity("plain text", "refused", lambda _: web.Response(text="It works!")),
    Oddity("gzip label", "refused", raw(lambda text: text, Content_Encoding="gzip")),
    Oddity(
        "stream cut off",
        "refused",
        raw(lambda text: "\n".join(_streamed(text, end="").splitlines()[:3]), "text/event-stream"),
    ),
    Oddity("finish: error", "refused", _choice(finish_reason="error")),
    Oddity("error without a kind", "refused", data({"error": "something went wrong"})),
    # read all the same
    Oddity("stream", "read", raw(_streamed, "text/event-stream")),
    Oddity("JSON and [DONE]", "read", raw(lambda text: f"{text}\n\ndata: [DONE]\n\n")),
    Oddity(
        "Latin-1",
        "read",
        raw(lambda text: text.replace('"id": "fake"', '"id": "caf\u00e9"').encode("latin-1")),
    ),
    Oddity("byte order mark", "read", raw(lambda text: f"\ufeff{text}", "text/plain")),
    Oddity("gzip", "read", raw(lambda text: gzip.compress(text.encode()), Content_Encoding="gzip")),
    Oddity("answer in reasoning", "read", _moved(lambda text: {"reasoning_content": text})),
    Oddity("answer in a tool call", "read", _moved(_tool)),
    Oddity("a later choice", "read", changed(_second_choice)),
    Oddity(
        "content in parts",
        "read",
        _moved(lambda text: {"content": [{"type": "text", "text": text}]}),
    ),
    Oddity(
        "error: null beside it",
        "read",
        changed(lambda answer: answer.update(error=None, detail="cached")),
    ),
    Oddity("no usage", "read", changed(lambda answer: answer.pop("usage"))),
    Oddity(
        "schema refused",
        "read",
        unless_plain(error(400, "response_format json_schema is not supported")),
    ),
    Oddity(
        "schema refused, in a 200",
        "read",
        unless_plain(error(200, "response_format is not supported", code=400)),
    ),
    Oddity(
        "500 for a schema",
        "read",
        unless_plain(error(500, "failed to load model vocabulary required for format")),
    ),
    Oddity("moves refused", "read", unless_plain(error(400, "Invalid schema: enum"), "enum")),
    # too long, or the content is refused: the note is absent
    Oddity(
        "too long",
        "absent",
        error(400, "Cannot truncate prompt with n_keep (15028) >= n_ctx (4096)"),
    ),
    Oddity(
        "too long, 413",
        "absent",
        error(
            413, "Request body too large for x. Max size: 8000 tokens.", code="tokens_limit_reached"
        ),
    ),
    Oddity(
        "too long, in a list",
        "absent",
        data(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "The input token count (40000) exceeds the maximum number of tokens (32768).",
                    }
                }
            ],
            400,
        ),
    ),
    Oddity("content flagged", "content", data({"error": FLAGGED}, 403)),
    Oddity(
        "content inspected",
        "content",
        error(400, "input may hold inappropriate content", code="data_inspection_failed"),
    ),
    # the model's own fault
    Oddity("failed generation", "unusable", UNFIT),
    Oddity(
        "prose in reasoning",
        "unusable",
        _moved(lambda _: {"reasoning_content": "Let me think about the newest card."}),
    ),
    Oddity("two tool calls", "unusable", changed(_two_tools)),
)


@dataclass
class OddServer:
    """Servers under one address, each under the number of its oddity; `/random/v1` is odd now and then."""

    rate: float = 0.05
    prompts: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """When each server was sent each prompt."""
    done: Counter[str] = field(default_factory=Counter)
    """The oddities of the random server, by name."""

    async def respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        which = request.match_info["which"]
        prompt = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()
        times = self.prompts.setdefault((which, prompt), [])
        times.append(monotonic())
        if which != "random":
            return ODDITIES[int(which)].respond(body)
        chance = random.Random(f"{prompt}-{len(times)}")
        if chance.random() >= self.rate:
            return web.json_response(fake_endpoint.complete(body))
        oddity = chance.choice(ODDITIES)
        self.done[oddity.name] += 1
        return oddity.respond(body)

    @property
    def app(self) -> web.Application:
        served = web.Application(client_max_size=2**26)
        served.router.add_post("/v1/{which}/v1/chat/completions", self.respond)
        return served

    def tries(self, number: int) -> list[float]:
        """Return when a server was sent the prompt that it was sent most often."""
        prompts = [times for (which, _), times in self.prompts.items() if which == str(number)]
        return max(prompts, key=len, default=[])


class Seen(NamedTuple):
    """What a person sees of a server."""

    name: str
    tries: int
    seconds: float
    code: int
    fault: str
    words: str


async def play(number: int, served: OddServer, url: str, graph: str) -> Seen:
    """Play a game of two on one of the servers, as a person does."""
    options = ("-q", "--graph", graph, "--players", "2", "--model", f"openai:x@{url}/{number}/v1")
    with TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "hanabi_orchestrator",
            "play",
            *options,
            cwd=folder,
            stdout=PIPE,
            stderr=PIPE,
        )
        _, errors = await process.communicate()
    lines = errors.decode().strip().splitlines()
    words = lines[-1] if process.returncode else "plays on"
    times = served.tries(number)
    words = re.sub(r"^(suspended at turn \d+) of \S+: ", r"\1: ", words).replace(
        "node 'player': ", ""
    )
    oddity = ODDITIES[number]
    seconds = times[-1] - times[0] if times else 0
    return Seen(
        oddity.name, len(times), seconds, process.returncode or 0, FAULT_OF[oddity.kind], words
    )


def table(rows: Sequence[Seen]) -> str:
    """Return the rows as a table of Markdown."""
    head = "| the server's answer | tries | s | exit | fault of | what a person sees |\n|---|---|---|---|---|---|"
    lines = []
    for row in rows:
        words = row.words.replace("|", "/")
        lines.append(
            f"| {row.name} | {row.tries} | {row.seconds:.0f} | {row.code} | {row.fault} | {words} |"
        )
    return "\n".join([head, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="the name of one oddity")
    parser.add_argument("--graph", default="house_solo")
    parser.add_argument("--at-once", type=int, default=4)
    words = parser.parse_args()
    numbers = [
        number for number, oddity in enumerate(ODDITIES) if words.only in (None, oddity.name)
    ]
    print(table(asyncio.run(measure(numbers, words.graph, words.at_once))))


async def measure(numbers: Sequence[int], graph: str, at_once: int) -> list[Seen]:
    """Play a game on each of these servers."""
    served = OddServer()
    room = asyncio.Semaphore(at_once)

    async def seen(number: int, url: str) -> Seen:
        async with room:
            return await play(number, served, url, graph)

    async with fake_endpoint.serving(served.app) as url:
        return list(await asyncio.gather(*(seen(number, url) for number in numbers)))


if __name__ == "__main__":
    main()
