"""A real browser for tests of the page, and the page's server in a thread.

Playwright's loop runs in the thread that starts it, so `asyncio.run` fails there while a browser is open: what a test
plays must be played before. The browser is Debian's; tests are skipped only where there is none.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from hanabi_orchestrator.experiments.page import server
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import Api

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
PATIENCE_MS = 8000
"""How long a test waits for what ought to appear."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium; skips the test where none is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def page_of(
    browser: Browser, width: int = 1440, height: int = 900, scheme: str = "light"
) -> Iterator[Page]:
    """A fresh page; an error in its scripts fails the test."""
    made = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    made.set_default_timeout(PATIENCE_MS)
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    try:
        yield made
        assert errors == [], f"errors in the page's scripts: {errors}"
    finally:
        made.close()


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The address of a server for a path, which serves in a thread."""
    listener = server.listening(0)
    library = Library.open(path)
    api = Api(library)
    running = server.web_server(library, api)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield server.address(listener)
    finally:
        running.should_exit = True
        thread.join(10)
        api.close()
        listener.close()
