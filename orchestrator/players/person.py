"""A person at the table: a seat whose moves come from outside, typed in a terminal or clicked on a page.

The seat asks with the View alone and takes nothing but a legal move. In a replay the moves come from a journal.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import TurnError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Decided, GameStarted, Memory, SeatInfo
from hanabi_orchestrator.orchestrator.models.settings import PERSON
from hanabi_orchestrator.orchestrator.players.typed_move import typed_move
from hanabi_orchestrator.orchestrator.regular_files import below
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext

Ask = Callable[[View, str | None], Awaitable[str | Decision]]
"""Asks a person for a move: gets the View, and why the last answer was not taken (None at first); answers with a text
such as `play 2`, `hint P1 red because it is the last one` or a number of `View.legal`, or with a Decision.

It raises `Left` when the person leaves; the game is then suspended and can be continued."""

MOST = 100
"""Answers in a row that are not a legal move, after which the turn fails: a program answers, and no person."""


@dataclass(frozen=True)
class Person:
    """A seat for a person.

    `ask` is awaited at each of their turns, again when its answer is not a legal move. Several seats of a game may
    share one: the View says whose turn it is.
    """

    ask: Ask

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        """Raises Left when the person leaves, and TurnError after 100 answers that are not a legal move."""
        problem: str | None = None
        for _ in range(MOST):
            try:
                answer = await self.ask(view, problem)
                move, why = typed_move(
                    str(answer.move) if isinstance(answer, Decision) else answer, view
                )
                return answer if isinstance(answer, Decision) else Decision(move, why)
            except ValueError as error:
                problem = str(error)
        raise TurnError(
            f"turn {view.turn}: none of {MOST} answers at P{view.seat} was a legal move; the last: {problem}"
        )

    @property
    def info(self) -> SeatInfo:
        return SeatInfo(graph=PERSON, model=PERSON)

    def bind(self, context: GameContext) -> Self:
        return self

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True)
class RecordedPerson:
    """A person's seat in a replay: it plays what the persons of recorded games decided."""

    path: Path
    """A journal, or a folder of journals."""
    game: GameContext = field(default_factory=GameContext)
    decided: Sequence[Decided] = ()

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        """Raises TurnError for a turn that was not recorded, or in two ways."""
        events = [
            event for event in self.decided if (event.turn, event.seat) == (view.turn, view.seat)
        ]
        if not events or any(event.move != events[0].move for event in events):
            how = (
                "was decided in several ways; replay one journal"
                if events
                else "was decided by no person"
            )
            raise TurnError(f"turn {view.turn} of P{view.seat} {how} in {str(self.path)!r}")
        return Decision(events[0].move, events[0].why)

    @property
    def info(self) -> SeatInfo:
        return SeatInfo(graph=PERSON, model=PERSON)

    def bind(self, context: GameContext) -> Self:
        """Find what persons decided in the recorded games of this hash. Raises UserError for what is not a journal."""
        decisions: list[Decided] = []
        for file in below(self.path, "*.jsonl", deep=True) if self.path.is_dir() else [self.path]:
            events = journal.read(file)
            if (
                events
                and isinstance(started := events[0], GameStarted)
                and started.game == context.hash
            ):
                persons = {seat for seat, info in enumerate(started.seats) if info.graph == PERSON}
                decisions += [
                    event
                    for event in events
                    if isinstance(event, Decided) and event.seat in persons
                ]
        return replace(self, game=context, decided=decisions)

    async def aclose(self) -> None:
        """Nothing to close."""
