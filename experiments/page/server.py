"""The page's server: its addresses, and the loop that serves them on 127.0.0.1."""

import asyncio
import json
import os
import socket
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from errno import EADDRINUSE
from functools import partial
from mimetypes import guess_type
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from hanabi_orchestrator.experiments.page import (
    assets,
    game_page,
    guard,
    run_page,
    spoken,
    turn_page,
)
from hanabi_orchestrator.experiments.page.forks import Forks
from hanabi_orchestrator.experiments.page.games import Games
from hanabi_orchestrator.experiments.page.library import Library, NotThereError, OutsideError
from hanabi_orchestrator.experiments.page.named_models import NamedModels
from hanabi_orchestrator.experiments.page.person_tables import PersonTables
from hanabi_orchestrator.experiments.page.run_page import RunPage
from hanabi_orchestrator.experiments.page.strips import Strips
from hanabi_orchestrator.experiments.page.values import RoleMarks, Values
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study.metric import headline
from hanabi_orchestrator.experiments.values.rollout_store import FOLDER
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.logs import log

Query = Mapping[str, str]
"""The parameters of an address."""


class Api:
    """The answers of the page's server, by what is asked: also what a bundle holds."""

    def __init__(self, library: Library, models: NamedModels = NamedModels()) -> None:  # noqa: B008  # frozen
        """`models`: those that may be asked. Raises UserError for a run.yaml that cannot be
        read."""
        is_run = library.kind == "run"
        metric = headline(library.run()).score
        if is_run:
            folder = library.root / FOLDER
        else:
            folder = Path(mkdtemp(prefix="hanabi-values-"))
        self.games = Games(library)
        self.persons = PersonTables(library, models)
        self.run_page = RunPage(self.games)
        self.forks = Forks(self.games, models)
        self.values = Values(folder, metric)
        self.strips = Strips(folder, metric)
        self.marks = RoleMarks(folder)
        if not is_run:
            finalize(self, rmtree, folder, ignore_errors=True)

    def close(self) -> None:
        """End what is computed in the background."""
        self.strips.close()
        self.persons.close()

    def ask(self, question: str, **query: str) -> Any:
        """Return the answer to a question of the page. Raises UserError for what is not there."""
        return self.answers[question](query)

    @property
    def answers(self) -> dict[str, Callable[[Query], Any]]:
        """By the last part of their address."""
        game = self._game
        shelf = self.games.shelf

        def turn(query: Query) -> tuple[Game, int]:
            return game(query), spoken.number(query, "turn")

        def version(query: Query) -> Any:
            newest = shelf()
            return {"version": newest.version, "going": newest.going}

        def game_answer(query: Query) -> Any:
            opened = game(query)
            return game_page.game_page(opened, self.games.standing(opened))

        def beliefs(query: Query) -> Any:
            seat = spoken.number(query, "seat") if "seat" in query else None
            return game_page.beliefs(*turn(query), seat)

        return {
            "version": version,
            "run": lambda _: self.run_page.data(shelf()) | {"fork": self.forks.offers()},
            "games": lambda _: run_page.table(shelf(), self.strips.swing),
            "game": game_answer,
            "turn": lambda query: turn_page.turn(*turn(query)),
            "prompt": lambda query: turn_page.prompt(*turn(query), query.get("key", "")),
            "beliefs": beliefs,
            "values": lambda query: self.values.of_turn(*turn(query)),
            "marks": lambda query: self.marks.of_turn(*turn(query)),
            "strip": lambda query: self.strips.of(game(query)),
            "compare": lambda query: game_page.compared(game(query, "a"), game(query, "b")),
            "person": lambda _: self.persons.offers(),
        }

    @property
    def commands(self) -> dict[str, Callable[[Mapping[str, Any]], Any]]:
        """By the last part of the address to which they are sent."""
        return {
            "fork": lambda query: self.forks.decide(self._game(query), query),
            **self.persons.commands,
        }

    def _game(self, query: Mapping[str, Any], name: str = "id") -> Game:
        return self.games.game(str(query.get(name, "")))


def app(library: Library, api: Api | None = None) -> ASGIApp:
    """Return the page of a library, as an ASGI application."""
    api = api or Api(library)
    asks = api.answers.items()
    commands = api.commands.items()
    routes = [Route("/", _index), Route("/files/{path:path}", partial(_file, library))]
    routes += [
        Route(f"/api/{name}", lambda request, ask=ask: _answer(ask, request.query_params))
        for name, ask in asks
    ]
    routes += [
        Route(f"/api/{name}", partial(_command, command), methods=["POST"])
        for name, command in commands
    ]
    page = Starlette(
        routes=routes, exception_handlers=dict.fromkeys((HTTPException, Exception), _failed)
    )
    page.mount("/static", StaticFiles(packages=[(__package__, "static")]))
    return guard.Guard(page)  # around everything, so that answers about errors are marked, too


def _index(_: Request) -> Response:
    page = assets.index()
    headers = {"content-security-policy": guard.policy(assets.script_hashes(page))}
    return Response(page, media_type="text/html", headers=headers)


async def _command(command: Callable[[Mapping[str, Any]], Any], request: Request) -> Response:
    """Handle a command: only the page's own scripts can send its header."""
    if request.headers.get("x-page") != "1":
        return _error("commands come from the page alone, with the header X-Page: 1", 403)
    try:
        query = json.loads(await request.body())
        json.dumps(query, ensure_ascii=False).encode()  # no lone surrogates, which no file takes
    except (ValueError, RecursionError):
        query = None
    if not isinstance(query, dict):
        return _error("a command is one JSON object, in UTF-8", 400)
    return await run_in_threadpool(_answer, command, query)


def _answer(answer: Callable[[Any], Any], query: Mapping[str, Any]) -> Response:
    try:
        return Response(spoken.encoded(answer(query)), media_type="application/json")
    except (OutsideError, NotThereError, UserError) as error:
        return _error(str(error), {OutsideError: 403, NotThereError: 404}.get(type(error), 400))
    except OSError as error:
        return _error(f"a file cannot be read: {error.strerror}", 404)


def _file(library: Library, request: Request) -> Response:
    """Send a run's report or one of its figures, and nothing else of the folder."""
    name = str(request.path_params["path"])
    content = None
    parts = Path(name).parts
    is_figure = (
        len(parts) == 2 and parts[0] == "figures" and parts[1] != ".." and name.endswith(FIGURES)
    )
    if library.kind == "run" and (name == "report.html" or is_figure):
        # too long a name, a NUL in it, links in a circle
        with suppress(OSError, ValueError, RuntimeError):
            path = (library.root / name).resolve(strict=True)
            content = regular_files.content(path) if path.is_relative_to(library.root) else None
    if content is None:
        return _error(f"there is no file {name[:80]!r} here", 404)
    kind = guess_type(path.name)[0] or "application/octet-stream"
    policy = guard.policy(styles="'unsafe-inline'").replace("script-src 'self'", "")
    return Response(content, media_type=kind, headers={"content-security-policy": policy})


FIGURES = (".svg", ".png", ".csv")


def _error(sentence: str, status: int) -> Response:
    return Response(spoken.encoded({"error": sentence}), status, media_type="application/json")


def _failed(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        log.warning("the page failed", address=request.url.path, exc_info=error)
        return _error(f"the page failed: {type(error).__name__}", 500)
    status = error.status_code
    return _error("there is nothing at this address" if status == 404 else error.detail, status)


# Serving until it is told to stop


HOST = "127.0.0.1"
DEFAULT_PORT = 8642


def listening(port: int | None) -> socket.socket:
    """Return a socket on 127.0.0.1 that listens, so that a browser which is quicker than the server
    waits: on the default port or, where that is taken, on a free one, if none is given; 0 is a free
    one. Raises UserError for a given port that is taken."""
    try:
        return socket.create_server((HOST, DEFAULT_PORT if port is None else port))
    except OSError as error:
        if port is None and error.errno == EADDRINUSE:
            return socket.create_server((HOST, 0))
        reason = os.strerror(error.errno or 0)
        raise UserError(
            f"cannot listen on port {port}: {reason}; --port 0 takes a free one"
        ) from None


def address(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}/"


HALF_S = 10.0
"""Seconds in which a request must have come, headers and body; the page's own come at once."""


class Connection(H11Protocol):
    """A browser's connection. One that sends half a request is closed; Uvicorn's would wait without
    end."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as Uvicorn has it
        super().connection_made(transport)
        self._set_deadline()

    def on_response_complete(self) -> None:
        self._set_deadline()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        self._cancel_deadline()
        self._deadline = self.loop.call_later(HALF_S, self._close_half)

    def _cancel_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()

    def _close_half(self) -> None:
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()


def web_server(library: Library, api: Api | None = None) -> uvicorn.Server:
    """Return a server of a library's page, to be run on a socket."""
    config = uvicorn.Config(
        app(library, api),
        http=Connection,
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def serve(
    library: Library,
    listener: socket.socket,
    *,
    ready: Callable[[str, Sequence[str]], None],
    browser: bool,
    models: NamedModels = NamedModels(),  # noqa: B008  # frozen
) -> None:
    """Serve until Ctrl-C. `ready` gets the page's address, and the seats of persons whose games are
    not over; `models` are those that the page may ask. Of one journal the page opens at its
    game."""
    where = address(listener)
    api = Api(library, models)
    ready(where, api.persons.links())
    if browser:
        webbrowser.open(where + library.fragment)
    try:
        web_server(library, api).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        api.close()
        listener.close()
