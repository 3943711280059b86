"""A game that persons play on the page: it runs in a thread of its own and waits for their moves.

Whatever leaves it for a browser goes through `person_view`.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import RLock, Thread

import graphs
from experiments.page import person_view
from experiments.page.library import PERSONS
from experiments.page.named_models import NamedModels
from experiments.page.person_setup import Setup
from experiments.page.spoken import Json
from experiments.study import seat_spec
from experiments.tasks.games import single_game
from orchestrator import journal
from orchestrator.errors import Left, Suspended, UserError
from orchestrator.hanabi.referee import MAX_SEED, Referee
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Event, GameEnded, GameStarted, Moved, Result
from orchestrator.logs import log
from orchestrator.models.layer import ModelLayer
from orchestrator.players.person import Person
from orchestrator.players.typed_move import typed_move
from orchestrator.table import game_loop
from orchestrator.table.seat import Decision

LEFT = "left"
"""The reason of a game's stop: a person left it."""
PARTNER = "partner"
"""A partner's turn failed, or their model gave no answer."""
WHY = {
    LEFT: "The game was left. It is kept, and goes on as soon as a seat is taken again.",
    PARTNER: "A partner gave no move. The terminal of the server says why; the game is kept and can be continued.",
}
STOPS_S = 2.0
"""Seconds in which a game that was left closes its journal."""
LONGEST = 2000
"""Characters of a reason that a person gives."""


@dataclass(frozen=True)
class Question:
    """A person is to move."""

    view: View
    loop: asyncio.AbstractEventLoop
    answer: "asyncio.Future[Decision]"

    def settle(self, answer: Callable[[], None]) -> None:
        """Answer it from another thread, unless it is answered."""
        self.loop.call_soon_threadsafe(lambda: None if self.answer.done() else answer())


class PersonTable:
    """A game that persons play."""

    def __init__(self, folder: Path, name: str, setup: Setup) -> None:
        self.name = name
        self.path = folder / f"{name}.jsonl"
        self.setup = setup
        self.result: Result | None = None
        self.stop_reason: str | None = None
        self._lock = RLock()
        self._question: Question | None = None
        self._thread: Thread | None = None
        self._referee: Referee | None = None
        self._before = 0
        """Moves that the journal held when the game went on; before they are read again, nothing is shown."""
        self._views: dict[int, list[View]] = {seat: [] for seat in setup.seats}
        """By person's seat: what they may know before each turn, the present one included."""

    @property
    def id(self) -> str:
        return f"{PERSONS}/{self.name}"

    # Running

    def go_on(self, models: NamedModels) -> None:
        """Play, in a thread of its own, unless it plays already or is over.

        `models`: those that may be asked. Raises UserError for partners that cannot be seated.
        """
        if self.stop_reason and self._thread:
            self._thread.join(STOPS_S)
        with self._lock:
            if self.result is not None or (self._thread and self._thread.is_alive()):
                return
            self.stop_reason, self._referee = None, None
            events = journal.read(self.path) if self.path.exists() else []
            if events and isinstance(events[-1], GameEnded):
                for event in events:
                    self._see(event)
                return
            if (model := self.setup.model) not in models.choices:
                raise UserError(f"its partners ask {model}; start the server with --model {model} to go on with it")
            game = self._game(models.layer(), events)
            self._thread = Thread(target=self._run, args=(game,), name=self.id, daemon=True)
            self._thread.start()

    def _game(self, layer: ModelLayer, events: Sequence[Event]) -> single_game.SingleGame:
        """Return the game, which may have begun. Raises UserError for partners that cannot be seated."""
        setup = self.setup
        setup.check()
        config = graphs.read(setup.config)
        named = single_game.models(seat_spec.configs(config, setup.specs, setup.players), setup.model)
        person = Person(self._ask)
        cast = seat_spec.table(config, setup.specs, setup.players, named=named, layer=layer, person=person)
        self._before = sum(isinstance(event, Moved) for event in events)
        first = next(iter(events), None)
        deal = secrets.randbelow(MAX_SEED) if setup.seed is None else setup.seed
        seed = first.seed if isinstance(first, GameStarted) else deal
        start = partial(game_loop.start, players=setup.players, seed=seed)
        return single_game.SingleGame(cast, start(cast), self.path, layer)

    def _run(self, game: single_game.SingleGame) -> None:
        try:
            asyncio.run(game.play(self._see))
        except Exception as error:
            left = isinstance(error, Suspended) and self.stop_reason == LEFT
            if not left:  # the sentence stays here: a server's may quote a partner's prompt
                log.warning("a game of a person stopped", game=self.id, why=str(error))
            with self._lock:
                self.stop_reason, self._question = LEFT if left else PARTNER, None

    def _see(self, event: Event) -> None:
        """Keep the Views of the persons' seats."""
        with self._lock:
            if isinstance(event, GameStarted):
                self._referee = Referee(event.players, event.deck)
                self._views = {seat: [self._referee.view(seat)] for seat in self.setup.seats}
            elif isinstance(event, Moved) and self._referee:
                self._referee.apply(event.past.move)
                for seat, views in self._views.items():
                    views.append(self._referee.view(seat))
            elif isinstance(event, GameEnded):
                self.result = event.result

    async def _ask(self, view: View, problem: str | None) -> Decision:
        loop = asyncio.get_running_loop()
        question = Question(view, loop, loop.create_future())
        with self._lock:
            self._question = question
        return await question.answer

    # What browsers ask

    def move(self, seat: int, turn: int, text: str, why: str) -> str | None:
        """Make a person's move, or say why a text is none. Raises UserError when it is not their turn."""
        with self._lock:
            question = self._question
            if question is None or (question.view.seat, question.view.turn) != (seat, turn):
                raise UserError("it is not your turn now")
            try:
                move, because = typed_move(text, question.view)
            except ValueError as error:
                return str(error)
            self._question = None
        decision = Decision(move, (why or because)[:LONGEST])
        question.settle(lambda: question.answer.set_result(decision))
        return None

    def leave(self) -> None:
        """Suspend the game, if it waits for a person; a partner's turn is played to its end first."""
        with self._lock:
            question, self._question = self._question, None
            if question is None:
                return
            self.stop_reason = LEFT
        question.settle(lambda: question.answer.set_exception(Left(f"P{question.view.seat} left the table")))

    def close(self) -> None:
        """Leave, and wait until the journal is closed."""
        self.leave()
        if self._thread:
            self._thread.join(STOPS_S)

    def seen(self, seat: int, since: int) -> Json:
        """What a person may know, from the turn `since`; the deal is told when the game is over."""
        with self._lock:
            views = self._views[seat] if len(self._views[seat]) > self._before else []
            now = views[-1] if views else None
            mine = self._question is not None and self._question.view.seat == seat
            return {
                "id": self.id,
                "seat": seat,
                "players": self.setup.players,
                "seats": [
                    {"seat": number, "graph": "person", "model": ""}
                    if number in self.setup.seats
                    else {"seat": number, "graph": self.setup.graph, "model": self.setup.model}
                    for number in range(self.setup.players)
                ],
                "state": "over" if self.result else "stopped" if self.stop_reason else "going",
                "why": WHY[self.stop_reason] if self.stop_reason and not self.result else None,
                "yours": mine,
                "legal": person_view.legal(self._question.view) if mine and self._question else [],
                "turns": person_view.frames(views, since),
                "turn": now.turn if now else 0,
                "result": self.result.model_dump(mode="json") if self.result else None,
            }
