"""Whole games on a server that gets a third of everything wrong, and keys that stay where they are."""

import asyncio
import json
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import product
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import ModelError, Suspended
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameSuspended
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.fake_faults import CONTENT, WIRE, Faults
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import FAKE, messages
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.support import processes
from tests.support.positions import GRAPHS
from tests.support.prove import FULL
from tests.support.servers import ask, in_a_thread, quick
from tests.test_games import check_game, of

EVERY = list(product(GRAPHS, (2, 3, 4, 5), (1, 2)))
GAMES = EVERY[::3][:40] if FULL else [("house", 3, 2)]
TIMEOUT_S = 4.0 if FULL else 0.8
USABLE = ("script", "fenced", "illegal")
"""Faults of content that leave an answer usable, `illegal` where it names no move."""


async def test_games_on_a_server_with_every_fault_end_legally_and_every_fault_is_in_the_ledger(
    tmp_path: Path,
) -> None:
    faults = Faults(0.3, seed=7, hang_s=60, retry_after_s=0.01)
    together = asyncio.Semaphore(4 if FULL else 8)
    stops: Counter[str] = Counter()
    async with fake_endpoint.serving(fake_endpoint.app(faults=faults)) as url:
        layer = ModelLayer()
        model = quick(url, timeout_s=TIMEOUT_S, attempts=3, max_concurrency=16)

        async def game(graph: str, players: int, seed: int) -> list[Event]:
            path = tmp_path / f"{graph}-{players}-{seed}.jsonl"
            config = graphs.verified(graphs.read(graph), "safety")
            async with together:
                while True:
                    seat = graphs.seat(config, model, layer=layer)
                    try:
                        await play_async(seat, players=players, seed=seed, journal=path)
                        return journal.read(path)
                    except Suspended:  # the same call again goes on
                        stops[graph] += 1
                    finally:
                        await seat.aclose()

        games = await asyncio.gather(*(game(*one) for one in GAMES))
        assert len(asyncio.all_tasks()) == 1
    for (_, players, _), events in zip(GAMES, games, strict=True):
        result = check_game(events, players)
        calls = of(events, Call)
        assert result.faults == sum(
            1 for call in calls for attempt in call.attempts if attempt.error
        )
        assert result.fallbacks == sum(call.outcome == "fallback" for call in calls)
        assert result.reasked == sum(call.outcome == "reasked" for call in calls)
    assert set(faults.done) == {*WIRE, *CONTENT}
    every = [call for events in games for call in of(events, Call)]
    assert sum(len(of(events, GameSuspended)) for events in games) == stops.total()
    ledger_of_the_wire(every, faults)
    ledger_of_content(every, faults)
    assert all(
        attempt.latency_s < faults.hang_s for call in every for attempt in call.attempts
    )  # timeouts bite


def ledger_of_the_wire(calls: list[Call], faults: Faults) -> None:
    """Every failed try stands in the journal, under its status or its kind, or as late: on a busy machine other answers
    than those that hang may be late too."""
    seen = Counter(attempt.status for call in calls for attempt in call.attempts if attempt.error)
    late = sum(
        attempt.error == "did not answer in time" for call in calls for attempt in call.attempts
    )
    done = faults.done
    silent = ("drop", "drop_midway", "html", "half_json", "no_completion")
    statuses: dict[int | None, int] = {
        429: done["429"] + done["429_retry_after"],
        400: done["no_schema"],
    }
    statuses |= {int(status): done[status] for status in ("500", "502", "503")}
    statuses[None] = sum(done[kind] for kind in silent)
    seen[None] -= late
    missing = {status: many - seen.pop(status) for status, many in statuses.items()}
    assert not seen and min(missing.values()) >= 0
    assert sum(missing.values()) <= late - done["hang"]


def ledger_of_content(calls: list[Call], faults: Faults) -> None:
    """Every unusable answer stands in the journal, with what was wrong with it."""
    unusable = sum(call.outcome in ("reasked", "fallback") for call in calls)
    surely = sum(faults.done[kind] for kind in CONTENT if kind not in USABLE)
    assert surely <= unusable <= surely + faults.done["illegal"]
    assert (
        sum(call.outcome == "repaired" and not call.dropped for call in calls)
        == faults.done["fenced"]
    )
    illegal = sum(
        any(move in text for move in fake_endpoint.ILLEGAL for text in call.dropped)
        for call in calls
    )
    assert illegal <= faults.done["illegal"]
    assert all(call.error for call in calls if call.outcome in ("reasked", "fallback", "failed"))


def test_the_command_suspends_with_3_and_goes_on_until_it_ends_with_0(tmp_path: Path) -> None:
    faults = Faults(0.7 if FULL else 0.55, seed=3, kinds=("503", "429", "drop", "empty"))
    with in_a_thread(fake_endpoint.app(faults=faults)) as url:
        (tmp_path / "model.yaml").write_text(yaml.safe_dump(quick(url, attempts=3)), "utf-8")
        codes: list[int] = []
        while not codes or codes[-1] == 3:
            done = play(tmp_path, "--graph", "watson")
            codes.append(done.returncode)
            assert done.stderr.count("\n") == (done.returncode == 3)
    assert set(codes) == {0, 3} and codes[-1] == 0
    (path,) = (tmp_path / "games").iterdir()
    check_game(journal.read(path), 3)
    assert json.loads(done.stdout)["faults"] == sum(
        faults.done[kind] for kind in ("503", "429", "drop")
    )


def play(folder: Path, *more: str) -> "CompletedProcess[str]":
    command = [*(["-v", "--logs", "json"] if "-v" in more else []), "play", "--json"]
    command += ["--model", "model.yaml", *(word for word in more if word != "-v")]
    return processes.command(folder, *command)


# Secrets

KEY = "sk-marker-8d1f0c"


Handle = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def echoing(request: web.Request, handler: Handle) -> web.StreamResponse:
    """A server that says the request's key back wherever it can."""
    response = await handler(request)
    if isinstance(response, web.Response) and response.text and request.method == "POST":
        key = request.headers["Authorization"].removeprefix("Bearer ")
        assert key == KEY
        text = response.text.replace("A blind answer", f"{key} a blind answer").replace(
            "fault ", f"{key} fault "
        )
        text = text.replace('"model": "fake"', f'"model": "{key}"').replace(FAKE, key)
        return web.Response(text=text, status=response.status, content_type=response.content_type)
    return response


def test_a_key_is_never_written(tmp_path: Path) -> None:
    """Not to the journal, the cache, the logs or the output, over a chaotic game."""
    served = fake_endpoint.app(
        faults=Faults(0.3, seed=5, kinds=tuple(k for k in (*WIRE, *CONTENT) if k != "hang"))
    )
    served.middlewares.append(echoing)
    (tmp_path / ".env").write_text(f"HANABI_API_KEY={KEY}\n", "utf-8")
    said = ""
    with in_a_thread(served) as url:
        (tmp_path / "model.yaml").write_text(yaml.safe_dump(quick(url, attempts=3)), "utf-8")
        uncached = [["--graph", "cac", "--seed", "2"]] if FULL else []
        for more in (["--graph", "cac", "--cache", "kept"], *uncached):
            while True:
                done = play(tmp_path, "-v", *more)
                said += done.stdout + done.stderr
                if done.returncode != 3:
                    break
            assert done.returncode == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".env"]
    assert {path.suffix for path in files} >= {".jsonl", ".sqlite", ".yaml"}
    assert "*** a blind answer" in (tmp_path / "games/cac-3p-s1.jsonl").read_text(
        "utf-8"
    )  # it was said back
    assert "fault" in said and KEY not in said
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


async def test_a_key_is_in_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANABI_API_KEY", KEY)
    for kind in ("500", "drop", "half_json", "no_completion", "no_schema"):
        served = fake_endpoint.app(faults=Faults(1.0, kinds=(kind,)))
        served.middlewares.append(echoing)
        async with fake_endpoint.serving(served) as url:
            brain = ModelLayer().brain(quick(url, attempts=2))
            try:
                await brain(ask(), messages(ask().parts))
            except ModelError as error:
                assert KEY not in "".join(traceback.format_exception(error)) + repr(brain)
            await brain.aclose()
