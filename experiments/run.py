"""Runs an experiment, or goes on with it: games that are finished are read, the others are played on."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from experiments import local, results, run_yaml
from experiments.config import Experiment
from experiments.job import Job, Outcome, Players
from experiments.plan import Plan
from experiments.progress import Progress
from experiments.results import Row
from graphs.config import PROGRAM


@dataclass(frozen=True)
class Done:
    """What a run came to."""

    plan: Plan
    rows: tuple[Row, ...]
    """Of all finished games of the folder."""
    failed: tuple[Outcome, ...] = ()
    suspended: str | None = None
    """Why the run stopped before its end; the same command goes on."""
    left: int = 0
    """Games of the plan that are not finished."""


def run(experiment: Experiment, folder: Path, *, workers: int = 1, progress: Progress | None = None) -> Done:
    """Play what is not played yet. Raises UserError before anything is played."""
    plan = Plan.of(experiment, folder)
    progress = progress or Progress(quiet=True)
    _reachable(plan)
    if stopped := _pasts(plan, workers, progress):
        return Done(plan, tuple(results.rows(folder)), tuple(stopped), stopped[-1].suspended, len(plan.jobs))
    waiting = left(plan)
    run_yaml.write(plan)
    progress.begin(experiment.name, len(plan.jobs), len(plan.jobs) - len(waiting))
    unfinished: list[Outcome] = []
    with _closing(plan, progress):
        for outcome in local.play(waiting, plan.sitters, workers):
            progress(outcome)
            unfinished += [outcome] if outcome.result is None else []
    rows = results.rows(folder)
    failed = tuple(outcome for outcome in unfinished if outcome.failed)
    suspended = next((f"{one.job.name}: {one.suspended}" for one in unfinished if one.suspended), None)
    return Done(plan, tuple(rows), failed, suspended, len(left(plan)) if unfinished else 0)


@contextmanager
def _closing(plan: Plan, progress: Progress) -> Iterator[None]:
    """However it ends, results.csv says what is finished."""
    try:
        yield
    finally:
        progress.end()
        results.write(plan.folder, results.rows(plan.folder))


def left(plan: Plan) -> list[Job]:
    """The games that are not finished. Raises UserError when one was begun by others than would sit there now."""
    begun = plan.begun()
    over = {path for path, peeked in begun.items() if peeked.result is not None}
    return [job for job in plan.jobs if job.journal not in over]


def _pasts(plan: Plan, workers: int, progress: Progress) -> list[Outcome]:
    """Play the past games that are not there yet; returns those that could not be finished."""
    missing = [past for past in plan.pasts if not past.there()]
    jobs = [job for past in missing for job in past.jobs()]
    if not jobs:
        return []
    progress.begin("past games", len(jobs))
    found: dict[tuple[str, int], list[Outcome]] = {}
    waiting = {(past.label, past.players): past for past in missing}
    unfinished: list[Outcome] = []
    try:
        for outcome in local.play(jobs, plan.sitters, workers):
            progress(outcome)
            unfinished += [outcome] if outcome.result is None else []
            key = outcome.job.arm.partition("/")[2], outcome.job.deal.players
            found.setdefault(key, []).append(outcome)
            if sum(one.record is not None for one in found[key]) == len(waiting[key].seeds):
                waiting[key].write(found.pop(key))
    finally:
        progress.end()
    return unfinished


def _reachable(plan: Plan) -> None:
    """Raise UserError when a server cannot be used, before anything is played."""
    if all(model == PROGRAM for one in plan.sitters.values() for model in one.models.values()):
        return

    async def check() -> None:
        players = Players(plan.sitters)
        try:
            for key in plan.sitters:
                players.seat(key)
            await players.layer.check()
        finally:
            await players.aclose()

    asyncio.run(check())
