"""A journal as a story: what happened in each turn of a game, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphs.ablate import at
from graphs.config import GraphConfig, checked
from orchestrator.errors import UserError
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
    TurnStarted,
)
from orchestrator.journal.lean import whole


@dataclass(frozen=True)
class Turn:
    """The events of one turn; a game that broke off may end in an unfinished one."""

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
    def halts(self) -> list[GameSuspended]:
        """The game was suspended in this turn, or before the next one began."""
        return [event for event in self.events if isinstance(event, GameSuspended)]


@dataclass(frozen=True)
class Story:
    """A journal, turn by turn."""

    started: GameStarted
    turns: tuple[Turn, ...]
    result: Result | None

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Story":
        """Raises UserError when the events do not begin a game."""
        if not events or not isinstance(events[0], GameStarted):
            raise UserError("this journal does not begin with a game_started line, so it is not a game")
        turns: list[tuple[TurnStarted, list[Event]]] = []
        for event in whole(events)[1:]:
            if isinstance(event, TurnStarted):
                turns.append((event, []))
            elif turns and not isinstance(event, GameEnded):
                turns[-1][1].append(event)
        ended = events[-1]
        result = ended.result if isinstance(ended, GameEnded) else None
        return cls(events[0], tuple(Turn(started, tuple(of)) for started, of in turns), result)

    def turn(self, number: int) -> Turn:
        """Raises UserError when the game has no such turn."""
        if not 1 <= number <= len(self.turns):
            raise UserError(f"the game has turns 1 to {len(self.turns)}, not {number}")
        return self.turns[number - 1]

    def memory(self, number: int) -> Memory:
        """What the acting seat of a turn was given before the game, and kept of its own turn before."""
        seat = self.turn(number).started.seat
        own = [turn.decided for turn in self.turns[: number - 1] if turn.started.seat == seat and turn.decided]
        return {**self.started.memories.get(seat, {}), **(own[-1].memory if own else {})}

    def config(self, seat: int) -> GraphConfig | None:
        """The graph that sat there, as it was at this player count; None for a seat that is none.

        None too for a graph with roles that are not registered here: its calls can be told, its prompts not rendered.
        """
        data = self.started.seats[seat].config
        try:
            return at(checked(data, "the journal's graph"), self.started.players) if data else None
        except UserError:
            return None
