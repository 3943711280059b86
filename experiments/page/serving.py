"""Serves the page until it is told to stop."""

import socket
import webbrowser
from collections.abc import Callable, Sequence
from errno import EADDRINUSE

import uvicorn

from experiments.page.library import Library
from experiments.page.named_models import NamedModels
from experiments.page.server import Api, app
from orchestrator.errors import UserError

HOST = "127.0.0.1"
DEFAULT_PORT = 8642


def listening(port: int | None) -> socket.socket:
    """A socket on 127.0.0.1: on the default port or, where that is taken, on a free one, if none is given; 0 is a free
    one. Raises UserError for a given port that is taken."""
    try:
        return _bound(DEFAULT_PORT if port is None else port)
    except OSError as error:
        if port is None and error.errno == EADDRINUSE:
            return _bound(0)
        raise UserError(f"cannot listen on port {port}: {error.strerror}; --port 0 takes a free one") from None


def _bound(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # at once, so that a browser which is quicker than the server waits for it
    except OSError:
        listener.close()
        raise
    return listener


def address(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}/"


def server(library: Library, api: Api | None = None) -> uvicorn.Server:
    """A server of a library's page, to be run on a socket."""
    config = uvicorn.Config(
        app(library, api),
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
    """Serve until Ctrl-C. `ready` gets the page's address, and the seats of persons whose games are not over; `models`
    are those that the page may ask. Of one journal the page opens at its game."""
    where, api = address(listener), Api.of(library, models)
    ready(where, api.persons.links())
    if browser:
        webbrowser.open(where + library.fragment)
    try:
        server(library, api).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        api.close()
        listener.close()
