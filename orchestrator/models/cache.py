"""Responses kept across runs, so that the same request to the same model is paid for once.

The key has everything that decides a response (model, sampling, extra body, response format, messages) and its place
(node, ask, sample, repeat). So K samples stay K samples, and two nodes with the same prompt get responses of their own.
Responses are stored as they came, unusable ones too: a run that is repeated with the cache gives the same games.
"""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from hanabi_orchestrator.orchestrator import locks
from hanabi_orchestrator.orchestrator.errors import Unwritten, UserError
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.finish import TOO_LARGE, TOO_LONG
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.request import (
    Brain,
    Message,
    ModelRequest,
    ModelResponse,
    takes_schema,
)
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings

POLL_S = 0.02
"""Seconds between two looks at whether another process has finished the same call."""

OF_ITS_RUN = ("attempts", "cached", "usd", "latency_s", "unusable")
"""Fields that describe the call rather than the response; they are not stored."""


class Cache:
    """An SQLite file in a folder; several processes may share it. Raises UserError when it cannot be opened."""

    def __init__(self, folder: Path) -> None:
        self._failed: sqlite3.Error | None = None
        try:
            self._locks = folder / "locks"
            self._locks.mkdir(parents=True, exist_ok=True)
            self._answers = sqlite3.connect(
                folder / "answers.sqlite", isolation_level=None, timeout=10
            )
            self._answers.execute("PRAGMA journal_mode=WAL")
            self._answers.execute("PRAGMA synchronous=NORMAL")
            self._answers.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, said TEXT NOT NULL)"
            )
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"cannot use {str(folder)!r} as a cache: {error}") from None

    def get(self, key: str) -> ModelResponse | None:
        """Return the stored response; None when there is none, or when it cannot be read."""
        try:
            row = self._answers.execute("SELECT said FROM answers WHERE key = ?", (key,)).fetchone()
            return ModelResponse(**json.loads(row[0]), cached=True) if row else None
        except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:
            log.warning("the cache cannot be read", error=str(error))
            return None

    def put(self, key: str, response: ModelResponse) -> None:
        """Store a response. One that cannot be stored is used all the same, and no other is asked for: see `check`."""
        fields = {name: value for name, value in asdict(response).items() if name not in OF_ITS_RUN}
        try:
            self._answers.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(fields))
            )
        except sqlite3.Error as error:
            log.warning("the cache cannot be written", error=str(error))
            if error.sqlite_errorcode not in (
                sqlite3.SQLITE_BUSY,
                sqlite3.SQLITE_LOCKED,
            ):  # others are writing to it
                self._failed = error

    def check(self) -> None:
        """Raise Unwritten when a response could not be stored: each further one would be paid for again and again."""
        if self._failed is not None:
            raise Unwritten(f"the cache {str(self._locks.parent)!r}", self._failed)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Hold a lock on a key, across processes; the operating system releases it when a process is killed.

        Keys that begin alike share a lock file, so that there are at most 4,096.
        """
        try:
            lock = (self._locks / key[:3]).open("w")
        except OSError as error:
            raise Unwritten(f"the cache {str(self._locks.parent)!r}", error) from None
        with lock as file:
            while True:
                if locks.take(file.fileno()):
                    break
                await asyncio.sleep(POLL_S)  # another process gives no event
            yield

    def close(self) -> None:
        self._answers.close()


@dataclass
class Cached:
    """A brain whose responses are cached."""

    brain: Brain
    cache: Cache
    settings: ModelSettings

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        schema = next(
            (constraint.response_format for constraint in constraints(request, self.settings)), None
        )
        texts = [[message.role, message.content] for message in messages]
        which = [request.node, request.ask, request.sample, request.place.repeat]
        which += [f"draw {request.place.draw}"] if request.place.draw else []
        plain = json.dumps([self.settings.deciding, schema, texts, which], sort_keys=True)
        key = hashlib.sha256(plain.encode()).hexdigest()
        if response := self.cache.get(key):
            return response
        self.cache.check()
        async with self.cache.alone(key):
            if response := self.cache.get(key):
                return response
            spoken = await self.brain(request, messages)
            if spoken.finish not in (
                TOO_LONG,
                TOO_LARGE,
            ):  # with other settings the same request is answered
                self.cache.put(key, spoken)
            return spoken

    def takes_schema(self, request: ModelRequest, /) -> bool:
        return takes_schema(self.brain, request)

    async def aclose(self) -> None:
        await self.brain.aclose()
