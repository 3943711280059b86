"""Games played in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Protocol

from experiments.design.job import Job, Outcome
from experiments.design.player_spec import PlayerSpec
from experiments.running.game_pool import GamePool
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Status
from orchestrator.models.layer import ModelLayer

Heard = Callable[[Outcome], None]
"""Told what became of each game."""
Tick = Callable[[], None]
"""Called now and then."""

EVERY_S = 0.2


class Executor(Protocol):
    """Whoever plays the games of a run. What comes of them is the same, whoever it is."""

    def play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        """Play them all, begun in their order, and return. Raises UserError for a seat that cannot be."""

    def close(self, why: str) -> None:
        """Games stop at their turns' end, and no other begins."""

    @property
    def status(self) -> Status:
        """How it stands."""

    def end(self) -> None:
        """At once; journals can go on."""


class LocalExecutor:
    def __init__(self, sitters: Mapping[str, PlayerSpec], layer: ModelLayer) -> None:
        self._sitters = sitters
        self._layer = layer
        self._room: GamePool | None = None
        self._closed: str | None = None

    def play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        asyncio.run(self._play(jobs, heard, tick))

    async def _play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        players = SeatPool(self._sitters, self._layer)
        self._room = GamePool(players, heard)
        if self._closed:  # while the seats were made
            self._room.door.close(self._closed)
        ticking = asyncio.create_task(_every(tick))
        try:
            await self._room.play(given(jobs))
        finally:
            ticking.cancel()
            await players.aclose()

    def close(self, why: str) -> None:
        self._closed = why
        if self._room:
            self._room.door.close(why)

    @property
    def status(self) -> Status:
        return self._room.status if self._room else Status()

    def end(self) -> None:
        """It has ended with its event loop."""


async def given(jobs: Iterable[Job]) -> AsyncIterator[Job]:
    for job in jobs:
        yield job
        await asyncio.sleep(0)  # the game begins before the next one is looked for


async def _every(tick: Tick) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        tick()
