"""A person's seat in a browser: a game played to its end, by clicks, keys and words."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import chromium, served
from tests.support.prove import FULL
from tests.support.tabs import Open, faults, open_tab

__all__ = ["open_tab"]

YOURS = '.your-moves[data-yours="true"]'


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "here"))


@pytest.fixture(scope="module")
def browser(asked: Path) -> Iterator[Browser]:
    """Opened when all games are played: an open browser keeps its thread's event loop."""
    with chromium() as opened:
        yield opened


def begun(page: Page, *seats: int, graph: str = "watson") -> None:
    """Fill in the form for a game of two players."""
    page.get_by_role("link", name="Play a game").click()
    page.get_by_label("Partners").select_option(graph)
    page.get_by_label("Players").select_option("2")
    for seat in range(2):
        page.get_by_label(f"P{seat}", exact=True).set_checked(seat in seats)
    page.get_by_role("button", name="Begin").click()


def test_a_whole_game_is_played_and_then_looked_at(open_tab: Open, folder: Path) -> None:
    tab = open_tab(folder)
    page = tab.go()
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    begun(page, 0)
    expect(page.locator(YOURS)).to_be_visible()
    page.get_by_label("Pace").select_option("at once")
    page.locator('[data-key="card-1-2"]').click()
    page.locator(".card-menu button", has_text="rank").click()
    expect(page.locator(".since")).to_contain_text("P0 hints P1 rank")
    expect(page.locator(YOURS)).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.type("play 9")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(
        "you have no slot 9; your cards are in slots 0 to 4"
    )
    expect(page.get_by_label("Type a move")).to_be_focused()
    page.get_by_label("Type a move").fill("play 1 because I feel lucky")
    page.keyboard.press("Enter")
    expect(page.locator(".since")).to_contain_text("from slot 1")
    expect(page.locator(YOURS)).to_be_visible()
    page.locator("h1").click()
    for key in ("m", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".since")).to_contain_text("from slot 1")
    first_move = page.locator(f'{YOURS} [data-move="play slot 0"]')
    while not page.locator(".ending").count():
        expect(first_move.or_(page.locator(".ending")).first).to_be_visible()
        if first_move.count():
            first_move.click()
            expect(page.locator(f"{YOURS}, .ending").first).to_be_visible()
    calls = {url.partition("/api/")[2].partition("?")[0] for url in asked if "/api/" in url}
    assert calls <= {
        "person",
        "person/start",
        "person/seat",
        "person/move",
        "version",
        "run",
        "games",
    }
    page.get_by_role("link", name="Look at the game").click()
    expect(page.locator(".turn-place")).to_contain_text("turn 1 of")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("I feel lucky").first).to_be_visible()


def test_two_persons_play_in_two_browsers_and_a_reload_keeps_the_seat(
    open_tab: Open, folder: Path
) -> None:
    with served(folder) as address:
        first = open_tab(address).go()
        begun(first, 0, 1)
        expect(first.locator(".seat-links a")).to_have_count(2)
        links = [one.get_attribute("href") or "" for one in first.locator(".seat-links a").all()]
        second = open_tab(address).go(links[1].removeprefix("#"))
        first.locator(".seat-links a").first.click()
        expect(first.locator(YOURS)).to_be_visible()
        expect(second.locator(".person-status")).to_contain_text("P0 is thinking")
        expect(second.locator(".seat").nth(1).locator(".face.back")).to_have_count(5)
        first.locator(f'{YOURS} [data-move="play slot 3"]').click()
        expect(second.locator(YOURS)).to_be_visible()
        expect(second.locator(".since")).to_contain_text("P0 plays")
        second.reload()
        expect(second.locator(YOURS)).to_be_visible()
        second.locator(f'{YOURS} [data-move="play slot 0"]').click()
        expect(first.locator(YOURS)).to_be_visible()
        first.get_by_role("button", name="Leave").click()
        expect(second.get_by_text("The game was left")).to_be_visible()
        second.get_by_role("button", name="Go on", exact=True).click()
        expect(second.locator(".person-status")).to_contain_text("P0 is thinking")
        first.get_by_role("link", name="Go on as P0").click()
        expect(first.locator(YOURS)).to_be_visible()


def test_a_game_that_begins_slowly_or_cannot_begin_is_waited_for_and_said(
    open_tab: Open, folder: Path
) -> None:
    page = open_tab(folder).go()
    early = {
        "turns": [],
        "turn": 0,
        "state": "going",
        "why": None,
        "yours": False,
        "legal": [],
        "result": None,
    }
    answers = [early, early | {"state": "stopped", "why": "A partner gave no move."}]

    def answer(route: Route) -> None:
        route.fulfill(json=answers.pop(0)) if answers else route.continue_()

    page.route("**/api/person/seat", answer)
    begun(page, 0)
    expect(page.get_by_text("A partner gave no move.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(YOURS)).to_be_visible()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (390, "dark")] if FULL else [(390, "dark")]
)
def test_the_seat_is_for_everybody(open_tab: Open, folder: Path, width: int, scheme: str) -> None:
    page = open_tab(folder, width=width, color_scheme=scheme).go()
    begun(page, 0, graph="partner:piers")
    expect(page.locator(YOURS)).to_be_visible()
    assert faults(page) == []
    page.locator('[data-key="card-0-0"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card-menu button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator('[data-key="card-0-0"]')).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(page.url.replace("/#/person?", "/#/person?x=1&").partition("&id=")[0])
    page.get_by_role("heading", name="A new game").wait_for()
    assert faults(page) == []
