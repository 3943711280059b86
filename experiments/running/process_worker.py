"""A process that plays for a run: games come in by a pipe, and what became of them goes out by it."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from experiments.design.job import Job
from experiments.design.player_spec import PlayerSpec
from experiments.running.game_pool import GamePool
from experiments.running.model_options import ModelOptions
from experiments.running.seat_pool import SeatPool
from orchestrator.errors import UserError
from orchestrator.models.budget import Budget

EVERY_S = 0.5
"""Seconds between two words of how it stands."""


@dataclass(frozen=True)
class Ready:
    """It has made its seats."""

    at_once: int


@dataclass(frozen=True)
class Unfit:
    """It cannot make its seats."""

    why: str


@dataclass(frozen=True)
class Wish:
    """A question to the run's accounts; nobody waits for the answer to one without a number."""

    number: int | None
    what: str
    given: tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    number: int
    result: Any


@dataclass(frozen=True)
class Close:
    """Stop at the turns' end."""

    why: str


class Parent:
    """The process that started this one: gives games, keeps the run's accounts, hears what became of games."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._loop = asyncio.get_running_loop()
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()

    def send(self, message: object) -> None:
        self._pipe.send(message)

    async def ask(self, what: str, *given: Any) -> Any:
        number = next(self._numbers)
        self._asked[number] = self._loop.create_future()
        self.send(Wish(number, what, given))
        try:
            return await self._asked[number]
        finally:
            del self._asked[number]

    def tell(self, what: str, *given: Any) -> None:
        self.send(Wish(None, what, given))

    async def jobs(self) -> AsyncIterator[Job]:
        while True:
            yield await self._jobs.get()

    def listen(self, pool: GamePool) -> None:
        """In a thread of its own, as long as the process lives."""
        while True:
            self._loop.call_soon_threadsafe(self._heard, pool, self._pipe.recv())

    def _heard(self, pool: GamePool, message: object) -> None:
        if isinstance(message, Answer):
            if (asked := self._asked.get(message.number)) is not None and not asked.done():
                asked.set_result(message.result)
        elif isinstance(message, Close):
            pool.door.close(message.why)
        elif isinstance(message, Job):
            self._jobs.put_nowait(message)


def work(pipe: Connection, who: str, sitters: Mapping[str, PlayerSpec], options: ModelOptions, share: int) -> None:
    """Play until it is ended; the body of the process. An interrupt is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_until_orphaned, daemon=True).start()
    try:
        asyncio.run(_work(pipe, who, sitters, options, share))
    except UserError as error:
        pipe.send(Unfit(str(error)))


def _until_orphaned() -> None:
    """Without a parent it ends: the games that it was still to be given would be played behind everybody's back."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


async def _work(
    pipe: Connection, who: str, sitters: Mapping[str, PlayerSpec], options: ModelOptions, share: int
) -> None:
    parent = Parent(pipe)
    budget = Budget(teller=parent, who=who) if options.limited else None
    players = SeatPool(sitters, options.layer(budget, share))
    room = GamePool(players, parent.send)
    threading.Thread(target=parent.listen, args=(room,), daemon=True).start()
    parent.send(Ready(room.at_once))
    telling = asyncio.create_task(_tell(parent, room))
    try:
        await room.play(parent.jobs())
    finally:
        telling.cancel()
        await players.aclose()


async def _tell(parent: Parent, pool: GamePool) -> None:
    """How it stands, now and then."""
    while True:
        await asyncio.sleep(EVERY_S)
        parent.send(pool.status)
