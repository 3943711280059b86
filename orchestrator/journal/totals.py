"""Totals of a game, counted from its events, those before a resume included."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from hanabi_orchestrator.orchestrator.game.types import AnyMove
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.move_origins import COUNTS, MoveOrigins
from hanabi_orchestrator.orchestrator.models.usage import Usage


class Ledger:
    """Counts what a Result states about the model calls and decisions of a game; a sink of events."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.usage = Usage()
        self.fake = False
        self.refused: dict[int, AnyMove] = {}
        """By turn, the first choice that was refused."""
        self._origins = MoveOrigins()

    def __call__(self, event: Event) -> None:
        if (origin := self._origins(event)) is not None:
            self.counts.update(origin.counts)
            if origin.refused:
                self.refused[origin.turn] = origin.refused[0]
        if not isinstance(event, Call) or not event.of_model:
            return
        self.counts["faults"] += sum(attempt.error is not None for attempt in event.attempts)
        if event.text is None:
            return
        self.counts["calls"] += 1
        self.fake |= event.fake
        self.counts["repaired"] += event.outcome == "repaired"
        self.counts["reasked"] += event.outcome == "reasked"
        self.counts["fallbacks"] += event.outcome == "fallback"
        self.counts["copied"] += event.copied and event.reply is not None
        self.counts["cache_hits"] += event.cached or event.fixed is not None
        self.usage += event.usage

    @property
    def stated(self) -> dict[str, Any]:
        names = (
            "calls",
            "repaired",
            "reasked",
            "fallbacks",
            "faults",
            "cache_hits",
            "copied",
            *COUNTS,
        )
        usage = self.usage
        paid = self.counts["calls"] > self.counts["cache_hits"]
        return {
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "cached_tokens": usage.cached_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            **{name: self.counts[name] for name in names},
            "usd": round(usage.usd, 8) if paid and usage.usd is not None else None,
            "fake": self.fake,
        }


def usage_by_turn(events: Iterable[Event]) -> list[list[Usage]]:
    """Return what the paid calls of each turn have used, for a budget."""
    turns = defaultdict[int, list[Usage]](list)
    for event in events:
        if isinstance(event, Call) and event.paid:
            turns[event.turn].append(event.usage)
    return list(turns.values())
