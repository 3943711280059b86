"""Journals of the games of HanabiLogs: the recorded answers as calls, and the moves of the record as decisions."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from experiments.interchange.hanabi_logs_games import LogGame, Turn
from graphs.ablate import bind
from graphs.config import GraphConfig
from orchestrator.errors import UserError
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import rebuild
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event, GameEnded, Memory, SeatInfo, TurnStarted
from orchestrator.journal.file import Journal
from orchestrator.table import game_loop
from orchestrator.table.seat import Decision, GameContext
from roles.reply_types import RatedChoice

SEAT = "hanabilogs"
"""The graph of a seat of an imported game."""


@dataclass(frozen=True)
class _LogSeat:
    """A seat that gives the recorded answers and makes the recorded moves."""

    info: SeatInfo
    turns: Sequence[Turn]
    game: GameContext = field(default_factory=GameContext)

    def bind(self, context: GameContext) -> Self:
        return replace(self, game=context)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        turn = self.turns[view.turn - 1]
        self.game.emit(turn.call)
        assert turn.move is not None
        return _decision(turn, turn.move)

    async def aclose(self) -> None:
        """Nothing is open."""


def _decision(turn: Turn, move: Move) -> Decision:
    """The recorded decision; a move that the answer does not name was none of the model's choice."""
    call = turn.call
    reply = call.reply if call.reply is not None and call.reply.get("action") == str(move) else None
    if reply is None:
        return Decision(move, "the move of the record, which the answer does not name", forced=True)
    rated = RatedChoice.model_fields.keys() <= reply.keys()
    ratings = {rating["action"]: rating["rating"] for rating in reply["ratings"]} if rated else None
    return Decision(move, str(reply.get("reason", "")), ratings, node=call.node)


def events(game: LogGame, config: GraphConfig, name: str) -> list[Event]:
    """The events of the game's journal, without an end where the record has none."""
    moved = [turn for turn in game.turns if turn.move is not None]
    info = _info(game, config)
    recorded: list[Event] = []
    asyncio.run(
        game_loop.play_async(
            [_LogSeat(info, moved)] * game.players,
            players=game.players,
            seed=game.seed,
            deck=None if game.seed is not None else game.deck,
            label=name,
            sink=recorded.append,
            max_turns=len(moved),
        )
    )
    over = rebuild(game.players, game.deck, [turn.move for turn in moved if turn.move is not None])
    if not over.over:
        recorded = [event for event in recorded if not isinstance(event, GameEnded)]
        if len(moved) < len(game.turns):
            view = over.view()
            recorded += [TurnStarted(turn=view.turn, seat=view.seat, view=view), game.turns[len(moved)].call]
    return recorded


def _info(game: LogGame, config: GraphConfig) -> SeatInfo:
    bound = bind(config, {"default": game.model})
    return SeatInfo(graph=SEAT, model=game.model, config=bound.model_dump(mode="json"), label="published record")


def write(events: Sequence[Event], path: Path) -> None:
    """Write a journal. Raises UserError when the file is there."""
    if path.exists():
        raise UserError(f"{str(path)!r} exists; give another --out, or move it away")
    with Journal(path) as journal:
        for event in events:
            journal(event)


def plain(game: LogGame, journal: str) -> Iterator[Mapping[str, Any]]:
    """What became of each row that has a place: the index of an import."""
    for turn in game.turns:
        yield {
            "row": turn.row.number,
            "journal": journal,
            "turn": turn.call.turn,
            "model": turn.row.model,
            "players": turn.row.players,
            "seed": turn.row.seed,
            "move": None if turn.move is None else str(turn.move),
            "answer": (turn.call.reply or {}).get("action"),
            "unreadable": turn.call.error,
            "move_ratings": list(turn.row.ratings),
            "legal": [str(move) for move in turn.row.legal],
        }
