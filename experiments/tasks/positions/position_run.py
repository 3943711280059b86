"""A run: every position in every arm, each decided as often as asked; what a folder holds already is not asked again.

The baseline goes first, on all positions, for shuffled notes come from there. Then position by position all arms are
asked, so that a run that stops half-way has whole positions.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from experiments.running.model_options import ModelOptions
from experiments.running.runner import on_interrupt
from experiments.tasks.positions import arms as arm_forms
from experiments.tasks.positions import cheat, decisions
from experiments.tasks.positions.arms import BASELINE, Arm
from experiments.tasks.positions.asking import Asker, Ready, calls_of_turn, game_hash
from experiments.tasks.positions.bank import Bank, BankPosition
from experiments.tasks.positions.control import Donor
from experiments.tasks.positions.decisions import Sample, Writer
from experiments.tasks.positions.study import Study, begin, opened, record_of
from graphs.attempts import attempts, role_node
from graphs.config import PROGRAM
from graphs.fixed_notes import models_asked
from graphs.interventions import parse
from graphs.recorded_notes import notes_of
from orchestrator.errors import ModelError, OverBudget, TurnError, Unwritten, UserError
from orchestrator.journal.events import Call, Event
from orchestrator.journal.file import Journal
from orchestrator.journal.recorded_answers import answered
from orchestrator.models.layer import ModelLayer
from orchestrator.models.request import Key, Message, ModelRequest, ModelResponse
from orchestrator.models.settings import ModelSettings
from orchestrator.plugins import versions
from orchestrator.table.game_loop import decided_event
from orchestrator.table.seat import GameContext

AT_ONCE = 16
"""Decisions at a time, where no model says how many calls it bears."""
Watch = Callable[[int, int], None]
"""Called with the decisions that are done and those there are."""


@dataclass
class Done:
    """What became of a command."""

    folder: Path
    study: Study
    arms: tuple[Arm, ...]
    total: int
    before: int = 0
    """Decisions that the folder held already."""
    left: int = 0
    failed: tuple[str, ...] = ()
    """Decisions that no answer can make: a role's program failed; in sentences."""
    interrupted: bool = False
    problem: str = ""
    over_budget: bool = False


@dataclass(frozen=True)
class _Unrecorded:
    """Stands for the servers in a replay: what was not recorded has no answer."""

    folder: Path

    async def __call__(self, request: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        raise TurnError(f"{request.node}: its answer is not recorded in {str(self.folder)!r}")

    async def aclose(self) -> None:
        """Nothing to close."""


def run(
    study: Study, folder: Path, options: ModelOptions | None = None, watch: Watch = lambda done, total: None
) -> Done:
    """Ask what a study asks, and go on where the folder's run stopped.

    `options.replay` is the folder of another run of positions: its answers are taken, and nobody is asked. Raises
    UserError for a study that cannot be asked, for a folder with another run, or when a server refuses at once.
    """
    options = options or ModelOptions()
    bank = opened(study)
    if options.replay is not None:
        record_of(options.replay)
    arms = arms_of(study)
    layer = ModelOptions(options.cache, None, options.max_tokens, options.max_usd).layer()
    layer.replay = None if options.replay is None else _Unrecorded(options.replay)
    running = _PositionRun(study, bank, arms, folder, layer)
    running.recorded, running.watch = options.replay, watch
    running.check()
    shorts = {arm.name: arm.short for arm in arms if arm.kind != "baseline"}
    running.study = begin(folder, study, bank, shorts, dict(versions()))
    try:
        asyncio.run(running.run())
    finally:
        layer.close()
    return running.done()


def arms_of(study: Study) -> tuple[Arm, ...]:
    """The arms of a study, with the null arms that belong to them. Raises UserError."""
    null = study.null if study.null is not None else asks_models(study)
    return arm_forms.read(study.arms, study.config, null=null)


def asks_models(study: Study) -> bool:
    """Whether any node of the graph, or any arm, asks a model, a simulated one included."""
    named = [study.models.get(name, name) for name in study.config.models]
    shorts = study.arms.values() if isinstance(study.arms, dict) else study.arms
    return any(one != PROGRAM for one in named) or any(parse(one).kind in ("model", "perturbed") for one in shorts)


class _PositionRun:
    """The decisions of a command, while they are made."""

    def __init__(self, study: Study, bank: Bank, arms: Sequence[Arm], folder: Path, layer: ModelLayer) -> None:
        self.study, self.bank, self.arms, self.folder, self.layer = study, bank, tuple(arms), folder, layer
        self.recorded: Path | None = None
        self.watch: Watch = lambda done, total: None
        self.positions = bank.positions[: study.first]
        self.asker = Asker(
            study.config,
            study.models,
            layer,
            bank,
            study.seed,
            fresh=study.notes == "fresh",
            calls=calls_of_turn(study.config),
        )
        self.known: dict[tuple[str, str], list[Sample]] = {}
        self.finished = self.skipped = self.held = 0
        self.problems: list[Exception] = []
        self.failed: list[str] = []
        self.stopped = self.interrupted = False
        self.donors: list[Donor] = []

    @property
    def total(self) -> int:
        return len(self.arms) * len(self.positions) * self.study.samples - self.skipped

    def check(self) -> None:
        """Raise UserError for what the graph does not allow and for notes that are missing, before anybody is asked."""
        if any(arm.cheats for arm in self.arms):
            cheat.open_truth(self.bank.path)
        for arm in self.arms:
            self.asker.seat(arm)
        for position in self.positions:
            self._ready(self.arms[0], position)
        for arm in (arm for arm in self.arms if arm.cheats):
            self._ready(arm, self.positions[0])

    async def run(self) -> None:
        for arm, position in product(self.arms, self.positions):
            self._hold(arm, position)
        self.watch(self.finished, self.total)
        try:
            with on_interrupt(self._interrupt):
                if self.layer.budget:
                    self.layer.budget.remember(one.usage for found in self.known.values() for one in found)
                if self._models():
                    await self._checked()
                await self._all([(self.arms[0], position) for position in self.positions])
                self.donors = [] if self.stopped else [self._donor(position) for position in self.positions]
                rest = [(arm, position) for position in self.positions for arm in self.arms[1:]]
                await self._all(rest)
        finally:
            for arm in self.arms:
                await self.asker.seat(arm).aclose()

    def _hold(self, arm: Arm, position: BankPosition) -> None:
        found = decisions.read(self.folder, arm.name, position.name)
        if found:
            self.known[arm.name, position.name] = found
        made = min(sum(one.decided is not None for one in found), self.study.samples)
        self.held += made
        self.finished += made

    def _models(self) -> bool:
        return any(models_asked(self.asker.seat(arm).config, {}) for arm in self.arms)

    async def _checked(self) -> None:
        """An unusable server is an error before the first answer; afterwards the run waits."""
        try:
            await self.layer.check()
        except UserError as error:
            if not self.known:
                raise
            self._stop(error)

    async def _all(self, work: Sequence[tuple[Arm, BankPosition]]) -> None:
        gate = asyncio.Semaphore(self._at_once())
        async with asyncio.TaskGroup() as group:
            for arm, position in work:
                group.create_task(self._within(gate, arm, position))

    def _at_once(self) -> int:
        most = [m.max_concurrency for m in self.study.models.values() if isinstance(m, ModelSettings)]
        return max([AT_ONCE, *most])

    async def _within(self, gate: asyncio.Semaphore, arm: Arm, position: BankPosition) -> None:
        async with gate:
            if self.stopped:
                return
            where = f"arm {arm.name!r}, position {position.name}"
            try:
                await self._position(arm, position)
            except OverBudget as error:
                self._stop(error)
            except ModelError as error:
                self.problems.append(error)
                self.stopped = self.stopped or error.final
            except (UserError, Unwritten) as error:
                self._stop(error)
            except TurnError as error:
                self.failed.append(f"{where}: {error}")
            await asyncio.sleep(0)  # programs alone never wait, and Ctrl-C must be heard

    async def _position(self, arm: Arm, position: BankPosition) -> None:
        """All samples of an arm on a position that are not decided yet."""
        done = [one for one in self.known.get((arm.name, position.name), ()) if one.decided is not None]
        if len(done) >= self.study.samples:
            return
        ready = self._ready(arm, position)
        if ready is None:
            self.skipped += self.study.samples
            return
        with Journal(decisions.path_of(self.folder, arm.name, position.name)) as journal:
            for sample in range(len(done), self.study.samples):
                if self.stopped:
                    return
                if sample and arm.name == BASELINE and self.asker.fresh:
                    ready = self._ready(Arm(BASELINE, "null"), position) or ready
                await self._decide(arm, position, sample, ready, journal)
                self.finished += 1
                self.watch(self.finished, self.total)

    def _ready(self, arm: Arm, position: BankPosition) -> Ready | None:
        return self.asker.ready(arm, position, self._notes(position), self.donors)

    def _notes(self, position: BankPosition) -> tuple[Event, ...]:
        """The events with everybody's notes: recorded, or of the first sample of a fresh baseline."""
        if not self.asker.fresh:
            return self.asker.fitting(position)
        made = self.known.get((BASELINE, position.name), ())
        return made[0].events if made and made[0].decided else ()

    async def _decide(self, arm: Arm, position: BankPosition, sample: int, ready: Ready, journal: Journal) -> None:
        view, held = position.view, self.known.setdefault((arm.name, position.name), [])
        unfinished = [one for one in held if one.decided is None]
        writer, events = Writer.of(journal, held), list[Event]()

        def emit(event: Event) -> None:
            events.append(event)
            writer(event)

        hash_ = game_hash(position, arm, sample, self.study.seed)
        calls = self._recorded(arm, position, sample) | writer.known
        context = GameContext(emit, hash_, sample + 1, writer.kept, calls)
        decision = await ready.at(view.turn).bind(context)(view, position.memory)
        last = decided_event(view.turn, view.seat, decision, {}).model_copy(update={"memory": {}})
        emit(last)
        for one in unfinished:
            held.remove(one)
        held.append(Sample(tuple(event for event in events if getattr(event, "fixed", None) != "recorded")))

    def _recorded(self, arm: Arm, position: BankPosition, sample: int) -> dict[Key, Call]:
        if self.recorded is None:
            return {}
        found = decisions.read(self.recorded, arm.name, position.name)
        return answered(found[sample].events) if sample < len(found) else {}

    def _donor(self, position: BankPosition) -> Donor:
        config = self.asker.at(position.view.players)
        first = attempts(config)[0]
        roles = {name: role_node(config, name, first).role.name for name in config.nodes}
        notes = notes_of(config, self._notes(position))
        return Donor(position, notes, roles)

    def _stop(self, error: Exception) -> None:
        self.problems.append(error)
        self.stopped = True

    def _interrupt(self) -> None:
        self.interrupted = self.stopped = True

    def done(self) -> Done:
        first = self.problems[0] if self.problems else None
        if isinstance(first, Unwritten) or (isinstance(first, UserError) and not self.finished):
            raise first
        if first is not None and not self.finished and getattr(first, "final", False):
            raise UserError(str(first))
        left = self.total - self.finished - len(self.failed)
        return Done(
            self.folder,
            self.study,
            self.arms,
            self.total,
            self.held,
            max(left, 0),
            tuple(self.failed),
            self.interrupted,
            str(first) if first else "",
            isinstance(first, OverBudget),
        )
