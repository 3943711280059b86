"""`bench`: how long program games take on this machine in one process, and turns on a model of a given latency."""

import os
import platform
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.graph_seat import seat as graph_seat
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event, TurnStarted
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.table.game_loop import play, play_async


@dataclass(frozen=True)
class Timing:
    """Games of a graph at a player count, including the time for journals."""

    graph: str
    players: int
    games: int
    turns: float
    """Mean per game."""
    seconds: float
    """Mean per game."""
    slowest: float
    """Seconds of the slowest game."""
    strict: float
    """Mean strict score of the programs; it says nothing about models."""

    @property
    def ms_a_turn(self) -> float:
        return 1000 * self.seconds / self.turns


def measure(names: list[str], games: int) -> Iterator[Timing]:
    """Every graph at every player count, on the deals of seeds 1 to `games`, after one game to warm up."""
    play(graph_seat("house"), players=2, seed=1)
    for name in names:
        for players in HAND_SIZES:
            yield _timing(name, players, games)


def _timing(name: str, players: int, games: int) -> Timing:
    seat = graph_seat(name)
    seconds = []
    results = []
    with TemporaryDirectory() as folder:
        for seed in range(1, games + 1):
            began = time.perf_counter()
            results.append(play(seat, players=players, seed=seed, journal=f"{folder}/{seed}.jsonl"))
            seconds.append(time.perf_counter() - began)
    turns = statistics.mean(result.turns for result in results)
    strict = statistics.mean(result.score_strict for result in results)
    return Timing(name, players, games, turns, statistics.mean(seconds), max(seconds), strict)


@dataclass(frozen=True)
class Depth:
    """The time of turns when every model call takes equally long."""

    graph: str
    players: int
    turns: int
    calls: float
    """Mean per turn."""
    latencies: dict[int, int]
    """Turn time in model latencies, rounded down -> number of turns."""
    overhead_ms: float
    """Time of the median turn beyond these latencies."""


async def depths(names: list[str], latency_s: float, turns: int, players: int = 3) -> list[Depth]:
    """The first turns of a game of each graph against the fake endpoint in this process."""
    found = []
    async with fake_endpoint.serving(fake_endpoint.app(latency_s)) as url:
        for name in names:
            seat = graph_seat(name, f"openai:fake@{url}")
            await _turns(seat, players, 1)  # opens the connections
            found.append(_depth(name, players, await _turns(seat, players, turns), latency_s))
            await seat.aclose()
    return found


async def _turns(seat: GraphSeat, players: int, turns: int) -> list[tuple[float, int]]:
    """The seconds and the calls of each turn."""
    began = 0.0
    calls = 0
    done = list[tuple[float, int]]()

    def sink(event: Event) -> None:
        nonlocal began, calls
        if isinstance(event, TurnStarted):
            began = time.perf_counter()
            calls = 0
        elif isinstance(event, Call):
            calls += event.of_model
        elif isinstance(event, Decided):
            done.append((time.perf_counter() - began, calls))

    await play_async(seat, players=players, seed=1, sink=sink, max_turns=turns)
    return done


def _depth(name: str, players: int, done: list[tuple[float, int]], latency_s: float) -> Depth:
    latencies = [int(seconds / latency_s) for seconds, _ in done]
    beyond = [
        1000 * (seconds - latency_s * n) for (seconds, _), n in zip(done, latencies, strict=True)
    ]
    calls = statistics.mean(calls for _, calls in done)
    return Depth(
        name,
        players,
        len(done),
        calls,
        dict(sorted(Counter(latencies).items())),
        statistics.median(beyond),
    )


def show_depths(found: list[Depth], console: Console) -> None:
    names = ("graph", "players", "turns", "calls per turn", "model latencies per turn", "ms beyond")
    table = plain_table(*names, words=("graph", "model latencies per turn"))
    for d in found:
        latencies = ", ".join(f"{n} ({turns} turns)" for n, turns in d.latencies.items())
        table.add_row(
            d.graph,
            str(d.players),
            str(d.turns),
            f"{d.calls:.1f}",
            latencies,
            f"{d.overhead_ms:.0f}",
        )
    console.print(table)
    console.print(
        Text(", ".join(f"{key} {value}" for key, value in machine().items()), style="dim")
    )


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def data(timings: list[Timing]) -> dict[str, Any]:
    return {
        "machine": machine(),
        "timings": [asdict(t) | {"ms_a_turn": t.ms_a_turn} for t in timings],
    }


def show(timings: list[Timing], console: Console) -> None:
    names = ("graph", "players", "games", "turns", "s per game", "slowest", "ms per turn", "strict")
    table = plain_table(*names, words=("graph",))
    for t in timings:
        row = (
            t.graph,
            str(t.players),
            str(t.games),
            f"{t.turns:.1f}",
            f"{t.seconds:.2f}",
            f"{t.slowest:.2f}",
        )
        table.add_row(*row, f"{t.ms_a_turn:.1f}", f"{t.strict:.2f}")
    console.print(table)
    console.print(
        Text(", ".join(f"{key} {value}" for key, value in machine().items()), style="dim")
    )
