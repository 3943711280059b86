"""What a user may change of a run while it asks: pause, resume, limit, retry, cancel. Commands
reach it through its folder (`control_folder`); executors pass each change on to the processes that
ask."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic

from hanabi_orchestrator.experiments.running import open_files
from hanabi_orchestrator.experiments.running.progress import Progress, Status
from hanabi_orchestrator.experiments.study import manifest
from hanabi_orchestrator.experiments.study.job import Outcome, U
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, similar_name


@dataclass(frozen=True)
class PauseRun:
    """Begin no call, no turn and no unit until the run is resumed."""


@dataclass(frozen=True)
class ResumeRun:
    """Go on."""


@dataclass(frozen=True)
class StopRun:
    """Stop the units at the end of their turns, and begin no others; the engine's own, no
    command's."""

    why: str


@dataclass(frozen=True)
class LimitCalls:
    """Another number of calls to a model at a time."""

    model: tuple[str, str]
    """Its server and its name."""
    most: int


@dataclass(frozen=True)
class CancelUnit:
    """Suspend a unit at the end of its turn, or do not begin it; it is left out until the next
    command."""

    name: str


@dataclass(frozen=True)
class RetryUnit(Generic[U]):
    """Ask a unit that failed or was suspended, also if its model is taken to be down or it was
    cancelled."""

    unit: U


Change = PauseRun | ResumeRun | StopRun | LimitCalls | CancelUnit | RetryUnit[U]
CHANGES = (PauseRun, ResumeRun, StopRun, LimitCalls, CancelUnit, RetryUnit)

COMMANDS = ("pause", "resume", "limit", "retry", "cancel", "status")
"""The methods of `RunControl` that a command may name."""
CANCELLED = "cancelled by hand"
"""Why a cancelled unit is suspended."""


@dataclass
class RunControl(Generic[U]):
    """A run in play, as commands change it."""

    folder: Path
    obey: Callable[[Change[U]], None]
    """Passes a change on to the processes that ask."""
    standing: Callable[[], Status]
    """Says how the units stand now."""
    units: Mapping[str, U]
    """All units of this process, by name."""
    finished: set[str]
    unfinished: list[Outcome[U]]
    """What became of units that this command could not finish; a unit that is tried again is taken
    out."""
    limits: dict[tuple[str, str], int]
    """By server and model: the calls at a time that are allowed."""
    workers: int
    """Processes that divide these calls among them."""
    cached: bool
    screen: Progress
    stopping: Callable[[], bool]
    thing: str = "game"
    """What a unit is called."""
    paused_since: datetime | None = None
    cancelled: set[str] = field(default_factory=set)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a command says. Raises UserError for one that is refused."""
        name = str(request.get("command"))
        values = {key: value for key, value in request.items() if key != "command"}
        if name not in COMMANDS:
            raise UserError(f"the run was started by another version, which knows no {name!r}")
        if self.stopping() and name != "status":
            raise UserError(
                "the run is stopping at the end of the turns in play; the same command goes on "
                "with it"
            )
        return dict(getattr(self, name)(**values))

    def pause(self) -> dict[str, Any]:
        if self.paused_since:
            return {"said": f"it is paused already, since {_clock(self.paused_since)}"}
        self.paused_since = datetime.now(UTC)
        self._obey(PauseRun(), {"did": "pause"})
        self.screen.pause(
            f"paused since {_clock(self.paused_since)}; `orchestrator experiment control "
            f"{self.folder} resume` goes on"
        )
        busy = sum(load.busy for load in self.standing().loads.values())
        return {"said": f"paused; calls in flight end first ({busy} now)" if busy else "paused"}

    def resume(self) -> dict[str, Any]:
        if not self.paused_since:
            return {"said": "it is not paused"}
        since = self.paused_since
        self.paused_since = None
        self._obey(ResumeRun(), {"did": "resume"})
        self.screen.resume()
        return {"said": f"it goes on; it was paused since {_clock(since)}"}

    def limit(self, model: str, most: int) -> dict[str, Any]:
        """Limit the models of a name: as in a models file, or without provider or server."""
        if not self.limits:
            raise UserError("this run asks no model on a server, so there is no limit to change")
        if not (keys := [key for key in self.limits if model in _names(key[1])]):
            names = [_names(name)[-1] for _, name in self.limits]
            raise UserError(
                f"this run asks no model {model!r}; {did_you_mean(model, names, 'it asks')}"
            )
        if most < self.workers:
            raise UserError(
                f"{self.workers} processes divide the calls of a model among them, so the limit "
                f"must be at least {self.workers}, not {most}"
            )
        after = {**self.limits, **dict.fromkeys(keys, most)}
        open_files.units(sum(after.values()) // self.workers, cached=self.cached)
        before = ", ".join(sorted({str(self.limits[key]) for key in keys}))
        self.limits.update(after)
        for key in keys:
            self._obey(LimitCalls(key, most), {"did": "limit", "model": key[1], "most": most})
        if self.workers > 1:
            each = f", {most // self.workers} for each of {self.workers} processes"
        else:
            each = ""
        sentence = (
            f"{keys[0][1]}: at most {most} call{'s' * (most > 1)} at a time{each}; before {before}"
        )
        self.screen.line(sentence)
        return {"said": sentence}

    def retry(self, game: str) -> dict[str, Any]:
        unit = self._unit(game)
        if unit.name in self.finished:
            raise UserError(
                f"{unit.name} is finished; a finished {self.thing} is never played again"
            )
        if (
            old := next((end for end in self.unfinished if end.unit.name == unit.name), None)
        ) is None:
            raise UserError(f"{unit.name} is in play or waits for its turn; nothing to try again")
        self.unfinished.remove(old)
        self.cancelled.discard(unit.name)
        again = bool(
            old.failed or (old.suspended and (unit.journal is None or unit.journal.exists()))
        )
        self._obey(RetryUnit(replace(unit, again=again)), {"did": "retry", "game": unit.name})
        why = old.failed or old.suspended or "its model did not answer"
        return {"said": f"{unit.name} is played again as soon as there is room ({why})"}

    def cancel(self, game: str) -> dict[str, Any]:
        unit = self._unit(game)
        if unit.name in self.finished:
            raise UserError(
                f"{unit.name} is finished; a finished {self.thing} stays in the results"
            )
        if unit.name in self.cancelled:
            return {"said": f"{unit.name} is cancelled already"}
        if any(end.unit.name == unit.name for end in self.unfinished):
            raise UserError(
                f"{unit.name} has ended already, without a result; it is left out until it is "
                "tried again"
            )
        self.cancelled.add(unit.name)
        self._obey(CancelUnit(unit.name), {"did": "cancel", "game": unit.name})
        stops = "stops at the end of its turn and is left out until the next command"
        return {"said": f"{unit.name} {stops}"}

    def _unit(self, text: str) -> U:
        """Return a unit by its name, such as `full/2p-s1-r1`, or by the path of its journal."""
        path = Path(text)
        names = [text, text.removesuffix(".jsonl"), f"{path.parent.name}/{path.stem}"]
        unit = next((self.units[name] for name in names if name in self.units), None)
        if unit is None:
            near = similar_name(names[1], self.units)
            like = (
                f"did you mean {near!r}?"
                if near
                else f"one is {next(iter(self.units), 'ARM/2p-s1-r1')!r}"
            )
            raise UserError(f"{text!r} is no {self.thing} that this process plays; {like}")
        return unit

    def _obey(self, change: Change[U], note: Mapping[str, Any]) -> None:
        self.obey(change)
        manifest.note(self.folder, {"at": datetime.now(UTC).isoformat(timespec="seconds"), **note})

    def status(self) -> dict[str, Any]:
        """Return how the run stands, for a command that prints it."""
        now = self.standing()
        ends = self.unfinished
        paused_since = None
        if self.paused_since:
            paused_since = self.paused_since.isoformat(timespec="seconds")
        models = []
        for (_, model), most in self.limits.items():
            row: dict[str, Any] = {"model": model, "most": most}
            if load := now.loads.get(model):
                row |= {"busy": load.busy, "now": load.limit, "rate_limited": load.rate_limited}
            models.append(row)
        return {
            "paused_since": paused_since,
            "stopping": self.stopping(),
            "games": len(self.units),
            "finished": len(self.finished),
            "playing": now.playing,
            "failed": {end.unit.name: end.failed for end in ends if end.failed},
            "suspended": {end.unit.name: end.suspended for end in ends if end.suspended},
            "models": models,
        }


def _names(model: str) -> list[str]:
    """Return what a model may be called: `openai:qwen3@http://...`, `openai:qwen3`, and last
    `qwen3`."""
    short = model.partition("@")[0] or model
    return [model, short, short.partition(":")[2] or short]


def _clock(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M:%S")
