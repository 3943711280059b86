"""/api/person: games that persons play on the page; who has no token of a seat learns nothing of
it.

A game runs in a thread of its own and waits for their moves. Whatever leaves it for a browser goes
through `person_view`.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from pathlib import Path
from threading import RLock, Thread
from typing import Any

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page import person_setup, person_view
from hanabi_orchestrator.experiments.page.library import (
    PERSONS,
    SUFFIX,
    Library,
    NotThereError,
    OutsideError,
)
from hanabi_orchestrator.experiments.page.named_models import NamedModels
from hanabi_orchestrator.experiments.page.person_setup import Setup
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study import seat_spec
from hanabi_orchestrator.experiments.tasks.games import single_game
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import Left, Suspended, UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED, Referee
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Event,
    GameEnded,
    GameStarted,
    Moved,
    Result,
)
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.players.person import Person
from hanabi_orchestrator.orchestrator.players.typed_move import typed_move
from hanabi_orchestrator.orchestrator.table import game_loop
from hanabi_orchestrator.orchestrator.table.seat import Decision

LEFT = "left"
"""The reason of a game's stop: a person left it."""
PARTNER = "partner"
"""A partner's turn failed, or their model gave no answer."""
WHY = {
    LEFT: "The game was left. It is kept, and goes on as soon as a seat is taken again.",
    PARTNER: (
        "A partner gave no move. The terminal of the server says why; the game is kept and can be "
        "continued."
    ),
}
PRIVATE = 0o600
"""The mode of a file that its owner alone may read and write."""
STOPS_S = 2.0
"""Seconds in which a game that was left closes its journal."""
LONGEST = 2000
"""Characters of a reason that a person gives."""
AT_ONCE = 16
"""Games that persons can play at the same time."""
SHOWN = 30
"""Games in the list."""


@dataclass(frozen=True)
class Question:
    """A person is to move."""

    view: View
    answer: "asyncio.Future[Decision]"

    def settle(self, answer: Callable[[], None]) -> None:
        """Answer it from another thread, unless it is answered."""

        def unless_done() -> None:
            if not self.answer.done():
                answer()

        self.answer.get_loop().call_soon_threadsafe(unless_done)


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
        """Moves that the journal held when the game went on; before they are read again, nothing is
        shown."""
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
        self._keep_private()
        with self._lock:
            if self.result is not None or self.plays:
                return
            self.stop_reason = None
            self._referee = None
            events = journal.read(self.path) if self.path.exists() else []
            if events and isinstance(events[-1], GameEnded):
                for event in events:
                    self._see(event)
                return
            if (model := self.setup.model) not in models.choices:
                raise UserError(
                    f"its partners ask {model}; start the server with --model {model} to go on "
                    "with it"
                )
            game = self._game(models.layer(), events)
            self._thread = Thread(target=self._run, args=(game,), name=self.id, daemon=True)
            self._thread.start()

    def _game(self, layer: ModelLayer, events: Sequence[Event]) -> single_game.SingleGame:
        """Return the game, which may have begun. Raises UserError for partners that cannot be
        seated."""
        setup = self.setup
        setup.check()
        config = graphs.read(setup.config)
        named = single_game.models(
            seat_spec.configs(config, setup.specs, setup.players), setup.model
        )
        person = Person(self._ask)
        cast = seat_spec.table(
            config, setup.specs, setup.players, named=named, layer=layer, person=person
        )
        self._before = sum(isinstance(event, Moved) for event in events)
        first = next(iter(events), None)
        if setup.seed is None:
            deal = secrets.randbelow(MAX_SEED)
        else:
            deal = setup.seed
        if isinstance(first, GameStarted):
            seed = first.seed
        else:
            seed = deal
        start = partial(game_loop.start, players=setup.players, seed=seed)
        return single_game.SingleGame(cast, start(cast), self.path, layer)

    @property
    def plays(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _keep_private(self) -> None:
        """Let nobody else on this machine read the journal, which holds the deck. Raises
        UserError."""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, PRIVATE))
            self.path.chmod(PRIVATE)
        except OSError as error:
            raise UserError(
                f"cannot write the journal {str(self.path)!r}: {error.strerror}"
            ) from None

    def _run(self, game: single_game.SingleGame) -> None:
        try:
            asyncio.run(game.play(self._see))
        except Exception as error:
            was_left = isinstance(error, Suspended) and self.stop_reason == LEFT
            if not was_left:  # the sentence stays here: a server's may quote a partner's prompt
                log.warning("a game of a person stopped", game=self.id, why=str(error))
            with self._lock:
                self.stop_reason = LEFT if was_left else PARTNER
                self._question = None

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
        question = Question(view, asyncio.get_running_loop().create_future())
        with self._lock:
            self._question = question
        return await question.answer

    # What browsers ask

    def move(self, seat: int, turn: int, text: str, why: str) -> str | None:
        """Make a person's move, or say why a text is none. Raises UserError when it is not their
        turn."""
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
        """Suspend the game, if it waits for a person; a partner's turn is played to its end
        first."""
        with self._lock:
            question = self._question
            self._question = None
            if question is None:
                return
            self.stop_reason = LEFT
        question.settle(
            lambda: question.answer.set_exception(Left(f"P{question.view.seat} left the table"))
        )

    def close(self) -> None:
        """Leave, and wait until the journal is closed."""
        self.leave()
        if self._thread:
            self._thread.join(STOPS_S)

    def seen(self, seat: int, since: int) -> Json:
        """Return what a person may know, from the turn `since`; the deal is told when the game is
        over."""
        with self._lock:
            views = self._views[seat] if len(self._views[seat]) > self._before else []
            mine = self._question is not None and self._question.view.seat == seat
            seats = []
            for number in range(self.setup.players):
                if number in self.setup.seats:
                    sitting = {"seat": number, "graph": "person", "model": ""}
                else:
                    setup = self.setup
                    sitting = {"seat": number, "graph": setup.graph, "model": setup.model}
                seats.append(sitting)
            if self.result:
                state = "over"
            else:
                state = "stopped" if self.stop_reason else "going"
            return {
                "id": self.id,
                "seat": seat,
                "players": self.setup.players,
                "seats": seats,
                "state": state,
                "why": WHY[self.stop_reason] if self.stop_reason and not self.result else None,
                "yours": mine,
                "legal": person_view.legal(self._question.view) if mine and self._question else [],
                "turns": person_view.frames(views, since),
                "turn": views[-1].turn if views else 0,
                "result": self.result.model_dump(mode="json") if self.result else None,
            }


class PersonTables:
    """The games of persons of an opened folder. They begin and go on when somebody asks for their
    seat."""

    def __init__(self, library: Library, models: NamedModels) -> None:
        self.folder: Path = library.root / PERSONS
        self.models = models
        self._lock = RLock()
        self._open: dict[str, PersonTable] = {}

    def offers(self) -> Json:
        """Return what a game can be made of, and the games that there are; no tokens, and no
        deals."""
        games = []
        for name in person_setup.names(self.folder)[:SHOWN]:
            setup = person_setup.read(self.folder, name)
            result = None
            with suppress(UserError):
                result = Game.open(self.folder / f"{name}.jsonl").result
            data = setup.model_dump(include={"graph", "model", "players", "seats"}) if setup else {}
            games.append(
                {"id": f"{PERSONS}/{name}", **data, "score": result.score_kept if result else None}
            )
        return {
            "graphs": graphs.names(),
            "partners": [f"{partners.PREFIX}{name}" for name in partners.names()],
            "models": list(self.models.choices),
            "games": games,
        }

    def start(self, query: Mapping[str, Any]) -> Json:
        """Start a new game. Raises UserError."""
        setup = Setup.of(query, self.models.choices)
        with self._lock:
            name = setup.store(self.folder)
            table = self._open[name] = PersonTable(self.folder, name, setup)
        try:
            self._go_on(table)
        except UserError:
            del self._open[name]
            for suffix in (person_setup.SUFFIX, SUFFIX):
                (self.folder / f"{name}{suffix}").unlink(missing_ok=True)
            raise
        return {
            "id": table.id,
            "seats": [{"seat": seat, "token": token} for seat, token in setup.tokens.items()],
        }

    def seat(self, query: Mapping[str, Any]) -> Json:
        """Return the seat of a token, which goes on with its game. Raises OutsideError for a wrong
        token."""
        table, seat = self._seat(query)
        if not (table.stop_reason and query.get("wait")):
            self._go_on(table)
        since = query.get("since")
        return table.seen(seat, since if isinstance(since, int) else 1)

    def _go_on(self, table: PersonTable) -> None:
        """Play a game, as long as there are not too many. Raises UserError."""
        with self._lock:
            playing = sum(game.plays for game in self._open.values() if game is not table)
            if playing >= AT_ONCE and table.result is None:
                raise UserError(
                    f"{playing} games are being played here, the most at a time; finish or leave "
                    "one first"
                )
            table.go_on(self.models)

    def move(self, query: Mapping[str, Any]) -> Json:
        """Make a move; a text that is no legal move is not taken. Raises UserError out of turn."""
        table, seat = self._seat(query)
        turn, text, why = (query.get(name) for name in ("turn", "move", "why"))
        if (
            not isinstance(turn, int)
            or not isinstance(text, str)
            or not isinstance(why, str | None)
        ):
            raise UserError("a move has a turn, a text and perhaps a reason")
        problem = table.move(seat, turn, text, why or "")
        return {"taken": problem is None, "why": problem}

    def leave(self, query: Mapping[str, Any]) -> Json:
        self._seat(query)[0].leave()
        return {"left": True}

    def links(self) -> list[str]:
        """Return the addresses of the seats of all games that are not over, for the server's
        terminal."""
        games = (game for game in self.offers()["games"] if game["score"] is None)
        tables = (self._table(game["id"].removeprefix(f"{PERSONS}/")) for game in games)
        links = []
        for table in filter(None, tables):
            for seat, token in table.setup.tokens.items():
                links.append(f"#/person?id={table.id}&seat={seat}&token={token}")
        return links

    def close(self) -> None:
        """Suspend all games."""
        for table in self._open.values():
            table.close()

    def _table(self, name: str) -> PersonTable | None:
        with self._lock:
            if name not in self._open and (setup := person_setup.read(self.folder, name)):
                self._open[name] = PersonTable(self.folder, name, setup)
            return self._open.get(name)

    def _seat(self, query: Mapping[str, Any]) -> tuple[PersonTable, int]:
        """Return the seat that a query has the token of. Raises NotThereError and OutsideError."""
        id, seat, token = (query.get(name) for name in ("id", "seat", "token"))
        folder, _, name = str(id).rpartition("/")
        table = self._table(name) if folder == PERSONS else None
        if table is None:
            raise NotThereError(f"there is no game {str(id)[:200]!r} of a person here")
        if isinstance(seat, int):
            secret = table.setup.tokens.get(seat, secrets.token_urlsafe(16))
        else:
            secret = ""
        if not isinstance(seat, int) or not compare_digest(secret.encode(), str(token).encode()):
            raise OutsideError("this link does not open that seat; ask for the seat's own link")
        return table, seat

    @property
    def commands(self) -> dict[str, Callable[[Mapping[str, Any]], Json]]:
        """By their address: what changes something, or needs a token."""
        return {
            "person/start": self.start,
            "person/seat": self.seat,
            "person/move": self.move,
            "person/leave": self.leave,
        }
