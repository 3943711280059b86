"""How far a run has come, as plain data: the load of its models, units, the mean score of each arm,
what is spent, what is left. Whoever shows it (`experiments.tasks.run_progress`) derives from
`Progress`, which prints nothing."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from hanabi_orchestrator.experiments.running.task import Measured, Task
from hanabi_orchestrator.experiments.study.job import Outcome, Unit
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Moved
from hanabi_orchestrator.orchestrator.journal.move_origins import MoveOrigin
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.roles.words import many, percent


@dataclass(frozen=True)
class Load:
    """The calls of a model."""

    busy: int = 0
    """Calls in flight."""
    limit: int = 0
    """How many may be in flight now."""
    rate_limited: int = 0
    """Calls that the server refused because there were too many (429)."""

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.busy + other.busy, self.limit + other.limit, self.rate_limited + other.rate_limited
        )


def run_status(experiment: str | None, spent: Usage, **more: Any) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data; `more`: how many `games` (or `things`)
    are planned, `finished` and `begun`, and others."""
    return {
        "experiment": experiment,
        "failed": {},
        "turns": 0,
        "tokens": spent.tokens,
        "usd": spent.usd,
        **more,
    }


@dataclass
class Status:
    """How the units of one process stand, or of several together."""

    loads: dict[str, Load] = field(default_factory=dict)
    """By model name."""
    playing: int = 0
    """Units in play."""
    answers: int = 0
    """Responses of models."""
    unusable: int = 0
    """Of these."""
    turns: int = 0
    """Turns of the units that it asked or continued."""
    earlier: int = 0
    """Those of them that were played before this command."""
    fallbacks: int = 0
    """Questions without a usable answer, not even at the second ask."""
    tokens: int = 0
    usd: float = 0.0
    priced: bool = True
    """Whether the price of every call is known."""
    moves: dict[str, Counter[str]] = field(default_factory=dict)
    """By arm: how its moves came about, by the names of `Result`."""
    fake: bool = False
    """Whether the package's fake server answered."""

    def __call__(self, event: Event) -> None:
        """Count an event: turns and calls."""
        if isinstance(event, Moved):
            self.turns += 1
        if isinstance(event, Call):
            self.fallbacks += event.outcome == "fallback"
            self.answers += event.of_model and event.text is not None
            self.unusable += event.of_model and event.text is not None and event.reply is None
            self.fake |= event.fake
            if event.paid:
                self.tokens += event.tokens_in + event.tokens_out
                self.usd += event.usd or 0.0
                self.priced &= event.usd is not None

    def moved(self, arm: str, origin: MoveOrigin) -> None:
        """Count a move of an arm."""
        self.moves.setdefault(arm, Counter()).update(origin.counts)

    def __add__(self, other: "Status") -> "Status":
        models = dict.fromkeys((*self.loads, *other.loads))
        arms = dict.fromkeys((*self.moves, *other.moves))
        return Status(
            loads={
                name: self.loads.get(name, Load()) + other.loads.get(name, Load())
                for name in models
            },
            priced=self.priced and other.priced,
            moves={
                arm: self.moves.get(arm, Counter()) + other.moves.get(arm, Counter())
                for arm in arms
            },
            fake=self.fake or other.fake,
            **{name: getattr(self, name) + getattr(other, name) for name in COUNTS},
        )


COUNTS = ("playing", "answers", "unusable", "turns", "earlier", "fallbacks", "tokens", "usd")
"""The fields that add up."""


UNSEEN = 2
"""Units of the expected length that count beside those that ended."""
LAST = 0.1
"""The share of a unit that a unit in play has left at least."""
FEWEST = 5
"""Turns that must be played, or units that must end, before the time left is estimated."""


@dataclass(frozen=True)
class ArmProgress:
    """A row of the table of arms."""

    arm: str
    units: int
    mean: str
    own: str
    """The share of its moves that are its model's own, in the games of this command; `-` without
    moves."""
    forced: int
    refused: int


class Progress:
    """Called with each outcome, and with the status now and then. It uses no thread, so that
    processes can fork."""

    def __init__(self) -> None:
        self.max_usd: float | None = None
        self.max_tokens: int | None = None
        self.task: Task[Any] | None = None
        self.title = ""
        self.total = 0
        self.ended = 0
        self.status = Status()
        self.paused = ""
        self.stops = ""
        """What is said while the run is paused, and once it was interrupted."""
        self._before = 0
        self._scores = defaultdict[str, list[float]](list)
        """Of the finished units, by arm."""
        self._waiting: Counter[float | None] = Counter()
        """Units that are not finished, by the turns that are expected of them."""
        self._turns = defaultdict[float | None, list[int]](list)
        """Turns of the finished units, by those that were expected."""
        self._began = self._paused_at = 0.0
        self._ended_turns = 0

    # What a screen does; nothing here

    def line(self, text: str) -> None:
        """Say something."""

    def tick(self, status: Status) -> None:
        """Show how the run stands; called a few times a second."""
        self.status = status

    def end(self) -> None:
        """Leave the screen."""

    # What happens

    def begin(
        self,
        title: str,
        task: Task[Any],
        units: Sequence[Unit],
        before: Mapping[str, Measured] | None = None,
        arms: Iterable[str] = (),
    ) -> None:
        """Begin a run, or a part of one. `before`: the units that earlier commands finished; `arms`
        are shown in their order."""
        self.end()
        before = before or {}
        self.title = title
        self.task = task
        self.total = len(units)
        self._waiting = Counter(unit.turns for unit in units)
        self.status = Status()
        self._turns.clear()
        self._scores = defaultdict(list, {arm: [] for arm in arms})
        self.ended = self._before = 0
        for unit in units:
            if unit.name in before:
                self._end(unit, before[unit.name])
        self._before = self.ended
        self._ended_turns = 0
        self._began = time.monotonic()
        earlier = f", {self.ended} of them {'played' if task.things == 'games' else 'asked'} before"
        self.line(f"{title}: {self.total} {task.things}{earlier if self.ended else ''}")

    def __call__(self, outcome: Outcome[Any]) -> None:
        if outcome.result is not None and self.task:
            measured = self.task.measured(outcome.unit, outcome.result)
            self._end(outcome.unit, measured)
            self._ended_turns += measured.turns
        elif outcome.failed:
            self.line(f"{outcome.unit.name} failed: {outcome.failed}")
        elif outcome.suspended and not outcome.stopped_by_run:
            self.line(f"{outcome.unit.name} is suspended: {outcome.suspended}")

    def _end(self, unit: Unit, measured: Measured) -> None:
        self.ended += 1
        self._waiting[unit.turns] -= 1
        self._turns[unit.turns].append(measured.turns)
        if measured.score is not None:
            self._scores[unit.arm].append(measured.score)

    def stopping(self) -> None:
        """Note that it was interrupted."""
        self.stops = "stopping at the end of the turns in play; Ctrl-C again stops at once"
        self.line(self.stops)

    def pause(self, text: str) -> None:
        """Say so, and let the clock of the time left stand still."""
        self.paused = text
        self._paused_at = time.monotonic()
        self.line(text)

    def resume(self) -> None:
        if self.paused:
            self._began += time.monotonic() - self._paused_at
            self.paused = ""
            self.line("the run goes on")

    # How it stands

    def arms(self) -> Iterator[ArmProgress]:
        for arm in dict.fromkeys((*self._scores, *self.status.moves)):
            scores = self._scores.get(arm, [])
            counts = self.status.moves.get(arm, Counter())
            moves = counts["model_moves"]
            own = percent(counts["own"] / moves) if moves else "-"
            mean = f"{fmean(scores):.2f}" if scores else "-"
            yield ArmProgress(arm, len(scores), mean, own, counts["forced"], counts["refused"])

    def models(self) -> Iterator[str]:
        """Give sentences on the calls of each model and what they cost."""
        for name, load in self.status.loads.items():
            if load.rate_limited:
                limited = f", {load.rate_limited} rate-limited (429)"
            else:
                limited = ""
            yield f"{name} {load.busy}/{load.limit} calls{limited}"
        if self.status.loads:
            tokens = f"{self.status.tokens:,} tokens" + (
                f" of {self.max_tokens:,}" if self.max_tokens else ""
            )
            usd = f", ${self.status.usd:.2f}" + (f" of ${self.max_usd:g}" if self.max_usd else "")
            spent = tokens + (usd if self.status.priced and self.status.tokens else "")
            yield (
                f"{many(self.status.unusable, 'unusable answer')}, "
                f"{many(self.status.fallbacks, 'fallback')}, "
                f"{spent}"
            )
        if self.status.fake:
            yield "the package's fake server answers, not a language model"

    def left(self) -> tuple[float, float] | None:
        """Return the seconds and the dollars that are left, from the turns so far and those that
        are expected; None while nobody can say."""
        steps = self.ended - self._before
        ahead = float(self.total - self.ended)
        if self.status.turns:
            steps = self.status.turns - self.status.earlier
            expected = 0.0
            for turns, number in self._waiting.items():
                ended = self._turns[turns]
                # the mean of those that ended, and of some that nobody saw, since short ones end
                # first
                expected += number * ((sum(ended) + UNSEEN * (turns or 0)) / (len(ended) + UNSEEN))
            behind = self.status.turns - self._ended_turns
            share = self.status.playing / (self._waiting.total() or 1)
            # a unit in play has some of its turns left, however long it is already
            ahead = max(expected - behind, expected * (1 - share) + LAST * expected * share)
        if steps < FEWEST or self.ended == self.total or self.paused:
            return None
        seconds = (time.monotonic() - self._began) / steps * ahead
        return seconds, self.status.usd / (
            self.status.turns or steps
        ) * ahead if self.status.priced else 0.0
