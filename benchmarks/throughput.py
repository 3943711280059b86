"""`bench --at-once`: many concurrent games in one process against a model of a given latency."""

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.running.executors import stream
from hanabi_orchestrator.experiments.running.unit_pool import UnitPool
from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.experiments.study.job import Job, Outcome
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.tasks.games.experiment_run import GameTask
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import depth
from hanabi_orchestrator.graphs.config import read
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings

SAMPLE_S = 0.02


@dataclass(frozen=True)
class Throughput:
    graph: str
    players: int
    games: int
    limit: int
    """Concurrent calls that the model allows."""
    calls: int
    turns: int
    """Of the longest game."""
    wall_s: float
    critical_s: float
    """The time of the longest game if nothing but its longest chain of calls took time."""
    cpu_ms: float
    """CPU time of this process per call."""
    in_flight: float | None
    """Mean share of the limit in use while enough games were in play to fill it; None when there never were."""

    @property
    def ratio(self) -> float:
        return self.wall_s / self.critical_s


def measure(graph: str, games: int, latency_s: float, limit: int, players: int = 3) -> Throughput:
    """Whole games of the deals 1 to `games`, all started at once, against the fake endpoint in another process."""
    with _endpoint(latency_s) as url, TemporaryDirectory() as folder:
        model = ModelSettings(model=f"openai:fake@{url}", max_concurrency=limit)
        spec = PlayerSpec(spec=graph, config=read(graph), models={"default": model})
        jobs = [
            Job(
                arm="all", deal=deal, lineup=(spec.key,) * players, journal=Path(folder) / deal.file
            )
            for deal in (Deal(seed, players) for seed in range(1, games + 1))
        ]
        ended: list[Outcome[Job]] = []
        pool = UnitPool(GameTask({spec.key: spec}), ModelLayer(), ended.append)
        pool.at_once = games
        samples: list[float] = []
        began = time.perf_counter()
        spent = time.process_time()
        asyncio.run(_played(pool, jobs, limit, samples))
        wall = time.perf_counter() - began
        cpu = time.process_time() - spent
    results = [outcome.result.result for outcome in ended if outcome.result]
    assert len(results) == games, [outcome.failed or outcome.suspended for outcome in ended]
    calls = sum(result.calls for result in results)
    turns = max(result.turns for result in results)
    critical = turns * depth(at(read(graph), players)) * latency_s
    share = sum(samples) / len(samples) if samples else None
    return Throughput(
        graph, players, games, limit, calls, turns, wall, critical, 1000 * cpu / calls, share
    )


async def _played(pool: UnitPool[Job], jobs: list[Job], limit: int, samples: list[float]) -> None:
    async def watch() -> None:
        while True:
            await asyncio.sleep(SAMPLE_S)
            status = pool.status
            if status.playing >= limit:
                samples.append(sum(load.busy for load in status.loads.values()) / limit)

    watching = asyncio.create_task(watch())
    try:
        await pool.play(stream(jobs))
    finally:
        watching.cancel()
        await pool.aclose()


@contextmanager
def _endpoint(latency_s: float) -> Iterator[str]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(there, latency_s), daemon=True
    )
    process.start()
    try:
        yield str(here.recv())
    finally:
        process.terminate()
        process.join()


def _serve(pipe: Connection, latency_s: float) -> None:
    async def serve() -> None:
        async with fake_endpoint.serving(fake_endpoint.app(latency_s)) as url:
            pipe.send(url)
            await asyncio.Event().wait()

    asyncio.run(serve())


def show(found: list[Throughput], console: Console) -> None:
    columns: dict[str, Callable[[Throughput], str]] = {
        "graph": lambda c: c.graph,
        "players": lambda c: str(c.players),
        "games": lambda c: str(c.games),
        "limit": lambda c: str(c.limit),
        "calls": lambda c: str(c.calls),
        "wall s": lambda c: f"{c.wall_s:.1f}",
        "critical s": lambda c: f"{c.critical_s:.1f}",
        "ratio": lambda c: f"{c.ratio:.2f}",
        "CPU ms per call": lambda c: f"{c.cpu_ms:.2f}",
        "in flight": lambda c: "-" if c.in_flight is None else f"{c.in_flight:.1%}",
    }
    table = plain_table(*columns, words=("graph",))
    for one in found:
        table.add_row(*(cell(one) for cell in columns.values()))
    console.print(table)
