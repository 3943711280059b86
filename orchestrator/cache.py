"""Answers kept across runs: the same question of the same model is paid once.

The key is everything that decides an answer, and which answer it is: model, sampling, extra body, response format,
messages, node, ask, sample, repeat. So K samples stay K samples, and two nodes with one prompt stay two. What came back
is kept as it is, unusable answers too: a run against the cache repeats itself.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from orchestrator.brain import Ask, Brain, Message, Said
from orchestrator.errors import UserError
from orchestrator.settings import ModelSettings

POLL_S = 0.05
"""How often another process's call for the same answer is looked at."""

OF_ITS_RUN = ("attempts", "cached", "usd", "latency_s")
"""What is told of the call that was made, not of its answer."""


class Cache:
    """An SQLite file in a folder; several processes may share it. Raises UserError when it cannot be opened."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._locked = os.open(folder / "answers.lock", os.O_RDWR | os.O_CREAT, 0o644)
            self._answers = sqlite3.connect(folder / "answers.sqlite", isolation_level=None, timeout=60)
            self._answers.execute("PRAGMA journal_mode=WAL")
            self._answers.execute("PRAGMA synchronous=NORMAL")
            self._answers.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, said TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"cannot use {str(folder)!r} as a cache: {error}") from None
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def get(self, key: str) -> Said | None:
        found = self._answers.execute("SELECT said FROM answers WHERE key = ?", (key,)).fetchone()
        return Said(**json.loads(found[0]), cached=True) if found else None

    def put(self, key: str, said: Said) -> None:
        kept = {name: value for name, value in asdict(said).items() if name not in OF_ITS_RUN}
        self._answers.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(kept)))

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Nobody else asks for this key meanwhile, in this process or another; a killed process lets go of it.

        Among processes, one byte of the lock file stands for a key: such locks end with their process.
        """
        lock = self._asking.setdefault(key, asyncio.Lock())
        byte = int(key[:15], 16)
        async with lock:
            while not self._taken(byte):  # noqa: ASYNC110  # another process gives no event
                await asyncio.sleep(POLL_S)
            try:
                yield
            finally:
                fcntl.lockf(self._locked, fcntl.LOCK_UN, 1, byte)

    def _taken(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def close(self) -> None:
        self._answers.close()
        os.close(self._locked)


@dataclass
class Cached:
    """A brain whose answers are kept."""

    brain: Brain
    cache: Cache
    settings: ModelSettings

    async def __call__(self, ask: Ask, said: tuple[Message, ...], /) -> Said:
        key = _key(self.settings, ask, said)
        if found := self.cache.get(key):
            return found
        async with self.cache.alone(key):
            if found := self.cache.get(key):
                return found
            spoken = await self.brain(ask, said)
            self.cache.put(key, replace(spoken, cached=False))
            return spoken

    async def aclose(self) -> None:
        await self.brain.aclose()


def _key(settings: ModelSettings, ask: Ask, said: tuple[Message, ...]) -> str:
    deciding = {**settings.deciding, "url": settings.url, "response_format": settings.response_format}
    schema = ask.reply.model_json_schema() if settings.response_format == "json_schema" else None
    told = [[message.role, message.content] for message in said]
    which = [ask.node, ask.number, ask.sample, ask.place.repeat]
    return hashlib.sha256(json.dumps([deciding, schema, told, which], sort_keys=True).encode()).hexdigest()
