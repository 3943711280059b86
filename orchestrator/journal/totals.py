"""Totals of a game, counted from its events, those before a resume included."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.cards import Colour
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, Play
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.move_origins import COUNTS, MoveOrigins
from hanabi_orchestrator.orchestrator.models.usage import Usage


class Ledger:
    """Counts what a Result states about the model calls and decisions of a game; a sink of events."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.usage = Usage()
        self.fake = False
        self.refused: dict[int, Move] = {}
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

    def first_choices(self, record: Record) -> dict[str, int]:
        """Return what the refused first choices of a game would have done at once, and what was played instead did."""
        turns = list(compared(record, self.refused)) if self.refused else []
        return {
            "first_misplays": -sum(turn.first.lives for turn in turns),
            "first_points": sum(turn.first.points for turn in turns),
            "played_misplays": -sum(turn.played.lives for turn in turns),
            "played_points": sum(turn.played.points for turn in turns),
        }


def usage_by_turn(events: Iterable[Event]) -> list[list[Usage]]:
    """Return what the paid calls of each turn have used, for a budget."""
    turns = defaultdict[int, list[Usage]](list)
    for event in events:
        if isinstance(event, Call) and event.paid:
            turns[event.turn].append(event.usage)
    return list(turns.values())


# What moves that were not made would have done at once, in a game that is over


class Effect(NamedTuple):
    """What one move changes at once. Discards and hints change neither."""

    points: int
    """1 for a card that fits, else 0."""
    lives: int
    """-1 for a misplay, else 0."""


class Compared(NamedTuple):
    """A turn in which another move was made than the first choice."""

    turn: int
    first: Effect
    """Of the first choice."""
    played: Effect
    """Of the move that was made."""


def compared(record: Record, choices: Mapping[int, Move]) -> Iterator[Compared]:
    """For each turn of `choices`, its move against the one that was made, in the same position and with all cards
    known. Both are legal moves of that turn."""
    tops: dict[Colour, int] = {}
    for step in record.steps():
        if step.turn in choices:
            effects = []
            for move in (choices[step.turn], step.move):
                card = step.hand[move.slot] if isinstance(move, Play) else None
                fits = card is not None and tops.get(card.colour, 0) == card.rank - 1
                effects.append(Effect(int(fits), -int(card is not None and not fits)))
            yield Compared(step.turn, *effects)
        if step.scored and step.lost:
            tops[step.lost.colour] = step.lost.rank
