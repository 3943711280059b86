"""A pause of a run: while it lasts, no call and no turn begins."""

import asyncio
import time


class Pause:
    """Whether the games of an event loop are paused. Calls and turns wait in `over`; those that have begun go on."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._before = 0.0
        """Seconds of the pauses that are over."""
        self._stopped: str | None = None
        """Why the run stops without going on."""
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def on(self) -> bool:
        return self._since is not None

    def clock(self) -> float:
        """Seconds by a clock that stands still during pauses."""
        now = time.monotonic() if self._since is None else self._since
        return now - self._before

    def begin(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def end(self) -> None:
        """Those who wait go on."""
        if self._since is not None:
            self._before += time.monotonic() - self._since
            self._since = None
            self._wake()

    def stop(self, why: str) -> None:
        """The run stops: those who wait in a pause give up, and so does who comes while it lasts."""
        self._stopped = self._stopped or why
        self._wake()

    async def over(self) -> str | None:
        """Wait for the end of a pause, if there is one; returns why the run stopped meanwhile, or None."""
        while self.on:
            if self._stopped:
                return self._stopped
            end = asyncio.get_running_loop().create_future()
            self._waiting.add(end)
            try:
                await end
            finally:
                self._waiting.discard(end)
        return None

    def _wake(self) -> None:
        for end in self._waiting:
            if not end.done():
                end.set_result(None)
