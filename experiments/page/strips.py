"""/api/strip: the expected score over the turns of a game and its mistakes, computed in the background and kept."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

from experiments.page.spoken import Json
from experiments.page.strip_job import Key, StripJob
from experiments.record.files import write_atomically
from experiments.record.game import Game
from experiments.record.rows import Metric
from experiments.values.move_values import TITLES
from experiments.values.rollout_store import version
from orchestrator.logs import log

STRIPS = "games"
"""In the folder of values: a file for each finished strip."""


class Strips:
    """Computes one game at a time: the one that is looked at."""

    def __init__(self, folder: Path, metric: Metric) -> None:
        self.folder = folder
        self.metric = metric
        self._lock = Lock()
        self._kept: dict[str, Json] = dict(_read(folder / STRIPS))
        self._failed: dict[Key, str] = {}
        self._job: StripJob | None = None

    def of(self, game: Game) -> Json:
        """The strip if it is ready; else how many turns are done. The first question starts it."""
        with self._lock:
            self._take()
            if (found := self._ready(game)) is not None:
                return found
            job = self._working_on(game)
            empty: list[None] = [None] * len(game.moves)
            nothing: Json = {"expected": empty, "error": empty, "swings": empty, "mistakes": []}
            return {"ready": False, "done": job.done if job else 0, **nothing}

    def kept(self, game: Game, *, compute: bool = False) -> Json | None:
        """The strip if it is ready; `compute`: wait until it is."""
        while compute and not self.of(game)["ready"]:
            sleep(0.2)
        with self._lock:
            found = self._ready(game)
        return None if found is None or "failed" in found else found

    def swing(self, id: str) -> float | None:
        """The biggest change of a game's expected score by one move, up or down, where it has been computed."""
        swings = self._kept[id]["swings"] if id in self._kept else ()
        return max(swings, key=abs) if swings else None

    def close(self) -> None:
        """End what is under way."""
        with self._lock:
            if self._job:
                self._job.stop()
                self._job = None

    def _ready(self, game: Game) -> Json | None:
        key = game.name, len(game.moves)
        if key in self._failed or not game.moves:
            why = self._failed.get(key, "no move has been made yet")
            return {"ready": True, "done": 0, "expected": [], "error": [], "swings": [], "mistakes": [], "failed": why}
        kept = self._kept.get(game.name)
        return kept if kept and kept["mark"] == self._mark(game) else None

    def _mark(self, game: Game) -> str:
        """Of all that a strip depends on."""
        told = [version(), self.metric, game.started.players, *game.started.deck, *map(str, game.moves)]
        return sha256("\n".join(map(str, told)).encode()).hexdigest()[:16]

    def _working_on(self, game: Game) -> StripJob | None:
        """The job of this game; None while that of another one, which is still looked at, is under way."""
        key = game.name, len(game.moves)
        if self._job and self._job.key == key:
            self._job.wanted()
            return self._job
        if self._job and not self._job.forgotten:
            return None
        if self._job:
            self._job.stop()
        self._job = StripJob.start(game, self.folder, self.metric, self._mark(game))
        return self._job

    def _take(self) -> None:
        """Keep what the job has found, if it has ended."""
        if self._job is None or (outcome := self._job.outcome()) is None:
            return
        job, self._job = self._job, None
        job.stop()
        if "failed" in outcome:
            self._failed[job.key] = outcome["failed"]
            log.warning("no expected scores", game=job.key[0], why=outcome["failed"])
            return
        self._kept[job.key[0]] = found = _plain(outcome, job)
        try:
            write_atomically(self.folder / STRIPS / f"{job.key[0]}.json", json.dumps(found))
        except OSError as error:
            log.warning("expected scores are not kept", folder=str(self.folder), error=str(error))


def _plain(strip: Mapping[str, Any], job: StripJob) -> Json:
    names = ("turn", "seat", "kind", "move", "better", "loss", "error", "text")
    return {
        "ready": True,
        "done": len(strip["expected"]),
        "mark": job.mark,
        "basis": strip["basis"],
        "metric": strip["metric"],
        "start": strip["start"],
        "expected": list(strip["expected"]),
        "error": list(strip["errors"]),
        "swings": list(strip["swings"]),
        "mistakes": [
            {"title": TITLES[one["kind"]], **{name: one[name] for name in names}} for one in strip["mistakes"]
        ],
    }


def _read(folder: Path) -> list[tuple[str, Json]]:
    """The strips that were kept, by id; files that are something else are left out."""
    found = []
    for path in folder.rglob("*.json"):
        try:
            strip = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(strip, dict) and {"mark", "swings", "expected", "mistakes"} <= set(strip):
            found.append((path.relative_to(folder).as_posix().removesuffix(".json"), strip))
    return found
