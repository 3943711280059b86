"""A game at somebody else's table, as our seats see it: their memories and its journal.

Nobody tells the deck, so the journal's is what our seats have seen of it, with the rest in an order that fits; it is
written anew as more is seen. Turns of others have no decision in the journal, only their move.
"""

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from hanabi_orchestrator.orchestrator.errors import IllegalMove, UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.hanabi.determinize import determinized_deck, fits
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Memory,
    Moved,
    Result,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.journal.game_so_far import GameSoFar, differences
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.orchestrator.table.game_loop import decided_event, result_of, start
from hanabi_orchestrator.orchestrator.table.seat import (
    Decision,
    GameContext,
    JournaledSeat,
    Seat,
    at_once,
)


async def outside(view: View, memory: Memory, /) -> Decision:
    """Sits where somebody else plays, and is never asked."""
    raise AssertionError("somebody else plays this seat")


class OutsideGame:
    """One game, from the first turn of one of our seats on; `view`: what that seat saw then.

    `seats`: by seat, `outside` where somebody else plays. `seed`, `label` and `repeat` are those of `play`; `path`: the
    file for its journal. Raises UserError where the journal holds another game, and for a seat that cheats.
    """

    def __init__(
        self,
        seats: Sequence[Seat],
        view: View,
        seed: int | None,
        label: str | None,
        repeat: int,
        path: Path | None,
    ) -> None:
        deck = None if seed is not None else determinized_deck(view)
        started = start(
            seats, players=view.players, seed=seed, deck=deck, label=label, repeat=repeat
        )
        if any(seat.own_hand for seat in started.seats):
            raise UserError(
                "a seat that sees its own hand needs a table that shows it, so it cannot play here"
            )
        self.views: dict[int, View] = {}
        """By seat of ours, its view at its last turn."""
        self._seats = seats
        self._memories: dict[int, Memory] = {}
        self._journal = None if path is None else Journal(path)
        self._events: list[Event] = list(self._journal.events) if self._journal else []
        self._ledger = Ledger()
        for event in self._events:
            self._ledger(event)
        self._resume()
        try:
            self.started = self._checked(started)
        except UserError:
            self.close()
            raise
        self._decided = {event.turn: event for event in self._events if isinstance(event, Decided)}
        self._recorded_views = {
            event.turn: event.view for event in self._events if isinstance(event, TurnStarted)
        }
        self._moves = self._so_far.moves
        if not self._events:
            self._emit(self.started)

    @property
    def turn(self) -> int:
        """The last turn in which a seat of ours moved."""
        return max((view.turn for view in self.views.values()), default=0)

    def _checked(self, started: GameStarted) -> GameStarted:
        """Return the beginning of this game as the journal has it. Raises UserError where that is another game."""
        if (before := self._so_far.started) is None or self._journal is None:
            return started
        if changed := differences(
            before, _with_deck(started, before.deck) if started.seed is None else started
        ):
            raise UserError(f"{self._journal.path} holds another game: {'; '.join(changed)}")
        return before

    def _resume(self) -> None:
        """Go on from the events so far: answered calls of an unfinished turn are not made again."""
        self._so_far = GameSoFar.from_events(self._events)
        self._bound: dict[int, Seat] = {}

    def _emit(self, event: Event) -> None:
        """Record an event, unless it is recorded already."""
        if self._so_far.holds(event):
            return
        self._ledger(event)
        self._events.append(event)
        if self._journal:
            self._journal(event)

    async def move(self, view: View) -> Move:
        """Return the move of the seat that has this view. Raises IllegalMove, and TurnError when the turn fails."""
        self._follow(view)
        if (decided := self._decided.get(view.turn)) is None:
            self._emit(TurnStarted(turn=view.turn, seat=view.seat, view=view))
            try:
                decision = await self._seat(view.seat)(view, self._memories.get(view.seat, {}))
            except BaseException:
                self._resume()
                raise
            decided = decided_event(view.turn, view.seat, decision, {})
            if decided.move not in view.legal:
                raise IllegalMove(f"{decided.move} is not legal on turn {view.turn}")
            self._emit(decided)
            self._decided[view.turn] = decided
        self._memories[view.seat] = dict(decided.model_dump(mode="json")["memory"])
        self.views[view.seat] = view
        move: Move = decided.move
        return move

    def finish(self, view: View) -> Result:
        """Return how the game ended, or how it stands, as anybody sees it now; a journal of it is closed at its end."""
        self._follow(view)
        if self._so_far.result is not None:
            return self._so_far.result
        referee = rebuild(view.players, self.started.deck, self._moves)
        result = result_of(referee, self.started, self._ledger)
        if referee.over:
            self._emit(GameEnded(result=result))
            self._resume()
            self.close()
        return result

    def close(self) -> None:
        if self._journal:
            self._journal.close()

    def _follow(self, view: View) -> None:
        """Record the moves since our last turn, and the cards seen. Raises UserError where it is another game."""
        moves = [past.move for past in view.history]
        same = len(
            list(takewhile(lambda pair: pair[0] == pair[1], zip(self._moves, moves, strict=False)))
        )
        if (
            same < min(len(self._moves), len(moves))
            or self._recorded_views.get(view.turn, view) != view
        ):
            raise UserError(
                f"the journal or the last turn was of another game: turn {same + 1} is not the same"
            )
        if (
            self._so_far.result is not None
            or len(moves) < len(self._moves)
            or view.turn in self._decided
        ):
            return  # the journal holds all of it already
        self._see(view)
        for past in view.history[len(self._moves) :]:
            self._emit(Moved(past=past.model_copy(update={"drew": None})))
        self._moves = moves

    def _see(self, view: View) -> None:
        """Put the cards that were seen into the deck. Raises UserError where the seed deals others."""
        if self.started.seed is not None:
            if not fits(self.started.deck, view):
                raise UserError(f"this game has other cards than those of seed {self.started.seed}")
            return
        self.started = _with_deck(self.started, determinized_deck(view, *self.views.values()))
        if self._events and self._events[0] != self.started:
            self._events[0] = self.started
            if self._journal:
                self._journal.begin_with(self.started)

    def _seat(self, seat: int) -> Seat:
        if seat not in self._bound:
            game = self.started
            ours = self._seats[seat]
            flush = self._journal.flush if self._journal else at_once
            context = GameContext(self._emit, game.game, game.repeat, flush, self._so_far.answered)
            self._bound[seat] = ours.bind(context) if isinstance(ours, JournaledSeat) else ours
        return self._bound[seat]


def _with_deck(started: GameStarted, deck: tuple[Card, ...]) -> GameStarted:
    seats = [seat.model_dump(mode="json") for seat in started.seats]
    hash_ = fingerprint.of_game(started.players, deck, started.repeat, seats)
    return started.model_copy(update={"deck": deck, "config_hash": hash_})
