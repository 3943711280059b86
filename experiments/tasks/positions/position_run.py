"""A run: every position in every arm, each decided as often as asked; what a folder holds already
is not asked again.

The baseline goes first, on all positions, for shuffled notes come from there. Then position by
position all arms are asked, so that a run that stops half-way has whole positions.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from hanabi_orchestrator.experiments.running.progress import Progress, run_status
from hanabi_orchestrator.experiments.running.runner import Done, Runner, RunOptions
from hanabi_orchestrator.experiments.running.task import Measured, limits_of
from hanabi_orchestrator.experiments.study import manifest
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.study.job import Outcome, Unit
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seat_spec import OfflineLayer
from hanabi_orchestrator.experiments.tasks.positions import cheat, decisions
from hanabi_orchestrator.experiments.tasks.positions.asking import ArmSeats, Donor, Ready
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.study import (
    PositionStudy,
    begin,
    read,
    study_of,
)
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import Suspended, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Sink
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.journal.fingerprint import hashed
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay, answered
from hanabi_orchestrator.orchestrator.models.budget import Budget
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limit
from hanabi_orchestrator.orchestrator.models.request import Key
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE
from hanabi_orchestrator.orchestrator.table.game_loop import Gate, decided_event
from hanabi_orchestrator.orchestrator.table.seat import GameContext

SKIPPED = "skipped"
"""The end of a unit whose arm does not apply to its position."""


@dataclass(frozen=True, kw_only=True)
class PositionUnit(Unit):
    """A position in an arm, with all its samples."""

    position: str
    deal: str
    path: Path
    """Its journal, which is none of a game."""

    @property
    def name(self) -> str:
        return f"{self.arm}/{self.position}"

    @property
    def cluster(self) -> Hashable:
        return self.deal


@dataclass(frozen=True)
class PositionTask:
    study: PositionStudy
    folder: Path
    recorded: Path | None = None
    """The run whose answers are taken, so that nobody is asked."""
    things: str = "positions"
    measure: str = "decided"

    @property
    def may_end_process(self) -> bool:
        return bool(named.brought())

    def open(self, layer: ModelLayer) -> "PositionAsker":
        if self.recorded is not None:
            # has nothing but what each sample is given
            layer.replay = Replay(Recording(self.recorded, {}))
        return PositionAsker(self, layer)

    def measured(self, unit: PositionUnit, result: str) -> Measured:
        return Measured()


class PositionAsker:
    """The arms of a study in one process."""

    def __init__(self, task: PositionTask, layer: ModelLayer) -> None:
        self.task = task
        self.study = task.study
        self.positions = {position.name: position for position in self.study.positions}
        truth = cheat.truth_for(self.study.arms, self.study.bank_file)
        self.seats = ArmSeats(self.study, layer, truth)
        for arm in self.study.arms:
            self.seats.seat(arm.name)

    def check(self) -> None:
        """Raise UserError for what the graph does not allow and for notes that are missing, before
        anybody is asked."""
        first, *_ = self.positions.values()
        for position in self.positions.values():
            self.ready(self.study.baseline, position)
        for arm in (arm for arm in self.study.arms if arm.cheats):
            self.ready(arm, first)

    def ready(self, arm: Arm, position: BankPosition, donors: Sequence[Donor] = ()) -> Ready | None:
        return self.seats.ready(arm, position, self.events(position), donors)

    def events(self, position: BankPosition) -> tuple[Event, ...]:
        """Return the events with everybody's notes: recorded, or of the first sample of a fresh
        baseline."""
        if self.study.experiment.notes == "recorded":
            return position.events
        samples = decisions.read(self.task.folder, self.study.baseline.name, position.name)
        if samples and samples[0].decided:
            return samples[0].events
        return ()

    @cached_property
    def donors(self) -> list[Donor]:
        """The positions whose notes controls give: of the whole bank where it has them."""
        if self.study.experiment.notes == "recorded":
            return [Donor(position, position.events) for position in self.study.bank.positions]
        return [Donor(position, self.events(position)) for position in self.positions.values()]

    def limits(self, unit: PositionUnit) -> set[Limit]:
        return limits_of(self.seats.seat(unit.arm).brains.values())

    async def ask(self, unit: PositionUnit, gate: Gate, sink: Sink) -> str:
        arm = self.study.by_name[unit.arm]
        position = self.positions[unit.position]
        samples = decisions.read(self.task.folder, arm.name, position.name)
        for event in chain.from_iterable(sample.events for sample in samples):
            if isinstance(event, Call) and not unit.again:
                sink(event)
        before = [sample for sample in samples if sample.decided]
        if len(before) >= self.study.samples:
            return unit.name
        ready = self.ready(arm, position, self.donors if arm.sources else ())
        if ready is None:
            return SKIPPED
        calls = {} if len(samples) == len(before) else answered(samples[-1].events)
        try:
            with Journal(unit.path) as journal:
                for number in range(len(before), self.study.samples):
                    if why := await gate.enter():
                        raise Suspended(why, position.view.turn, held=True)
                    await self._decide(arm, position, number, ready, journal, calls, sink)
                    calls = {}
        finally:
            gate.leave()
        return unit.name

    async def _decide(
        self,
        arm: Arm,
        position: BankPosition,
        number: int,
        ready: Ready,
        journal: Journal,
        calls: dict[Key, Call],
        sink: Sink,
    ) -> None:
        """Decide once. `calls`: those of this sample that were answered before the run stopped.

        All arms draw the same notes and the same order of notes for a sample; models draw for each
        arm by itself, as on a server. Notes that are held fixed are not written.
        """

        def emit(event: Event) -> None:
            if isinstance(event, Call):
                before = calls.get(event.key)
                if event.fixed == "recorded" or (
                    before is not None and before.outcome == event.outcome
                ):
                    return
                sink(event)
            journal(event)

        view = ready.view
        answers = dict(calls)
        if self.task.recorded is not None:
            samples = decisions.read(self.task.recorded, arm.name, position.name)
            answers = {
                **(answered(samples[number].events) if number < len(samples) else {}),
                **answers,
            }
        hash_ = hashed([position.game, self.study.experiment.draw])
        context = GameContext(emit, hash_, number + 1, journal.flush, answers)
        decision = await ready.seat.bind(context)(view, ready.memory)
        emit(decided_event(view.turn, view.seat, decision, {}).model_copy(update={"memory": {}}))

    async def aclose(self) -> None:
        for arm in self.study.arms:
            await self.seats.seat(arm.name).aclose()


@dataclass(frozen=True)
class Decisions:
    """The journals of a run of positions, as the engine reads them."""

    units: Sequence[PositionUnit]
    samples: int

    def numbers(self) -> dict[str, int]:
        """Return how many samples are decided of each unit that has begun."""
        units = (unit for unit in self.units if unit.path.exists())
        return {unit.name: min(decisions.number(unit.path), self.samples) for unit in units}

    def finished(self) -> set[str]:
        return {name for name, number in self.numbers().items() if number == self.samples}

    def begun(self) -> set[str]:
        return {name for name, number in self.numbers().items() if number < self.samples}

    def answered(self) -> bool:
        return any(call.of_model for call in chain.from_iterable(self.calls()))

    def remember(self, budget: Budget) -> None:
        for_budget = []
        for calls in self.calls():
            for_budget.append([call.usage for call in calls if call.paid])
        budget.remember(for_budget)

    def calls(self) -> list[list[Call]]:
        """Return the calls of each sample."""
        paths = (unit.path for unit in self.units if unit.path.exists())
        samples = chain.from_iterable(map(decisions.samples, paths))
        return [sample.calls for sample in samples]


class ArmCalls(NamedTuple):
    """The first calls of an arm on some of its positions."""

    arm: Arm
    positions: int
    """To which the arm applies, in the whole bank."""
    calls: list[Call]
    times: float
    """Decisions of the whole run for each of these positions."""


def calls_of(study: PositionStudy, most: int) -> Iterator[ArmCalls]:
    """Give the calls of each arm on at most so many positions, of which nothing is kept; arms' own
    models stay silent.

    Fresh notes are those of the baseline's first decision. Raises UserError for what cannot be
    asked.
    """
    asker = PositionTask(study, Path()).open(OfflineLayer())
    places = [*asker.positions.values()]
    sampled = places[:: max(len(places) // most, 1)][:most]
    turns = [Donor(place, place.events) for place in sampled]
    donors = asker.donors
    if study.experiment.notes == "fresh":
        seat = asker.seats.seat(study.baseline.name)
        turns = []
        for place in sampled:
            turns.append(
                Donor(
                    place,
                    tuple(event_loop.run_anywhere(_once(Ready(seat, place.view, place.memory)))),
                )
            )
        donors = turns
    share = len(places) / len(sampled)
    for arm in study.arms:
        prepared = [asker.seats.ready(arm, turn.position, turn.events, donors) for turn in turns]
        seats = [ready for ready in prepared if ready is not None]
        events = list(chain.from_iterable(event_loop.run_anywhere(_once(ready)) for ready in seats))
        calls = []
        for event in events:
            if isinstance(event, Call) and not event.fixed and not event.ask:
                calls.append(event)
        yield ArmCalls(arm, round(share * len(seats)), calls, share * study.samples)


async def _once(ready: Ready) -> list[Event]:
    """Return the events of one decision."""
    events: list[Event] = []
    await ready.seat.bind(GameContext(events.append))(ready.view, ready.memory)
    return events


def status(folder: Path) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data."""
    study = read(folder)
    records = Decisions(_units(folder, study), study.samples)
    spent = sum(
        (call.usage for call in chain.from_iterable(records.calls()) if call.paid), NO_USAGE
    )
    counts = {"finished": sum(records.numbers().values()), "begun": len(records.begun())}
    return run_status(
        study.experiment.name,
        spent,
        games=len(records.units) * study.samples,
        **counts,
        things="decisions",
    )


def _units(folder: Path, study: PositionStudy) -> list[PositionUnit]:
    units = list[PositionUnit]()
    for position, arm in product(study.positions, study.arms):
        units.append(
            PositionUnit(
                arm=arm.name,
                path=decisions.path_of(folder, arm.name, position.name),
                position=position.name,
                deal=position.deal,
            )
        )
    return units


def run(
    experiment: Experiment,
    folder: Path,
    options: RunOptions | None = None,
    progress: Progress | None = None,
) -> Done:
    """Ask what an experiment on positions asks, and go on where the folder's run stopped; the
    figures of `Done` are decisions.

    A replay is the folder of another run of positions: its answers are taken, and nobody is asked.
    Raises UserError for an experiment that cannot be asked, for a folder with another run, or when
    a server refuses at once.
    """
    manifest.check_code(folder)
    options = options or RunOptions()
    plan = Plan.resolve(experiment, folder)
    study = study_of(plan)
    if (recorded := options.models.replay) is not None:
        read(recorded)
    task = PositionTask(study, folder, recorded)
    task.open(OfflineLayer()).check()
    if options.shard and experiment.notes == "fresh" and any(arm.sources for arm in study.arms):
        raise UserError(
            "--shard asks a part of the deals, and placebo and shuffled notes are those of "
            "all; leave it out"
        )
    begin(plan, study)
    units = _units(folder, study)
    records = Decisions(units, study.samples)
    options = replace(options, models=replace(options.models, replay=None))
    runner = Runner(task, units, records, folder, options, progress)
    before = records.numbers()
    skipped = set[str]()

    def on_end(outcome: Outcome[PositionUnit]) -> None:
        if outcome.result == SKIPPED:
            skipped.add(outcome.unit.name)

    done = runner.run(experiment.name, lambda unit: unit.arm == study.baseline.name, on_end)
    numbers = records.numbers()
    names = [unit.name for unit in runner.units if unit.name not in skipped]
    return replace(
        done,
        total=len(names) * study.samples,
        before=sum(before.get(name, 0) for name in names),
        left=sum(study.samples - numbers.get(name, 0) for name in names if name not in done.failed),
    )
