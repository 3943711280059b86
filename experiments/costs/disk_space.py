"""What the journals of games take on disk: as much as those that are there, else an estimate from their texts."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean

from experiments.costs.cost_estimate import Bill
from experiments.record.rows import Peeked
from experiments.study import prompt_positions
from experiments.study.job import Job
from experiments.study.player_spec import PlayerSpec

TOKEN = 4
"""Bytes of a token: the messages and the response of every call are kept."""
TURN, NODE, LEAN = 5000, 2200, 1000
"""Bytes of a turn: its view and move, the answer of each node, and both in a lean journal."""


def of_game(job: Job, specs: Mapping[str, PlayerSpec], bill: Bill) -> float:
    """Bytes of one game like this one that costs so much."""
    nodes = fmean(len(config.nodes) if (config := specs[key].config) else 0 for key in job.lineup)
    a_turn = LEAN if job.lean else TURN + NODE * nodes
    return TOKEN * bill.tokens + prompt_positions.game(job.deal.players).turns * a_turn


def measured(jobs: Iterable[Job], games: Mapping[Path, Peeked]) -> float | None:
    """Mean bytes of those of the games that are finished; None when none is."""
    paths = [job.journal for job in jobs if job.journal]
    found = [path.stat().st_size for path in paths if path in games and games[path].result]
    return fmean(found) if found else None


def in_words(size: float) -> str:
    """`1.2 GB`, `113 MB`, `80 kB`."""
    unit, scale = next(((unit, scale) for unit, scale in (("GB", 1e9), ("MB", 1e6)) if size >= scale), ("kB", 1e3))
    return f"{size / scale:.{1 if size < 10 * scale else 0}f} {unit}"
