"""Tabs that fail their test when the page complains: of errors in its console, and of anything asked beyond it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.support.browser import PATIENCE_MS, served

SERIOUS = ("serious", "critical")

expect.set_options(timeout=2 * PATIENCE_MS)


@dataclass
class Tab:
    """A tab on the page of a folder."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(f"threw: {error}"))
        self.page.on("request", self._request)

    def go(self, hash: str = "/") -> Page:
        """Open `#HASH`: a visit the first time, then as a link within the page."""
        self.page.goto(f"{self.address}#{hash}")
        return self.page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")


Open = Callable[..., Tab]
"""A new tab: `open_tab(folder, width=390, color_scheme="dark")`; an address instead of a folder is that of a server."""


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[Open]:
    """For modules with a fixture `browser`."""
    tabs: list[Tab] = []
    with ExitStack() as ends:

        def opened(path: Path | str, width: int = 1440, height: int = 900, **options: Any) -> Tab:
            address = ends.enter_context(served(path)) if isinstance(path, Path) else path
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            ends.callback(context.close)
            tabs.append(Tab(context.new_page(), address))
            return tabs[-1]

        yield opened
    wrong = [one for tab in tabs for one in tab.wrong]
    assert not wrong, wrong


def checked(tab: Tab) -> Iterator[Tab]:
    """A tab that several tests use, for the body of a fixture: each answers for its own errors."""
    tab.wrong.clear()
    yield tab
    assert not tab.wrong, tab.wrong


def faults(page: Page) -> list[str]:
    """What axe-core finds serious or critical, in the colours and at the size that the page has now."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"][:3]
    ]
