"""Games played by Ray actors: on the machines of a cluster, or in processes of this one.

A few actors play many games each. A model's calls are bounded by one named actor, for a limit is a server's and not a
process's; the run's accounts are an actor, too. All machines must see the run's folder, and have the models' keys in
their environment. results.csv has one writer: the process that began the run.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from experiments.design.job import Job, Outcome
from experiments.design.player_spec import PlayerSpec
from experiments.running.executor import Heard, Tick
from experiments.running.game_pool import GamePool
from experiments.running.model_options import OFF, ModelOptions
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Load, Status, together
from orchestrator.errors import UserError
from orchestrator.models.budget import Accounts, Budget
from orchestrator.models.limiter import Limit, Limiter, turn_to_call

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is called unasked
try:
    import ray
    from ray.exceptions import RayActorError
except ImportError:
    raise UserError("--executor ray needs Ray: pip install 'hanabi-orchestrator[ray]'") from None

Limits = Mapping[tuple[str, str], Any]
"""By server and model: the actor that bounds its calls."""

EVERY_S = 0.5
MEMORY = 100 * 2**20
"""Bytes of Ray's object store; hardly anything goes through it."""
SHARE = 0.25
"""Of a processor, for each actor that plays: most of its time it waits for models. Less when they are many."""


class Keeper:
    """Keeps the run's accounts; an actor."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def call(self, what: str, *given: Any) -> Any:
        return getattr(self._accounts, what)(*given)


class RayTeller:
    def __init__(self, keeper: Any) -> None:
        self._keeper = keeper

    async def ask(self, what: str, *given: Any) -> Any:
        return await self._keeper.call.remote(what, *given)

    def tell(self, what: str, *given: Any) -> None:
        self._keeper.call.remote(what, *given)


class Doorkeeper:
    """Bounds the calls of a model; an actor."""

    def __init__(self, most: int) -> None:
        self._limiter = Limiter(most)
        self._inside: dict[str, int] = {}
        self._gone: set[str] = set()

    async def enter(self, who: str, number: int) -> None:
        turn_to_call.set(number)
        await self._limiter.__aenter__()
        if who in self._gone:  # it died while it waited
            await self._limiter.__aexit__(None, None, None)
        else:
            self._inside[who] = self._inside.get(who, 0) + 1

    async def leave(self, who: str) -> None:
        if self._inside.get(who):
            self._inside[who] -= 1
            await self._limiter.__aexit__(None, None, None)

    async def gone(self, who: str) -> None:
        """Somebody died with calls in flight, and others waiting."""
        self._gone.add(who)
        for _ in range(self._inside.pop(who, 0)):
            await self._limiter.__aexit__(None, None, None)

    async def answered(self) -> None:
        self._limiter.answered()

    async def crowded(self, seconds: float) -> None:
        """A call that began so long ago was refused."""
        self._limiter.crowded(time.monotonic() - seconds)

    async def load(self) -> Load:
        return Load(self._limiter.busy, int(self._limiter.limit), self._limiter.refused)


class RayLimit:
    """A doorkeeper, seen from an actor that plays."""

    def __init__(self, doorkeeper: Any, most: int, who: str) -> None:
        self.most = most
        self.last_answer = -float("inf")
        self._doorkeeper = doorkeeper
        self._who = who

    async def __aenter__(self) -> float:
        await self._doorkeeper.enter.remote(self._who, turn_to_call.get())
        return time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._doorkeeper.leave.remote(self._who)

    def answered(self) -> None:
        self.last_answer = time.monotonic()
        self._doorkeeper.answered.remote()

    def crowded(self, began: float) -> None:
        self._doorkeeper.crowded.remote(time.monotonic() - began)


class Playing:
    """Plays games in its event loop; an actor."""

    def __init__(
        self, who: str, sitters: Mapping[str, PlayerSpec], options: ModelOptions, limits: Limits, keeper: Any
    ) -> None:
        def limit(server: str, model: str, most: int) -> Limit:
            return RayLimit(limits[server, model], most, who)

        layer = options.layer(Budget(teller=RayTeller(keeper), who=who) if keeper is not None else None)
        layer.limit = limit
        self._room = GamePool(SeatPool(sitters, layer), lambda outcome: None)

    async def at_once(self) -> int:
        return self._room.at_once

    async def play(self, number: int, job: Job) -> Outcome:
        return await self._room.one(number, job)

    async def close(self, why: str) -> None:
        self._room.door.close(why)

    async def status(self) -> Status:
        return self._room.status


class Actor:
    """One that plays, seen from outside."""

    def __init__(
        self, sitters: Mapping[str, PlayerSpec], options: ModelOptions, limits: Limits, keeper: Any, share: int
    ) -> None:
        self.name = uuid4().hex
        self.games = 0
        made: Any = ray.remote(num_cpus=_share(share), scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)
        self.handle = made(Playing).remote(self.name, sitters, options, limits, keeper)
        self.room = 0
        """How many games it takes; none until it was waited for."""
        self._at_once = self.handle.at_once.remote()
        self._share = share

    def wait(self) -> Self:
        """Until it is ready. Raises UserError when it cannot begin: a key or a module may be missing where it is."""
        try:
            self.room = max(1, ray.get(self._at_once) // self._share)
        except RayActorError as error:
            why = str(error).strip().splitlines()[-1]
            raise UserError(f"an actor that plays could not begin: {why}") from None
        return self


class RayExecutor:
    """When an actor dies, what it was playing is played again alone, so that only the culprit fails."""

    def __init__(
        self,
        sitters: Mapping[str, PlayerSpec],
        options: ModelOptions,
        budget: Budget | None,
        workers: int,
        limits: Mapping[tuple[str, str], int],
    ) -> None:
        self._ours = _joined()
        run = uuid4().hex[:8]
        doorkeeper: Any = ray.remote(num_cpus=0)(Doorkeeper)
        keeper: Any = ray.remote(num_cpus=0)(Keeper)
        self._doors: dict[tuple[str, str], Any] = {
            key: doorkeeper.options(name=f"limit of {key[1]} in run {run}", max_concurrency=10_000).remote(most)
            for key, most in limits.items()
        }
        self._keeper = keeper.remote(budget.accounts) if budget else None
        there = _absolute(options)
        self._new: Callable[[], Actor] = lambda: Actor(sitters, there, self._doors, self._keeper, workers)
        self._actors = [actor.wait() for actor in [self._new() for _ in range(workers)]]
        self._numbers = iter(range(1, 10**9))
        self._closed: str | None = None
        self._told: set[str] = set()
        """The actors that know that it is closed."""
        self._status = Status()
        self._asked = 0.0

    def play(self, jobs: Iterable[Job], heard: Heard, tick: Tick) -> None:
        for job in self._play(deque(jobs), heard, tick):
            if self._play(deque([job]), heard, tick):
                heard(Outcome(job, failed="the process that played it died"))

    def _play(self, jobs: deque[Job], heard: Heard, tick: Tick) -> list[Job]:
        """Returns the games that were with actors that died."""
        going: dict[Any, tuple[Actor, Job]] = {}
        suspects: list[Job] = []
        while (jobs and not self._closed) or going:
            while jobs and not self._closed and (free := self._free()):
                job = jobs.popleft()
                free.games += 1
                going[free.handle.play.remote(next(self._numbers), _at_home(job))] = free, job
            self._tell()
            done = ray.wait(list(going), timeout=EVERY_S)[0] if going else []
            for ref in done:
                actor, job = going.pop(ref)
                actor.games -= 1
                try:
                    self._ended(replace(ray.get(ref), job=job), heard)
                except RayActorError:
                    suspects.append(job)
                    self._replace(actor)
            self._ask()
            tick()
        return suspects

    def _ended(self, outcome: Outcome, heard: Heard) -> None:
        if outcome.held:
            self.close(str(outcome.suspended))
        heard(outcome)

    def _free(self) -> Actor | None:
        """The actor with the most room."""
        found = max(self._actors, key=lambda actor: actor.room - actor.games)
        return found if found.games < found.room else None

    def _replace(self, actor: Actor) -> None:
        """Once, however many games it had."""
        if actor in self._actors:
            ray.kill(actor.handle)  # it may only be out of reach
            for door in self._doors.values():
                door.gone.remote(actor.name)
            if self._keeper is not None:
                self._keeper.call.remote("gone", actor.name)
            self._actors[self._actors.index(actor)] = self._new().wait()

    def close(self, why: str) -> None:
        """Safe in the middle of a call of Ray."""
        self._closed = self._closed or why

    def _tell(self) -> None:
        for actor in self._actors if self._closed else ():
            if actor.name not in self._told:
                self._told.add(actor.name)
                actor.handle.close.remote(self._closed)

    @property
    def status(self) -> Status:
        return self._status

    def _ask(self) -> None:
        """How it stands, as far as they answer at once."""
        if time.monotonic() - self._asked < 2 * EVERY_S:
            return
        self._asked = time.monotonic()
        try:
            found = together(ray.get([actor.handle.status.remote() for actor in self._actors], timeout=EVERY_S))
            loads = ray.get([door.load.remote() for door in self._doors.values()], timeout=EVERY_S)
        except Exception:  # busy, or dead, which is found out elsewhere
            return
        names = [model for _, model in self._doors]
        self._status = replace(found, loads=dict(zip(names, loads, strict=True)))

    def end(self) -> None:
        for handle in self._handles():
            ray.kill(handle)
        if self._ours:
            ray.shutdown()

    def _handles(self) -> Iterator[Any]:
        yield from (actor.handle for actor in self._actors)
        yield from self._doors.values()


def _joined() -> bool:
    """Join the cluster that is there, else begin one on this machine; whether it was begun."""
    if ray.is_initialized():
        return False
    try:
        ray.init(address="auto", logging_level=logging.ERROR, log_to_driver=False)
    except ConnectionError:
        ray.init(include_dashboard=False, object_store_memory=MEMORY, logging_level=logging.ERROR, log_to_driver=False)
    return True


def _share(actors: int) -> float:
    """Of a processor, so that they all fit into the cluster: one too many would wait for ever."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    there = resources.get("CPU", 0.0)
    return min(SHARE, int(there / actors * 10_000) / 10_000)  # Ray's own fineness


def _absolute(options: ModelOptions) -> ModelOptions:
    """Actors have working folders of their own."""
    cache = options.cache if options.cache == OFF else str(Path(options.cache).resolve())
    return replace(options, cache=cache, replay=options.replay and options.replay.resolve())


def _at_home(job: Job) -> Job:
    before = tuple((seat, replace(given, path=given.path.resolve())) for seat, given in job.before)
    return replace(job, journal=job.journal and job.journal.resolve(), before=before)
