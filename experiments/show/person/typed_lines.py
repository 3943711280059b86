"""The lines that a person types, or that a script pipes in, without holding up the event loop."""

import asyncio
import os
import sys
import termios
from collections import deque
from typing import TextIO

BLOCK = 65536


class TypedLines:
    """Lines of an input, one at a time. An interrupt ends the wait for one at once."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdin
        self._ready: deque[str] = deque()
        self._rest = b""
        self._ended = False

    @property
    def typed(self) -> bool:
        """Whether somebody types them at a terminal."""
        return self._stream.isatty()

    async def next(self) -> str | None:
        """Return the next line without its end; None when the input has ended."""
        while not self._ready and not self._ended:
            self._take(await self._block())
        return self._ready.popleft() if self._ready else None

    def drop(self) -> None:
        """Forget what was typed at the terminal before the question was there; what a script pipes in stays."""
        if self.typed:
            self._ready.clear()
            self._rest = b""
            termios.tcflush(self._stream.fileno(), termios.TCIFLUSH)

    def _take(self, block: bytes) -> None:
        self._ended = not block
        *lines, self._rest = (self._rest + block).split(b"\n")
        if self._ended and self._rest:
            lines, self._rest = [*lines, self._rest], b""
        self._ready.extend(line.decode("utf-8", "replace").rstrip("\r") for line in lines)

    async def _block(self) -> bytes:
        """Return what there is to read; nothing at the end."""
        try:
            number = self._stream.fileno()
        except (OSError, ValueError, AttributeError):  # a test's, which has no file behind it
            return self._stream.readline().encode()
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(number, _set, ready)
        except PermissionError:  # a file, which never makes anybody wait
            return os.read(number, BLOCK)
        try:
            await ready
        finally:
            loop.remove_reader(number)
        return os.read(number, BLOCK)


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
