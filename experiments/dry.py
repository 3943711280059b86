"""What an experiment would play, and how much of it is played already; nothing is."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.config import Experiment
from experiments.plan import Plan
from experiments.run import left


@dataclass(frozen=True)
class Games:
    """Of an arm at a player count."""

    arm: str
    players: int
    games: int
    left: int
    """Not finished yet."""


def of(experiment: Experiment, folder: Path) -> list[Games]:
    """Raises UserError as the run would."""
    plan = Plan.of(experiment, folder)
    missing = [past for past in plan.pasts if not past.there()]
    open_jobs = plan.jobs if missing else left(plan)
    waiting = [*open_jobs, *(job for past in missing for job in past.jobs())]
    every = [*plan.jobs, *(job for past in plan.pasts for job in past.jobs())]
    still = Counter((job.arm, job.deal.players) for job in waiting)
    counts = Counter((job.arm, job.deal.players) for job in every)
    return [Games(arm, players, games, still[arm, players]) for (arm, players), games in counts.items()]


def data(planned: list[Games]) -> dict[str, Any]:
    whole, waiting = sum(one.games for one in planned), sum(one.left for one in planned)
    return {"games": whole, "left": waiting, "arms": [asdict(one) for one in planned]}


def show(planned: list[Games], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("arm", "players", "games", "left"):
        table.add_column(column, justify="left" if column == "arm" else "right")
    for one in planned:
        table.add_row(one.arm, str(one.players), str(one.games), str(one.left))
    whole = data(planned)
    table.add_row("all", "", str(whole["games"]), str(whole["left"]), style="bold")
    console.print(table)
