"""The games of an experiment as a task; a command plays them, or goes on: finished games are read,
not played."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import structlog

from hanabi_orchestrator.experiments.analysis import stopping
from hanabi_orchestrator.experiments.analysis.stopping import Stages
from hanabi_orchestrator.experiments.record import rows as results
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.files import locked
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import GAMES, Metric, Row
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.experiments.running.progress import Progress, Status, run_status
from hanabi_orchestrator.experiments.running.runner import Done, Runner, RunOptions
from hanabi_orchestrator.experiments.running.task import Measured, limits_of
from hanabi_orchestrator.experiments.study import manifest
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.job import Job, Outcome, Played
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.study.seats import Seats, begun
from hanabi_orchestrator.experiments.tasks.games.own_moves import MinOwn
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.state_graph_seat import StateGraphSeat
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Event, GameStarted, Moved, Sink
from hanabi_orchestrator.orchestrator.journal.file import public_record
from hanabi_orchestrator.orchestrator.journal.move_origins import origins
from hanabi_orchestrator.orchestrator.journal.totals import usage_by_turn
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE
from hanabi_orchestrator.orchestrator.players import python_agent
from hanabi_orchestrator.orchestrator.table.game_loop import Gate, play_started
from hanabi_orchestrator.orchestrator.table.seat import JournaledSeat


@dataclass(frozen=True)
class GameTask:
    """The games of these players."""

    specs: Mapping[str, PlayerSpec]
    measure: Metric = "strict"
    things: str = "games"

    @property
    def may_end_process(self) -> bool:
        seats = self.specs.values()
        return bool(named.brought()) or any(
            spec.spec.startswith(python_agent.PREFIX) for spec in seats
        )

    def open(self, layer: ModelLayer) -> "GameAsker":
        return GameAsker(Seats(self.specs, layer))

    def measured(self, unit: Job, result: Played) -> Measured:
        game = result.result
        return Measured(
            game.score_strict if self.measure == "strict" else game.score_kept, game.turns
        )


@dataclass(frozen=True)
class GameAsker:
    """The players in one process."""

    seats: Seats

    def limits(self, unit: Job) -> set[Limit]:
        graphs = []
        for seat in self.seats.lineup(unit):
            if isinstance(seat, GraphSeat | StateGraphSeat):
                graphs.append(seat)
        return limits_of(chain.from_iterable(seat.brains.values() for seat in graphs))

    async def ask(self, unit: Job, gate: Gate, sink: Sink) -> Played:
        public: list[Event] = []

        def emit(event: Event) -> None:
            sink(event)
            if unit.recorded and isinstance(event, GameStarted | Moved):
                public.append(event)

        started = self.seats.start(unit)
        with structlog.contextvars.bound_contextvars(arm=unit.arm):
            result = await play_started(
                self.seats.lineup(unit),
                started,
                journal=unit.journal,
                lean=unit.lean,
                sink=emit,
                gate=gate,
            )
        return Played(result, public_record(public) if public else None)

    async def aclose(self) -> None:
        for seat in self.seats.by_key.values():
            if isinstance(seat, JournaledSeat):
                await seat.aclose()


@dataclass(frozen=True)
class ExperimentDone(Done):
    """What became of a command that plays an experiment."""

    plan: Plan = field(kw_only=True)
    rows: tuple[Row, ...] = ()
    """The finished games of the folder."""
    games: Mapping[Path, Game] = field(default_factory=dict)
    """The journals of the folder."""


@dataclass
class Journals:
    """The journals of a run folder, as they were when they were last read."""

    plan: Plan
    games: dict[Path, Game] = field(default_factory=dict)

    def rows(self) -> list[Row]:
        """Return all finished games of the folder; other shards may have played some of them since
        it was read."""
        self.games = results.peek_all(self.plan.folder, self.games)
        return results.finished(self.plan.folder, self.games)

    def finished(self) -> set[str]:
        return {row.name for row in self.rows()}

    def begun(self) -> set[str]:
        games = self.games.items()
        return {
            f"{path.parent.name}/{path.stem}"
            for path, game in games
            if game.started and not game.result
        }

    def answered(self) -> bool:
        return bool(begun(self.plan, self.games))

    def remember(self, budget: Budget) -> None:
        for path, game in begun(self.plan, self.games).items():
            if game.result is not None:
                budget.recall(game.result.usage)
            else:
                budget.remember(usage_by_turn(journal.read(path)))


def run(
    experiment: Experiment,
    folder: Path | str,
    *,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> ExperimentDone:
    """Play the games that are not finished, and write run.yaml, the journals and results.csv into
    the folder.

    In a notebook, too, where an event loop runs already.

    Raises UserError, before anything is played, for mistakes in the experiment and for a folder of
    another one.
    """
    folder = Path(folder)
    manifest.check_code(folder)
    plan = Plan.resolve(experiment, folder)
    plan.check_rule()
    return ExperimentRun(plan, options or RunOptions(), progress or Progress()).run()


class ExperimentRun:
    """A command that plays an experiment: past games first, then all games, stage by stage where a
    rule may stop it."""

    def __init__(self, plan: Plan, options: RunOptions, progress: Progress) -> None:
        self.plan = plan
        self.journals = Journals(plan)
        self.metric: Metric = "kept" if plan.metric == "kept" else "strict"
        task = GameTask(plan.specs, self.metric)
        self.runner = Runner(task, plan.jobs, self.journals, plan.folder, options, progress)
        self.runner.lock = GAMES
        self.min_own = MinOwn(
            plan.experiment.min_own if options.min_own is None else options.min_own
        )
        self.stages = Stages(plan)
        self.finished = False
        """True if all games were finished before."""
        if self.stages.rule and options.shard:
            raise UserError(
                "--shard plays a part of the deals, and a stop rule looks at all arms of a "
                "deal; leave one out"
            )

    def run(self) -> ExperimentDone:
        rows = self.journals.rows()  # of all arms: an unreadable journal is found now
        games = begun(self.plan, self.journals.games)
        self.runner.check()
        with self.runner.alone():
            self._play_partner_records()
            if self.runner.stopped:
                return self._done(self.journals.rows())
            over = {path for path, game in games.items() if game.result is not None}
            self.finished = all(job.journal in over for job in self.runner.units)
            self._write_manifest()
            mine = {job.name for job in self.runner.units}
            before = {}
            for row in rows:
                if row.name in mine:
                    before[row.name] = Measured(row.score(self.metric), row.turns)
            arms = [arm.name for arm in self.plan.arms if arm.players]
            task = self.runner.task
            units = self.runner.units
            self.runner.progress.begin(self.plan.experiment.name, task, units, before, arms)
            self.runner.halted = self._halted_before(games)
            self.runner.guard = lambda status: self.min_own.broken(
                {
                    arm.name: status.moves[arm.name]
                    for arm in self.plan.arms
                    if arm.name in status.moves
                }
            )
            try:
                if not self.runner.halted:
                    self._play_stages([job for job in units if job.journal not in over])
            finally:  # however it ends, results.csv says what is finished
                self.runner.progress.end()
                rows = self._write_results()
            return self._done(rows)

    def _write_manifest(self) -> None:
        """Bring run.yaml up to date. Raises UserError, and OSError unless the run is finished: such
        a run can be told where nothing can be written."""
        try:
            manifest.write(self.plan)
        except OSError:
            if not self.finished:
                raise

    def _play_stages(self, jobs: Sequence[Job]) -> None:
        """Play all games at once; with a stop rule those until the next look, and then those of
        arms that are not settled by it. A look waits for all its games, so games that are not
        finished end the run."""
        if self.stages.rule is None:
            self._play_in_order(jobs)
            return
        while stage := self.stages.next(self.journals.rows()):
            self.runner.progress.line(stage.said)
            self._play_in_order(stage.jobs)
            if self.runner.stopped:
                return
        self.runner.progress.line(self.stages.said(self.journals.rows()))

    def _play_in_order(self, jobs: Sequence[Job]) -> None:
        """Play deal by deal; where arms get notes of the baseline's games, these come first, and
        then all others.

        So a control stands beside its removal, and a run that stops has the same deals of both.
        """
        waiting = self._write_banks()
        first = [job for job in jobs if not waiting or job.arm == self.plan.baseline]
        self.runner.play(first)
        suspended = any(end.suspended for end in self.runner.unfinished)
        if len(first) == len(jobs) or self.runner.interrupted or self.runner.halted or suspended:
            return
        self.journals.rows()
        waiting = self._write_banks(
            {end.unit.journal for end in self.runner.unfinished if end.failed}
        )
        played = {job.name for job in first}
        last = [job for job in jobs if job.name not in played]
        why = {job.name: waiting.get((job.arm, job.deal.players)) for job in last}
        self.runner.play([job for job in last if why[job.name] is None])
        self.runner.unfinished += [
            Outcome(job, suspended=why[job.name]) for job in last if why[job.name]
        ]

    def _write_banks(self, failed: Collection[Path | None] = ()) -> dict[tuple[str, int], str]:
        """Write the notes of other games that are not written yet, where all the games that they
        are from are over.

        Returns, by arm and player count, why the others have to wait. `failed`: the journals of
        games that cannot be finished. Raises UserError.
        """
        waiting = dict[tuple[str, int], str]()
        for bank in self.plan.banks:
            with locked(self.plan.folder):
                if bank.exists():
                    continue
                if not bank.waits:
                    bank.write(bank.journals())
                    continue
                baseline = [job for job in self.plan.jobs if job.arm == self.plan.baseline]
                paths = [job.journal for job in baseline if job.deal.players == bank.players]
                over = []
                for path in paths:
                    if path and (game := self.journals.games.get(path)) and game.result:
                        over.append(path)
                if over and len(over) + sum(path in failed for path in paths) >= len(paths):
                    bank.write(over)
                else:
                    why = (
                        f"it gets notes of the games of {self.plan.baseline}, which are not all "
                        "finished"
                    )
                    waiting[bank.arm, bank.players] = why
        return waiting

    def _write_results(self) -> list[Row]:
        """Bring results.csv up to date; other shards may be doing the same. Raises OSError, unless
        that is why the run stopped, or it was finished before."""
        with locked(self.plan.folder):
            rows = self.journals.rows()
            failed = {end.unit.name: end.failed for end in self.runner.unfinished if end.failed}
            try:
                results.write(self.plan.folder, rows)
                run_folder.write_failures(self.plan.folder, failed, {row.name for row in rows})
            except OSError:
                if not self.finished and not any(end.unwritten for end in self.runner.unfinished):
                    raise
        return rows

    def _halted_before(self, games: Mapping[Path, Game]) -> str | None:
        """Return why the games that were begun before leave nothing to play on for."""
        moves: dict[str, Counter[str]] = {}
        for path, game in games.items() if self.min_own.least else ():
            if game.started and game.result:
                self.min_own.add(
                    results.row(path.parent.name, game.started.repeat, "", game.result)
                )
            elif game.started and any(seat.model != PROGRAM for seat in game.started.seats):
                counts = moves.setdefault(path.parent.name, Counter())
                for origin in origins(journal.read(path)):
                    counts.update(origin.counts)
        return self.min_own.broken(moves)

    def _done(self, rows: Sequence[Row]) -> ExperimentDone:
        """Say what became of the command. Raises UserError when servers refused before any call was
        answered."""
        needed = {job.name for job in self.stages.needed(rows, self.runner.units)}
        done = self.runner.done(needed=needed)
        return ExperimentDone(
            **vars(done), plan=self.plan, rows=tuple(rows), games=self.journals.games
        )

    def _play_partner_records(self) -> None:
        """Play the past games of ad-hoc trials that are missing."""
        missing = {}
        for past in self.plan.partner_records:
            if not past.exists():
                missing[(past.name, past.players)] = past
        jobs = list(chain.from_iterable(past.jobs() for past in missing.values()))
        if not jobs:
            return
        ends: dict[tuple[str, int], list[Outcome[Job]]] = {}

        def on_end(outcome: Outcome[Job]) -> None:
            assert isinstance(outcome.result, Played)
            key = outcome.unit.arm, outcome.unit.deal.players
            ends.setdefault(key, []).append(outcome)
            if len(ends[key]) == len(missing[key].seeds):
                missing[key].write(ends.pop(key))

        self.runner.progress.begin("past games", self.runner.task, jobs)
        try:
            self.runner.play(jobs, on_end)
        finally:
            self.runner.progress.end()
            self.runner.before = Status()  # the progress of what comes leaves them out


def status(folder: Path) -> dict[str, Any]:
    """Return how the games in a folder stand, as plain data; `failed` are those of earlier
    commands."""
    record = run_folder.read(folder / RUN)
    games = results.peek_all(folder, unreadable=results.leave_out)
    finished = {f"{path.parent.name}/{path.stem}" for path, game in games.items() if game.result}
    turns = 0
    spent = NO_USAGE
    for path, game in games.items():
        if game.result:
            turns += game.result.turns
            spent += game.result.usage if game.result.usage.calls else NO_USAGE
        elif game.started:
            turns += len(game.moves)
            spent = sum((chain.from_iterable(usage_by_turn(journal.read(path)))), spent)
    counts = {
        "finished": len(finished),
        "begun": sum(game.result is None for game in games.values()),
    }
    failed = {}
    for name, reason in run_folder.failures(folder).items():
        if name not in finished:
            failed[name] = reason
    number = run_folder.games(record)
    data = run_status(record.get("name"), spent, games=number, **counts, failed=failed, turns=turns)
    if stopped := stopping.of_run(record, results.finished(folder, games)):
        data["stop"] = {"stood": stopped.states, "over": all(arm.over for arm in stopped.compared)}
    return data
