"""Headers and parameters that settings add to every request; a key in one of them is named by its variable."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from hanabi_orchestrator.orchestrator.errors import shortened
from hanabi_orchestrator.orchestrator.models import keys

OURS = (
    "host",
    "content-length",
    "content-type",
    "content-encoding",
    "transfer-encoding",
    "connection",
    "accept",
)
"""Headers that belong to the program."""
_SECRET = re.compile(r"auth|key|token|secret|cookie|password|signature", re.IGNORECASE)
"""The names of headers and parameters that hold keys."""
_VARIABLE = re.compile(r"\$\{?([A-Z][A-Z0-9_]*)\}?")


def as_texts(values: Any) -> Any:
    """Return the dates and numbers of a YAML mapping as texts: `api-version: 2024-10-21`."""
    if not isinstance(values, dict):
        return values
    plain = (date, int, float)
    return {
        name: str(value) if isinstance(value, plain) else value for name, value in values.items()
    }


def check(name: str, value: str) -> None:
    """Raise ValueError for what cannot be sent, and for a key that is written out: files are shared."""
    if not re.fullmatch(r"[A-Za-z0-9_.~-]+", name) or not (value.isascii() and value.isprintable()):
        raise ValueError(
            f"{name!r}: {shortened(value)!r} cannot be sent; write ASCII letters, digits and signs"
        )
    if _SECRET.search(name) and not _VARIABLE.search(value):
        raise ValueError(
            f"{name} holds a key, which no file may: name its environment variable, $NAME_API_KEY"
        )
    for variable in _VARIABLE.findall(value):
        if not keys.NAME.fullmatch(variable):
            raise ValueError(
                f"${variable} is not sent: the names of keys end in _API_KEY, e.g. $GATEWAY_API_KEY"
            )


def variables(values: Iterable[str]) -> tuple[str, ...]:
    """Return the environment variables that values name."""
    return tuple(variable for value in values for variable in _VARIABLE.findall(value))


def filled(value: str, key: Callable[[str], str]) -> str:
    """Return a value with the keys of the variables that it names."""
    return _VARIABLE.sub(lambda match: key(match[1]), value)
