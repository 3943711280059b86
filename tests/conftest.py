"""Offline and clean: no socket leaves the machine, no key of the developer's is seen."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from roles import base

LOOPBACK = ("127.", "::1", "localhost")


class NetworkReachedError(AssertionError):
    """A test tried to leave the machine."""


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only loopback connects."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise NetworkReachedError(f"connect to {address}")
        return real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    yield


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HANABI_API_KEY", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def own_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Roles that the test registers are gone after it."""
    monkeypatch.setattr(base, "_KNOWN", dict(base._KNOWN))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden prompts anew")
