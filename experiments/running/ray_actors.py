"""Workers that are Ray actors: on the machines of a cluster whose address is given in RAY_ADDRESS, or in processes of
this machine.

A few actors ask many units each. The limit of a model on a server holds for all of them together, so that one named
actor per model bounds the calls; another one keeps the run's budget accounts. All machines must see the run folder
under the same path, and have the models' API keys in their environment.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar
from uuid import uuid4

from experiments.running.control import Change, LimitCalls
from experiments.running.model_options import ModelOptions
from experiments.running.status import Load, Status
from experiments.running.task import Task
from experiments.running.unit_pool import UnitPool
from experiments.running.worker_pool import StopWorker, Transport, Worker, WorkerDied, WorkerFailed, WorkerReady
from experiments.study import imports
from experiments.study.job import Outcome, Unit
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

U = TypeVar("U", bound=Unit)

STATUS_S = 1.0
"""Seconds between two looks at the status of an actor."""
PRIVATE: Mapping[str, Any] = {
    "address": "local",
    "_node_ip_address": "127.0.0.1",
    "include_dashboard": False,
    "object_store_memory": 100 * 2**20,  # bytes; little is needed
}
"""A cluster of one run, on this machine."""
CPU_SHARE = 0.25
"""CPUs reserved for each worker actor, which mostly waits for models; less when there are many actors."""


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

    async def ask(self, method: str, *arguments: Any) -> Any:
        return await self._actor.call.remote(method, *arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        self._actor.call.remote(method, *arguments)


class LimiterActor:
    """Bounds the concurrent calls of a model; a Ray actor."""

    def __init__(self, most: int) -> None:
        self._limiter = Limiter(most)
        self._inside: dict[str, int] = {}
        """Calls in flight, by worker actor."""
        self._dead: set[str] = set()

    async def enter(self, who: str, number: int) -> None:
        turn_to_call.set(number)
        await self._limiter.__aenter__()
        if who in self._dead:  # it died while it waited
            await self._limiter.__aexit__(None, None, None)
        else:
            self._inside[who] = self._inside.get(who, 0) + 1

    async def leave(self, who: str) -> None:
        if self._inside.get(who):
            self._inside[who] -= 1
            await self._limiter.__aexit__(None, None, None)

    async def lost(self, who: str) -> None:
        """Free the calls in flight or waiting of a worker actor that died."""
        self._dead.add(who)
        for _ in range(self._inside.pop(who, 0)):
            await self._limiter.__aexit__(None, None, None)

    async def answered(self, slow: bool) -> None:
        self._limiter.answered(slow)

    async def crowded(self, seconds: float, timed_out: bool) -> None:
        """Note that a call that began so many seconds ago was rate-limited or not answered in time."""
        self._limiter.crowded(time.monotonic() - seconds, timed_out)

    async def allow(self, most: int) -> None:
        self._limiter.allow(most)

    async def load(self) -> Load:
        return Load(self._limiter.busy, int(self._limiter.limit), self._limiter.refused)


class RayLimit:
    """A limiter actor, as the model layer of a worker actor uses it."""

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
        """Note the limit; the main process changes that of the limiter actor."""
        self.most = most


class WorkerActor(Generic[U]):
    """Asks units in its event loop; a Ray actor."""

    def __init__(
        self,
        name: str,
        folder: str,
        task: Task[U],
        options: ModelOptions,
        limiters: LimiterActors,
        accounts: Any,
        codes: tuple[OwnCode, ...] = (),
    ) -> None:
        with suppress(OSError):
            os.chdir(folder)  # actors have working folders of their own, and paths are those of the command
        imports.bring_again(codes)

        def limit(server: str, model: str, most: int) -> Limit:
            return RayLimit(limiters[server, model], most, name)

        layer = options.layer(Budget(teller=AccountsClient(accounts), process=name) if accounts is not None else None)
        layer.limit = limit
        self._pool: UnitPool[U] = UnitPool(task, layer, lambda outcome: None)

    async def at_once(self) -> tuple[WorkerReady]:
        return (WorkerReady(self._pool.at_once),)

    async def status(self) -> tuple[Status]:
        return (self._pool.status,)

    async def ask(self, number: int, unit: U) -> tuple[Status, Outcome[U]]:
        outcome = await self._pool.outcome(number, unit)
        return self._pool.status, outcome

    async def close(self, why: str) -> None:
        self._pool.gate.close(why)

    async def obey(self, change: Change[U]) -> None:
        self._pool.obey(change)


class RayWorker(Worker[U]):
    """A worker actor, as the main process sees it."""

    def __init__(self, actor_class: Any, numbers: Iterator[int], *arguments: Any) -> None:
        super().__init__()
        self.actor = actor_class.remote(self.name, str(Path.cwd()), *arguments, imports.brought())
        self.answers: set[Any] = {self.actor.at_once.remote()}
        """Calls of its methods that are not answered; each answer is a tuple of messages."""
        self._numbers = numbers
        self._status_at = time.monotonic()

    def send(self, message: object) -> None:
        if isinstance(message, StopWorker):
            self.actor.close.remote(message.why)
        elif isinstance(message, Unit):
            self.answers.add(self.actor.ask.remote(next(self._numbers), message))
        else:
            self.actor.obey.remote(message)
            self.answers.add(self.actor.at_once.remote())

    def ask_status(self) -> None:
        """Ask for its status, once in a while."""
        if time.monotonic() - self._status_at > STATUS_S:
            self._status_at = time.monotonic()
            self.answers.add(self.actor.status.remote())

    def end(self) -> None:
        ray.kill(self.actor)  # it may only be unreachable


class RayActors(Transport[U]):
    """Worker actors, with one actor for each model's limit and one for the accounts."""

    def __init__(
        self,
        task: Task[U],
        options: ModelOptions,
        budget: Budget | None,
        workers: int,
        limits: Mapping[tuple[str, str], int],
    ) -> None:
        self._started_ray = _join_cluster()
        self._workers = workers
        run = uuid4().hex[:8]
        limiter: Any = ray.remote(num_cpus=0)(LimiterActor)
        accounts: Any = ray.remote(num_cpus=0)(AccountsActor)
        self._limiters: dict[tuple[str, str], Any] = {
            key: limiter.options(name=f"limit of {key[1]} in run {run}", max_concurrency=10_000).remote(most)
            for key, most in limits.items()
        }
        self._accounts = accounts.remote(budget.accounts) if budget else None
        self._arguments = task, options, self._limiters, self._accounts
        self._numbers = count(1)
        self._loads: dict[str, Load] = {}
        self._load_calls: dict[Any, str] = {}
        """Calls of the limiters for their load that are not answered."""

    def start(self) -> RayWorker[U]:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        # all actors must fit into the cluster, in Ray's own precision: one too many would wait for ever
        cpus = min(CPU_SHARE, int(resources.get("CPU", 0.0) / self._workers * 10_000) / 10_000)
        options: Any = ray.remote(num_cpus=cpus, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)
        return RayWorker(options(WorkerActor), self._numbers, *self._arguments)

    def receive(self, workers: Sequence[Worker[U]], seconds: float) -> Iterator[tuple[Worker[U], object]]:
        actors = [worker for worker in workers if isinstance(worker, RayWorker)]
        for worker in actors:
            worker.ask_status()
        if not self._load_calls:
            self._load_calls = {actor.load.remote(): model for (_, model), actor in self._limiters.items()}
        calls = {call: worker for worker in actors for call in worker.answers}
        answered = ray.wait(list(calls), timeout=seconds)[0] if calls else []
        for call in answered:
            worker = calls[call]
            worker.answers.discard(call)
            try:
                messages = ray.get(call)
            except RayActorError as error:
                why = str(error).strip().splitlines()[-1]
                started = WorkerDied(why)
                failed = WorkerFailed(f"a Ray actor that asks could not start: {why}")
                yield worker, started if worker.capacity else failed
                continue
            for message in messages:
                if isinstance(message, WorkerReady):
                    message = WorkerReady(max(1, message.capacity // self._workers))
                yield worker, message
        if self._load_calls:
            for call in ray.wait(list(self._load_calls), timeout=0, num_returns=len(self._load_calls))[0]:
                with suppress(RayActorError):
                    self._loads[self._load_calls.pop(call)] = ray.get(call)

    def shared(self, change: Change[U]) -> Change[U]:
        if isinstance(change, LimitCalls):
            self._limiters[change.model].allow.remote(change.most)
        return change

    def lost(self, worker: Worker[U]) -> None:
        for limiter in self._limiters.values():
            limiter.lost.remote(worker.name)
        if self._accounts is not None:
            self._accounts.call.remote("process_ended", worker.name)

    def status(self, workers: Status) -> Status:
        return replace(workers, loads=dict(self._loads))

    def end(self) -> None:
        for limiter in self._limiters.values():
            ray.kill(limiter)
        if self._started_ray:
            ray.shutdown()


def _join_cluster() -> bool:
    """Join the Ray cluster whose address is given, else start one of this run's own; return whether either was done.

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
