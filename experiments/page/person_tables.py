"""/api/person: all games that persons play on the page; who has no token of a seat learns nothing of it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from threading import RLock
from typing import Any

import graphs
from experiments.page import person_setup
from experiments.page.library import PERSONS, Library, NotThereError, OutsideError
from experiments.page.named_models import NamedModels
from experiments.page.person_setup import Setup
from experiments.page.person_table import PersonTable
from experiments.page.spoken import Json
from experiments.record.game import Game
from orchestrator.errors import UserError
from orchestrator.players import partners

SHOWN = 30
"""Games in the list."""


class PersonTables:
    """The games of persons of an opened folder. They begin and go on when somebody asks for their seat."""

    def __init__(self, library: Library, models: NamedModels) -> None:
        self.folder: Path = library.root / PERSONS
        self.models = models
        self._lock = RLock()
        self._open: dict[str, PersonTable] = {}

    def offers(self) -> Json:
        """Return what a game can be made of, and the games that there are; no tokens, and no deals."""
        games = []
        for name in person_setup.names(self.folder)[:SHOWN]:
            setup, result = person_setup.read(self.folder, name), None
            with suppress(UserError):
                result = Game.open(self.folder / f"{name}.jsonl").result
            data = setup.model_dump(include={"graph", "model", "players", "seats"}) if setup else {}
            games.append({"id": f"{PERSONS}/{name}", **data, "score": result.score_kept if result else None})
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
            table.go_on(self.models)
        except UserError:
            del self._open[name]
            (self.folder / f"{name}{person_setup.SUFFIX}").unlink()
            raise
        return {"id": table.id, "seats": [{"seat": seat, "token": token} for seat, token in setup.tokens.items()]}

    def seat(self, query: Mapping[str, Any]) -> Json:
        """Return the seat of a token, which goes on with its game. Raises OutsideError for a wrong token."""
        table, seat = self._seat(query)
        if not (table.stop_reason and query.get("wait")):
            table.go_on(self.models)
        since = query.get("since")
        return table.seen(seat, since if isinstance(since, int) else 1)

    def move(self, query: Mapping[str, Any]) -> Json:
        """Make a move; a text that is no legal move is not taken. Raises UserError out of turn."""
        table, seat = self._seat(query)
        turn, text, why = (query.get(name) for name in ("turn", "move", "why"))
        if not isinstance(turn, int) or not isinstance(text, str) or not isinstance(why, str | None):
            raise UserError("a move has a turn, a text and perhaps a reason")
        problem = table.move(seat, turn, text, why or "")
        return {"taken": problem is None, "why": problem}

    def leave(self, query: Mapping[str, Any]) -> Json:
        self._seat(query)[0].leave()
        return {"left": True}

    def links(self) -> list[str]:
        """Return the addresses of the seats of all games that are not over, for the server's terminal."""
        games = (game for game in self.offers()["games"] if game["score"] is None)
        tables = (self._table(game["id"].removeprefix(f"{PERSONS}/")) for game in games)
        return [
            f"#/person?id={table.id}&seat={seat}&token={token}"
            for table in tables
            if table
            for seat, token in table.setup.tokens.items()
        ]

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
        secret = table.setup.tokens.get(seat, token_urlsafe(16)) if isinstance(seat, int) else ""
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
