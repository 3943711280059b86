"""How long games take here: program games, no server, one process. Wall times are measured, never asserted."""

import os
import platform
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import graphs
from orchestrator import play
from orchestrator.cards import HAND_SIZES


@dataclass(frozen=True)
class Timing:
    """Games of one graph at one player count, journals included."""

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
    """Mean strict score: what the programs play like, not what any model does."""

    @property
    def ms_a_turn(self) -> float:
        return 1000 * self.seconds / self.turns


def measure(names: list[str], games: int) -> Iterator[Timing]:
    """Every graph at every player count, on the deals of seeds 1 to `games`; the first game of all is not counted."""
    play(graphs.seat("house"), players=2, seed=1)
    for name in names:
        for players in HAND_SIZES:
            yield _timing(name, players, games)


def _timing(name: str, players: int, games: int) -> Timing:
    seat = graphs.seat(name)
    seconds, results = [], []
    with TemporaryDirectory() as folder:
        for seed in range(1, games + 1):
            began = time.perf_counter()
            results.append(play(seat, players=players, seed=seed, journal=f"{folder}/{seed}.jsonl"))
            seconds.append(time.perf_counter() - began)
    turns = statistics.mean(result.turns for result in results)
    strict = statistics.mean(result.score_strict for result in results)
    return Timing(name, players, games, turns, statistics.mean(seconds), max(seconds), strict)


def machine() -> dict[str, Any]:
    return {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}


def data(timings: list[Timing]) -> dict[str, Any]:
    return {"machine": machine(), "timings": [asdict(t) | {"ms_a_turn": t.ms_a_turn} for t in timings]}


def show(timings: list[Timing], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("graph", "players", "games", "turns", "s a game", "slowest", "ms a turn", "strict"):
        table.add_column(column, justify="left" if column == "graph" else "right")
    for t in timings:
        row = (t.graph, str(t.players), str(t.games), f"{t.turns:.1f}", f"{t.seconds:.2f}", f"{t.slowest:.2f}")
        table.add_row(*row, f"{t.ms_a_turn:.1f}", f"{t.strict:.2f}")
    console.print(table)
    console.print(Text(", ".join(f"{key} {value}" for key, value in machine().items()), style="dim"))
