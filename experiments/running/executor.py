"""Executors play the games of a run: what they all do, and the one that plays in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Protocol

from experiments.running.changes import Change, RetryGame
from experiments.running.game_pool import GamePool
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Status
from experiments.study.job import Job, Outcome
from experiments.study.player_spec import PlayerSpec
from orchestrator.models.layer import ModelLayer

OnOutcome = Callable[[Outcome], None]
"""Called with what became of each game."""
OnTick = Callable[[], None]
"""Called every now and then, to show progress."""

EVERY_S = 0.2


class Executor(Protocol):
    """Plays the games of a run. The results do not depend on which executor is used."""

    def play(self, jobs: Iterable[Job], on_outcome: OnOutcome, on_tick: OnTick) -> None:
        """Play all games, started in their order, and return. Raises UserError for a seat that cannot be built."""

    def close(self, why: str) -> None:
        """Stop the games at the end of their turns, and start no others."""

    @property
    def status(self) -> Status:
        """How the games stand now."""

    def obey(self, change: Change) -> None:
        """Change how the games are played, from the next call, turn and game on; called by `on_tick`."""

    def end(self) -> None:
        """Stop at once; unfinished journals can be continued."""


class LocalExecutor:
    """Plays all games in the event loop of this process."""

    def __init__(self, specs: Mapping[str, PlayerSpec], layer: ModelLayer) -> None:
        self._specs = specs
        self._layer = layer
        self._pool: GamePool | None = None
        self._closed: str | None = None

    def play(self, jobs: Iterable[Job], on_outcome: OnOutcome, on_tick: OnTick) -> None:
        asyncio.run(self._play(jobs, on_outcome, on_tick))

    async def _play(self, jobs: Iterable[Job], on_outcome: OnOutcome, on_tick: OnTick) -> None:
        seats = SeatPool(self._specs, self._layer)
        self._pool = GamePool(seats, on_outcome)
        if self._closed:  # while the seats were built
            self._pool.gate.close(self._closed)
        ticking = asyncio.create_task(_every(on_tick))
        try:
            await self._pool.play(stream(jobs))
        finally:
            ticking.cancel()
            await seats.aclose()

    def close(self, why: str) -> None:
        self._closed = why
        if self._pool:
            self._pool.gate.close(why)

    @property
    def status(self) -> Status:
        return self._pool.status if self._pool else Status()

    def obey(self, change: Change) -> None:
        if self._pool:
            self._pool.obey(change)
            if isinstance(change, RetryGame):
                self._pool.again(change.job)

    def end(self) -> None:
        """Nothing to do: the games ended with the event loop."""


async def stream(jobs: Iterable[Job]) -> AsyncIterator[Job]:
    for job in jobs:
        yield job
        await asyncio.sleep(0)  # the game starts before the next job is taken


async def _every(on_tick: OnTick) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        on_tick()
