"""Games on a server that answers one request at a time and refuses all others, by the sign with which it refuses.

    python -m benchmarks.one_slot [--games 10] [--backoff-s 0.05]

A call takes ten times `backoff_s`, as 10 s at the default settings. The table shows how many of the games, all played
at the same time, were suspended.
"""

import argparse
import asyncio
import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml
from aiohttp import web

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.orchestrator.models import fake_endpoint

CALL = 10
"""The duration of a call, in units of `backoff_s`."""
SIGNS: dict[str, tuple[int, dict[str, Any]]] = {
    "429": (429, {"error": {"message": "too many requests"}}),
    "503": (503, {"error": {"message": "server is busy"}}),
    "529": (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    "429 in a 200": (200, {"error": {"code": 429, "message": "provider is rate limited"}}),
    "500": (500, {"error": {"message": "internal error"}}),
}
"""The status and the body of a refusal; the last is no sign of crowding, for comparison."""


class Outcome(NamedTuple):
    """What became of the games on one server."""

    sign: str
    suspended: int
    refusals: int
    code: int


class OneSlot:
    """A server under one address for each sign, each with one slot."""

    def __init__(self, call_s: float) -> None:
        self.call_s = call_s
        self.busy: set[str] = set()
        """The signs whose slot is taken."""
        self.refusals = dict.fromkeys(SIGNS, 0)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        sign = list(SIGNS)[int(request.match_info["number"])]
        if sign in self.busy:
            self.refusals[sign] += 1
            status, words = SIGNS[sign]
            return web.json_response(words, status=status)
        self.busy.add(sign)
        try:
            await asyncio.sleep(self.call_s)
        finally:
            self.busy.discard(sign)
        return web.json_response(fake_endpoint.complete(body))

    @property
    def app(self) -> web.Application:
        served = web.Application(client_max_size=2**26)
        served.router.add_post("/v1/{number}/v1/chat/completions", self.respond)
        return served


async def play(sign: str, served: OneSlot, url: str, games: int, backoff_s: float) -> Outcome:
    """Play an experiment on one of the servers, as a person does."""
    address = f"{url}/{list(SIGNS).index(sign)}/v1"
    asked = {
        "name": "slot",
        "graph": "sherlock",
        "players": [2],
        "seeds": {"first": 1, "count": games},
        "models": {"default": {"model": f"openai:x@{address}", "backoff_s": backoff_s}},
        "min_own": 0,
    }
    with TemporaryDirectory() as folder:
        written = Path(folder, "slot.yaml").write_text
        await asyncio.to_thread(written, yaml.safe_dump(asked), "utf-8")
        command = ("-m", "hanabi_orchestrator", "experiment", "run", "slot.yaml", "--out", "run")
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=folder, stdout=DEVNULL, stderr=DEVNULL
        )
        code = await process.wait()
        ended = len(run_folder.read_rows(Path(folder, "run")))
    return Outcome(sign, games - ended, served.refusals[sign], code)


async def measure(games: int, backoff_s: float) -> list[Outcome]:
    """Play the games on all servers, beside each other."""
    served = OneSlot(CALL * backoff_s)
    async with fake_endpoint.serving(served.app) as url:
        return list(
            await asyncio.gather(*(play(sign, served, url, games, backoff_s) for sign in SIGNS))
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--backoff-s", type=float, default=0.05)
    words = parser.parse_args()
    print("| refused with | games suspended | refusals | exit |\n|---|---|---|---|")
    for outcome in asyncio.run(measure(words.games, words.backoff_s)):
        print(
            f"| {outcome.sign} | {outcome.suspended} of {words.games} | {outcome.refusals} | {outcome.code} |"
        )


if __name__ == "__main__":
    main()
