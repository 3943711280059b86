"""One probe: a position reached by legal moves from a stacked deck, a question, and the moves that keep a convention.

The deck is the probe's own and every move before the question was made by the pack's own program, so that Views,
history and beliefs are those of a real game in which everybody keeps to the pack.
"""

from collections.abc import Mapping
from functools import cached_property

from pydantic import Field

from experiments.record.rows import CONSTRUCTED
from experiments.record.story import Story
from orchestrator.hanabi.cards import Card
from orchestrator.hanabi.move_reading import Grounded
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.referee import Referee, rebuild
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event, GameStarted, Moved, SeatInfo, TurnStarted
from orchestrator.models.settings import PROGRAM
from orchestrator.table import game_loop
from orchestrator.table.seat import Decision
from orchestrator.values import Frozen

STORY = CONSTRUCTED
"""The graph of a seat whose moves the probe gives."""
GIVEN = SeatInfo(graph=STORY, model=PROGRAM)
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
    """What the position asks, in a sentence."""
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
    """What players of other conventions would do, by name; a move of the set is as good as another."""
    apart: tuple[str, ...]
    """Those of `others` none of whose moves keeps the convention: the probe tells them from a player who keeps it."""

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
        """What the asked player may know."""
        return self.referee.view()

    @property
    def seat(self) -> int:
        """Who is asked."""
        return self.view.seat

    @property
    def chance(self) -> float:
        """The probability that a legal move drawn at random keeps the convention."""
        return len(self.answers) / len(self.view.legal)

    def share(self, other: str) -> float:
        """The probability that a player of another convention keeps this one here."""
        moves = self.others[other]
        return sum(move in self.answers for move in moves) / len(moves)

    def keeps(self, move: Move) -> bool:
        """Whether a move keeps the convention."""
        return move in self.answers

    def started(self, seats: tuple[SeatInfo, ...] = ()) -> GameStarted:
        """The first event of the game; `seats` sit there instead of the story's."""
        cast = [_Named(info) for info in seats or (GIVEN,) * self.players]
        return game_loop.start(cast, players=self.players, deck=self.deck, label=self.name)

    def events(self) -> list[Event]:
        """The story as the events of a journal, up to the question, which is not decided."""
        referee, made = Referee(self.players, self.deck), list[Event]([self.started()])
        for move in self.moves:
            view = referee.view()
            decided = game_loop.decided_event(view.turn, view.seat, Decision(move, BECAUSE), {})
            made += [
                TurnStarted(turn=view.turn, seat=view.seat, view=view),
                decided,
                Moved(past=referee.apply(move)),
            ]
        view = referee.view()
        return [*made, TurnStarted(turn=view.turn, seat=view.seat, view=view)]

    @property
    def story(self) -> Story:
        """The game so far, turn by turn."""
        return Story.read(self.events())


class _Named:
    """A seat that is only described."""

    def __init__(self, info: SeatInfo) -> None:
        self.info = info

    def bind(self, context: object) -> "_Named":
        return self

    async def __call__(self, view: View, memory: Mapping[str, object], /) -> Decision:
        raise AssertionError("nobody asks this seat")

    async def aclose(self) -> None:
        """Nothing is open."""
