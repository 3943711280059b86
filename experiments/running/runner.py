"""Runs an experiment, or goes on with it: games that are finished are read, the others are played on."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from experiments.design import manifest
from experiments.design.experiment import Experiment
from experiments.design.job import Job, Outcome
from experiments.design.plan import Plan
from experiments.results import rows as results
from experiments.results.rows import Peeked, Row
from experiments.running.begun_games import begun
from experiments.running.executor import Executor, LocalExecutor
from experiments.running.game_pool import INTERRUPTED
from experiments.running.interrupt import drained
from experiments.running.model_options import ModelOptions
from experiments.running.process_executor import ProcessExecutor
from experiments.running.progress import Progress
from experiments.running.seat_pool import SeatPool
from experiments.running.shard import Shard
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal.totals import usage, usage_by_turn
from orchestrator.models.budget import Budget
from orchestrator.models.layer import ModelLayer

Executors = Literal["local", "ray"]


@dataclass(frozen=True)
class RunOptions:
    """How a run is played; what comes of it is the same."""

    options: ModelOptions = field(default_factory=ModelOptions)
    workers: int = 1
    executor: Executors = "local"
    shard: Shard | None = None


@dataclass(frozen=True)
class Done:
    """What a run came to."""

    plan: Plan
    rows: tuple[Row, ...]
    """Of all finished games of the folder."""
    failed: tuple[Outcome, ...] = ()
    suspended: str | None = None
    """Why the run stopped before its end; the same command goes on."""
    held: bool = False
    """Whether it was the run's own budget that stopped it."""
    interrupted: bool = False
    left: int = 0
    """Games of the plan that are not finished."""


def run(
    experiment: Experiment, folder: Path, *, manner: RunOptions | None = None, progress: Progress | None = None
) -> Done:
    """Play what is not played yet. Raises UserError before anything is played."""
    plan = Plan.of(experiment, folder)
    return Runner(plan, manner or RunOptions(), progress or Progress(quiet=True)).run()


def _no_more(outcome: Outcome) -> None:
    """A game that ended is in its journal."""


class Runner:
    def __init__(self, plan: Plan, manner: RunOptions, progress: Progress) -> None:
        self.plan = plan
        self.manner = manner
        self.progress = progress
        options = manner.options
        progress.max_tokens, progress.max_usd = options.max_tokens, options.max_usd
        self.budget = Budget(options.max_tokens, options.max_usd) if options.limited else None
        self.interrupted = False
        self.games: dict[Path, Peeked] = {}
        """The journals of the folder, as they were when they were last read."""
        self.limits: dict[tuple[str, str], int] = {}
        """How many calls together each model of a server bears."""

    def run(self) -> Done:
        self.games = results.peek_all(self.plan.folder)  # of other arms, too: an unreadable journal is found now
        there = begun(self.plan, self.games)
        self._reachable()
        if self.budget:
            _remember(self.budget, there)
        stopped = self._pasts()
        if stopped or self.interrupted:
            return self._done(stopped, self._finished())
        manifest.write(self.plan)
        over = {path for path, peeked in there.items() if peeked.result is not None}
        arms = [arm.name for arm in self.plan.arms if arm.players]
        self.progress.begin(self.plan.experiment.name, len(self.jobs), _before(self.jobs, there), arms)
        unfinished: list[Outcome] = []
        try:
            self._play([job for job in self.jobs if job.journal not in over], unfinished)
        finally:  # however it ends, results.csv says what is finished
            self.progress.end()
            rows = self._finished()
            results.write(self.plan.folder, rows)
        return self._done(unfinished, rows)

    def _finished(self) -> list[Row]:
        """All finished games of the folder; other shards may have played some of them since it was read."""
        self.games = results.peek_all(self.plan.folder, self.games)
        return results.finished(self.plan.folder, self.games)

    @property
    def jobs(self) -> Sequence[Job]:
        """Those of this shard."""
        return self.manner.shard.of(self.plan.jobs) if self.manner.shard else self.plan.jobs

    def _done(self, unfinished: Sequence[Outcome], rows: Sequence[Row]) -> Done:
        """Raises UserError when servers refused for good before anything was answered."""
        refused = [one for one in unfinished if one.refused]
        if refused and not begun(self.plan, self.games):
            raise UserError(str(refused[0].suspended))
        failed = tuple(sorted((one for one in unfinished if one.failed), key=lambda one: one.job.name))
        stops = [one for one in unfinished if one.suspended and one.suspended != INTERRUPTED]
        why = next((one.suspended if one.held else f"{one.job.name}: {one.suspended}" for one in stops), None)
        left = len(self.jobs) - len({row.journal for row in rows} & {_name(self.plan, job) for job in self.jobs})
        held = any(one.held for one in stops)
        return Done(self.plan, tuple(rows), failed, why, held, self.interrupted, left)

    def _play(self, jobs: Sequence[Job], unfinished: list[Outcome], won: Callable[[Outcome], None] = _no_more) -> None:
        """`won` hears of games that ended, the others are added to the unfinished."""
        executor = self._executor()

        def heard(outcome: Outcome) -> None:
            self.progress(outcome)
            won(outcome) if outcome.result else unfinished.append(outcome)

        def interrupted() -> None:
            self.interrupted = True
            self.progress.stopping()
            executor.close(INTERRUPTED)

        try:
            with drained(interrupted):
                executor.play(jobs, heard, lambda: self.progress.tick(executor.status))
        finally:
            executor.end()

    def _executor(self) -> Executor:
        options, sitters = self.manner.options, self.plan.sitters
        if self.manner.executor == "ray":
            from experiments.running.ray_executor import RayExecutor  # an extra, and slow to import

            return RayExecutor(sitters, options, self.budget, self.manner.workers, self.limits)
        workers = min([self.manner.workers, *self.limits.values()])  # each has at least one call at a time
        if workers > 1:
            return ProcessExecutor(sitters, options, self.budget, workers)
        return LocalExecutor(sitters, self._layer())

    def _layer(self) -> ModelLayer:
        return self.manner.options.layer(self.budget)

    def _pasts(self) -> list[Outcome]:
        """Play the past games that are not there yet; returns those that could not be finished."""
        missing = [past for past in self.plan.pasts if not past.there()]
        jobs = [job for past in missing for job in past.jobs()]
        if not jobs:
            return []
        self.progress.begin("past games", len(jobs))
        found: dict[tuple[str, int], list[Outcome]] = {}
        waiting = {(past.name, past.players): past for past in missing}
        unfinished: list[Outcome] = []

        def won(outcome: Outcome) -> None:
            key = outcome.job.arm, outcome.job.deal.players
            found.setdefault(key, []).append(outcome)
            if len(found[key]) == len(waiting[key].seeds):
                waiting[key].write(found.pop(key))

        try:
            self._play(jobs, unfinished, won)
        finally:
            self.progress.end()
        return unfinished

    def _reachable(self) -> None:
        """Raise UserError when a seat cannot be made or a server cannot be used, before anything is played."""

        async def check() -> None:
            players = SeatPool(self.plan.sitters, self._layer())
            try:
                for key in self.plan.sitters:
                    players.seat(key)
                await players.layer.check()
                self.limits = {key: limit.most for key, limit in players.layer.limits.items()}
            finally:
                await players.aclose()

        asyncio.run(check())


def _before(jobs: Iterable[Job], begun: Mapping[Path, Peeked]) -> list[Row]:
    """The games that were played before."""
    found = [(job, begun[job.journal].result) for job in jobs if job.journal and job.journal in begun]
    return [results.row(job.arm, job.deal.repeat, "", result) for job, result in found if result]


def _name(plan: Plan, job: Job) -> str:
    return job.journal.relative_to(plan.folder).as_posix() if job.journal else ""


def _remember(budget: Budget, begun: Mapping[Path, Peeked]) -> None:
    """What the run has spent before counts."""
    for path, peeked in begun.items():
        if peeked.result is not None:
            budget.recall(usage(peeked.result))
        else:
            budget.remember(usage_by_turn(journal.read(path)))
