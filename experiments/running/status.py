"""The state of a run while it asks: the load of its models, and what it has cost so far."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from orchestrator.journal.events import Call, Event, Moved
from orchestrator.journal.move_origins import MoveOrigin
from orchestrator.models.usage import Usage


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
        return Load(self.busy + other.busy, self.limit + other.limit, self.rate_limited + other.rate_limited)


def run_status(experiment: str | None, spent: Usage, **more: Any) -> dict[str, Any]:
    """Return how the run in a folder stands, as plain data; `more`: how many `games` (or `things`) are planned,
    `finished` and `begun`, and others."""
    return {"experiment": experiment, "failed": {}, "turns": 0, "tokens": spent.tokens, "usd": spent.usd, **more}


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
        models, arms = dict.fromkeys((*self.loads, *other.loads)), dict.fromkeys((*self.moves, *other.moves))
        return Status(
            loads={name: self.loads.get(name, Load()) + other.loads.get(name, Load()) for name in models},
            priced=self.priced and other.priced,
            moves={arm: self.moves.get(arm, Counter()) + other.moves.get(arm, Counter()) for arm in arms},
            fake=self.fake or other.fake,
            **{name: getattr(self, name) + getattr(other, name) for name in COUNTS},
        )


COUNTS = ("playing", "answers", "unusable", "turns", "earlier", "fallbacks", "tokens", "usd")
"""The fields that add up."""
