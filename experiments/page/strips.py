"""/api/strip: the expected score over the turns of a game and its mistakes, computed in the
background and kept.

They are computed beside the server in a process of its own: rollouts would stop it.
"""

import json
import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any

from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.values import strip
from hanabi_orchestrator.experiments.values.move_values import TITLES
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore, version
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.logs import log

STRIPS = "games"
"""In the folder of values: a file for each finished strip."""
IDLE_S = 10.0
"""A job that nobody has asked for so long makes room for another."""

Key = tuple[str, int]
"""A game's id and its number of moves."""


@dataclass
class StripJob:
    """One game under way."""

    key: Key
    mark: str
    process: BaseProcess
    results: Connection
    done: int = 0
    """Turns that are finished."""
    last_asked: float = field(default_factory=monotonic)

    @classmethod
    def start(cls, game: Game, folder: Path, metric: Metric, mark: str) -> "StripJob":
        """Start computing; `folder`: where rollouts are kept."""
        context = multiprocessing.get_context("spawn")
        results, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=work, args=(game.name, game.path, folder, metric, sender), daemon=True
        )
        process.start()
        sender.close()
        return cls((game.name, len(game.moves)), mark, process, results)

    def outcome(self) -> dict[str, Any] | None:
        """Return a strip as plain data, or `{"failed": sentence}`; None while it is under way."""
        try:
            while self.results.poll():
                message = self.results.recv()
                if not isinstance(message, int):
                    return dict(message)
                self.done = message
        except (EOFError, OSError):
            return {"failed": "the process that computes expected scores ended early"}
        return None

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(2)
        self.results.close()


def work(id: str, path: Path, folder: Path, metric: Metric, results: Connection) -> None:
    """Send the number of finished turns from a process of its own, at last the strip."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this
    if hasattr(os, "nice"):
        os.nice(10)
    try:
        game = Game.open(path, id).with_next()
        values = strip(game, metric=metric, store=RolloutStore(folder), done=results.send)
        results.send(values.model_dump(mode="json"))
    except BrokenPipeError:  # the server is gone
        pass
    except Exception as error:
        results.send({"failed": f"{type(error).__name__}: {error}"})


class Strips:
    """Computes one game at a time: the one that is looked at."""

    def __init__(self, folder: Path, metric: Metric) -> None:
        self.folder = folder
        self.metric = metric
        self._lock = Lock()
        self._strips: dict[str, Json] = {}
        self._failed: dict[Key, str] = {}
        self._job: StripJob | None = None
        strips = folder / STRIPS
        for path in strips.rglob("*.json"):
            # files that are something else are left out
            with suppress(OSError, ValueError, RecursionError):
                strip = json.loads(regular_files.text(path))
                if isinstance(strip, dict) and {"mark", "swings", "expected", "mistakes"} <= set(
                    strip
                ):
                    self._strips[path.relative_to(strips).as_posix().removesuffix(".json")] = strip

    def of(self, game: Game) -> Json:
        """Return the strip if it is ready; else how many turns are done. The first question starts
        it."""
        with self._lock:
            self._collect()
            if (strip := self._ready(game)) is not None:
                return strip
            key = (game.name, len(game.moves))
            job = self._job
            done = 0
            if job and job.key != key and monotonic() - job.last_asked > IDLE_S:
                job.stop()
                job = None
            if job is None:
                self._job = StripJob.start(game, self.folder, self.metric, self._mark(game))
            elif job.key == key:  # else another game is under way, which is still looked at
                job.last_asked = monotonic()
                done = job.done
            empty: list[None] = [None] * len(game.moves)
            nothing: Json = {"expected": empty, "error": empty, "swings": empty, "mistakes": []}
            return {"ready": False, "done": done, **nothing}

    def ready(self, game: Game, *, compute: bool = False) -> Json | None:
        """Return the strip if it is ready; `compute`: wait until it is."""
        while compute and not self.of(game)["ready"]:
            sleep(0.2)
        with self._lock:
            strip = self._ready(game)
        if strip is None or "failed" in strip:
            return None
        return strip

    def swing(self, id: str) -> float | None:
        """Return the biggest change of a game's expected score by one move, up or down, where it is
        computed."""
        swings = self._strips[id]["swings"] if id in self._strips else ()
        if swings:
            biggest: float = max(swings, key=abs)
            return biggest
        return None

    def close(self) -> None:
        """End what is under way."""
        with self._lock:
            if self._job:
                self._job.stop()
                self._job = None

    def _ready(self, game: Game) -> Json | None:
        key = game.name, len(game.moves)
        if key in self._failed or not game.moves:
            reason = self._failed.get(key, "no move has been made yet")
            return {
                "ready": True,
                "done": 0,
                "expected": [],
                "error": [],
                "swings": [],
                "mistakes": [],
                "failed": reason,
            }
        strip = self._strips.get(game.name)
        if strip and strip["mark"] == self._mark(game):
            return strip
        return None

    def _mark(self, game: Game) -> str:
        """Return a hash of all that a strip depends on."""
        parts = [
            version(),
            self.metric,
            game.started.players,
            *game.started.deck,
            *map(str, game.moves),
        ]
        return sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]

    def _collect(self) -> None:
        """Keep what the job has found, if it has ended."""
        if self._job is None or (outcome := self._job.outcome()) is None:
            return
        job = self._job
        self._job = None
        job.stop()
        id, _ = job.key
        if "failed" in outcome:
            self._failed[job.key] = outcome["failed"]
            log.warning("no expected scores", game=id, why=outcome["failed"])
            return
        self._strips[id] = strip = _plain(outcome, job)
        try:
            write_atomically(self.folder / STRIPS / f"{id}.json", json.dumps(strip))
        except OSError as error:
            log.warning("expected scores are not kept", folder=str(self.folder), error=str(error))


def _plain(strip: Mapping[str, Any], job: StripJob) -> Json:
    names = ("turn", "seat", "kind", "move", "better", "loss", "error", "text")
    mistakes = []
    for mistake in strip["mistakes"]:
        mistakes.append(
            {"title": TITLES[mistake["kind"]], **{name: mistake[name] for name in names}}
        )
    return {
        "ready": True,
        "done": len(strip["expected"]),
        "mark": job.mark,
        **{name: strip[name] for name in ("basis", "metric", "start", "expected", "swings")},
        "error": strip["errors"],
        "mistakes": mistakes,
    }
