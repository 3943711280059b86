"""How long games take where no model is asked: a few turns are played and timed, in memory."""

import asyncio
import time
from collections.abc import Sequence
from statistics import fmean

from experiments.study.job import TURNS, Job
from experiments.study.plan import Plan
from experiments.study.seats import Seats
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.players import python_agent
from orchestrator.table.game_loop import play_started

TIMED = 4
"""Games that are timed, each of another arm."""
TRIED = 6
"""Turns of each that are played, after one that is not timed."""


def seconds(plan: Plan, jobs: Sequence[Job]) -> float | None:
    """Return about how many seconds these games of programs take in one process; None where none can be tried."""
    if any(spec.spec.startswith(python_agent.PREFIX) for spec in plan.specs.values()):
        return None  # code of somebody's own may ask a server
    every = list({(job.arm, job.deal.players): job for job in jobs}.values())
    chosen = every[:: max(1, len(every) // TIMED)][:TIMED]
    try:
        seats = Seats(plan.specs)
        turns = [asyncio.run(_turn(seats, job)) * TURNS[job.deal.players] for job in chosen]
    except (UserError, TurnError, Suspended, OSError):  # an ad-hoc team reads games that are not played yet
        return None
    return fmean(turns) * len(jobs) if turns else None


async def _turn(seats: Seats, job: Job) -> float:
    """Return the seconds of a turn."""
    lineup, started = seats.lineup(job), seats.start(job)
    await play_started(lineup, started, max_turns=1)
    begun = time.perf_counter()
    await play_started(lineup, started, max_turns=TRIED)
    return (time.perf_counter() - begun) / TRIED
