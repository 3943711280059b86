"""A run of probes: each is a game that begins at the question, in a journal of its own; what is there is not asked
again."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from experiments.running.runner import on_interrupt
from experiments.running.unit_pool import AHEAD, MOST
from experiments.tasks.probes.probe import Probe, table
from experiments.tasks.probes.probe_folder import begin, path_of
from orchestrator import journal
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.journal.events import Call, GameStarted
from orchestrator.journal.game_so_far import GameSoFar
from orchestrator.journal.totals import usage_by_turn
from orchestrator.models.layer import ModelLayer
from orchestrator.table import game_loop
from orchestrator.table.seat import JournaledSeat, Seat, describe

Watch = Callable[[int, int], None]
"""Called with the probes that are decided and those there are."""


@dataclass
class Done:
    """What became of a command."""

    folder: Path
    probes: int
    left: int = 0
    """Those without a decision still."""
    interrupted: bool = False
    over_budget: bool = False
    problem: str = ""
    """Why the run stopped."""
    failed: list[str] = field(default_factory=list)
    """Probes whose player failed, each with the reason: it may be asked again."""


def run(
    probes: Sequence[Probe],
    who: Seat,
    layer: ModelLayer,
    folder: Path,
    *,
    seed: int,
    watch: Watch = lambda done, total: None,
) -> Done:
    """Ask the probes, and go on where the folder's run stopped; `layer` is closed afterwards.

    Raises UserError for a folder with another run, or when a server refuses before it has answered anything.
    """
    every = begin(folder, describe(who), seed, probes)
    asked = _ProbeRun(every, who, layer, folder, watch)
    asyncio.run(asked.run())
    return asked.done()


@dataclass
class _ProbeRun:
    probes: Sequence[Probe]
    who: Seat
    layer: ModelLayer
    folder: Path
    watch: Watch
    left: list[Probe] = field(default_factory=list)
    stopped: Suspended | None = None
    refused: UserError | None = None
    interrupted: bool = False
    failed: list[str] = field(default_factory=list)
    answered: bool = False
    """Whether a server has answered any call, now or before."""

    async def run(self) -> None:
        begun = {probe.name: self._begun(probe) for probe in self.probes}
        self.left = [probe for probe in self.probes if begun[probe.name].result is None]
        calls = [call for one in begun.values() for call in one.events if isinstance(call, Call)]
        self.answered = any(call.of_model and not call.fixed for call in calls)
        self._watched()
        try:
            if self.left:
                if self.layer.budget:
                    for one in begun.values():
                        self.layer.budget.remember(usage_by_turn([c for c in one.events if isinstance(c, Call)]))
                await self._checked()
                with on_interrupt(self._interrupt):
                    await self._all()
        finally:
            if isinstance(self.who, JournaledSeat):
                await self.who.aclose()
            self.layer.close()

    def _begun(self, probe: Probe) -> GameSoFar:
        path = path_of(self.folder, probe)
        return GameSoFar.from_events(journal.read(path) if path.exists() else ())

    async def _checked(self) -> None:
        """An unusable server is an error before the first answer; afterwards the run waits."""
        try:
            await self.layer.check()
        except UserError as error:
            if not self.answered:
                raise
            self.stopped = Suspended(str(error), 0)

    async def _all(self) -> None:
        calls = sum(limit.most for limit in self.layer.limits.values())
        gate = asyncio.Semaphore(min(MOST, AHEAD * calls) or 1)
        async with asyncio.TaskGroup() as group:
            for probe in list(self.left):
                group.create_task(self._within(gate, probe))

    async def _within(self, gate: asyncio.Semaphore, probe: Probe) -> None:
        async with gate:
            if self.stopped or self.refused or self.interrupted:
                return
            try:
                await self._ask(probe)
            except Suspended as suspended:
                self._halted(probe, suspended)
            except TurnError as error:
                self.failed.append(f"{probe.name}: {error}")
            except UserError as error:
                self.refused = error
            else:
                self.answered = True
                self.left.remove(probe)
                self._watched()

    async def _ask(self, probe: Probe) -> None:
        seats = table(probe, self.who)
        await game_loop.play_started(
            seats,
            _started(probe, seats),
            journal=path_of(self.folder, probe),
            gate=self.layer.budget,
            max_turns=probe.turn,
        )

    def _halted(self, probe: Probe, suspended: Suspended) -> None:
        """A probe that got no answer: a server that refused before it answered anything refuses the whole run."""
        if suspended.refused and not self.answered:
            path_of(self.folder, probe).unlink(missing_ok=True)
            self.refused = self.refused or UserError(str(suspended))
        self.stopped = self.stopped or suspended

    def _interrupt(self) -> None:
        self.interrupted = True

    def _watched(self) -> None:
        self.watch(len(self.probes) - len(self.left), len(self.probes))

    def done(self) -> Done:
        """Raises UserError when a server refused, or a journal there is that of another game."""
        if self.refused:
            raise self.refused
        return Done(
            self.folder,
            len(self.probes),
            len(self.left),
            self.interrupted,
            bool(self.stopped and self.stopped.held),
            str(self.stopped or ""),
            self.failed,
        )


def _started(probe: Probe, seats: Sequence[Seat]) -> GameStarted:
    return game_loop.start(seats, players=probe.players, deck=probe.deck, label=probe.name)
