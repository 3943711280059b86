"""How many calls a model gets at the same time."""

import asyncio
import time
from collections import deque
from types import TracebackType


class Limiter:
    """At most so many calls together; halved when the server says that there are too many, then slowly raised again.

    Additive increase, multiplicative decrease. A burst of refusals halves once: only a call that began after the last
    halving can halve again. No lock of an event loop is held, so it may outlive one.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved = 0.0

    async def __aenter__(self) -> float:
        """Wait for a place; gives the time at which the call begins."""
        while self.busy >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # it may have been woken in vain
                raise
            finally:
                if place in self._waiting:
                    self._waiting.remove(place)
        self.busy += 1
        return time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.busy -= 1
        self._wake()

    def answered(self) -> None:
        """A call went well."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def crowded(self, began: float) -> None:
        """A call that began then was refused because there are too many."""
        if began >= self._halved:
            self.limit = max(1.0, self.limit / 2)
            self._halved = time.monotonic()

    def _wake(self) -> None:
        free = int(self.limit) - self.busy
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
