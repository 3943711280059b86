"""One probe: a position reached by legal moves from a stacked deck, a question, and the moves that
keep a convention.

The deck is the probe's own and every move before the question was made by the pack's own program,
so that Views, history and beliefs are those of a real game in which everybody keeps to the pack.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from pydantic import Field

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import CONSTRUCTED
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Event,
    GameStarted,
    Memory,
    Moved,
    SeatInfo,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.table import game_loop
from hanabi_orchestrator.orchestrator.table.seat import (
    Decision,
    GameContext,
    JournaledSeat,
    Seat,
    describe,
)
from hanabi_orchestrator.orchestrator.values import Frozen

STORYTELLER = SeatInfo(graph=CONSTRUCTED, model=PROGRAM)
"""Who makes the moves before the question."""
BECAUSE = "a move of the probe's story"


class Probe(Frozen):
    """A position with a question about one convention."""

    name: str
    """Unique: `newest/play-hint-read/3p-1`."""
    pack: str
    """The convention pack, as in prompts/conventions."""
    convention: str
    """One of the pack's conventions, see `bank.conventions`."""
    question: str
    """The question in a sentence."""
    players: int = Field(ge=2, le=5)
    deck: tuple[Card, ...]
    """The 50 cards in the order of dealing. The cards that nobody has drawn yet do not matter."""
    moves: tuple[Grounded, ...]
    """The moves before the question."""
    answers: tuple[Grounded, ...]
    """The moves that keep the convention."""
    why: str
    """Why these and no others, in a sentence."""
    others: Mapping[str, tuple[Grounded, ...]]
    """The moves of players of other conventions, by name; a move of the set is as good as
    another."""
    apart: tuple[str, ...]
    """Those of `others` none of whose moves keeps the convention: the probe tells them from a
    player who keeps it."""

    def __getstate__(self) -> dict[Any, Any]:
        """Leave out what is computed once: a process that asks it computes its own."""
        state = super().__getstate__()
        fields = {}
        for key, value in state["__dict__"].items():
            if key in type(self).model_fields:
                fields[key] = value
        return {**state, "__dict__": fields}

    @property
    def turn(self) -> int:
        """The turn of the question, 1 for the game's first."""
        return len(self.moves) + 1

    @cached_property
    def referee(self) -> Referee:
        """The game before the question. Do not apply moves to it."""
        return rebuild(self.players, self.deck, self.moves)

    @cached_property
    def view(self) -> View:
        """The View of the asked player."""
        return self.referee.view()

    @property
    def seat(self) -> int:
        """The seat of the asked player."""
        return self.view.seat

    @property
    def chance(self) -> float:
        """The probability that a legal move drawn at random keeps the convention."""
        return len(self.answers) / len(self.view.legal)

    def share(self, other: str) -> float:
        """Return the probability that a player of another convention keeps this one here."""
        moves = self.others[other]
        return sum(move in self.answers for move in moves) / len(moves)

    def keeps(self, move: Move) -> bool:
        """Return True if a move keeps the convention."""
        return move in self.answers

    def started(self, player: Seat | None = None) -> GameStarted:
        """Return the first event of the game, with this player in the asked seat."""
        return game_loop.start(
            table(self, player), players=self.players, deck=self.deck, label=self.name
        )

    def events(self) -> list[Event]:
        """Return the story as the events of a journal, up to the question, which is not decided."""
        referee = Referee(self.players, self.deck)
        events: list[Event] = [self.started()]
        for move in (*self.moves, None):
            view = referee.view()
            events.append(TurnStarted(turn=view.turn, seat=view.seat, view=view))
            if move is not None:
                decided = game_loop.decided_event(view.turn, view.seat, Decision(move, BECAUSE), {})
                events += [decided, Moved(past=referee.apply(move))]
        return events

    @property
    def story(self) -> Game:
        """The game so far, turn by turn."""
        return Game.of(self.events())


@dataclass(frozen=True)
class StorySeat:
    """A seat that makes the story's moves and is its player, if it has one, from the question
    on."""

    probe: Probe
    player: Seat | None = None

    @property
    def info(self) -> SeatInfo:
        if self.player is None:
            return STORYTELLER
        return describe(self.player)

    def bind(self, context: GameContext) -> Self:
        if isinstance(self.player, JournaledSeat):
            return replace(self, player=self.player.bind(context))
        return self

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        if view.turn < self.probe.turn:
            return Decision(self.probe.moves[view.turn - 1], BECAUSE)
        assert self.player is not None  # the game ends after the question
        return await self.player(view, memory)

    async def aclose(self) -> None:
        """Leave the asked player open: all probes share it."""


def table(probe: Probe, player: Seat | None = None) -> tuple[StorySeat, ...]:
    """Return the seats of the probe's game, with `player` in the asked one."""
    return tuple(
        StorySeat(probe, player if seat == probe.seat else None) for seat in range(probe.players)
    )
