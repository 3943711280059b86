"""The engine: it asks the units of a task that a run folder does not hold yet, and says what became
of the command.

One set of rules for every task: a server that refuses before its first answer is a mistake of the
user's, and later the run is suspended; a budget, a full disk and an interrupt stop it between two
turns; a unit that fails stops no other; the same command goes on.
"""

import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Generic, Literal, Self

from hanabi_orchestrator.experiments.running.control import RunControl
from hanabi_orchestrator.experiments.running.control_folder import alone, listening
from hanabi_orchestrator.experiments.running.executors import Executor, LocalExecutor, WorkerPool
from hanabi_orchestrator.experiments.running.model_options import OFF, ModelOptions
from hanabi_orchestrator.experiments.running.processes import Processes
from hanabi_orchestrator.experiments.running.progress import Progress, Status
from hanabi_orchestrator.experiments.running.task import Measured, Records, Task
from hanabi_orchestrator.experiments.running.unit_pool import INTERRUPTED
from hanabi_orchestrator.experiments.study.job import Outcome, U
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError, shortened
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.values import whole_number


@dataclass(frozen=True)
class Shard:
    number: int
    """1 to `shards`."""
    shards: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `2/8`. Raises UserError."""
        first, _, last = text.partition("/")
        shard = whole_number(first)
        shards = whole_number(last)
        if not shard or not shards or shard > shards:
            raise UserError(
                f"--shard is {shortened(text)!r}; it must be I/N with I from 1 to N, e.g. 1/8"
            )
        return cls(shard, shards)

    def __str__(self) -> str:
        return f"{self.number}/{self.shards}"

    def select(self, units: Sequence[U]) -> list[U]:
        """Return the units of this shard: whole clusters, such as a deal with all its arms."""
        clusters = list(dict.fromkeys(unit.cluster for unit in units))
        mine = set(clusters[self.number - 1 :: self.shards])
        return [unit for unit in units if unit.cluster in mine]


@dataclass(frozen=True)
class RunOptions:
    """Options of a run that do not change its results: processes, executor, shard, models'
    options."""

    models: ModelOptions = field(default_factory=ModelOptions)
    workers: int = 1
    executor: Literal["local", "ray"] = "local"
    shard: Shard | None = None
    min_own: float | None = None
    """The least share of moves that are the models' own, below which the run stops; None for the
    experiment's."""


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    folder: Path
    total: int
    """Units of the run, or of its shard."""
    before: int = 0
    """Units that earlier commands finished."""
    left: int = 0
    """Units that are not finished."""
    kept: int = 0
    """Units of these that have begun and will be continued."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Units that cannot be finished, by name, each with the reason."""
    suspended: str | None = None
    """Why the run stopped before its end; the same command continues it."""
    unwritten: bool = False
    """Whether a file could not be written, such as on a full disk."""
    over_budget: bool = False
    """Whether its own budget stopped it."""
    halted: bool = False
    """Whether its guard stopped it, such as for too few moves of the models' own."""
    interrupted: bool = False
    status: Status = field(default_factory=Status)
    """The status of the units that this command asked, the unfinished ones included."""


class Runner(Generic[U]):
    """A command that asks the units of a run."""

    def __init__(
        self,
        task: Task[U],
        units: Sequence[U],
        records: Records,
        folder: Path,
        options: RunOptions | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.task = task
        self.options = options or RunOptions()
        self.units = self.options.shard.select(units) if self.options.shard else list(units)
        """Those of this shard."""
        self.records = records
        self.folder = folder
        self.lock = ""
        """The folder below it that is locked; itself if empty."""
        self.progress = progress or Progress()
        models = self.options.models
        self.budget = Budget(models.max_tokens, models.max_usd) if models.limited else None
        self.progress.max_tokens = models.max_tokens
        self.progress.max_usd = models.max_usd
        self.limits: dict[tuple[str, str], int] = {}
        """By server and model, how many concurrent calls it allows."""
        self.guard: Callable[[Status], str | None] = lambda status: None
        """Says why the run must stop, given how it stands."""
        self.halted: str | None = None
        """Why its guard stopped it."""
        self.unusable: str | None = None
        """Why a server cannot be used that has answered before."""
        self.interrupted = False
        self.unfinished: list[Outcome[U]] = []
        self.status = Status()
        self.before = Status()
        """The status of what this command asked in earlier stages."""

    @property
    def stopped(self) -> bool:
        """Whether the run has to end before its end."""
        return self.interrupted or bool(self.halted or self.unusable or self.unfinished)

    def run(
        self,
        title: str,
        first: Callable[[U], bool] = lambda unit: True,
        on_end: Callable[[Outcome[U]], None] = lambda outcome: None,
    ) -> Done:
        """Ask all units that are left: those that are `first`, and once these have ended the
        others.

        Raises UserError for a server that refuses before it has answered anything.
        """
        before = {unit.name for unit in self.units} & {*self.records.finished()}
        units = [unit for unit in self.units if unit.name not in before]
        if units:
            self.check()
            with self.alone():
                self.progress.begin(
                    title, self.task, self.units, {name: Measured() for name in before}
                )
                try:
                    self.play([unit for unit in units if first(unit)], on_end)
                    rest = [unit for unit in units if not first(unit)]
                    if (
                        rest
                        and not self.interrupted
                        and all(outcome.failed for outcome in self.unfinished)
                    ):
                        self.play(rest, on_end)
                finally:
                    self.progress.end()
        return self.done(len(before))

    def alone(self) -> AbstractContextManager[None]:
        """Keep other commands out of the run's folder, but for its other shards."""
        return alone(self.folder, shared=self.options.shard is not None, below=self.lock)

    def check(self) -> None:
        """Open the task and ask its servers, before any unit is asked; count what earlier commands
        spent.

        Raises UserError when the task cannot be asked, or when a server cannot be used that has
        answered nothing yet.
        """

        async def check() -> None:
            layer = self.options.models.layer(self.budget)
            asker = self.task.open(layer)
            try:
                self.limits = {key: limit.most for key, limit in layer.limits.items()}
                await layer.check()
            except UserError as error:
                if not self.records.answered():
                    raise
                self.unusable = str(error)
            finally:
                await asker.aclose()
                layer.close()

        event_loop.run_anywhere(check())
        if self.budget:
            self.records.remember(self.budget)

    def play(
        self, units: Sequence[U], on_end: Callable[[Outcome[U]], None] = lambda outcome: None
    ) -> None:
        """Ask these units. `on_end` is called for those that come to their end; the outcomes of
        others are kept."""
        if self.unusable:
            return
        # each has at least one call at a time
        workers = min([self.options.workers, *self.limits.values()])
        executor = self._executor(workers)
        before = self.before
        control = self._control(executor, units, workers)

        def on_outcome(outcome: Outcome[U]) -> None:
            self.progress(outcome)
            if outcome.result is not None:
                control.finished.add(outcome.unit.name)
                on_end(outcome)
            else:
                self.unfinished.append(outcome)

        def interrupted() -> None:
            self.interrupted = True
            self.progress.stopping()
            executor.close(INTERRUPTED)

        def tick() -> None:
            if inbox:
                inbox.poll(control.answer)
            now = before + executor.status
            self.progress.tick(now)
            if not self.halted and (why := self.guard(now)):
                self.halted = why
                executor.close(why)

        shard = self.options.shard
        about = {"shard": str(shard) if shard else None, "workers": self.options.workers}
        try:
            with listening(self.folder, about) as inbox, _on_interrupt(interrupted):
                executor.play(units, on_outcome, tick)
        finally:
            self.status += executor.status
            self.before = before + replace(executor.status, loads={}, playing=0)
            executor.end()

    def done(self, before: int = 0, needed: Collection[str] | None = None) -> Done:
        """Say what became of the command. `needed`: the units that may still be asked, or are
        finished; default all.

        Raises UserError when servers refused for good before any call was answered.
        """
        finished = self.records.finished()
        begun = self.records.begun()
        names = {unit.name for unit in self.units}
        refused = [outcome for outcome in self.unfinished if outcome.refused]
        if refused and not self.records.answered():
            raise UserError(str(refused[0].suspended))
        stops = []
        for outcome in self.unfinished:
            if outcome.suspended and outcome.suspended != INTERRUPTED:
                stops.append(outcome)
        whys = (
            stop.suspended if stop.stopped_by_run else f"{stop.unit.name}: {stop.suspended}"
            for stop in stops
        )
        failed = sorted((end.unit.name, end.failed) for end in self.unfinished if end.failed)
        left = len((names if needed is None else {*needed} & names) - {*finished})
        unwritten = any(stop.unwritten for stop in stops)
        by_budget = (
            stop for stop in stops if stop.stopped_by_run and stop.suspended != self.halted
        )
        return Done(
            folder=self.folder,
            total=len(self.units),
            before=before,
            left=left,
            kept=len({*begun} & names),
            failed=dict(failed),
            suspended=(self.halted if left else None) or self.unusable or next(whys, None),
            unwritten=unwritten,
            over_budget=not unwritten and any(by_budget),
            halted=bool(self.halted and left),
            interrupted=self.interrupted,
            status=self.status,
        )

    def _executor(self, workers: int) -> Executor[U]:
        models = self.options.models
        if self.options.executor == "ray":
            # optional, and slow to import
            from hanabi_orchestrator.experiments.running.ray_actors import RayActors

            return WorkerPool(RayActors(self.task, models, self.budget, workers), workers)
        if workers > 1 or self.task.may_end_process:
            return WorkerPool(Processes(self.task, models, self.budget, workers), workers)
        return LocalExecutor(self.task, models.layer(self.budget))

    def _control(self, executor: Executor[U], units: Sequence[U], workers: int) -> RunControl[U]:
        finished = self.records.finished()
        over = {unit.name: unit for unit in self.units if unit.name in finished}
        return RunControl(
            self.folder,
            executor.obey,
            lambda: executor.status,
            {**over, **{unit.name: unit for unit in units}},
            set(over),
            self.unfinished,
            dict(self.limits),
            workers=workers,
            cached=self.options.models.cache != OFF,
            screen=self.progress,
            stopping=lambda: self.interrupted or self.halted is not None,
            thing=self.task.things.removesuffix("s"),
        )


@contextmanager
def _on_interrupt(once: Callable[[], None]) -> Iterator[None]:
    """Call `once` at the first interrupt; the second raises KeyboardInterrupt. Nothing outside the
    main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        once()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
