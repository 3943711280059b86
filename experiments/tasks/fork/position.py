"""The position at a turn of a recorded game: what the acting seat knew, and what it did, if it
did."""

from dataclasses import dataclass, replace
from pathlib import Path

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, checked
from hanabi_orchestrator.graphs.graph_seat import seat_again
from hanabi_orchestrator.graphs.recorded import unrolled
from hanabi_orchestrator.orchestrator.errors import TurnError, UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Event,
    GameStarted,
    Memory,
    SeatInfo,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.journal.recorded_answers import (
    RecordedGame,
    Recording,
    Replay,
    answered,
)
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.table.seat import GameContext


@dataclass(frozen=True)
class Position:
    """A turn of a recorded game, which need not have been decided."""

    started: GameStarted
    view: View
    memory: Memory
    """The memory of the acting seat, with what it was given before the game."""
    turn: Turn
    """The turn as the journal has it; without a decision where the game stopped before it."""
    info: SeatInfo
    """The acting seat."""
    same_view: bool = True
    """True if this version shows the seat what the recorded one did."""

    @property
    def graph(self) -> GraphConfig | None:
        """The recorded graph; None for a seat that is no graph. Raises UserError for one that is
        not known here."""
        if self.info.config is None:
            return None
        return checked(dict(self.info.config), f"the journal's graph {self.info.graph!r}")

    @property
    def config(self) -> GraphConfig | None:
        """The recorded graph as it is at the player count."""
        return self.graph and at(self.graph, self.started.players)


def position(game: Game, number: int) -> Position:
    """Return the position at a turn: one that was decided, or the next one of an unfinished game.

    Raises UserError for a turn that the game has not, and for one of a seat that saw its own cards:
    a fork would show them to another seat.
    """
    started = game.started
    last = len(game.moves) + (game.result is None)
    if not 1 <= number <= last:
        raise UserError(f"the game has turns 1 to {last}, not {number}")
    if started.sees_own_hand(seat := (number - 1) % started.players, number):
        raise UserError(
            f"P{seat} saw its own cards in this game, which is cheating; fork a game without that "
            "control"
        )
    referee = rebuild(started.players, started.deck, game.moves[: number - 1])
    if referee.over:
        raise UserError(f"the game is over after turn {number - 1}: there is nothing to decide")
    now = referee.view()
    if number <= len(game.turns):
        turn = game.turns[number - 1]
    else:
        turn = Turn.of(now, ())
    view = turn.view
    memory = game.memory(number, view.seat)
    info = started.seat_at(view.seat, number)
    return Position(started, view, memory, turn, info, view == now)


async def whole(place: Position) -> Turn:
    """Return the recorded turn with the notes of its programs, computed again where a lean journal
    leaves them out.

    The turn stays as it is where it has these notes, or where this version computes other ones.
    """
    turn = place.turn
    started = place.started
    config = place.config
    programs = config is not None and any(
        node.model == PROGRAM for node in unrolled(config).values()
    )
    if not programs or turn.decided is None or any(call.model == PROGRAM for call in turn.calls):
        return turn
    events: list[Event] = []
    answers = RecordedGame(Path(), started, answered(turn.events))
    layer = ModelLayer(replay=Replay(Recording(Path(), {started.game: [answers]})))
    seat = replace(
        seat_again(place.info, layer=layer),
        game=GameContext(events.append, started.game, started.repeat),
    )
    try:
        decision = await seat(place.view, place.memory)
    except TurnError:
        return turn
    rest = [event for event in turn.events if not isinstance(event, Call | VerdictGiven)]
    if decision.move == turn.decided.move:
        return Turn.of(turn.view, (*events, *rest))
    return turn
