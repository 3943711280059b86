"""A journal as a story: what happened in each turn of a game, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from graphs.ablate import at
from graphs.config import GraphConfig, checked
from orchestrator.errors import UserError
from orchestrator.hanabi.moves import Move
from orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameEnded,
    GameStarted,
    GameSuspended,
    Memory,
    Moved,
    Result,
    SeatInfo,
    TurnStarted,
)
from orchestrator.journal.lean import with_views


@dataclass(frozen=True)
class StoryTurn:
    """The events of one turn; the last turn of an interrupted game may be incomplete."""

    started: TurnStarted
    events: tuple[Event, ...]

    @property
    def decided(self) -> Decided | None:
        return next((event for event in self.events if isinstance(event, Decided)), None)

    @property
    def moved(self) -> Moved | None:
        return next((event for event in self.events if isinstance(event, Moved)), None)

    @property
    def calls(self) -> list[Call]:
        return [event for event in self.events if isinstance(event, Call)]

    @property
    def suspensions(self) -> list[GameSuspended]:
        """Times the game was suspended in this turn, or before the next one started."""
        return [event for event in self.events if isinstance(event, GameSuspended)]


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """The first turn in which the moves of two games differ, or that only one of them has; None where there is none."""
    for turn, (a, b) in enumerate(zip(one, other, strict=False), 1):
        if a != b:
            return turn
    return None if len(one) == len(other) else min(len(one), len(other)) + 1


@dataclass(frozen=True)
class Story:
    """A journal, turn by turn."""

    started: GameStarted
    turns: tuple[StoryTurn, ...]
    result: Result | None

    @classmethod
    def read(cls, events: Sequence[Event]) -> "Story":
        """From the events of a journal. Raises UserError when they do not start a game."""
        if not events or not isinstance(events[0], GameStarted):
            raise UserError("this journal does not start with a game_started line, so it is not a game")
        turns: list[tuple[TurnStarted, list[Event]]] = []
        for event in with_views(events)[1:]:
            if isinstance(event, TurnStarted):
                turns.append((event, []))
            elif turns and not isinstance(event, GameEnded):
                turns[-1][1].append(event)
        ended = events[-1]
        result = ended.result if isinstance(ended, GameEnded) else None
        return cls(events[0], tuple(StoryTurn(started, tuple(inside)) for started, inside in turns), result)

    @property
    def moves(self) -> list[Move]:
        """All moves that were made, oldest first."""
        return [turn.moved.past.move for turn in self.turns if turn.moved]

    def turn(self, number: int) -> StoryTurn:
        """Raises UserError when the game has no such turn."""
        if not 1 <= number <= len(self.turns):
            raise UserError(f"the game has turns 1 to {len(self.turns)}, not {number}")
        return self.turns[number - 1]

    def memory(self, number: int) -> Memory:
        """The memory of the acting seat in a turn: given to it before the game, or kept from its previous turn."""
        return self.memory_of(self.turn(number).started.seat, number)

    def memory_of(self, seat: int, number: int) -> Memory:
        """The memory of a seat at a turn, which need not have begun."""
        own = [turn.decided for turn in self.turns[: number - 1] if turn.started.seat == seat and turn.decided]
        return {**self.started.memories.get(seat, {}), **(own[-1].memory if own else {})}

    def config(self, seat: int, turn: int | None = None) -> GraphConfig | None:
        """The graph in a seat at a turn (default: the last), at this player count; None for a seat that is not a graph.

        None, too, for a graph with roles that are not registered here: its calls can be shown, but not its prompts.
        """
        info = self.started.seats[seat] if turn is None else self.started.seat_at(seat, turn)
        if id(info) not in self._configs:
            self._configs[id(info)] = info, self._config(info)
        return self._configs[id(info)][1]

    @cached_property
    def _configs(self) -> dict[int, tuple[SeatInfo, GraphConfig | None]]:
        """By the identity of a seat's info: the same graph object each time, for what is cached by graph."""
        return {}

    def _config(self, info: SeatInfo) -> GraphConfig | None:
        try:
            found = checked(info.config, "the journal's graph") if info.config else None
            return found and at(found, self.started.players)
        except UserError:
            return None
