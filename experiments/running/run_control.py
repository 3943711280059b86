"""What a run does with the commands that reach it while it is played: pause, resume, limit, retry, cancel, status."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from experiments.running import open_files
from experiments.running.changes import CancelGame, Change, LimitCalls, PauseRun, ResumeRun, RetryGame
from experiments.running.executor import Executor
from experiments.running.progress import Progress
from experiments.study import manifest
from experiments.study.job import Job, Outcome
from orchestrator.errors import UserError, did_you_mean, similar_name


@dataclass
class RunControl:
    """A run in play, as commands change it."""

    folder: Path
    executor: Executor
    jobs: Mapping[str, Job]
    """All games of this process, by name."""
    finished: set[str]
    unfinished: list[Outcome]
    """What became of games that this command could not finish; a game that is tried again is taken out."""
    limits: dict[tuple[str, str], int]
    """By server and model: the calls at a time that are allowed."""
    workers: int
    """Processes that divide these calls among them."""
    cached: bool
    progress: Progress
    stopping: Callable[[], bool]
    paused_since: datetime | None = None
    cancelled: set[str] = field(default_factory=set)

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Raises UserError for a command that is refused."""
        commands: dict[str, Callable[..., dict[str, Any]]] = {
            "pause": self._pause,
            "resume": self._resume,
            "limit": self._limit,
            "retry": self._retry,
            "cancel": self._cancel,
            "status": self.status,
        }
        name, given = str(asked.get("command")), {key: value for key, value in asked.items() if key != "command"}
        if name not in commands:
            raise UserError(f"the run was started by another version, which knows no {name!r}")
        if self.stopping() and name != "status":
            raise UserError("the run is stopping at the end of the turns in play; the same command goes on with it")
        return commands[name](**given)

    def _pause(self) -> dict[str, Any]:
        if self.paused_since:
            return {"said": f"it is paused already, since {_clock(self.paused_since)}"}
        self.paused_since = _now()
        self._obey(PauseRun(), {"did": "pause"})
        self.progress.pause(
            f"paused since {_clock(self.paused_since)}; `orchestrator experiment resume {self.folder}` goes on"
        )
        busy = sum(load.busy for load in self.executor.status.loads.values())
        calls = f"; calls in flight end first ({busy} now)" if busy else ""
        return {"said": f"paused{calls}"}

    def _resume(self) -> dict[str, Any]:
        if not self.paused_since:
            return {"said": "it is not paused"}
        since, self.paused_since = self.paused_since, None
        self._obey(ResumeRun(), {"did": "resume"})
        self.progress.resume()
        return {"said": f"it goes on; it was paused since {_clock(since)}"}

    def _limit(self, model: str, most: int) -> dict[str, Any]:
        keys = self._models(model)
        if most < self.workers:
            raise UserError(
                f"{self.workers} processes divide the calls of a model among them, so the limit must be at least "
                f"{self.workers}, not {most}"
            )
        after = {**self.limits, **dict.fromkeys(keys, most)}
        open_files.games(sum(after.values()) // self.workers, cached=self.cached)
        before = ", ".join(sorted({str(self.limits[key]) for key in keys}))
        self.limits.update(after)
        for key in keys:
            self._obey(LimitCalls(key, most), {"did": "limit", "model": key[1], "most": most})
        each = f", {most // self.workers} for each of {self.workers} processes" if self.workers > 1 else ""
        said = f"{keys[0][1]}: at most {most} call{'s' * (most > 1)} at a time{each}; before {before}"
        self.progress.line(said)
        return {"said": said}

    def _models(self, given: str) -> list[tuple[str, str]]:
        """The models of this name: as in a models file, or without provider or server."""
        if not self.limits:
            raise UserError("this run asks no model on a server, so there is no limit to change")
        found = [key for key in self.limits if given in _names(key[1])]
        if not found:
            names = [_names(model)[-1] for _, model in self.limits]
            raise UserError(f"this run asks no model {given!r}; {did_you_mean(given, names, 'it asks')}")
        return found

    def _retry(self, game: str) -> dict[str, Any]:
        job = self._job(game)
        if job.name in self.finished:
            raise UserError(f"{job.name} is finished; a finished game is never played again")
        if (old := next((one for one in self.unfinished if one.job.name == job.name), None)) is None:
            raise UserError(f"{job.name} is in play or waits for its turn; nothing to try again")
        self.unfinished.remove(old)
        self.cancelled.discard(job.name)
        again = replace(job, again=bool(old.failed or (old.suspended and job.journal and job.journal.exists())))
        self._obey(RetryGame(again), {"did": "retry", "game": job.name})
        why = old.failed or old.suspended or "its model did not answer"
        return {"said": f"{job.name} is played again as soon as there is room ({why})"}

    def _cancel(self, game: str) -> dict[str, Any]:
        job = self._job(game)
        if job.name in self.finished:
            raise UserError(f"{job.name} is finished; a finished game stays in the results")
        if job.name in self.cancelled:
            return {"said": f"{job.name} is cancelled already"}
        if any(one.job.name == job.name for one in self.unfinished):
            raise UserError(f"{job.name} has ended already, without a result; it is left out until it is tried again")
        self.cancelled.add(job.name)
        self._obey(CancelGame(job.name), {"did": "cancel", "game": job.name})
        return {"said": f"{job.name} stops at the end of its turn and is left out until the next command"}

    def _job(self, given: str) -> Job:
        """A game by its name, `full/2p-s1-r1`, or by the path of its journal."""
        path = Path(given)
        names = [given.removesuffix(".jsonl"), f"{path.parent.name}/{path.stem}"]
        found = next((self.jobs[name] for name in names if name in self.jobs), None)
        if found is None:
            near = similar_name(names[0], self.jobs)
            like = f"did you mean {near!r}?" if near else f"one is {next(iter(self.jobs), 'ARM/2p-s1-r1')!r}"
            raise UserError(f"{given!r} is no game that this process plays; {like}")
        return found

    def _obey(self, change: Change, note: Mapping[str, Any]) -> None:
        self.executor.obey(change)
        manifest.note(self.folder, {"at": _now().isoformat(timespec="seconds"), **note})

    def status(self) -> dict[str, Any]:
        """How the run stands, for a command that prints it."""
        now, ended = self.executor.status, self.unfinished
        return {
            "paused_since": self.paused_since.isoformat(timespec="seconds") if self.paused_since else None,
            "stopping": self.stopping(),
            "games": len(self.jobs),
            "finished": len(self.finished),
            "playing": now.playing,
            "failed": {one.job.name: one.failed for one in ended if one.failed},
            "suspended": {one.job.name: one.suspended for one in ended if one.suspended},
            "models": [_load(key[1], most, now.loads.get(key[1])) for key, most in self.limits.items()],
        }


def _names(model: str) -> list[str]:
    """By which a model may be called: `openai:qwen3@http://...`, `openai:qwen3`, and last `qwen3`."""
    there = model.partition("@")[0] or model
    return [model, there, there.partition(":")[2] or there]


def _load(model: str, most: int, load: Any) -> dict[str, Any]:
    calls = {"busy": load.busy, "now": load.limit, "rate_limited": load.rate_limited} if load else {}
    return {"model": model, "most": most, **calls}


def _now() -> datetime:
    return datetime.now(UTC)


def _clock(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M:%S")
