"""A game: who played which deal, how it ended, and its turns. `Game.open` is the one reader of journals."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from pydantic import ValidationError

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.record.lines import NO_GAME, CallBrief, Line, Lines, written_at
from hanabi_orchestrator.experiments.record.stated_result import whole_result
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig, checked
from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, other_game
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import dealt_hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, View
from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import (
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
    VerdictGiven,
)

Hands = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True)
class Board:
    """The table before a turn."""

    view: View
    """What the acting seat may know; a seat that cheats sees its own cards."""
    hands: Hands
    """By seat, oldest card first."""
    known: tuple[tuple[Knowledge, ...], ...]
    """What hints say literally of each card, by seat."""


def boards(
    started: GameStarted, moves: Sequence[Move], *, over: bool, name: str
) -> tuple[Board, ...]:
    """Return the table before each move, and before the next one unless the game is over.

    Raises UserError for moves that do not fit the deck.
    """
    referee = Referee(started.players, started.deck)
    tables = list[Board]()
    hands = dealt_hands(started.players, started.deck, moves)
    try:
        for move in moves:
            tables.append(_board(started, referee, next(hands)))
            referee.apply(move)
    except IllegalMove as error:
        raise UserError(f"the moves of {name!r} do not fit its deck: {error}") from None
    return (
        tuple(tables) if referee.over or over else (*tables, _board(started, referee, next(hands)))
    )


def _board(started: GameStarted, referee: Referee, hands: Hands) -> Board:
    honest = referee.view()
    cheats = started.sees_own_hand(honest.seat, honest.turn)
    view = referee.view(own_hand=True) if cheats else honest
    knowledge = {hand.seat: hand.known for hand in honest.hands} | {honest.seat: honest.own}
    return Board(view, hands, tuple(knowledge[seat] for seat in range(view.players)))


E = TypeVar("E", bound=Event)


class NotAJournal(UserError):  # noqa: N818  # named for what a file is
    """A file of another program, whose first line is JSON that no journal has."""


class OtherGame(UserError):  # noqa: N818  # named for what a journal is
    """A journal of another game than Hanabi."""


class NotBegun(UserError):  # noqa: N818  # named for what a journal is
    """A journal without its first line."""


@dataclass(frozen=True, eq=False)
class Turn:
    """A turn; its view and its calls are parsed when looked at. The last of an unfinished game may be incomplete."""

    number: int
    seat: int
    lines: tuple[Line, ...]
    game: "Game | None" = None
    """None for a turn that was decided apart from any game."""

    @classmethod
    def of(cls, view: View, events: Iterable[Event]) -> "Turn":
        """Return a turn of events in memory."""
        started = TurnStarted(turn=view.turn, seat=view.seat, view=view)
        return cls(view.turn, view.seat, tuple(Lines.of((started, *events)).lines))

    @property
    def started(self) -> TurnStarted:
        return TurnStarted(turn=self.number, seat=self.seat, view=self.view)

    @cached_property
    def view(self) -> View:
        """What the seat saw; played again from the deck where the journal is lean."""
        started = next((line for line in self.lines if line.tag == "turn_started"), None)
        if started is None:
            assert self.game
            return self.game.boards[self.number - 1].view
        (event,) = self.parse([started])
        assert isinstance(event, TurnStarted)
        view: View = event.view
        return view

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What happened in the turn, in order, after its beginning."""
        return tuple(self.parse([line for line in self.lines if line.tag != "turn_started"]))

    def parse(self, lines: Sequence[Line]) -> list[Event]:
        """Return the events of some lines of the turn. Raises UserError."""
        return (
            [*self.game.lines.parse(lines)]
            if self.game
            else [line.event for line in lines if line.event]
        )

    @property
    def calls(self) -> list[Call]:
        return [event for event in self.events if isinstance(event, Call)]

    @property
    def replies(self) -> "Replies":
        """The last reply of every sample of its nodes, as plain data; None where it was unusable."""
        nodes: dict[str, dict[int, dict[str, Any] | None]] = {}
        for call in self.calls:
            if call.outcome != "failed":
                nodes.setdefault(call.node, {})[call.sample] = call.reply
        return {node: tuple(samples[n] for n in sorted(samples)) for node, samples in nodes.items()}

    @cached_property
    def decided(self) -> Decided | None:
        return next(iter(self._short(Decided)), None)

    @cached_property
    def moved(self) -> Moved | None:
        return next(iter(self._short(Moved)), None)

    @property
    def verdicts(self) -> list[VerdictGiven]:
        return self._short(VerdictGiven)

    @property
    def suspensions(self) -> list[GameSuspended]:
        """Times the game was suspended in this turn, or before the next one started."""
        return self._short(GameSuspended)

    def _short(self, kind: type[E]) -> list[E]:
        return [line.event for line in self.lines if isinstance(line.event, kind)]


@dataclass(eq=False)
class Game:
    """A finished or unfinished game, read from its journal; turns are parsed on first use."""

    started: GameStarted
    result: Result | None
    """None for a game that is not finished."""
    lines: Lines
    name: str = ""
    """The game's name in messages and lists."""
    began: datetime | None = None
    """When its first line was written; None where that is not known."""
    ended: datetime | None = None
    """When its last line was written, as the file was opened."""
    lock: RLock = field(default_factory=RLock, repr=False)

    @classmethod
    def open(cls, path: Path | str, name: str | None = None) -> "Game":
        """Return the game of a journal, of which only the first and the last line are parsed; of a finished game, the
        moves are counted. `name`: for messages, which then do not name its folder.

        Raises NotAJournal, NotBegun, and UserError for an unreadable file, or one whose deal, seats or result changed.
        """
        path = Path(path)
        try:
            first, last = file.ends(path)
            if not first and file.may_begin(path):
                raise NotBegun(
                    f"{path} has no game yet: its first line, game_started, was not finished"
                )
        except OSError as error:
            raise file.unreadable(path, error) from None
        try:
            started = GameStarted.model_validate(file.data(first))
            if started.kind != DEFAULT:
                raise OtherGame(f"{path} is {other_game(started.kind)}")
            lines = Lines(
                path, first=(first, started), title=str(path) if name is None else path.name
            )
            ended = written_at(last[-1]) if last else None
            return cls(
                started,
                whole_result(path, last),
                lines,
                name or path.stem,
                written_at(first),
                ended,
            )
        except OtherGame:
            raise
        except file.Changed as why:
            raise UserError(f"{str(path)!r} was changed after it was written: {why}") from None
        except ValueError as error:
            reason = NO_GAME if isinstance(error, ValidationError) else str(error)
            kind = NotAJournal if isinstance(error, file.Foreign) else UserError
            raise kind(
                f"{path}, line 1: {reason}; it is not a journal that this program reads"
            ) from None

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Game":
        """Return the game of events in memory. Raises UserError when they do not begin a game."""
        lines = Lines.of(events)
        first = lines.lines[0].event if lines.lines else None
        if not isinstance(first, GameStarted):
            raise UserError(NO_GAME)
        game = cls(first, None, lines)
        game._update()
        return game

    @property
    def path(self) -> Path:
        assert self.lines.path, "a game of a file"
        return self.lines.path

    def refresh(self) -> None:
        """Read what was written since. Raises UserError, and OSError when the file is gone."""
        with self.lock:
            before = self.lines.version
            try:
                self.lines.refresh()
            finally:
                if self.lines.version != before:
                    self._update()

    def _update(self) -> None:
        for name in ("turns", "moves", "boards"):
            self.__dict__.pop(name, None)
        lines = self.lines.lines
        if lines and isinstance(lines[0].event, GameStarted):
            self.started = lines[0].event
        ended = lines[-1].event if lines else None
        self.result = ended.result if isinstance(ended, GameEnded) else None

    def _index(self) -> list[Line]:
        with self.lock:
            if not self.lines.lines:
                self.refresh()
            return self.lines.lines

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that have begun. Raises UserError for a journal that cannot be read."""
        groups = list[list[Line]]()
        for line in self._index()[1:]:
            if (
                line.tag != "suspended"
                and (not groups or line.turn != groups[-1][0].turn)
                and line.tag != "game_ended"
            ):
                groups.append([])
            if groups and line.tag != "game_ended":
                groups[-1].append(line)
        return tuple(
            Turn(group[0].turn, self.seat(group[0].turn), tuple(group), self) for group in groups
        )

    @property
    def events(self) -> list[Event]:
        """All events of the journal, parsed."""
        return [*self.lines.parse(self._index())]

    @property
    def briefs(self) -> Iterator[CallBrief]:
        """The calls without their texts, oldest first."""
        return (call for line in self._index() if (call := line.call))

    @property
    def calls(self) -> Iterator[Call]:
        """The calls, oldest first, parsed one by one."""
        calls = [line for line in self._index() if line.tag == "call"]
        yield from (event for event in self.lines.parse(calls) if isinstance(event, Call))

    @property
    def last(self) -> Event | None:
        """The last event; None for a kind that holds much text."""
        return self._index()[-1].event

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """All moves that were made, oldest first."""
        return tuple(self.lines.moves())

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The table before each turn; the last one is that of a game that is not over. Raises UserError."""
        return boards(self.started, self.moves, over=self.result is not None, name=self.name)

    def with_next(self) -> "Game":
        """Return the game with the turn that comes next, which need not have begun, as its last."""
        if len(self.boards) <= len(self.turns):
            return self
        game = replace(self)
        game.__dict__["turns"] = (*self.turns, Turn.of(self.boards[-1].view, ()))
        return game

    def turn(self, number: int) -> Turn:
        """Return a turn. Raises UserError when the game has no such turn."""
        return numbered(self.turns, number)

    def board(self, number: int) -> Board:
        """Return the table before a turn. Raises UserError when the game has no such turn."""
        return numbered(self.boards, number)

    def seat(self, number: int) -> int:
        """Return the seat that acts in a turn."""
        return (number - 1) % self.started.players

    def memory(self, number: int, seat: int | None = None) -> Memory:
        """Return the memory of a seat (default: the acting one) at a turn, which need not have begun.

        It holds the records given before the game, and the notes that the seat kept from its previous turn.
        """
        seat = self.seat(number) if seat is None else seat
        turns = [turn for turn in self.turns[: number - 1] if turn.seat == seat and turn.decided]
        last = turns[-1].decided if turns else None
        return {**self.started.memories.get(seat, {}), **(last.memory if last else {})}

    def config(self, seat: int, turn: int | None = None) -> GraphConfig | None:
        """Return the graph in a seat at a turn (default: the last), at this player count; None for other seats.

        None, too, for a graph with roles that are not registered here: its calls can be shown, but not its prompts.
        """
        info = self.started.seats[seat] if turn is None else self.started.seat_at(seat, turn)
        if id(info) not in self._configs:
            config = None
            with suppress(UserError):
                if info.config:
                    config = at(checked(info.config, "the journal's graph"), self.started.players)
            self._configs[id(info)] = info, config
        return self._configs[id(info)][1]

    @cached_property
    def _configs(self) -> dict[int, tuple[SeatInfo, GraphConfig | None]]:
        """By the identity of a seat's info: the same graph object each time, for what is cached by graph."""
        return {}


T = TypeVar("T")


def numbered(items: Sequence[T], number: int) -> T:
    """Return the item of a turn; the first is that of turn 1. Raises UserError when there is none."""
    if not 1 <= number <= len(items):
        raise UserError(f"the game has turns 1 to {len(items)}, not {number}")
    return items[number - 1]


Replies = dict[str, tuple[dict[str, Any] | None, ...]]
"""By node, the replies of its samples as plain data; None where one was unusable."""


def comparable_replies(first: Turn, second: Turn) -> tuple[Replies, Replies]:
    """Return the replies of both turns; of a node that a model answered in one, without what only programs fill."""
    asked = {call.node: call.role for call in (*first.calls, *second.calls) if call.of_model}
    unasked = {
        node: roles.get(role).reply.programmed
        for node, role in asked.items()
        if role in roles.names()
    }

    def fields(node: str, reply: dict[str, Any] | None) -> dict[str, Any] | None:
        return reply and {
            key: value for key, value in reply.items() if key not in unasked.get(node, ())
        }

    old, new = (
        {
            node: tuple(fields(node, reply) for reply in replies)
            for node, replies in turn.replies.items()
        }
        for turn in (first, second)
    )
    return old, new


def first_difference(ours: Sequence[object], theirs: Sequence[object]) -> int | None:
    """Return the first turn in which the moves of two games differ, or that only one of them has; None for none."""
    for turn, (mine, yours) in enumerate(zip(ours, theirs, strict=False), 1):
        if mine != yours:
            return turn
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs)) + 1
