"""Workers that are Ray actors: on the machines of a cluster whose address is given in RAY_ADDRESS,
or in processes of this machine.

A few actors ask many units each and divide the limits of models among them, as processes do;
another one keeps the run's budget accounts. All machines must see the run folder under the same
path, and have the models' API keys in their environment.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Generic

from hanabi_orchestrator.experiments.running.control import Change
from hanabi_orchestrator.experiments.running.executors import (
    Transport,
    Worker,
    WorkerDied,
    WorkerFailed,
    WorkerReady,
)
from hanabi_orchestrator.experiments.running.model_options import ModelOptions
from hanabi_orchestrator.experiments.running.progress import Status
from hanabi_orchestrator.experiments.running.task import Task
from hanabi_orchestrator.experiments.running.unit_pool import UnitPool
from hanabi_orchestrator.experiments.study.job import Outcome, U, Unit
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.budget import Accounts, Budget
from hanabi_orchestrator.orchestrator.plugins import OwnCode

ADDRESS = "RAY_ADDRESS"
"""Ray's own environment variable for the address of a cluster; `auto` is the one that runs on this
machine."""

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would send usage statistics
if not os.environ.get(ADDRESS):
    # Ray would listen to the whole network; its name for listening to this machine alone, on Linux
    # as well
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
try:
    import ray
    from ray.exceptions import RayActorError
except ImportError:
    raise UserError("--executor ray needs Ray: pip install 'hanabi-orchestrator[ray]'") from None


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
"""CPUs reserved for each worker actor, which mostly waits for models; less when there are many
actors."""


class AccountsActor:
    """Keeps the run's budget accounts; a Ray actor without `async` methods, for such a one answers
    in order."""

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


class WorkerActor(Generic[U]):
    """Asks units in its event loop; a Ray actor."""

    def __init__(
        self,
        name: str,
        folder: str,
        task: Task[U],
        options: ModelOptions,
        workers: int,
        accounts: Any,
        codes: tuple[OwnCode, ...] = (),
    ) -> None:
        with suppress(OSError):
            # actors have working folders of their own, and paths are those of the command
            os.chdir(folder)
        named.bring_again(codes)
        budget = (
            Budget(teller=AccountsClient(accounts), process=name) if accounts is not None else None
        )
        self._pool: UnitPool[U] = UnitPool(
            task, options.layer(budget, workers), lambda outcome: None
        )
        self._numbers = count(1)

    async def state(self) -> tuple[WorkerReady, Status]:
        return WorkerReady(self._pool.at_once), self._pool.status

    async def ask(self, unit: U) -> tuple[Status, Outcome[U]]:
        outcome = await self._pool.outcome(next(self._numbers), unit)
        return self._pool.status, outcome

    async def obey(self, change: Change[U]) -> tuple[WorkerReady, Status]:
        self._pool.obey(change)
        return await self.state()


class RayWorker(Worker[U]):
    """A worker actor, as the main process sees it."""

    def __init__(self, actor_class: Any, *arguments: Any) -> None:
        super().__init__()
        self.actor = actor_class.remote(self.name, str(Path.cwd()), *arguments, named.brought())
        self.answers: set[Any] = {self.actor.state.remote()}
        """Calls of its methods that are not answered; each answer is a tuple of messages."""
        self._status_at = time.monotonic()

    def send(self, message: object) -> None:
        if isinstance(message, Unit):
            method = self.actor.ask
        else:
            method = self.actor.obey
        self.answers.add(method.remote(message))

    def ask_status(self) -> None:
        """Ask for its status, once in a while."""
        if time.monotonic() - self._status_at > STATUS_S:
            self._status_at = time.monotonic()
            self.answers.add(self.actor.state.remote())

    def end(self) -> None:
        ray.kill(self.actor)  # it may only be unreachable


class RayActors(Transport[U]):
    """Worker actors, with one actor for the accounts."""

    def __init__(
        self, task: Task[U], options: ModelOptions, budget: Budget | None, workers: int
    ) -> None:
        self._started_ray = _join_cluster()
        self._workers = workers
        accounts: Any = ray.remote(num_cpus=0)(AccountsActor)
        self._accounts = accounts.remote(budget.accounts) if budget else None
        self._arguments = task, options, workers, self._accounts

    def start(self) -> RayWorker[U]:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        # all actors must fit into the cluster, in Ray's own precision: one too many would wait for
        # ever
        cpus = min(CPU_SHARE, int(resources.get("CPU", 0.0) / self._workers * 10_000) / 10_000)
        options: Any = ray.remote(
            num_cpus=cpus, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0
        )
        return RayWorker(options(WorkerActor), *self._arguments)

    def receive(
        self, workers: Sequence[Worker[U]], seconds: float
    ) -> Iterator[tuple[Worker[U], object]]:
        actors = [worker for worker in workers if isinstance(worker, RayWorker)]
        for worker in actors:
            worker.ask_status()
        calls = dict[Any, Any]()
        for worker in actors:
            calls |= dict.fromkeys(worker.answers, worker)
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
            yield from ((worker, message) for message in messages)

    def lost(self, worker: Worker[U]) -> None:
        if self._accounts is not None:
            self._accounts.tell.remote("process_ended", worker.name)

    def end(self) -> None:
        if self._started_ray:
            ray.shutdown()


def _join_cluster() -> bool:
    """Join the Ray cluster whose address is given, else start one of this run's own; return whether
    either was done.

    Without an address Ray would join whatever cluster runs on this machine: that of another run,
    which ends it. Raises UserError when no cluster answers at the address.
    """
    if ray.is_initialized():
        return False
    address = os.environ.get(ADDRESS)
    given = {"address": address} if address else PRIVATE
    try:
        ray.init(**given, logging_level=logging.ERROR, log_to_driver=False)
    except Exception as error:  # Ray raises errors of any class
        if address:
            what = f"join the Ray cluster at {ADDRESS}={address!r}"
        else:
            what = "start Ray on this machine"
        raise UserError(f"cannot {what}: {str(error).strip().splitlines()[0]}") from None
    return True
