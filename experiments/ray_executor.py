"""Games played by Ray actors: on the machines of a cluster, or as processes of this one.

A few actors play many games each in an event loop. Each model has one named actor that bounds its calls, for limits are
those of a server, not of a process; the run's accounts are an actor too. The run's folder must be one that all machines
see. results.csv has one writer: whoever started the run.
"""

import time
from typing import Any

from experiments.status import Load
from orchestrator.budget import Accounts
from orchestrator.errors import UserError
from orchestrator.limiter import Limiter, turn_to_call

try:
    import ray
    from ray.exceptions import RayActorError
except ImportError:
    raise UserError("--executor ray needs Ray: pip install 'hanabi-orchestrator[ray]'") from None

EVERY_S = 0.5
MEMORY = 100 * 2**20
"""Bytes of Ray's object store: next to nothing goes through it."""


class Keeper:
    """An actor that keeps the run's accounts."""

    def __init__(self, max_tokens: int | None, max_usd: float | None) -> None:
        self._accounts = Accounts(max_tokens, max_usd)

    def call(self, what: str, *given: Any) -> Any:
        return getattr(self._accounts, what)(*given)


class Doorkeeper:
    """An actor that bounds a model's calls over all processes."""

    def __init__(self, most: int) -> None:
        self._limiter = Limiter(most)

    async def enter(self, number: int) -> None:
        turn_to_call.set(number)
        await self._limiter.__aenter__()

    async def leave(self, answered: bool, crowded_s: float | None) -> None:
        """How the call went; `crowded_s`: it was refused for want of room, and began so many seconds ago."""
        await self._limiter.__aexit__(None, None, None)
        if answered:
            self._limiter.answered()
        if crowded_s is not None:
            self._limiter.crowded(time.monotonic() - crowded_s)

    def load(self) -> Load:
        return Load(self._limiter.busy, int(self._limiter.limit), self._limiter.refused)
