"""The turn panel, two games side by side and "find the better move", in a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play
from hanabi_orchestrator.orchestrator.table.seat import Seat
from tests.experiments.page.conftest import MARKUP
from tests.support.browser import chromium, page_of, served
from tests.support.prove import FULL
from tests.support.tabs import faults

HINT = "hint P1 rank 1"
PLAY = "play slot 1"
DISCARD = "discard slot 0"
RATED = [
    {"action": HINT, "rating": 0.4},
    {"action": "play slot 0", "rating": 0.9},
    {"action": "hint P1 blue", "rating": -0.5},
]


def _chooses(*moves: str) -> Scripted:
    """A proposer that makes these moves, rates three, and writes markup as its reason."""
    left = list(moves)

    def answer(_: ModelRequest) -> dict[str, Any]:
        return {"ratings": RATED, "reason": MARKUP, "action": left.pop(0)}

    return Scripted({"proposer": answer})


def _refused() -> Scripted:
    """A house seat whose aggregator first wants a play that safety refuses."""
    left = ["play slot 0", HINT]
    return Scripted({"aggregator": lambda _: {"reason": "as I see it", "action": left.pop(0)}})


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of one deal that differ in turn 2, one with a refusal and unusable answers, one of a rule player."""
    folder = tmp_path_factory.mktemp("games")
    seats: dict[str, tuple[Seat, int]] = {
        "first": (graphs.seat("sherlock", _chooses(HINT, PLAY)), 2),
        "second": (graphs.seat("sherlock", _chooses(HINT, DISCARD)), 2),
        "house": (graphs.seat("house", _refused()), 1),
        "rule": (partners.get("iggi"), 2),
    }
    for name, (seat, turns) in seats.items():
        with Journal(folder / f"{name}.jsonl") as journal:
            play(seat, players=2, seed=1, sink=journal, max_turns=turns)
    return folder


@pytest.fixture(scope="module")
def address(games: Path) -> Iterator[str]:
    with served(games) as where:
        yield where


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def tab(browser: Browser, address: str) -> Iterator[Page]:
    """One tab for all tests: its files are fetched once."""
    with page_of(browser) as made:
        made.goto(address)
        yield made


@pytest.fixture
def page(tab: Page, address: str) -> Iterator[Page]:
    """The tab with nothing remembered, on no page of a game."""
    yield tab
    tab.unroute_all()
    tab.evaluate("localStorage.clear()")
    tab.goto(f"{address}#/nowhere")


def _answers(page: Page, name: str, data: Any) -> None:
    """What the server would take seconds to compute."""

    def fulfil(route: Route) -> None:
        route.fulfill(json=data)

    page.route(re.compile(rf"/api/{name}(\?|$)"), fulfil)


def _open_prompt(page: Page) -> None:
    """The page keeps open what an earlier test opened."""
    folded = page.locator(".prompt-fold")
    folded.wait_for()
    if folded.get_attribute("open") is None:
        folded.locator("> summary").click()


def _move(text: str) -> dict[str, str]:
    return {"text": text, "type": text.split()[0]}


MISTAKE = "the play could be right with 30% at most; hint P1 rank 1 was worth 1.5 points more"


def _values(played: str = PLAY) -> dict[str, Any]:
    worth = {DISCARD: 14.5, "hint P0 rank 2": 13.0, PLAY: 12.5, HINT: 14.0, "play slot 0": 11.0}
    rows = [
        {"move": _move(text), "one_step": 0.0, "rollout": value, "error": 0.1, "rank": rank}
        for rank, (text, value) in enumerate(worth.items(), 1)
    ]
    return {
        "basis": "expected final score by rollouts",
        "moves": rows,
        "played": _move(played),
        "best": _move(DISCARD),
        "loss": 2.0,
        "error": 0.1,
        "mistake": {"kind": "risky_misplay", "text": MISTAKE},
    }


def _strip() -> dict[str, Any]:
    found = {
        "turn": 2,
        "seat": 1,
        "kind": "risky_misplay",
        "loss": 2.0,
        "better": DISCARD,
        "text": MISTAKE,
    }
    return {
        "ready": True,
        "done": 2,
        "expected": [14, 12],
        "error": [0.1, 0.1],
        "mistakes": [found],
    }


def test_a_node_is_selected_by_keyboard_and_shows_its_reply(page: Page, address: str) -> None:
    page.goto(f"{address}#/game?id=house&turn=1")
    detail = page.locator(".call-detail")
    expect(detail.locator("h4")).to_have_text("aggregator, redo 1")
    expect(detail).to_contain_text("as I see it")
    page.get_by_role("button", name=re.compile("^tom_interpreter;")).focus()
    page.keyboard.press("Enter")
    expect(detail.locator("h4")).to_contain_text("tom_interpreter")
    expect(detail.locator(".faults")).to_contain_text("Unusable")
    expect(page.locator(".node[aria-pressed=true]")).to_have_attribute(
        "data-node", "tom_interpreter"
    )
    page.get_by_role("button", name=re.compile("^aggregator: ")).focus()
    page.keyboard.press("Space")
    expect(detail).to_contain_text("play slot 0")


def test_calls_stand_in_a_list_or_a_tree(page: Page, address: str) -> None:
    page.goto(f"{address}#/game?id=house&turn=1")
    expect(page.locator(".call-list ol.rows > li")).to_have_count(9)
    page.get_by_role("button", name="Tree").click()
    expect(page.locator(".tree")).to_contain_text("Redo 1: asked again after a refusal")
    expect(page.locator(".tree")).to_contain_text("tom_interpreter: 2 asks")


def test_a_prompt_is_shown_by_section_and_what_one_role_alone_got_is_marked(
    page: Page, address: str
) -> None:
    page.goto(f"{address}#/game?id=house&turn=1")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    summary = page.get_by_text("Prompt, by section")
    summary.wait_for()
    assert not any("/api/prompt" in url for url in asked), (
        "a prompt is loaded only when it is opened"
    )
    summary.click()
    sections = page.locator(".prompt .section")
    moves = sections.filter(has=page.locator(".name", has_text=re.compile("^legal moves$")))
    expect(moves.locator("> summary")).to_contain_text("only this role")
    expect(moves.locator("pre")).to_contain_text(HINT)
    expect(sections.locator(".name").filter(has_text=re.compile("^rules$"))).to_have_count(1)


def test_a_long_prompt_opens_in_pieces(page: Page, address: str) -> None:
    text = "\n".join(f"line {number} of the section" for number in range(8000))
    parts = [{"name": "history", "text": text, "only": False}]
    _answers(page, "prompt", {"rendered": True, "messages": [{"role": "user", "parts": parts}]})
    page.goto(f"{address}#/game?id=house&turn=1")
    _open_prompt(page)
    raw = page.locator(".prompt pre")
    expect(raw).to_contain_text("line 20 of the section")
    expect(page.locator(".prompt")).to_contain_text(
        "A program answered; this is what a model would have got."
    )
    assert len(raw.inner_text()) < 5000
    while page.locator(".prompt .long button").count():
        page.locator(".prompt .long button").click()
    assert raw.text_content() == text


def test_refused_moves_and_a_role_without_output_are_told(page: Page, address: str) -> None:
    page.goto(f"{address}#/game?id=house&turn=1")
    refused = page.locator(".turn-panel .refused")
    expect(refused).to_contain_text("Refused: 1 move")
    expect(refused).to_contain_text("play slot 0 by safety")
    expect(page.locator(".turn-panel")).to_contain_text("no output: ")
    expect(page.get_by_role("img", name=re.compile("^safety; refused once"))).to_be_visible()


def test_ratings_stand_beside_values(page: Page, address: str) -> None:
    _answers(page, "values", _values(HINT))
    page.goto(f"{address}#/game?id=first&turn=1")
    page.get_by_role("button", name="Compare the ratings with values").click()
    rows = page.locator(".turn-panel .moves tbody tr")
    expect(rows.filter(has_text=DISCARD)).to_contain_text("best")
    expect(rows.filter(has_text=HINT)).to_contain_text("played")
    expect(rows.filter(has_text=HINT)).to_contain_text("0.4")
    expect(rows.filter(has_text="play slot 0")).to_contain_text("top-rated")


def test_beliefs_and_real_cards_wait_for_a_click(page: Page, address: str) -> None:
    page.goto(f"{address}#/game?id=first&turn=1")
    beliefs = page.locator(".beliefs")
    expect(beliefs.locator("button")).to_have_count(1)
    assert not re.search(r"\b[RYGWB][1-5]\b", beliefs.inner_text())
    beliefs.get_by_role("button").click()
    expect(beliefs.locator("tbody tr").first).to_contain_text("B5")
    beliefs.get_by_role("button", name="Hide").click()
    expect(beliefs.locator("table")).to_have_count(0)


def test_a_rule_player_has_no_graph_and_the_page_says_so(page: Page, address: str) -> None:
    page.goto(f"{address}#/game?id=rule&turn=1")
    expect(page.locator(".turn-panel")).to_contain_text("is a rule player: no graph")


def test_two_games_start_at_the_first_turn_that_differs(page: Page, address: str) -> None:
    page.goto(f"{address}#/compare?a=first&b=second")
    expect(page.locator(".compare-head")).to_contain_text(
        "The same moves up to turn 1. Turn 2: A play slot 1, B discard slot 0"
    )
    sides = page.locator(".compare-side")
    for side in (0, 1):
        expect(sides.nth(side).locator(".side-head")).to_contain_text("turn 2 of 2")
        expect(sides.nth(side)).to_contain_text("the first difference")
        expect(sides.nth(side).locator(".said")).to_contain_text("proposer")
    page.keyboard.press("ArrowLeft")
    expect(sides.nth(1).locator(".side-head")).to_contain_text("turn 1 of 2")
    expect(sides.nth(1)).to_contain_text("same in both")
    page.keyboard.press("b")
    expect(sides.nth(1).locator(".side-head")).to_contain_text("turn 2 of 2")
    expect(sides.nth(0).locator(".side-head")).to_contain_text("turn 1 of 2")


def test_the_game_to_compare_with_is_chosen_among_those_of_the_deal(
    page: Page, address: str
) -> None:
    page.goto(f"{address}#/compare?a=first")
    rows = page.locator(".compare-chooser tbody tr")
    expect(rows).to_have_count(3)
    rows.filter(has_text="second").get_by_role("link").press("Enter")
    expect(page.locator(".compare-head")).to_contain_text("Turn 2")


def test_a_puzzle_hides_its_answer_until_a_move_was_tried(page: Page, address: str) -> None:
    _answers(page, "strip", _strip())
    _answers(page, "values", _values())
    page.goto(f"{address}#/better?id=first")
    buttons = page.locator(".choices button")
    expect(buttons.filter(has_text="slot 0").first).to_be_enabled()
    shown = page.locator("main").inner_text()
    assert "play slot 1" not in shown
    assert "30%" not in shown
    assert page.locator(".slot.play, .slot.discard, .used, table.moves, .said").count() == 0
    page.get_by_role("button", name="play slot 0", exact=True).press("Enter")
    expect(page.locator(".verdict")).to_contain_text(
        "No better than the move of the game (play slot 1)"
    )
    expect(page.locator(".answer")).to_contain_text(MISTAKE)
    expect(page.locator(".answer .said")).to_contain_text("proposer")
    expect(page.locator(".answer tr.is-best")).to_contain_text(DISCARD)
    expect(page.locator(".score")).to_have_text("Found so far: 0 of 1 tried, 0 puzzles left.")
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("button", name=DISCARD, exact=True).click()
    expect(page.locator(".verdict")).to_contain_text("Found")
    expect(page.locator(".score")).to_contain_text("1 of 1")


def test_the_mistakes_of_a_game_are_listed_with_the_roles_that_were_for_them(
    page: Page, address: str
) -> None:
    strip = _strip()
    strip["mistakes"][0] |= {"turn": 1, "seat": 0, "better": "play slot 0"}
    _answers(page, "strip", strip)
    page.goto(f"{address}#/game?id=house&turn=1")
    page.get_by_role("button", name="Expected score and mistakes").click()
    page.get_by_text("1 mistake: what was wrong").press("Enter")
    row = page.locator(".mistakes tbody tr")
    expect(row).to_contain_text("the play could be right with 30% at most")
    expect(row.locator("td").nth(4)).to_have_text("aggregator")
    expect(page.locator(".mistakes p").first).to_contain_text(
        f"First: turn 1, P0, {HINT} (aggregator)"
    )


def test_a_turn_is_decided_again_where_the_server_offers_it(page: Page, address: str) -> None:
    told = page.request.get(f"{address}api/run").json()
    _answers(page, "run", {**told, "fork": {"graphs": ["house", "cac"], "models": []}})
    _answers(
        page,
        "fork",
        {"old": {"move": _move(HINT)}, "new": [{"move": _move(DISCARD), "why": "safer"}]},
    )
    page.goto(f"{address}#/game?id=first&turn=1")
    page.reload()  # what is offered is asked for once
    page.get_by_role("combobox", name="Graph").select_option("cac")
    with page.expect_request("**/api/fork") as sent:
        page.get_by_role("button", name="Decide again").click()
    assert json.loads(sent.value.post_data or "") == {
        "id": "first",
        "turn": 1,
        "graph": "cac",
        "samples": 1,
    }
    assert sent.value.headers["x-page"] == "1"
    expect(page.locator(".fork-result")).to_contain_text("another move")
    expect(page.locator(".fork-result")).to_contain_text("safer")
    _answers(page, "run", {**told, "fork": None})
    page.reload()
    page.locator(".call-detail").wait_for()
    expect(page.get_by_role("button", name="Decide again")).to_have_count(0)


@pytest.mark.parametrize(
    "where", ["game?id=first&turn=1", "compare?a=first&b=second", "better?id=first"]
)
def test_what_a_model_wrote_stays_text(page: Page, address: str, where: str) -> None:
    _answers(page, "strip", _strip())
    _answers(page, "values", _values())
    abroad: list[str] = []
    page.on(
        "request",
        lambda request: abroad.append(request.url) if not request.url.startswith(address) else None,
    )
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{address}#/{where}")
    if where.startswith("better"):
        page.get_by_role("button", name=DISCARD, exact=True).click()
    if where.startswith("game"):
        page.get_by_text("Raw text of the answer").click()
        expect(page.locator(".call-detail pre").first).to_contain_text("<script>")
    expect(page.get_by_text(MARKUP).first).to_be_visible()
    assert page.locator("main script, main img").count() == 0
    assert [url for url in abroad if not url.startswith(("data:", "blob:"))] == []


PAGES = [
    ("", "light", FULL),
    ("game?id=house&turn=1", "light", True),
    ("game?id=first&turn=1", "dark", FULL),
    ("compare?a=first&b=second", "light", FULL),
    ("compare?a=first", "dark", FULL),
    ("better?id=first", "dark", True),
]
"""Addresses, colours, and whether axe-core looks, which takes a second or two."""


@pytest.fixture
def phone(page: Page) -> Iterator[Page]:
    """The tab as small as a phone."""
    size = page.viewport_size
    assert size
    page.set_viewport_size({"width": 390, "height": 844})
    yield page
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")


@pytest.mark.parametrize(("where", "scheme", "axe"), PAGES)
def test_nothing_keeps_people_out(
    phone: Page, address: str, where: str, scheme: Literal["light", "dark"], axe: bool
) -> None:
    """axe-core finds nothing serious, and no page scrolls sideways on a phone."""
    phone.emulate_media(color_scheme=scheme)
    _answers(phone, "strip", _strip())
    _answers(phone, "values", _values())
    phone.goto(f"{address}#/{where}")
    if where.startswith("game"):
        phone.reload()  # the page keeps open what an earlier test opened
    _opened(phone, where)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert not axe or faults(phone) == []


def _opened(page: Page, where: str) -> None:
    """With its parts open."""
    page.locator("main h1").first.wait_for()
    if where.startswith("game"):
        _open_prompt(page)
        page.locator(".beliefs button").click()
        page.locator(".values button").click()
        page.locator(".prompt .section").first.wait_for()
        page.locator(".values table.moves .bar").first.wait_for()
    if where.startswith("better"):
        page.get_by_role("button", name=DISCARD, exact=True).click()
        page.locator(".verdict").wait_for()
    page.wait_for_load_state("networkidle")
