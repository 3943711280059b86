"""How each move of a game came about: whether the seat chose it, and what was refused, asked again or copied before.

A move is the seat's own when its deciding node chose it: it is neither forced nor read from a copy of the prompt's
example. A move that was read at the second ask, or chosen after a refusal, is the seat's own, and counted besides.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hanabi_orchestrator.orchestrator.game.types import AnyMove
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    Parent,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.models.settings import PERSON, PROGRAM

RULE = "safety"
"""The node of the exact safety rule; no node of a graph may have this name."""


@dataclass(frozen=True)
class MoveOrigin:
    """Of one move."""

    turn: int
    of_model: bool
    """True if its seat asks a model at any of its nodes."""
    forced: bool = False
    refused: tuple[AnyMove, ...] = ()
    """The choices that were refused before it, in their order. The first is the seat's first choice of the turn."""
    refused_by_rule: int = 0
    """Of these, how many the exact safety rule refused; a judge of the graph refused the others."""
    second_ask: bool = False
    """True if the deciding node's first answer was unusable, and the move is that of a later one."""

    copied: bool = False
    """True if the answer that it was read from repeats the prompt's example."""

    @property
    def chosen(self) -> bool:
        """True if the seat chose it."""
        return not (self.forced or self.copied)

    @property
    def counts(self) -> Counter[str]:
        """What it adds to the totals of a game, by the names of `Result`."""
        return Counter(
            model_moves=self.of_model,
            own=self.of_model and self.chosen,
            forced=self.forced,
            refused=len(self.refused),
            refused_by_rule=self.refused_by_rule,
            refused_turns=bool(self.refused),
            after_refusal=bool(self.refused) and not self.forced,
            copied_moves=self.copied,
            second_ask=self.second_ask,
        )


COUNTS = tuple(MoveOrigin(0, False).counts)
"""The names of those totals."""


class MoveOrigins:
    """Finds the origin of each move; a sink of the events of a game, in their order."""

    def __init__(self) -> None:
        self._models: tuple[str, ...] = ()
        """Of the seats, as in `SeatInfo`."""
        self._parent: Parent | None = None
        """Of a forked game: who sat in a seat before."""
        self._refused: list[tuple[str, AnyMove]] = []
        self._answers: dict[str, tuple[int, bool]] = {}
        """By node, of its last usable reply: at which ask, and whether it is a copy."""

    def __call__(self, event: Event) -> MoveOrigin | None:
        """The origin of the move that this event decides; None for other events."""
        match event:
            case GameStarted():
                self._models = tuple(seat.model for seat in event.seats)
                self._parent = event.parent
            case VerdictGiven() if not event.accepted:
                self._refused.append((event.node, event.move))
            case Call() if event.reply is not None:
                self._answers[event.node] = event.ask, event.copied
            case Decided():
                ask, copied = self._answers.get(event.node or "", (0, False))
                before = self._parent.seat_before(event.seat, event.turn) if self._parent else None
                origin = MoveOrigin(
                    turn=event.turn,
                    of_model=(before.model if before else self._models[event.seat])
                    not in (PROGRAM, PERSON),
                    forced=event.forced,
                    refused=tuple(move for _, move in self._refused),
                    refused_by_rule=sum(
                        judge.partition("-")[0] == RULE for judge, _ in self._refused
                    ),
                    second_ask=ask > 0,
                    copied=copied,
                )
                self._refused.clear()
                self._answers.clear()
                return origin
        return None


def origins(events: Iterable[Event]) -> Iterator[MoveOrigin]:
    """Of every move that was decided, oldest first."""
    find = MoveOrigins()
    for event in events:
        if (origin := find(event)) is not None:
            yield origin
