"""A game as far as its journal goes: what the game loop needs to resume it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hanabi_orchestrator.orchestrator.errors import TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Memory,
    Moved,
    Parent,
    Result,
    TurnStarted,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.journal.file import plain
from hanabi_orchestrator.orchestrator.journal.recorded_answers import answered
from hanabi_orchestrator.orchestrator.models.request import Key
from hanabi_orchestrator.orchestrator.replies.values import leaves


@dataclass(frozen=True)
class GameSoFar:
    """What has happened so far; nothing yet in a new game."""

    events: tuple[Event, ...] = ()

    @classmethod
    def from_events(cls, events: Sequence[Event]) -> "GameSoFar":
        """Raises UserError when the events do not begin a game."""
        if events and not isinstance(events[0], GameStarted):
            raise UserError(
                "the journal does not begin with a game_started line, so it is not a game"
            )
        return cls(tuple(events))

    @property
    def started(self) -> GameStarted | None:
        return self.events[0] if self.events and isinstance(self.events[0], GameStarted) else None

    @property
    def result(self) -> Result | None:
        last = self.events[-1] if self.events else None
        return last.result if isinstance(last, GameEnded) else None

    @property
    def moves(self) -> list[Any]:
        return [event.past.move for event in self.events if isinstance(event, Moved)]

    @property
    def memories(self) -> dict[int, Memory]:
        """The memories by seat, after the finished turns."""
        done = len(self.moves)
        return {
            event.seat: event.memory
            for event in self.events
            if isinstance(event, Decided) and event.turn <= done
        }

    @cached_property
    def unfinished(self) -> tuple[Event, ...]:
        """The events of the unfinished turn."""
        ends = [
            number
            for number, event in enumerate(self.events)
            if isinstance(event, GameStarted | Moved)
        ]
        return self.events[ends[-1] + 1 :] if ends else ()

    @cached_property
    def answered(self) -> Mapping[Key, Call]:
        """The model calls of the unfinished turn that were answered."""
        return answered(self.unfinished)

    @property
    def decided(self) -> Decided | None:
        """The decision of the unfinished turn, if it was made."""
        return next((event for event in self.unfinished if isinstance(event, Decided)), None)

    @cached_property
    def _held(self) -> Mapping[object, Event]:
        return {sign: event for event in self.unfinished if (sign := _sign(event)) is not None}

    def holds(self, event: Event) -> bool:
        """Return whether the journal holds an event. Raises TurnError when it holds a different one in its place."""
        if isinstance(event, GameStarted):
            return bool(self.events)
        held = self._held.get(_sign(event))
        if held is not None and plain(held) != plain(event):
            name = (
                f"what node {event.node!r} says"
                if isinstance(event, Call | VerdictGiven)
                else event.event
            )
            turn = getattr(event, "turn", "?")
            raise TurnError(
                f"turn {turn}: {name} is not what the journal says; was the program changed since?"
            )
        return held is not None


def _sign(event: Event) -> object:
    """Return what identifies an event within a turn; None for events that may occur again."""
    match event:
        case TurnStarted() | Decided():
            return event.event, event.turn
        case VerdictGiven():
            return event.event, event.turn, event.node
        case Call() if event.outcome != "failed":
            return event.key
    return None


SHOWN = 4
"""How many differences are named; the rest are counted."""


def differences(old: GameStarted | None, new: GameStarted) -> list[str]:
    """Return how the new game differs from the old one, in words; empty when it is the same, or when there is no old
    one."""
    if old is None or (old.config_hash, old.game) == (new.config_hash, new.game):
        return []
    before, after = (
        dict(leaves(started.model_dump(mode="json", exclude=_TOLD_APART))) for started in (old, new)
    )
    changed = [
        path for path in dict.fromkeys((*before, *after)) if before.get(path) != after.get(path)
    ]
    if any(
        re.fullmatch(r"seats\.\d+\.model", path) for path in changed
    ):  # the other differences follow from it
        changed = [
            path for path in changed if not re.search(r"\.nodes\.\w+\.model$|\.models(\.|$)", path)
        ]
    sentences = []
    for (
        path
    ) in changed:  # without the seat's number: seats with the same graph differ in the same way
        name = re.sub(r"^seats\.\d+\.(config\.)?", "", path)
        name = re.sub(r"^models\.(.+)\.(\w+)$", r"\2 of \1", name)
        was, now = (
            "not there" if leaves.get(path) is None else repr(leaves[path])
            for leaves in (before, after)
        )
        sentences.append(f"{name} was {was}, is {now}")
    seats = sorted({*old.memories, *new.memories})
    unequal = [seat for seat in seats if old.memories.get(seat) != new.memories.get(seat)]
    sentences += [f"what seat {seat} was given before the game" for seat in unequal]
    if old.parent != new.parent:
        sentences.insert(0, f"{FORKED}{begins(old.parent)}, and this one {begins(new.parent)}")
    if old.deck != new.deck:
        sentences.insert(0, f"the deal was {old.deal}, is {new.deal}")
    sentences = list(dict.fromkeys(sentences)) or ["the deal's label or the repeat"]
    more = len(sentences) - SHOWN
    return [*sentences[:SHOWN], f"and {more} more"] if more > 0 else sentences


FORKED = "it "
"""Begins the sentence that says where one of two games was forked from."""


def begins(parent: Parent | None) -> str:
    """Return how a game begins: on its own, or as a fork."""
    if parent is None:
        return "is no fork"
    edits = f" with a changed note of {', '.join(parent.edits)}" if parent.edits else ""
    return f"was forked from {parent.journal} at turn {parent.turn}{edits}"


_TOLD_APART = {
    "versions",
    "config_hash",
    "game",
    "deck",
    "deck_name",
    "seed",
    "event",
    "memories",
    "parent",
}
