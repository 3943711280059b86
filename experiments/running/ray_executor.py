"""An executor that plays games in Ray actors: on the machines of a cluster whose address is given in RAY_ADDRESS, or
in processes of this machine.

A few game actors play many games each. The limit of a model on a server holds for all of them together, so that one
named actor per model bounds the calls; another one keeps the run's budget accounts. All machines must see the run
folder, and have the models' API keys in their environment. Only the process that started the run writes results.csv.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from experiments.running.changes import Change, LimitCalls, RetryGame, Standing
from experiments.running.executor import OnOutcome, OnTick
from experiments.running.game_pool import GamePool
from experiments.running.model_options import OFF, ModelOptions
from experiments.running.seat_pool import SeatPool
from experiments.running.status import Load, Status, together
from experiments.study import imports
from experiments.study.job import Job, Outcome
from experiments.study.player_spec import PlayerSpec
from orchestrator.errors import UserError
from orchestrator.models.budget import Accounts, Budget
from orchestrator.models.limiter import Limit, Limiter, turn_to_call
from orchestrator.plugins import OwnCode

ADDRESS = "RAY_ADDRESS"
"""Ray's own environment variable for the address of a cluster; `auto` is the one that runs on this machine."""

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would send usage statistics
if not os.environ.get(ADDRESS):
    # Ray would listen to the whole network; its name for listening to this machine alone, on Linux as well
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
try:
    import ray
    from ray.exceptions import RayActorError
except ImportError:
    raise UserError("--executor ray needs Ray: pip install 'hanabi-orchestrator[ray]'") from None

LimiterActors = Mapping[tuple[str, str], Any]
"""By server and model: the actor that bounds its calls."""

EVERY_S = 0.5
PRIVATE: Mapping[str, Any] = {
    "address": "local",
    "_node_ip_address": "127.0.0.1",
    "include_dashboard": False,
    "object_store_memory": 100 * 2**20,  # bytes; little is needed
}
"""A cluster of one run, on this machine."""
CPU_SHARE = 0.25
"""CPUs reserved for each game actor, which mostly waits for models; less when there are many actors."""


class AccountsActor:
    """Keeps the run's budget accounts; a Ray actor."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def call(self, method: str, *arguments: Any) -> Any:
        return getattr(self._accounts, method)(*arguments)


class AccountsClient:
    """The accounts actor, as a budget uses it."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def ask(self, what: str, *given: Any) -> Any:
        return await self._actor.call.remote(what, *given)

    def tell(self, what: str, *given: Any) -> None:
        self._actor.call.remote(what, *given)


class LimiterActor:
    """Bounds the concurrent calls of a model; a Ray actor."""

    def __init__(self, most: int) -> None:
        self._limiter = Limiter(most)
        self._inside: dict[str, int] = {}
        """Calls in flight, by game actor."""
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
        """A game actor died, with calls in flight or waiting."""
        self._gone.add(who)
        for _ in range(self._inside.pop(who, 0)):
            await self._limiter.__aexit__(None, None, None)

    async def answered(self, slow: bool) -> None:
        self._limiter.answered(slow)

    async def crowded(self, seconds: float, timed_out: bool) -> None:
        """A call that began so many seconds ago was rate-limited or not answered in time."""
        self._limiter.crowded(time.monotonic() - seconds, timed_out)

    async def allow(self, most: int) -> None:
        self._limiter.allow(most)

    async def load(self) -> Load:
        return Load(self._limiter.busy, int(self._limiter.limit), self._limiter.refused)


class RayLimit:
    """A limiter actor, as the model layer of a game actor uses it."""

    def __init__(self, actor: Any, most: int, who: str) -> None:
        self.most = most
        self.last_answer = -float("inf")
        self._actor = actor
        self._who = who

    async def __aenter__(self) -> float:
        await self._actor.enter.remote(self._who, turn_to_call.get())
        return time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._actor.leave.remote(self._who)

    def answered(self, slow: bool = False) -> None:
        self.last_answer = time.monotonic()
        self._actor.answered.remote(slow)

    def crowded(self, began: float, timed_out: bool = False) -> None:
        self._actor.crowded.remote(time.monotonic() - began, timed_out)

    def allow(self, most: int) -> None:
        """Of the limiter actor, the main process is the one that changes it."""
        self.most = most


class GameActor:
    """Plays games in its event loop; a Ray actor."""

    def __init__(
        self,
        name: str,
        specs: Mapping[str, PlayerSpec],
        options: ModelOptions,
        limiters: LimiterActors,
        accounts: Any,
        codes: tuple[OwnCode, ...] = (),
    ) -> None:
        imports.bring_again(codes)

        def limit(server: str, model: str, most: int) -> Limit:
            return RayLimit(limiters[server, model], most, name)

        budget = Budget(teller=AccountsClient(accounts), who=name) if accounts is not None else None
        layer = options.layer(budget)
        layer.limit = limit
        self._pool = GamePool(SeatPool(specs, layer), lambda outcome: None)

    async def at_once(self) -> int:
        return self._pool.at_once

    async def play(self, number: int, job: Job) -> Outcome:
        return await self._pool.one(number, job)

    async def close(self, why: str) -> None:
        self._pool.gate.close(why)

    async def obey(self, change: Change) -> None:
        self._pool.obey(change)

    async def status(self) -> Status:
        return self._pool.status


class ActorHandle:
    """A game actor, as the main process sees it."""

    def __init__(
        self,
        specs: Mapping[str, PlayerSpec],
        options: ModelOptions,
        limiters: LimiterActors,
        accounts: Any,
        workers: int,
    ) -> None:
        self.name = uuid4().hex
        self.games = 0
        made: Any = ray.remote(
            num_cpus=_cpu_share(workers), scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0
        )
        self.actor = made(GameActor).remote(self.name, specs, options, limiters, accounts, imports.brought())
        self.capacity = 0
        """How many games it takes; 0 until it has started."""
        self._at_once = self.actor.at_once.remote()
        self._workers = workers

    def obey(self, change: Change) -> None:
        self.actor.obey.remote(change)
        self._at_once = self.actor.at_once.remote()

    def wait(self) -> Self:
        """Until it has started. Raises UserError when it cannot: its machine may lack an API key or a module."""
        try:
            self.capacity = max(1, ray.get(self._at_once) // self._workers)
        except RayActorError as error:
            why = str(error).strip().splitlines()[-1]
            raise UserError(f"a Ray actor that plays games could not start: {why}") from None
        return self


class RayExecutor:
    """When an actor dies, each game that it was playing is played again alone, so that only the culprit fails."""

    def __init__(
        self,
        specs: Mapping[str, PlayerSpec],
        options: ModelOptions,
        budget: Budget | None,
        workers: int,
        limits: Mapping[tuple[str, str], int],
    ) -> None:
        self._started_ray = _join_cluster()
        run = uuid4().hex[:8]
        limiter: Any = ray.remote(num_cpus=0)(LimiterActor)
        accounts: Any = ray.remote(num_cpus=0)(AccountsActor)
        self._limiters: dict[tuple[str, str], Any] = {
            key: limiter.options(name=f"limit of {key[1]} in run {run}", max_concurrency=10_000).remote(most)
            for key, most in limits.items()
        }
        self._accounts = accounts.remote(budget.accounts) if budget else None
        there = _absolute(options)
        self._new: Callable[[], ActorHandle] = lambda: ActorHandle(
            specs, there, self._limiters, self._accounts, workers
        )
        self._actors = [handle.wait() for handle in [self._new() for _ in range(workers)]]
        self._numbers = iter(range(1, 10**9))
        self._closed: str | None = None
        self._stopped: set[str] = set()
        """The actors that were told to stop their games."""
        self._status = Status()
        self._status_read = 0.0
        self._jobs: deque[Job] = deque()
        self._changes = Standing()

    def play(self, jobs: Iterable[Job], on_outcome: OnOutcome, on_tick: OnTick) -> None:
        for job in self._play(deque(jobs), on_outcome, on_tick):
            if self._play(deque([job]), on_outcome, on_tick):
                on_outcome(Outcome(job, failed="the process that played it died"))

    def _play(self, jobs: deque[Job], on_outcome: OnOutcome, on_tick: OnTick) -> list[Job]:
        """Returns the jobs of actors that died."""
        going: dict[Any, tuple[ActorHandle, Job]] = {}
        suspects: list[Job] = []
        self._jobs = jobs
        while (jobs and not self._closed) or going:
            while jobs and not self._closed and (free := self._free()):
                job = jobs.popleft()
                free.games += 1
                going[free.actor.play.remote(next(self._numbers), _with_absolute_paths(job))] = free, job
            self._stop_actors()
            done = ray.wait(list(going), timeout=EVERY_S)[0] if going else []
            for ref in done:
                handle, job = going.pop(ref)
                handle.games -= 1
                try:
                    self._ended(replace(ray.get(ref), job=job), on_outcome)
                except RayActorError:
                    suspects.append(job)
                    self._replace(handle)
            self._read_status()
            on_tick()
        self._status_read = 0.0
        self._read_status()
        return suspects

    def _ended(self, outcome: Outcome, on_outcome: OnOutcome) -> None:
        if outcome.stopped_by_run:
            self.close(str(outcome.suspended))
        on_outcome(outcome)

    def _free(self) -> ActorHandle | None:
        """The actor with the most free capacity; None when all are full."""
        found = max(self._actors, key=lambda handle: handle.capacity - handle.games)
        return found if found.games < found.capacity else None

    def _replace(self, handle: ActorHandle) -> None:
        """Once, however many games it had."""
        if handle in self._actors:
            ray.kill(handle.actor)  # it may only be unreachable
            for limiter in self._limiters.values():
                limiter.gone.remote(handle.name)
            if self._accounts is not None:
                self._accounts.call.remote("gone", handle.name)
            new = self._actors[self._actors.index(handle)] = self._new().wait()
            for change in self._changes:
                new.obey(change)

    def close(self, why: str) -> None:
        """Stop the games at the end of their turns, and start no others. Safe to call from a signal handler."""
        self._closed = self._closed or why

    def obey(self, change: Change) -> None:
        """An actor that dies meanwhile is noticed when its games are awaited."""
        self._changes.add(change)
        if isinstance(change, LimitCalls):
            self._limiters[change.model].allow.remote(change.most)
        if isinstance(change, RetryGame):
            self._jobs.appendleft(change.job)
        for handle in self._actors:
            handle.obey(change)
            with suppress(UserError):
                handle.wait()

    def _stop_actors(self) -> None:
        for handle in self._actors if self._closed else ():
            if handle.name not in self._stopped:
                self._stopped.add(handle.name)
                handle.actor.close.remote(self._closed)

    @property
    def status(self) -> Status:
        return self._status

    def _read_status(self) -> None:
        """Of the actors, if they respond at once."""
        if time.monotonic() - self._status_read < 2 * EVERY_S:
            return
        self._status_read = time.monotonic()
        try:
            found = together(ray.get([handle.actor.status.remote() for handle in self._actors], timeout=EVERY_S))
            loads = ray.get([limiter.load.remote() for limiter in self._limiters.values()], timeout=EVERY_S)
        except Exception:  # busy, or dead, which is noticed elsewhere
            return
        names = [model for _, model in self._limiters]
        self._status = replace(found, loads=dict(zip(names, loads, strict=True)))

    def end(self) -> None:
        """Stop at once; unfinished journals can be continued."""
        for actor in self._all_actors():
            ray.kill(actor)
        if self._started_ray:
            ray.shutdown()

    def _all_actors(self) -> Iterator[Any]:
        yield from (handle.actor for handle in self._actors)
        yield from self._limiters.values()


def _join_cluster() -> bool:
    """Join the Ray cluster whose address is given, else start one of this run's own; whether either was done.

    Without an address Ray would join whatever cluster runs on this machine: that of another run, which ends it.
    Raises UserError when no cluster answers at the address.
    """
    if ray.is_initialized():
        return False
    address = os.environ.get(ADDRESS)
    given = {"address": address} if address else PRIVATE
    try:
        ray.init(**given, logging_level=logging.ERROR, log_to_driver=False)
    except Exception as error:  # Ray raises errors of any class
        what = f"join the Ray cluster at {ADDRESS}={address!r}" if address else "start Ray on this machine"
        raise UserError(f"cannot {what}: {str(error).strip().splitlines()[0]}") from None
    return True


def _cpu_share(workers: int) -> float:
    """CPUs to reserve for each game actor, so that all fit into the cluster: one too many would wait for ever."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    cpus = resources.get("CPU", 0.0)
    return min(CPU_SHARE, int(cpus / workers * 10_000) / 10_000)  # Ray's own precision


def _absolute(options: ModelOptions) -> ModelOptions:
    """With absolute paths: actors have working folders of their own."""
    cache = options.cache if options.cache == OFF else str(Path(options.cache).resolve())
    return replace(options, cache=cache, replay=options.replay and options.replay.resolve())


def _with_absolute_paths(job: Job) -> Job:
    records = tuple((seat, replace(given, path=given.path.resolve())) for seat, given in job.records)
    return replace(job, journal=job.journal and job.journal.resolve(), records=records)
