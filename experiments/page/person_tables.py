"""/api/person: all games that persons play on the page; who has no token of a seat learns nothing of it."""

from collections.abc import Callable, Mapping
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
from experiments.page.person_table import PersonTable, links
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

    def offered(self) -> Json:
        """What a game can be made of, and the games that there are; no tokens, and no deals."""
        return {
            "graphs": graphs.names(),
            "partners": [f"{partners.PREFIX}{name}" for name in partners.names()],
            "models": list(self.models.offered),
            "games": [self._listed(name) for name in person_setup.names(self.folder)[:SHOWN]],
        }

    def _listed(self, name: str) -> Json:
        setup = person_setup.read(self.folder, name)
        try:
            over = Game.open(self.folder / f"{name}.jsonl").result
        except UserError:
            over = None
        told = setup.model_dump(include={"graph", "model", "players", "seats"}) if setup else {}
        return {"id": f"{PERSONS}/{name}", **told, "score": over.score_kept if over else None}

    def start(self, asked: Mapping[str, Any]) -> Json:
        """A new game. Raises UserError."""
        setup = Setup.of(asked, self.models.offered)
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

    def seat(self, asked: Mapping[str, Any]) -> Json:
        """The seat of a token, which goes on with its game. Raises OutsideError for a wrong token."""
        table, seat = self._seated(asked)
        if not (table.stopped and asked.get("wait")):
            table.go_on(self.models)
        since = asked.get("since")
        return table.seen(seat, since if isinstance(since, int) else 1)

    def move(self, asked: Mapping[str, Any]) -> Json:
        """What became of a move: a text that is no legal move is not taken. Raises UserError out of turn."""
        table, seat = self._seated(asked)
        turn, text, why = (asked.get(name) for name in ("turn", "move", "why"))
        if not isinstance(turn, int) or not isinstance(text, str) or not isinstance(why, str | None):
            raise UserError("a move has a turn, a text and perhaps a reason")
        problem = table.move(seat, turn, text, why or "")
        return {"taken": problem is None, "why": problem}

    def leave(self, asked: Mapping[str, Any]) -> Json:
        self._seated(asked)[0].leave()
        return {"left": True}

    def links(self) -> list[str]:
        """The addresses of the seats of all games that are not over, for the server's terminal."""
        names = [one["id"].removeprefix(f"{PERSONS}/") for one in self.offered()["games"] if one["score"] is None]
        return links([table for name in names if (table := self._table(name))])

    def close(self) -> None:
        """Suspend all games."""
        for table in self._open.values():
            table.close()

    def _table(self, name: str) -> PersonTable | None:
        with self._lock:
            if name not in self._open and (setup := person_setup.read(self.folder, name)):
                self._open[name] = PersonTable(self.folder, name, setup)
            return self._open.get(name)

    def _seated(self, asked: Mapping[str, Any]) -> tuple[PersonTable, int]:
        id, seat, token = (asked.get(name) for name in ("id", "seat", "token"))
        folder, _, name = str(id).rpartition("/")
        table = self._table(name) if folder == PERSONS else None
        if table is None:
            raise NotThereError(f"there is no game {str(id)[:200]!r} of a person here")
        if not isinstance(seat, int) or not compare_digest(_secret(table, seat), str(token).encode()):
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


def _secret(table: PersonTable, seat: int) -> bytes:
    """The token of a seat; one that nobody knows where there is none."""
    return table.setup.tokens.get(seat, token_urlsafe(16)).encode()
