"""The page's server: its addresses, and the loop that serves them on 127.0.0.1."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from experiments.page import assets, beliefs, game_page, games_table, guard, prompts, spoken, turn_page
from experiments.page.forks import Forks
from experiments.page.games import Games
from experiments.page.library import Library, NotThereError, OutsideError
from experiments.page.named_models import NamedModels
from experiments.page.person_tables import PersonTables
from experiments.page.role_marks import RoleMarks
from experiments.page.run_page import RunPage
from experiments.page.strips import Strips
from experiments.page.values import Values
from experiments.study.metric import headline
from experiments.values.rollout_store import FOLDER
from orchestrator.errors import UserError
from orchestrator.logs import log

Asked = Mapping[str, str]
"""The parameters of an address."""


@dataclass(frozen=True)
class Api:
    """The answers of the page's server, by what is asked: also what a bundle holds."""

    games: Games
    run_page: RunPage
    values: Values
    strips: Strips
    forks: Forks
    persons: PersonTables
    marks: RoleMarks

    @classmethod
    def of(cls, library: Library, models: NamedModels = NamedModels()) -> "Api":  # noqa: B008  # frozen
        """`models`: those that may be asked. Raises UserError for a run.yaml that cannot be read."""
        games, run = Games(library), library.run()
        own = library.kind == "run"
        folder = library.root / FOLDER if own else Path(mkdtemp(prefix="hanabi-values-"))
        metric = headline(run).score
        persons = PersonTables(library, models)
        forks = Forks(games, models)
        values, strips, marks = Values(folder, metric), Strips(folder, metric), RoleMarks(folder)
        made = cls(games, RunPage(games), values, strips, forks, persons, marks)
        if not own:
            finalize(made, rmtree, folder, ignore_errors=True)
        return made

    def close(self) -> None:
        """End what is computed in the background."""
        self.strips.close()
        self.persons.close()

    def version(self, _: Asked) -> Any:
        shelf = self.games.shelf()
        return {"version": shelf.version, "going": shelf.going}

    def run(self, _: Asked) -> Any:
        return self.run_page.data(self.games.shelf()) | {"fork": self.forks.offered()}

    def table(self, _: Asked) -> Any:
        return games_table.table(self.games.shelf(), self.strips.swing)

    def game(self, asked: Asked) -> Any:
        game = self.games.game(asked.get("id", ""))
        return game_page.game(game, self.games.standing(game.name))

    def turn(self, asked: Asked) -> Any:
        return turn_page.turn(self._game(asked), spoken.number(asked, "turn"))

    def prompt(self, asked: Asked) -> Any:
        return prompts.prompt(self._game(asked), spoken.number(asked, "turn"), asked.get("key", ""))

    def beliefs(self, asked: Asked) -> Any:
        seat = spoken.number(asked, "seat") if "seat" in asked else None
        return beliefs.beliefs(self._game(asked), spoken.number(asked, "turn"), seat)

    def turn_values(self, asked: Asked) -> Any:
        return self.values.of_turn(self._game(asked), spoken.number(asked, "turn"))

    def role_marks(self, asked: Asked) -> Any:
        return self.marks.of_turn(self._game(asked), spoken.number(asked, "turn"))

    def strip(self, asked: Asked) -> Any:
        return self.strips.of(self._game(asked))

    def compare(self, asked: Asked) -> Any:
        return game_page.compared(*(self.games.game(asked.get(name, "")) for name in ("a", "b")))

    def _game(self, asked: Asked) -> Any:
        return self.games.game(asked.get("id", ""))

    def fork(self, asked: Mapping[str, Any]) -> Any:
        return self.forks.decided(self.games.game(str(asked.get("id", ""))), asked)

    @property
    def answers(self) -> dict[str, Callable[[Asked], Any]]:
        """By the last part of their address."""
        return {
            "version": self.version,
            "run": self.run,
            "games": self.table,
            "game": self.game,
            "turn": self.turn,
            "prompt": self.prompt,
            "beliefs": self.beliefs,
            "values": self.turn_values,
            "marks": self.role_marks,
            "strip": self.strip,
            "compare": self.compare,
            "person": lambda _: self.persons.offered(),
        }

    @property
    def commands(self) -> dict[str, Callable[[Mapping[str, Any]], Any]]:
        """By the last part of the address to which they are sent."""
        return {"fork": self.fork, **self.persons.commands}


def app(library: Library, api: Api | None = None) -> ASGIApp:
    """The page of a library, as an ASGI application."""
    api = api or Api.of(library)
    routes = [
        Route("/", _index),
        *(Route(f"/api/{name}", _answering(answer)) for name, answer in api.answers.items()),
        *(Route(f"/api/{name}", _doing(command), methods=["POST"]) for name, command in api.commands.items()),
        Route("/files/{path:path}", _of_run(library)),
    ]
    made = Starlette(routes=routes, exception_handlers={HTTPException: _failed, Exception: _broken})
    made.mount("/static", StaticFiles(packages=[("experiments.page", "static")]))
    return guard.Guard(made)  # around everything, so that answers about errors are marked, too


def _index(_: Request) -> Response:
    page = assets.index()
    headers = {"content-security-policy": guard.policy(assets.script_hashes(page))}
    return Response(page, media_type="text/html", headers=headers)


def _answering(answer: Callable[[Asked], Any]) -> Callable[[Request], Response]:
    def answered(request: Request) -> Response:
        return _answer(lambda: answer(request.query_params))

    return answered


def _doing(command: Callable[[Mapping[str, Any]], Any]) -> Callable[[Request], Awaitable[Response]]:
    """A command: only the page's own scripts can send this header."""

    async def done(request: Request) -> Response:
        if request.headers.get("x-page") != "1":
            return _error("commands come from the page alone, with the header X-Page: 1", 403)
        try:
            asked = json.loads(await request.body())
            json.dumps(asked, ensure_ascii=False).encode()  # no lone surrogates, which no file takes
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _error("a command is one JSON object, in UTF-8", 400)
        return await run_in_threadpool(_answer, lambda: command(asked))

    return done


def _answer(made: Callable[[], Any]) -> Response:
    try:
        return Response(spoken.encoded(made()), media_type="application/json")
    except OutsideError as error:
        return _error(str(error), 403)
    except NotThereError as error:
        return _error(str(error), 404)
    except UserError as error:
        return _error(str(error), 400)
    except OSError as error:
        return _error(f"a file cannot be read: {error.strerror}", 404)


def _of_run(library: Library) -> Callable[[Request], Response]:
    """The report of a run, and its figures; nothing else of the folder."""

    def file(request: Request) -> Response:
        name = str(request.path_params["path"])
        if library.kind != "run" or not (name == "report.html" or _is_figure(name)):
            return _error(f"there is no file {name[:80]!r} here", 404)
        try:
            path = (library.root / name).resolve(strict=True)
            content = path.read_bytes() if path.is_relative_to(library.root) else None
        except (OSError, ValueError, RuntimeError):  # too long a name, a NUL in it, links in a circle
            content = None
        if content is None:
            return _error(f"there is no file {name[:80]!r} here", 404)
        kind = guess_type(path.name)[0] or "application/octet-stream"
        held = {"content-security-policy": guard.policy(styles="'unsafe-inline'").replace("script-src 'self'", "")}
        return Response(content, media_type=kind, headers=held)

    return file


def _is_figure(name: str) -> bool:
    parts = Path(name).parts
    return len(parts) == 2 and parts[0] == "figures" and parts[1] != ".." and name.endswith((".svg", ".png", ".csv"))


def _error(sentence: str, status: int) -> Response:
    return Response(spoken.encoded({"error": sentence}), status, media_type="application/json")


def _failed(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _error("there is nothing at this address" if status == 404 else str(getattr(error, "detail", error)), status)


def _broken(request: Request, error: Exception) -> Response:
    log.warning("the page failed", address=request.url.path, exc_info=error)
    return _error(f"the page failed: {type(error).__name__}", 500)
