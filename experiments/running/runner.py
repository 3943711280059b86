"""Runs an experiment, or continues it: finished games are read, unfinished ones are played on."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from experiments.record import failures
from experiments.record import rows as results
from experiments.record.files import locked
from experiments.record.rows import Peeked, Row
from experiments.running.control_folder import listening
from experiments.running.executor import Executor, LocalExecutor
from experiments.running.folder_lock import alone
from experiments.running.game_pool import INTERRUPTED
from experiments.running.interrupt import on_interrupt
from experiments.running.min_own import MinOwn, moves_of
from experiments.running.model_options import OFF, ModelOptions
from experiments.running.process_executor import ProcessExecutor
from experiments.running.progress import Progress
from experiments.running.resume import begun
from experiments.running.run_control import RunControl
from experiments.running.seat_pool import SeatPool
from experiments.running.shard import Shard
from experiments.running.stages import Stages
from experiments.running.status import Status
from experiments.study import imports, manifest
from experiments.study.experiment import Experiment
from experiments.study.job import Job, Outcome
from experiments.study.note_banks import NoteBank
from experiments.study.plan import Plan
from experiments.study.player_spec import PlayerSpec
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal.totals import usage_by_turn
from orchestrator.models.budget import Budget
from orchestrator.models.layer import ModelLayer
from orchestrator.models.settings import PROGRAM
from orchestrator.players import python_agent

Executors = Literal["local", "ray"]


@dataclass(frozen=True)
class RunOptions:
    """How a run is played; none of it changes the results."""

    models: ModelOptions = field(default_factory=ModelOptions)
    workers: int = 1
    executor: Executors = "local"
    shard: Shard | None = None
    min_own: float | None = None
    """The least share of moves that are the models' own, below which the run stops; None for the experiment's."""


@dataclass(frozen=True)
class Done:
    """The outcome of a run."""

    plan: Plan
    rows: tuple[Row, ...]
    """Of all finished games in the folder."""
    failed: tuple[Outcome, ...] = ()
    suspended: str | None = None
    """Why the run stopped before its end; the same command continues it."""
    unwritten: bool = False
    """Whether a file could not be written, such as on a full disk."""
    over_budget: bool = False
    """Whether its own budget stopped it."""
    too_few_own: bool = False
    """Whether it stopped because too few moves were the models' own."""
    interrupted: bool = False
    left: int = 0
    """Games of the plan that are not finished."""
    kept: int = 0
    """Those of them that were begun, and will be continued."""
    status: Status = field(default_factory=Status)
    """Of the games that this command played, the unfinished ones included."""
    games: Mapping[Path, Peeked] = field(default_factory=dict)
    """The journals of the folder."""


def run(
    experiment: Experiment, folder: Path, *, options: RunOptions | None = None, progress: Progress | None = None
) -> Done:
    """Play the games that are not finished, and write run.yaml, the journals and results.csv into the folder.

    Raises UserError, before anything is played, for mistakes in the experiment and for a folder of another one.
    """
    manifest.check_code(folder)
    plan = Plan.resolve(experiment, folder)
    plan.check_rule()
    return Runner(plan, options or RunOptions(), progress or Progress(quiet=True)).run()


def _ignore(outcome: Outcome) -> None:
    """The result of a game is in its journal."""


class Runner:
    def __init__(self, plan: Plan, options: RunOptions, progress: Progress) -> None:
        self.plan = plan
        self.options = options
        self.progress = progress
        models = options.models
        progress.max_tokens, progress.max_usd = models.max_tokens, models.max_usd
        progress.metric = "kept" if plan.metric == "kept" else "strict"
        self.budget = Budget(models.max_tokens, models.max_usd) if models.limited else None
        self.min_own = MinOwn(plan.experiment.min_own if options.min_own is None else options.min_own)
        self.interrupted = False
        self.too_few_own: str | None = None
        """Why it stopped, when too few moves were the models' own."""
        self.status = Status()
        self.played = Status()
        """Of the stages of a stop rule that are over."""
        self.games: dict[Path, Peeked] = {}
        """The journals of the folder, as they were when they were last read."""
        self.limits: dict[tuple[str, str], int] = {}
        """By server and model, how many concurrent calls it allows."""
        self.stages = Stages(plan)
        if self.stages.rule and options.shard:
            raise UserError(
                "--shard plays a part of the deals, and a stop rule looks at all arms of a deal; leave one out"
            )

    def run(self) -> Done:
        self.games = results.peek_all(self.plan.folder)  # all arms: an unreadable journal is found now
        there = begun(self.plan, self.games)
        self._check_models()
        if self.budget:
            _remember(self.budget, there)
        with alone(self.plan.folder, shared=self.options.shard is not None):
            return self._run(there)

    def _run(self, there: Mapping[Path, Peeked]) -> Done:
        stopped = self._play_partner_records()
        if stopped or self.interrupted:
            return self._done(stopped, self._finished())
        manifest.write(self.plan)
        over = {path for path, peeked in there.items() if peeked.result is not None}
        arms = [arm.name for arm in self.plan.arms if arm.players]
        counts = [job.deal.players for job in self.jobs]
        self.progress.begin(self.plan.experiment.name, counts, _before(self.jobs, there), arms)
        unfinished: list[Outcome] = []
        self.too_few_own = self._before_play(there)
        try:
            if not self.too_few_own:
                self._play_stages([job for job in self.jobs if job.journal not in over], unfinished)
        finally:  # however it ends, results.csv says what is finished
            self.progress.end()
            rows = self._write_results(unfinished)
        return self._done(unfinished, rows)

    def _play_stages(self, jobs: Sequence[Job], unfinished: list[Outcome]) -> None:
        """Without a stop rule all games at once; with one those until the next look, and then those of arms that are
        not settled by it. A look waits for all its games, so games that are not finished end the run."""
        if self.stages.rule is None:
            self._play_in_order(jobs, unfinished)
            return
        while stage := self.stages.next(self._finished()):
            self.progress.line(stage.said)
            self._play_in_order(stage.jobs, unfinished)
            if unfinished or self.interrupted or self.too_few_own:
                return
        self.progress.line(self.stages.said(self._finished()))

    def _play_in_order(self, jobs: Sequence[Job], unfinished: list[Outcome]) -> None:
        """The games that get notes of this run's own games are played last, once there are notes."""
        waiting = self._write_banks()
        first = [job for job in jobs if (job.arm, job.deal.players) not in waiting]
        self._play(first, unfinished)
        if len(first) == len(jobs) or self.interrupted or self.too_few_own or any(one.suspended for one in unfinished):
            return
        self.games = results.peek_all(self.plan.folder, self.games)
        failed = {one.job.journal for one in unfinished if one.failed}
        waiting = self._write_banks(failed)
        last = [job for job in jobs if job not in first]
        self._play([job for job in last if (job.arm, job.deal.players) not in waiting], unfinished)
        unfinished += [
            Outcome(job, suspended=waiting[job.arm, job.deal.players])
            for job in last
            if (job.arm, job.deal.players) in waiting
        ]

    def _write_banks(self, failed: Collection[Path | None] = ()) -> dict[tuple[str, int], str]:
        """Write the notes of other games that are not written yet, where all the games that they are from are over.

        By arm and player count, why the others have to wait. `failed`: games that cannot be finished. Raises UserError.
        """
        waiting = dict[tuple[str, int], str]()
        for bank in self.plan.banks:
            with locked(self.plan.folder):
                if bank.there():
                    continue
                if not bank.waits:
                    bank.write(bank.journals())
                    continue
                of = [job.journal for job in self.plan.jobs if self._feeds(job, bank)]
                over = [path for path in of if path and self._is_over(path)]
                if len(over) + len([path for path in of if path in failed]) < len(of) or not over:
                    waiting[bank.arm, bank.players] = (
                        f"it gets notes of the games of {self.plan.baseline}, which are not all finished"
                    )
                    continue
                bank.write(over)
        return waiting

    def _feeds(self, job: Job, bank: NoteBank) -> bool:
        return job.arm == self.plan.baseline and job.deal.players == bank.players

    def _write_results(self, unfinished: Sequence[Outcome]) -> list[Row]:
        """Bring results.csv up to date; other shards may be doing the same. Raises OSError, unless that is why the run
        stopped."""
        with locked(self.plan.folder):
            rows = self._finished()
            try:
                results.write(self.plan.folder, rows)
                self._write_failures(unfinished, rows)
            except OSError:
                if not any(one.unwritten for one in unfinished):
                    raise
        return rows

    def _write_failures(self, unfinished: Sequence[Outcome], rows: Sequence[Row]) -> None:
        failed = {one.job.name: one.failed for one in unfinished if one.failed}
        failures.write(self.plan.folder, failed, {row.name for row in rows})

    def _before_play(self, there: Mapping[Path, Peeked]) -> str | None:
        """Why the games that were begun before leave nothing to play on for."""
        begun_moves: dict[str, Counter[str]] = {}
        for path, peeked in there.items() if self.min_own.least else ():
            if peeked.started and peeked.result:
                self.min_own.add(results.row(path.parent.name, peeked.started.repeat, "", peeked.result))
            elif peeked.started and any(seat.model != PROGRAM for seat in peeked.started.seats):
                begun_moves.setdefault(path.parent.name, Counter()).update(moves_of(journal.read(path)))
        return self.min_own.broken(begun_moves)

    def _finished(self) -> list[Row]:
        """All finished games of the folder; other shards may have played some of them since it was read."""
        self.games = results.peek_all(self.plan.folder, self.games)
        return results.finished(self.plan.folder, self.games)

    @property
    def jobs(self) -> Sequence[Job]:
        """Those of this shard."""
        return self.options.shard.select(self.plan.jobs) if self.options.shard else self.plan.jobs

    def _done(self, unfinished: Sequence[Outcome], rows: Sequence[Row]) -> Done:
        """Raises UserError when servers refused permanently before any call was answered."""
        refused = [one for one in unfinished if one.refused]
        if refused and not begun(self.plan, self.games):
            raise UserError(str(refused[0].suspended))
        failed = tuple(sorted((one for one in unfinished if one.failed), key=lambda one: one.job.name))
        stops = [one for one in unfinished if one.suspended and one.suspended != INTERRUPTED]
        why = next((one.suspended if one.stopped_by_run else f"{one.job.name}: {one.suspended}" for one in stops), None)
        needed = self.stages.needed(rows, self.jobs)
        left = len(needed) - len({row.journal for row in rows} & {_name(self.plan, job) for job in needed})
        unwritten = any(one.unwritten for one in stops)
        over_budget = not unwritten and any(one.stopped_by_run and one.suspended != self.too_few_own for one in stops)
        begun_now = (self.games.get(job.journal) for job in self.jobs if job.journal)
        kept = sum(1 for game in begun_now if game and game.started and not game.result)
        return Done(
            self.plan,
            tuple(rows),
            failed,
            self.too_few_own or why if left else why,
            unwritten,
            over_budget,
            bool(self.too_few_own and left),
            self.interrupted,
            left,
            kept,
            self.status,
            self.games,
        )

    def _play(
        self, jobs: Sequence[Job], unfinished: list[Outcome], on_result: Callable[[Outcome], None] = _ignore
    ) -> None:
        """`on_result` is called for finished games; the outcomes of others are added to `unfinished`."""
        executor, before = self._executor(), self.played
        control = self._control(executor, jobs, unfinished)

        def on_outcome(outcome: Outcome) -> None:
            self.progress(outcome)
            if outcome.result:
                control.finished.add(outcome.job.name)
                on_result(outcome)
            else:
                unfinished.append(outcome)

        def interrupted() -> None:
            self.interrupted = True
            self.progress.stopping()
            executor.close(INTERRUPTED)

        def tick() -> None:
            if inbox:
                inbox.poll(control.answer)
            now = before + executor.status
            self.progress.tick(now)
            arms = [arm.name for arm in self.plan.arms]
            if not self.too_few_own and (why := self.min_own.broken_by(now, arms)):
                self.too_few_own = why
                executor.close(why)

        shard = self.options.shard
        about = {"shard": f"{shard.number}/{shard.of_all}" if shard else None, "workers": self.options.workers}
        try:
            with listening(self.plan.folder, about) as inbox, on_interrupt(interrupted):
                executor.play(jobs, on_outcome, tick)
        finally:
            self.status += executor.status
            self.played = before + replace(executor.status, loads={}, playing=0)
            executor.end()

    def _control(self, executor: Executor, jobs: Sequence[Job], unfinished: list[Outcome]) -> RunControl:
        over = {job.name: job for job in self.jobs if job.journal and self._is_over(job.journal)}
        return RunControl(
            self.plan.folder,
            executor,
            {**over, **{job.name: job for job in jobs}},
            set(over),
            unfinished,
            dict(self.limits),
            workers=self._workers if isinstance(executor, ProcessExecutor) else 1,
            cached=self.options.models.cache != OFF,
            progress=self.progress,
            stopping=lambda: self.interrupted or self.too_few_own is not None,
        )

    def _executor(self) -> Executor:
        models, specs = self.options.models, self.plan.specs
        if self.options.executor == "ray":
            from experiments.running.ray_executor import RayExecutor  # optional, and slow to import

            return RayExecutor(specs, models, self.budget, self.options.workers, self.limits)
        workers = self._workers
        if workers > 1 or _code_of_others(specs.values()):
            return ProcessExecutor(specs, models, self.budget, workers)
        return LocalExecutor(specs, self._layer())

    def _is_over(self, path: Path) -> bool:
        return (game := self.games.get(path)) is not None and game.result is not None

    @property
    def _workers(self) -> int:
        """Processes on this machine: each has at least one call at a time."""
        return min([self.options.workers, *self.limits.values()])

    def _layer(self) -> ModelLayer:
        return self.options.models.layer(self.budget)

    def _play_partner_records(self) -> list[Outcome]:
        """Play the past games of ad-hoc trials that are missing; returns those that could not be finished."""
        missing = [records for records in self.plan.partner_records if not records.there()]
        jobs = [job for records in missing for job in records.jobs()]
        if not jobs:
            return []
        self.progress.begin("past games", [job.deal.players for job in jobs])
        found: dict[tuple[str, int], list[Outcome]] = {}
        waiting = {(records.name, records.players): records for records in missing}
        unfinished: list[Outcome] = []

        def on_result(outcome: Outcome) -> None:
            key = outcome.job.arm, outcome.job.deal.players
            found.setdefault(key, []).append(outcome)
            if len(found[key]) == len(waiting[key].seeds):
                waiting[key].write(found.pop(key))

        try:
            self._play(jobs, unfinished, on_result)
        finally:
            self.progress.end()
            self.played = Status()
        return unfinished

    def _check_models(self) -> None:
        """Raise UserError when a seat cannot be built or a server cannot be used, before anything is played."""

        async def check() -> None:
            seats = SeatPool(self.plan.specs, self._layer())
            try:
                for key in self.plan.specs:
                    seats.seat(key)
                await seats.layer.check()
                self.limits = {key: limit.most for key, limit in seats.layer.limits.items()}
            finally:
                await seats.aclose()

        asyncio.run(check())


def _code_of_others(specs: Iterable[PlayerSpec]) -> bool:
    """Whether a seat may end its process: then it plays in a process of its own, and the run goes on."""
    return bool(imports.brought()) or any(one.spec.startswith(python_agent.PREFIX) for one in specs)


def _before(jobs: Iterable[Job], begun: Mapping[Path, Peeked]) -> list[Row]:
    """The finished games that earlier commands played."""
    found = [(job, begun[job.journal].result) for job in jobs if job.journal and job.journal in begun]
    return [results.row(job.arm, job.deal.repeat, "", result) for job, result in found if result]


def _name(plan: Plan, job: Job) -> str:
    return job.journal.relative_to(plan.folder).as_posix() if job.journal else ""


def _remember(budget: Budget, begun: Mapping[Path, Peeked]) -> None:
    """Count what the run has spent before against its budget."""
    for path, peeked in begun.items():
        if peeked.result is not None:
            budget.recall(peeked.result.usage)
        else:
            budget.remember(usage_by_turn(journal.read(path)))
