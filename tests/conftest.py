"""Offline and clean: no socket leaves the machine, no key of the developer's is seen. And the command, as a fixture."""

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.cli import app
from hanabi_orchestrator.experiments.record import parallel
from hanabi_orchestrator.experiments.report import marked_run
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.orchestrator.models import fake_endpoint, keys
from hanabi_orchestrator.roles import conformance, registry
from hanabi_orchestrator.roles.hanabi import planner
from tests.support import processes
from tests.support.pictures import blank
from tests.support.prove import FULL
from tests.support.servers import in_a_thread

Run = Callable[..., tuple[int, str, str]]
"""The command with its arguments: exit code, stdout, stderr."""

LOOPBACK = ("127.", "::1", "localhost")


class NetworkReachedError(AssertionError):
    """A test tried to leave the machine."""


gc.disable()  # until all tests are collected: a third of the time of imports goes into looking for garbage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest test, beside which the other processes run the rest."""
    items.sort(key=lambda item: item.path.name != "test_readme.py")


def pytest_collection_finish() -> None:
    """Leave the imported modules and the tests out of every later search for garbage."""
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background jobs ignore Ctrl-C from birth, and the processes that tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
    variables = (
        "OPENAI_API_KEY",
        "HANABI_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "AZURE_OPENAI_AD_TOKEN",
    )
    for name in (*variables, "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(keys.HOSTS, "")
    monkeypatch.setattr(keys, "announce", keys._logged)
    monkeypatch.setattr(keys, "_announced", set())


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planner that is not told how much to search searches little; a role is checked on fewer positions."""
    monkeypatch.setitem(planner.OPTIONS, "rollouts", (6, range(100_001)))
    monkeypatch.setattr(conformance, "EVERY", 13 if FULL else processes.FEW_POSITIONS)


@pytest.fixture(autouse=True)
def forking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a test with threads are forked from a process that has done the imports; only `make prove` has them
    import all themselves. A test without threads forks them from itself, as the command does."""
    own = parallel.process_context
    if not FULL:
        monkeypatch.setattr(
            parallel,
            "process_context",
            lambda: processes.FORKS if threading.active_count() > 1 else own(),
        )


@pytest.fixture(autouse=True)
def unmarked_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports mark no games unasked, which takes a second a game; tests of marks ask for it."""
    monkeypatch.setattr(marked_run, "SMALL", 0)


@pytest.fixture(autouse=True)
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports draw empty pictures, for a whole one takes a third of a second; tests of pictures are marked so."""
    if not FULL and "pictures" not in request.keywords:
        monkeypatch.setattr(drawing, "_picture", blank)


@pytest.fixture
def own_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Roles that the test registers are gone after it."""
    monkeypatch.setattr(registry, "_KNOWN", dict(registry._KNOWN))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run the command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["orchestrator", *arguments])
        code = 0
        try:
            app.main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def endpoint() -> Iterator[str]:
    with in_a_thread(fake_endpoint.app()) as url:
        yield url


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden texts anew")
