"""Which key of this machine may go to which server, so that a file from somebody else cannot choose one of them.

A key is an environment variable whose name ends in `_API_KEY`. OPENAI_API_KEY goes to OpenAI's hosts, any other to this
machine and to the hosts that the user has allowed: on the command line, in HANABI_KEY_HOSTS, or in a file of their own.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from hanabi_orchestrator.orchestrator.errors import UserError

NAME = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
"""The name of a variable with a key."""
OPENAI = "OPENAI_API_KEY"
DEFAULT = "HANABI_API_KEY"
"""The key of any other OpenAI-compatible server, where its settings name none."""

AZURE_ENDPOINT = "AZURE_OPENAI_ENDPOINT"
HOSTS = "HANABI_KEY_HOSTS"
"""The variable with the hosts that may be sent keys, separated by commas or spaces; no `.env` sets it."""

PROVIDER = "langchain:"
"""Stands with a provider's name for the server that a LangChain package knows by itself."""

_OPENAI_HOST = re.compile(r"(?:[a-z0-9-]+\.)?api\.openai\.com")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:]+|langchain:[a-z0-9_-]+")
_TYPED = re.compile(r"(?:@|base_url\W{1,4})(https?://[^\s,}'\"]+)", re.IGNORECASE)
"""The address of a model in a word of a command line: `openai:NAME@URL`, `base_url=URL` or `base_url: URL`."""


def _logged(sentence: str) -> None:
    from hanabi_orchestrator.orchestrator.logs import log  # structlog takes long to import

    log.info(sentence)


announce: Callable[[str], None] = _logged
"""Tells which variable goes where; the command line prints it."""

_announced = set[str]()


def value(variable: str, server: str) -> str | None:
    """Return a key for the requests to a server: a URL, or `langchain:PROVIDER`. None where the variable is not set.

    Raises UserError where the key may not go there, or cannot be sent. Whatever takes a header or a query of a request
    from the environment takes it from here.
    """
    key = os.environ.get(variable) or None
    if key is None:
        return None
    check(variable, server)
    if not (key.isascii() and key.isprintable()):
        raise UserError(f"the key in {variable} has characters that no key has")
    return key


def check(variable: str, server: str) -> None:
    """Raise UserError unless this key may go to this server."""
    if variable == OPENAI:
        if not is_openai(server) and server != f"{PROVIDER}openai":
            raise UserError(
                f"{OPENAI} goes to https://api.openai.com and its regional hosts alone, not to {server}: put that "
                f"server's key into {DEFAULT}, or into a variable that `key:` names"
            )
        return
    own = server.startswith(PROVIDER) and server.removeprefix(PROVIDER).startswith(
        variable.split("_")[0].lower()
    )
    of_azure = variable.startswith("AZURE_") and host(server) == host(
        os.environ.get(AZURE_ENDPOINT, "")
    )
    if not (own or of_azure):
        check_host(variable, server)


def check_host(what: str, server: str) -> None:
    """Raise UserError unless a server is on this machine or allowed; `what` would be sent to it."""
    name = host(server)
    if name is None or not (is_loopback(name) or name in allowed()):
        shown = name or server
        raise UserError(
            f"{what} is not sent to {server}: you have not allowed this host. If you trust it, say --key-host {shown}, "
            f"or set {HOSTS}={shown}, or write a line {shown} into {_shown(hosts_file())}"
        )


def sent(variable: str, server: str) -> None:
    """Say once in a process which key goes to which server."""
    parts = urlsplit(server)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else server
    sentence = f"{variable} goes to {origin}"
    if sentence not in _announced:
        _announced.add(sentence)
        announce(sentence)


def is_openai(url: str) -> bool:
    """Return whether an address is api.openai.com or one of its regional hosts, with TLS."""
    parts = _parts(url)
    return (
        parts.scheme == "https"
        and _OPENAI_HOST.fullmatch((parts.hostname or "").rstrip(".")) is not None
    )


def is_loopback(name: str) -> bool:
    """Return whether a host is this machine itself."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def host(text: str) -> str | None:
    """Return the host of an address, given with or without its scheme and port; None where there is none."""
    if text.startswith(PROVIDER):
        name = text
    else:
        name = (_parts(text if "://" in text else f"//{text}").hostname or "").rstrip(".")
    return name if _HOST.fullmatch(name) else None


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url.strip())
    except ValueError:
        return urlsplit("")


# What the user has allowed


def allowed() -> frozenset[str]:
    """Return the hosts that the user has allowed, in this command, the environment or their file."""
    texts = [*re.split(r"[\s,]+", os.environ.get(HOSTS, "")), *_lines(hosts_file())]
    return frozenset(filter(None, map(host, texts)))


def allow(*names: str) -> None:
    """Allow keys to be sent to these hosts, by this process and those that it starts. Raises UserError."""
    for name in names:
        if host(name) is None:
            raise UserError(f"{name!r} is no host; say e.g. api.together.xyz")
    os.environ[HOSTS] = " ".join(filter(None, (os.environ.get(HOSTS), *names)))


def allow_typed(words: Iterable[str]) -> None:
    """Allow the servers of models that were typed on a command line: an address there is the user's own word."""
    addresses = [address for word in words for address in _TYPED.findall(word)]
    allow(*(address for address in addresses if host(address)))


def hosts_file() -> Path:
    """Return the user's file of allowed hosts, one a line; whether there is one or not."""
    folder = os.environ.get("XDG_CONFIG_HOME") or _home() / ".config"
    return Path(folder) / "hanabi-orchestrator" / "hosts"


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without comments; none where it cannot be read."""
    try:
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return
    for line in text.splitlines():
        yield line.partition("#")[0].strip()


def _shown(path: Path) -> str:
    """Return a path as it is typed, the home folder as `~`."""
    return f"~/{path.relative_to(_home())}" if path.is_relative_to(_home()) else str(path)


def _home() -> Path:
    return Path(os.path.expanduser("~"))  # noqa: PTH111  # Path's own raises where a user has no home
