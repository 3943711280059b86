"""The run page and the game page in a browser: what a reader sees, clicks and types."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.printable import is_printable
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.experiments.page.conftest import MARKUP
from tests.support.browser import chromium, served
from tests.support.prove import FULL
from tests.support.tabs import Open, Tab, checked, faults, open_tab

__all__ = ["open_tab"]

RUN = """
name: endings
players: [3]
seeds: {first: 1, count: 2}
question: How do games end?
arms:
  hat: {graph: "partner:hat"}
  flawed: {graph: "partner:flawed"}
baseline: hat
"""
FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><rect width="60" height="40"/></svg>'
PERFECT = "hat/3p-s1-r1"
DECK = "hat/3p-s2-r1"
STRUCK = "flawed/3p-s1-r1"
CUT = "hat/3p-s7-r1"
FAILED = "hat/3p-s8-r1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a game of every ending that needs no model."""
    place = tmp_path_factory.mktemp("endings")
    (place / "endings.yaml").write_text(RUN, "utf-8")
    experiment_run.run(experiment.read(str(place / "endings.yaml"), ()), place / "run")
    (place / "run" / "figures").mkdir(exist_ok=True)
    (place / "run" / "figures" / "scores.svg").write_text(FIGURE, "utf-8")
    games = place / "run" / "games"
    whole = (games / f"{PERFECT}.jsonl").read_text("utf-8").splitlines(keepends=True)
    for name in (CUT, FAILED):
        _written(games / f"{name}.jsonl", whole[:30])
        os.utime(games / f"{name}.jsonl", (1, 1))
    run_folder.write_failures(place / "run", {FAILED: "the role raised ValueError: no"}, ())
    return place / "run"


def _written(path: Path, lines: list[str]) -> None:
    path.write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as where:
        yield where


AROUND = "see \u202e\u2066\x1b[2J\x9b31m\x7f\u200f this"
"""Turns a line around, and clears a terminal."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of two turns in which a model gives markup as its reason, and in which nothing of it can be read."""
    place = tmp_path_factory.mktemp("asked")
    for name, said in (
        ("marked-up", {"action": "play slot 0", "reason": MARKUP}),
        ("forced", MARKUP),
        ("around", {"action": "play slot 0", "reason": AROUND}),
    ):
        with Journal(place / f"{name}.jsonl") as journal:
            play(
                graphs.seat("sherlock", Scripted({"proposer": said})),
                players=2,
                seed=1,
                sink=journal,
                max_turns=2,
            )
    return place


@pytest.fixture(scope="module")
def browser(folder: Path, asked: Path) -> Iterator[Browser]:
    """Opened when all games are played: an open browser keeps its thread's event loop."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def kept(browser: Browser, address: str) -> Tab:
    return Tab(browser.new_page(viewport={"width": 1440, "height": 900}), address)


@pytest.fixture
def tab(kept: Tab) -> Iterator[Tab]:
    """One tab for tests that keep nothing: going from page to page within it loads nothing again."""
    yield from checked(kept)
    kept.page.unroute_all()
    kept.go("/nowhere")


@pytest.fixture(scope="module")
def kept_asked(browser: Browser, asked: Path) -> Iterator[Tab]:
    with served(asked) as where:
        yield Tab(browser.new_page(), where)


@pytest.fixture
def asked_tab(kept_asked: Tab) -> Iterator[Tab]:
    """The same on the games of a model."""
    yield from checked(kept_asked)


def shown(page: Page, turn: str) -> None:
    """Wait until the page says that it shows this turn."""
    expect(page.locator(".turn-place")).to_have_text(turn)


def test_the_run_says_what_was_run_and_lists_its_games(tab: Tab) -> None:
    page = tab.go()
    expect(page.locator("h1")).to_have_text("endings")
    expect(page.get_by_text("How do games end?")).to_be_visible()
    expect(page.locator(".banner")).to_contain_text("Programs, not language models")
    assert page.locator(".arms tbody tr").count() == 2
    assert page.locator(".games-table tbody tr[data-id]").count() == 6
    page.locator(".games-table tr", has_text=STRUCK).click()
    expect(page.locator("h1")).to_have_text(STRUCK)
    page.go_back()
    expect(page.locator("h1")).to_have_text("endings")
    page.get_by_role("link", name="hat", exact=True).click()
    page.locator(".games-table").get_by_role("link", name=DECK).click()
    expect(page.locator("h1")).to_have_text(DECK)
    page.keyboard.press("k")
    expect(page.locator("h1")).to_have_text(PERFECT)
    page.keyboard.press("j")
    expect(page.locator("h1")).to_have_text(DECK)


VERDICTS = (
    ("shown", -4.0, "flawed scores 4.00 points less.", "down"),
    ("shown", 3.0, "flawed scores 3.00 points more.", "up"),
    ("untested", -4.5, "flawed: inconclusive beside hat.", ""),
    ("apart", 0.6, "flawed plays hat once more.", ""),
)
"""State, difference and sentence of a verdict, with the colour in which it is told; none of the intervals has 0."""


def test_an_arm_is_told_in_the_words_and_the_colour_of_its_verdict(tab: Tab) -> None:
    cell = tab.go().locator(".arms tr", has_text="flawed").locator("td.difference")
    stated = tab.page.request.get(f"{tab.address}api/run").json()
    (flawed,) = (arm for arm in stated["arms"] if arm["name"] == "flawed")
    expect(cell).to_have_text([each["sentence"] for each in flawed["verdict"]])
    tab.page.route("**/api/run", lambda route: route.fulfill(json=stated))
    for state, mean, sentence, colour in VERDICTS:
        bounds = {"low": mean - 0.5, "high": mean + 0.5}
        flawed["verdict"] = [{"state": state, "mean": mean, "sentence": sentence, **bounds}]
        tab.page.reload()
        expect(cell).to_have_text(sentence)
        assert [name for name in ("up", "down") if cell.locator(f".{name}").count()] == [
            colour
        ] * bool(colour)


def test_filters_search_and_order_are_in_the_address(tab: Tab) -> None:
    page = tab.go("/?arm=hat")
    rows = page.locator(".games-table tbody tr[data-id]")
    expect(rows).to_have_count(4)
    page.get_by_label("End", exact=True).select_option("perfect")
    expect(rows).to_have_count(1)
    assert "arm=hat" in page.url and "end=perfect" in page.url
    page.get_by_role("link", name="all games").click()
    expect(rows).to_have_count(6)
    page.get_by_role("button", name="Struck out (2)").click()
    expect(rows).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("hat suspended")
    expect(rows).to_have_count(1)
    page.keyboard.type(" no such game")
    expect(page.get_by_text("No game fits these filters.")).to_be_visible()


def test_the_reader_chooses_order_columns_and_colours(open_tab: Open, address: str) -> None:
    page = open_tab(address, color_scheme="light").go()
    page.get_by_role("button", name="turns").click()
    head = page.locator(".games-table thead th")
    expect(head.filter(has_text="turns")).to_have_attribute("aria-sort", "descending")
    place = [text.strip("▲▼ ") for text in head.all_inner_texts()].index("turns") + 1
    turns = [
        int(text)
        for text in page.locator(f"tbody tr[data-id] > :nth-child({place})").all_inner_texts()
    ]
    assert turns == sorted(turns, reverse=True) and len(set(turns)) > 2
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("lives").uncheck()
    assert "lives" not in page.locator(".games-table thead").inner_text()
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    button = page.get_by_role("button", name=re.compile("^Colours"))
    button.click()
    button.click()
    expect(button).to_have_accessible_name("Colours: dark")
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate(ground) != light
    expect(page.locator(".games-table thead")).not_to_contain_text("lives")


def test_a_figure_is_enlarged_and_leads_to_its_games(tab: Tab) -> None:
    page = tab.go()
    page.get_by_role("heading", name="Figures").click()
    page.locator(".gallery button").click()
    dialog = page.get_by_role("dialog")
    assert (
        dialog.locator("img").evaluate("(image) => image.decode().then(() => image.naturalWidth)")
        == 120
    )
    dialog.get_by_role("link", name="its games").click()
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile("state=finished"))


def test_ten_thousand_games_stay_quick(open_tab: Open, address: str) -> None:
    tab = open_tab(address)

    def many(route: Route) -> None:
        keys = ["id", "arm", "players", "score_strict", "lives", "turns", "end", "state", "forced"]
        rows = [
            [f"hat/3p-s{n}-r1", "hat", 3, n % 26, 3, 50, "deck_exhausted", "finished", 0]
            for n in range(10_000)
        ]
        route.fulfill(json={"version": "1", "keys": keys, "rows": rows})

    tab.page.route("**/api/games", many)
    page = tab.go()
    expect(page.get_by_text("10,000 games")).to_be_visible()
    assert page.locator(".games-table tbody tr").count() < 100
    took = page.evaluate("""() => new Promise((done) => {
      const begun = performance.now();
      document.querySelector('[data-key="sort-score_strict"]').click();
      requestAnimationFrame(() => done(performance.now() - begun));
    })""")
    assert took < 1500
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(page.locator("tr:has(a:focus)")).to_have_attribute("data-place", "9999")
    assert page.locator(".games-table tbody tr").count() < 100


def test_keys_lead_through_a_game(tab: Tab) -> None:
    page = tab.go(f"/game?id={PERFECT}&turn=5")
    shown(page, "turn 5 of 58")
    for key, turn in (("ArrowRight", 6), ("ArrowLeft", 5), ("]", 8), ("[", 5), ("Home", 1)):
        page.keyboard.press(key)
        shown(page, f"turn {turn} of 58")
    page.keyboard.press("End")
    shown(page, "final position")
    assert page.url.endswith("turn=end")
    page.get_by_role("region", name="Moves").get_by_role(
        "button", name=re.compile(r"^12 ?P2")
    ).click()
    shown(page, "turn 12 of 58")
    page.go_back()
    shown(page, "final position")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next mistake")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("h1")).to_have_text("endings")


def test_a_game_plays_by_itself(open_tab: Open, address: str) -> None:
    tab = open_tab(address)
    tab.page.clock.install(time=0)
    page = tab.go(f"/game?id={PERFECT}&turn=2")
    shown(page, "turn 2 of 58")
    page.clock.pause_at(3600)
    page.keyboard.press("+")
    page.keyboard.press(" ")
    shown(page, "turn 3 of 58")
    page.clock.run_for(1000)
    shown(page, "turn 5 of 58")
    page.keyboard.press(" ")
    page.clock.run_for(3000)
    shown(page, "turn 5 of 58")


def hidden(page: Page) -> list[int]:
    """The seats whose cards are drawn from behind."""
    return [
        seat
        for seat, row in enumerate(page.locator(".seat").all())
        if row.locator(".face.back").count()
    ]


def test_each_view_hides_the_cards_that_its_seat_does_not_see(tab: Tab) -> None:
    page = tab.go(f"/game?id={PERFECT}&turn=2")
    shown(page, "turn 2 of 58")
    assert hidden(page) == [1]
    page.keyboard.press("2")
    expect(page.locator(".seat").nth(2).locator(".face.back")).to_have_count(5)
    assert hidden(page) == [2] and "seat=2" in page.url
    page.get_by_label("View", exact=True).select_option("open")
    expect(page.locator(".face.back")).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("a")
    assert hidden(page) == [1]


def test_a_card_is_drawn_with_what_its_owner_knows(tab: Tab) -> None:
    """The journal's own hints, against the picture and the label of every card they touched."""
    page = tab.go(f"/game?id={PERFECT}&turn=end&view=open")
    shown(page, "final position")
    game = page.evaluate(f"fetch('/api/game?id={PERFECT}').then((answer) => answer.json())")
    turn = next(
        one for one in game["turns"] if one["move"]["type"] == "hint" and one["move"].get("rank")
    )
    rank = turn["move"]["rank"]
    to = turn["move"]["to"]
    page.keyboard.press("Home")
    for _ in range(turn["turn"]):
        page.keyboard.press("ArrowRight")
    shown(page, f"turn {turn['turn'] + 1} of 58")
    for slot, card in enumerate(turn["hands"][to]):
        drawn = page.locator(f'[data-key="card-{to}-{slot}"]')
        assert drawn.locator(".face text.rank").text_content() == card[1]
        assert drawn.locator(".face text.letter").text_content() == card[0]
        told = f"rank {rank}" if slot in turn["slots"] else f"rank not {rank}"
        assert told in (drawn.get_attribute("aria-label") or "")
    page.locator(f'[data-key="card-{to}-{turn["slots"][0]}"]').hover()
    details = page.get_by_role("tooltip")
    expect(details).to_be_visible()
    assert {text[1] for text in details.locator(".cell.may").all_inner_texts()} == {str(rank)}


def test_the_move_of_the_turn_is_drawn(tab: Tab) -> None:
    page = tab.go(f"/game?id={STRUCK}&turn=end")
    expect(page.locator(".ending")).to_contain_text("The third life was lost")
    game = page.evaluate(f"fetch('/api/game?id={STRUCK}').then((answer) => answer.json())")
    last = game["turns"][-1]
    page.keyboard.press("ArrowLeft")
    shown(page, f"turn {last['turn']} of {len(game['turns'])}")
    played = page.locator(f'[data-key="card-{last["seat"]}-{last["move"]["slot"]}"]')
    expect(played).to_contain_text(f"plays {last['card']} ✕")
    expect(page.locator(".said")).to_contain_text("a life is lost")


def test_every_ending_is_said_plainly(tab: Tab) -> None:
    for game, says in (
        (PERFECT, "Perfect: 25 points"),
        (DECK, "The deck ran out and every seat had its last turn"),
        (STRUCK, "The third life was lost"),
        (CUT, "was interrupted after turn"),
        (FAILED, "the role raised ValueError: no"),
    ):
        page = tab.go(f"/game?id={game}&turn=end")
        expect(page.locator("h1")).to_have_text(game)
        expect(
            page.locator(".game-head > .notice" if game in (CUT, FAILED) else ".game")
        ).to_contain_text(says)
        shown(page, "turn 10 of 10" if game in (CUT, FAILED) else "final position")


def test_limits_of_turns_and_forced_moves_are_said(asked_tab: Tab) -> None:
    page = asked_tab.go("/game?id=forced&turn=end")
    expect(page.locator(".ending")).to_contain_text("reached its limit of 2 turns")
    page.keyboard.press("Home")
    expect(page.locator(".said-slot")).to_contain_text("forced: the program played the safest move")
    assert page.locator(".log .sign.is-forced").count() == 2
    assert page.locator(".strip .sign.is-forced").count() == 2


def test_what_a_model_wrote_stays_text(asked_tab: Tab) -> None:
    page = asked_tab.go("/game?id=marked-up&turn=1")
    expect(page.locator(".said-slot .why")).to_have_text(MARKUP)
    expect(page.locator(".turn-panel")).to_contain_text(MARKUP)
    assert page.locator("main img, main script, main iframe").count() == 0
    asked_tab.go("/?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    expect(page.get_by_text("No game fits these filters.")).to_be_visible()


def test_nothing_that_a_model_wrote_turns_a_line_around(asked_tab: Tab) -> None:
    page = asked_tab.go("/game?id=around&turn=1")
    expect(page.locator(".said-slot .why")).to_contain_text("this")
    page.get_by_text("Raw text of the answer").click()
    expect(page.locator(".call-detail pre").first).to_contain_text("31m")
    for text in (page.inner_text("body"), page.content(), page.title()):
        assert all(map(is_printable, text))


STRIP = {"ready": True, "done": 58, "expected": [20.0 - n / 9 for n in range(58)], "error": [0.5] * 58, "mistakes": [
    {"turn": 9, "seat": 2, "kind": "discard", "loss": 2.0, "text": "a critical card was discarded"},
    {"turn": 31, "seat": 0, "kind": "play", "loss": 1.0, "text": "the card did not fit"},
]}  # fmt: skip


def test_the_strip_is_asked_for_and_leads_from_mistake_to_mistake(tab: Tab) -> None:
    answers = [
        {**STRIP, "ready": False, "done": 12, "expected": [], "error": [], "mistakes": []},
        STRIP,
    ]
    tab.page.route(
        "**/api/strip*", lambda route: route.fulfill(json=answers.pop(0) if answers[1:] else STRIP)
    )
    page = tab.go(f"/game?id={PERFECT}&turn=1")
    shown(page, "turn 1 of 58")
    assert page.locator(".strip .expected").count() == 0
    page.keyboard.press("n")
    expect(page.get_by_text("expected score: 12 of 58 turns")).to_be_visible()
    shown(page, "turn 9 of 58")
    expect(page.locator(".said-slot")).to_contain_text("a critical card was discarded")
    expect(page.locator(".strip polyline.expected")).to_have_count(1)
    page.keyboard.press("n")
    shown(page, "turn 31 of 58")
    page.keyboard.press("n")
    expect(page.get_by_text("No later mistake.")).to_be_visible()
    page.keyboard.press("p")
    shown(page, "turn 9 of 58")
    page.keyboard.press("m")
    expect(page.locator(".said-slot")).not_to_contain_text("critical card")
    box = page.locator(".strip-plot").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 40)
    shown(page, "turn 58 of 58")


def test_what_goes_on_is_drawn_as_it_grows(open_tab: Open, folder: Path, tmp_path: Path) -> None:
    """New games and moves appear; what the reader typed and where the focus is stay."""
    whole = (folder / "games" / f"{PERFECT}.jsonl").read_text("utf-8").splitlines(keepends=True)
    _written(tmp_path / "first.jsonl", whole[:30])
    tab = open_tab(tmp_path)
    tab.page.clock.install()
    page = tab.go()
    page.get_by_label("Search games").fill("s")
    expect(page.get_by_text("1 game", exact=True)).to_be_visible()
    page.clock.run_for(100)
    _written(tmp_path / "second.jsonl", whole)
    page.clock.run_for(2100)
    expect(page.get_by_text("2 games", exact=True)).to_be_visible()
    assert page.evaluate("document.activeElement.value") == "s"
    tab.go("/game?id=first&turn=end")
    shown(page, "turn 10 of 10")
    expect(page.locator(".ending")).to_contain_text("Still going")
    page.clock.run_for(100)
    page.locator('[data-key="card-1-2"]').focus()
    _written(tmp_path / "first.jsonl", whole)
    page.clock.run_for(2100)
    page.clock.resume()  # a poll that met another on its way is followed by the next
    shown(page, "final position")
    assert page.evaluate("document.activeElement.dataset.key") == "card-1-2"


def test_mistakes_in_an_address_are_said(tab: Tab) -> None:
    page = tab.go("/game?id=hat/nothing")
    expect(page.get_by_role("alert")).to_contain_text("hat/nothing")
    tab.go("/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("There is no page")
    assert all("404" in one for one in tab.wrong)
    tab.wrong.clear()


def test_axe_finds_nothing_serious(tab: Tab) -> None:
    page = tab.go()
    expect(page.locator(".games-table tbody tr[data-id]")).to_have_count(6)
    assert not faults(page)
    page.emulate_media(color_scheme="dark")
    assert not FULL or not faults(page)
    tab.go(f"/game?id={STRUCK}&turn=2")
    expect(page.locator(".turn-panel h2").first).to_be_visible()
    assert not faults(page)
    page.emulate_media(color_scheme="light")
    assert not FULL or not faults(page)


def test_the_page_never_scrolls_sideways(tab: Tab) -> None:
    page = tab.go()
    expect(page.locator(".games-table tbody tr[data-id]")).to_have_count(6)
    for width in (1440, 800, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    tab.go(f"/game?id={PERFECT}&turn=8")
    expect(page.locator(".turn-panel h2").first).to_be_visible()
    for width in (390, 800, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
