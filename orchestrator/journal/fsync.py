"""Waits for the disk beside an event loop: a disk can be slow, and other games go on meanwhile."""

import asyncio
import os
from weakref import WeakKeyDictionary


class Disk:
    """Flushes the files that wait at the same time together, in one thread at a time."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[asyncio.Future[None]]] = {}
        self._running: asyncio.Task[None] | None = None

    async def sync(self, file: int) -> None:
        """Wait until what was written to a file is on the disk. Raises OSError."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(file, []).append(done)
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        await done

    async def _run(self) -> None:
        while self._waiting:
            batch = self._waiting
            self._waiting = {}
            failed = await asyncio.to_thread(_synced, list(batch))
            for file, waiting in batch.items():
                for waiter in waiting:
                    if not waiter.done():
                        waiter.set_exception(failed[file]) if file in failed else waiter.set_result(
                            None
                        )


def _synced(files: list[int]) -> dict[int, OSError]:
    failed = {}
    for file in files:
        try:
            os.fsync(file)
        except OSError as error:
            failed[file] = error
    return failed


_DISKS: WeakKeyDictionary[asyncio.AbstractEventLoop, Disk] = WeakKeyDictionary()


async def sync(file: int) -> None:
    """Wait until what was written to a file is on the disk. Raises OSError."""
    await _DISKS.setdefault(asyncio.get_running_loop(), Disk()).sync(file)
