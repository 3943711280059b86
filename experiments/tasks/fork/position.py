"""The position at a turn of a recorded game: what the acting seat knew, and what it did, if it did."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.record.game import Game, Turn
from graphs.ablate import at
from graphs.config import PROGRAM, GraphConfig, checked
from graphs.fixed_notes import unrolled
from graphs.graph_seat import seat_again
from orchestrator.errors import TurnError, UserError
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import rebuild
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Call, Event, GameStarted, Memory, SeatInfo, VerdictGiven
from orchestrator.journal.recorded_answers import RecordedGame, Recording, Replay, answered
from orchestrator.models.layer import ModelLayer
from orchestrator.table.seat import GameContext


@dataclass(frozen=True)
class Position:
    """A turn of a recorded game, which need not have been decided."""

    started: GameStarted
    view: View
    memory: Memory
    """Of the acting seat, with what it was given before the game."""
    turn: Turn
    """As the journal has it; without a decision where the game stopped before it."""
    info: SeatInfo
    """Who sat in the acting seat."""
    same_view: bool = True
    """Whether this version shows the seat what the recorded one did."""

    @property
    def graph(self) -> GraphConfig | None:
        """The recorded graph; None for a seat that is no graph. Raises UserError for one that is not known here."""
        if self.info.config is None:
            return None
        return checked(dict(self.info.config), f"the journal's graph {self.info.graph!r}")

    @property
    def config(self) -> GraphConfig | None:
        """The same as it is at the player count."""
        return self.graph and at(self.graph, self.started.players)


def position(story: Game, number: int) -> Position:
    """The position at a turn: one that was decided, or the next one of an unfinished game. Raises UserError."""
    last = len(story.moves) + (story.result is None)
    if not 1 <= number <= last:
        raise UserError(f"the game has turns 1 to {last}, not {number}")
    _check_honest(story.started, number)
    now = _view(story.started, story.moves[: number - 1])
    there = story.turns[number - 1] if number <= len(story.turns) else None
    turn = there or Turn.of(now, ())
    view = turn.view
    return Position(
        started=story.started,
        view=view,
        memory=story.memory(number, view.seat),
        turn=turn,
        info=story.started.seat_at(view.seat, number),
        same_view=view == now,
    )


def _check_honest(started: GameStarted, turn: int) -> None:
    """Raise UserError for a turn of a seat that saw its own cards: a fork would show them to another seat."""
    if started.sees_own_hand(seat := (turn - 1) % started.players, turn):
        raise UserError(f"P{seat} saw its own cards in this game, which is cheating; fork a game without that control")


def _view(started: GameStarted, moves: Sequence[Move]) -> View:
    referee = rebuild(started.players, started.deck, moves)
    if referee.over:
        raise UserError(f"the game is over after turn {len(moves)}: there is nothing to decide")
    return referee.view()


async def whole(place: Position) -> Turn:
    """The recorded turn with the notes of its programs, which a lean journal leaves out: they are computed again.

    The turn as it is where it has these notes, or where this version computes other ones.
    """
    turn, started, config = place.turn, place.started, place.config
    programs = config is not None and any(node.model == PROGRAM for node in unrolled(config).values())
    if not programs or turn.decided is None or any(call.model == PROGRAM for call in turn.calls):
        return turn
    events: list[Event] = []
    said = RecordedGame(Path(), started, answered(turn.events))
    layer = ModelLayer(replay=Replay(Recording(Path(), {started.game: [said]})))
    seat = replace(seat_again(place.info, layer=layer), game=GameContext(events.append, started.game, started.repeat))
    try:
        decision = await seat(place.view, place.memory)
    except TurnError:
        return turn
    rest = [event for event in turn.events if not isinstance(event, Call | VerdictGiven)]
    return Turn.of(turn.view, (*events, *rest)) if decision.move == turn.decided.move else turn
