"""A journal as the page reads it: the table before each turn, played again from the deck, and the events of a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from pydantic import ValidationError

from experiments.page.line_index import CallBrief, Line, LineIndex
from experiments.record.story import Story, StoryTurn
from graphs.ablate import at
from graphs.config import GraphConfig, checked
from orchestrator.errors import IllegalMove, UserError
from orchestrator.hanabi.cards import Card
from orchestrator.hanabi.literal_knowledge import dealt_hands
from orchestrator.hanabi.moves import Move, parse
from orchestrator.hanabi.referee import Referee
from orchestrator.hanabi.view import Knowledge, View
from orchestrator.journal.events import Decided, Event, GameStarted, Memory, Moved, Result, TurnStarted

Hands = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True)
class Position:
    """The table before a turn."""

    view: View
    """What the acting seat may know."""
    hands: Hands
    """By seat, oldest card first."""
    known: tuple[tuple[Knowledge, ...], ...]
    """What hints say literally of each card, by seat."""


@dataclass
class RecordedGame:
    """A game from its journal, as far as it goes."""

    id: str
    path: Path
    index: LineIndex = field(init=False)
    lock: RLock = field(default_factory=RLock)
    _positions: list[Position] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.index = LineIndex(self.path)

    def refresh(self) -> None:
        """Read what was written since. Raises UserError, and OSError when the file is gone."""
        with self.lock:
            before = self.index.read
            try:
                self.index.refresh()
            finally:
                if self.index.read != before:
                    for name in ("started", "past", "moves", "result", "decided", "calls"):
                        self.__dict__.pop(name, None)
                    self._positions = []

    @cached_property
    def started(self) -> GameStarted:
        """Raises UserError."""
        if not self.index.lines:
            raise UserError(f"the game {self.id!r} has not begun yet")
        data = next(self.index.data("game_started"))
        try:
            return GameStarted.model_validate(data)
        except ValidationError:
            raise UserError(f"{self.id!r} does not begin as this program reads journals") from None

    @cached_property
    def past(self) -> tuple[Mapping[str, Any], ...]:
        """Every move with what it did, as plain data, oldest first."""
        return tuple(moved["past"] for moved in self.index.data("moved"))

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(parse(past["move"]) for past in self.past)

    @cached_property
    def result(self) -> Result | None:
        ended = next(self.index.data("game_ended"), None)
        return None if ended is None else Result.model_validate(ended["result"])

    @cached_property
    def decided(self) -> Mapping[int, Mapping[str, Any]]:
        """The decisions by turn."""
        return {decided["turn"]: decided for decided in self.index.data("decided")}

    @cached_property
    def calls(self) -> Mapping[int, list[Line]]:
        """The lines of calls by turn."""
        found: dict[int, list[Line]] = {}
        for line in self.index.of("call"):
            found.setdefault(line.turn, []).append(line)
        return found

    def briefs(self, turn: int) -> list[CallBrief]:
        return [line.call for line in self.calls.get(turn, ()) if line.call is not None]

    @property
    def fake(self) -> bool:
        """Whether the package's fake server answered."""
        return any(line.call is not None and line.call.fake for line in self.index.of("call"))

    def positions(self) -> list[Position]:
        """The table before each turn; the last one is that of a game that is not over. Raises UserError."""
        with self.lock:
            wanted = len(self.moves) + 1
            if len(self._positions) < wanted and not (self.result and len(self._positions) == len(self.moves)):
                self._positions = self._played()
            return self._positions

    def position(self, turn: int) -> Position:
        """Raises UserError when the game has no such turn."""
        found = self.positions()
        if not 1 <= turn <= len(found):
            raise UserError(f"the game has turns 1 to {len(found)}, not {turn}")
        return found[turn - 1]

    def _played(self) -> list[Position]:
        begun = self.started
        referee, found = Referee(begun.players, begun.deck), list[Position]()
        hands = dealt_hands(begun.players, begun.deck, self.moves)
        try:
            for move in self.moves:
                found.append(_position(begun, referee, next(hands)))
                referee.apply(move)
        except IllegalMove as error:
            raise UserError(f"the moves of {self.id!r} do not fit its deck: {error}") from None
        return found if referee.over or self.result else [*found, _position(begun, referee, next(hands))]

    def story(self) -> Story:
        """The game without its calls."""
        with self.lock:
            moved = [Moved.model_validate(one) for one in self.index.data("moved")]
            decided = {turn: Decided.model_validate(one) for turn, one in self.decided.items()}
            turns = []
            for number, position in enumerate(self.positions(), 1):
                inside = [event for event in (decided.get(number), *moved[number - 1 : number]) if event]
                begun = TurnStarted(turn=number, seat=position.view.seat, view=position.view)
                turns.append(StoryTurn(begun, tuple(inside)))
            return Story(self.started, tuple(turns), self.result)

    def seat(self, turn: int) -> int:
        return (turn - 1) % self.started.players

    def config(self, turn: int) -> GraphConfig | None:
        """The graph of a turn's seat; None for a seat that is none, or with roles that are not registered here."""
        data = self.started.seat_at(self.seat(turn), turn).config
        try:
            return at(checked(data, "the journal's graph"), self.started.players) if data else None
        except UserError:
            return None

    def memory(self, turn: int) -> Memory:
        """What the acting seat remembered: given to it before the game, or kept from its previous turn."""
        seat = self.seat(turn)
        earlier = [one for number, one in self.decided.items() if number < turn and one["seat"] == seat]
        return {**self.started.memories.get(seat, {}), **(earlier[-1].get("memory", {}) if earlier else {})}

    def events(self, turn: int) -> list[tuple[Line, Event]]:
        """All events of a turn with their lines, parsed. Raises UserError."""
        self.position(turn)
        with self.lock:
            return self.index.events(turn)


def _position(started: GameStarted, referee: Referee, hands: Hands) -> Position:
    """Before a turn; `known` is what hints told, also of a seat that sees its own cards."""
    honest = referee.view()
    cheats = started.sees_own_hand(honest.seat, honest.turn)
    view = referee.view(own_hand=True) if cheats else honest
    known = {hand.seat: hand.known for hand in honest.hands} | {honest.seat: honest.own}
    return Position(view, hands, tuple(known[seat] for seat in range(view.players)))
