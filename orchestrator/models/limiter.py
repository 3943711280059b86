"""A limit on the calls that a model gets at the same time."""

import asyncio
import time
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from types import TracebackType
from typing import Protocol

turn_to_call: ContextVar[int] = ContextVar("turn_to_call", default=0)
"""The order of waiting calls: the lowest number goes first, then whoever came first."""


class Limit(Protocol):
    """A context that a call enters and leaves; its state may be kept in another process."""

    most: int
    last_answer: float
    """When a call of this process last succeeded, by `time.monotonic`."""

    async def __aenter__(self) -> float:
        """Wait until the call may begin; returns the time at which it does."""

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...

    def answered(self, slow: bool = False) -> None:
        """A call succeeded; `slow`: it took so much of its time-out that the server may be queueing calls."""

    def crowded(self, began: float, timed_out: bool = False) -> None:
        """A call that began at this time was refused with 429, or was not answered in time."""

    def allow(self, most: int) -> None:
        """Another number of calls at a time from now on; calls in flight go on."""


FIRST = 4
"""Calls that a server gets at the same time at first, if that is more than a quarter of the most."""


class Limiter:
    """At most `most` calls at a time; halved when the server is crowded, then slowly raised again.

    It begins with a quarter of the calls, and adds one for each answer: a server with a single slot would make all of
    them wait until most time out. Slow answers add none. After the first crowding, the increase is additive. A burst of
    refusals halves once: only a call that began after the last halving can halve again. It holds no lock of an event
    loop, so it can be used in several loops, one after another.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = _first(most)
        self.busy = 0
        self.refused = 0
        """How often the server answered 429."""
        self.last_answer = -float("inf")
        """When a call last succeeded, by `time.monotonic`."""
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = count()
        self._halved = 0.0
        self._was_crowded = False

    async def __aenter__(self) -> float:
        while self.busy >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            heappush(self._waiting, (turn_to_call.get(), next(self._arrivals), place))
            try:
                await place
            except asyncio.CancelledError:
                if not place.cancelled():
                    self._wake()  # its place goes to the next
                raise
        self.busy += 1
        return time.monotonic()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.busy -= 1
        self._wake()

    def answered(self, slow: bool = False) -> None:
        self.last_answer = time.monotonic()
        if not slow:
            self.limit = min(
                float(self.most), self.limit + (1 / self.limit if self._was_crowded else 1)
            )

    def crowded(self, began: float, timed_out: bool = False) -> None:
        self.refused += not timed_out
        self._was_crowded = True
        if began >= self._halved:
            self.limit = max(1.0, self.limit / 2)
            self._halved = time.monotonic()

    def allow(self, most: int) -> None:
        """See Limit; a higher number begins no lower than for a new limiter."""
        self.limit = min(
            float(most), max(self.limit, _first(most)) if most > self.most else self.limit
        )
        self.most = most
        self._wake()

    def _wake(self) -> None:
        free = int(self.limit) - self.busy
        while free > 0 and self._waiting:
            place = heappop(self._waiting)[2]
            if not place.done():
                place.set_result(None)
                free -= 1


def _first(most: int) -> float:
    """Return how many calls at a time a server gets at first."""
    return float(min(most, max(FIRST, most // 4)))
