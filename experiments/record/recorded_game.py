"""Recorded games of other programs as journals: HLE makes the moves again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import End
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameEnded, Memory, SeatInfo
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext


@dataclass(frozen=True)
class RecordedSeat:
    """A seat that gives the recorded answers and makes the recorded moves."""

    info: SeatInfo
    turns: Sequence[tuple[Decision, Call | None]]
    """Of all seats of the game."""
    game: GameContext = field(default_factory=GameContext)

    def bind(self, context: GameContext) -> Self:
        return replace(self, game=context)

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        decision, call = self.turns[view.turn - 1]
        if call:
            self.game.emit(call)
        return decision

    async def aclose(self) -> None:
        """Nothing is open."""


def events(
    infos: Iterable[SeatInfo],
    turns: Sequence[tuple[Decision, Call | None]],
    label: str,
    *,
    over: bool,
    given_up: End | None = None,
    **deal: Any,
) -> list[Event]:
    """Return the events of a recorded game. A game that is not `over` has no end; one that was
    ended before its end by HLE's rules ends as `max_turns`, or as it was `given_up`, with a strict
    score of 0.

    `deal`: the `seed` or the `deck`.
    """
    seats = [RecordedSeat(info, turns) for info in infos]
    events = list[Event]()
    playing = play_async(
        seats, players=len(seats), label=label, sink=events.append, max_turns=len(turns), **deal
    )
    result = event_loop.run_anywhere(playing)
    if given_up and result.end == "max_turns":
        events[-1] = GameEnded(
            result=result.model_copy(update={"end": given_up, "score_strict": 0})
        )
    return [event for event in events if over or not isinstance(event, GameEnded)]


def write(events: Iterable[Event], path: Path) -> None:
    """Write a journal. Raises UserError when the file is there."""
    if path.exists():
        raise UserError(f"{str(path)!r} exists; give another --out, or move it away")
    with Journal(path) as journal:
        for event in events:
            journal(event)
