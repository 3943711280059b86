"""Games of persons on the page: only the Views of their seats leave the server before the game has ended."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page import person_tables, person_view
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.named_models import NamedModels
from hanabi_orchestrator.experiments.page.server import Api, app
from hanabi_orchestrator.orchestrator import Left, Person, Suspended, View, journal, play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.journal.events import Decided, GameStarted
from tests.support.prove import FULL
from tests.test_hidden import PLAYERS, positions

PRIVATE = (
    "game",
    "turn?turn=1",
    "prompt?turn=1&key=x",
    "beliefs?turn=1",
    "values?turn=1",
    "marks?turn=1",
    "strip",
)
CLOSED = "this link does not open that seat; ask for the seat's own link"

Seat = dict[str, Any]
"""What opens a seat: the game's id, the seat and its token."""


class Browser:
    """One browser: asks as the page does, and keeps all that it got."""

    def __init__(self, path: Path, *models: str) -> None:
        library = Library.open(path)
        self.api = Api(library, NamedModels.of(models))
        made = app(library, self.api)
        self.client = TestClient(
            made, base_url="http://127.0.0.1:8642", raise_server_exceptions=False
        )
        self.heard: list[str] = []

    def get(self, address: str) -> Any:
        answer = self.client.get(f"/api/{address}")
        self.heard.append(answer.text)
        return answer

    def post(self, name: str, **body: object) -> tuple[int, Any]:
        answer = self.client.post(f"/api/person/{name}", json=body, headers={"x-page": "1"})
        self.heard.append(answer.text)
        return answer.status_code, answer.json()

    def begin(self, **asked: object) -> tuple[Seat, ...]:
        """The seats of a new game."""
        status, made = self.post("start", **asked)
        assert status == 200, made
        return tuple({"id": made["id"], **seat} for seat in made["seats"])

    def until(self, seat: Seat, done: Callable[[Any], bool], **more: object) -> Any:
        """What a seat sees once something is so; 20 seconds at most."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            status, seen = self.post("seat", **seat, **more)
            assert status == 200, seen
            if done(seen):
                return seen
            time.sleep(0.01)
        raise AssertionError(f"still {seen['state']} at turn {seen['turn']}")

    def turn(self, seat: Seat, **more: object) -> Any:
        """What a seat sees at its next turn, or when the game is over."""
        return self.until(seat, lambda seen: seen["yours"] or seen["state"] == "over", **more)

    def move(self, seat: Seat, turn: int, text: str) -> None:
        assert self.post("move", **seat, turn=turn, move=text) == (
            200,
            {"taken": True, "why": None},
        )

    def play(self, seat: Seat) -> Any:
        """Plays slot 0 until the game is over."""
        while (seen := self.turn(seat))["state"] == "going":
            self.move(seat, seen["turn"], "play 0")
        return seen


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> Path:
    """A folder with a game of two turns that nobody plays."""
    return Path(shutil.copytree(asked, tmp_path / "here"))


@pytest.fixture
def browser(folder: Path) -> Iterator[Browser]:
    made = Browser(folder)
    yield made
    made.api.close()


def test_a_game_is_played_to_its_end_and_only_then_told(browser: Browser, folder: Path) -> None:
    (seat,) = browser.begin(graph="watson", players=3, seats=[1])
    while (seen := browser.turn(seat))["state"] == "going":
        for address in PRIVATE:
            name, _, more = address.partition("?")
            answer = browser.get(f"{name}?id={seat['id']}&{more}")
            assert (
                answer.status_code == 403 and "a person is still playing" in answer.json()["error"]
            )
        for other in (f"compare?a={seat['id']}&b=marked-up", f"compare?a=marked-up&b={seat['id']}"):
            assert browser.get(other).status_code == 403
        for table in ("games", "run", "version", "person"):
            assert browser.get(table).status_code == 200
        fork = browser.client.post(
            "/api/fork", json={"id": seat["id"], "turn": 1}, headers={"x-page": "1"}
        )
        assert fork.status_code == 403 and seat["id"] not in browser.get("games").text
        browser.move(seat, seen["turn"], "play 0")
    before = "".join(text for text in browser.heard if '"state":"over"' not in text)
    events = journal.read(folder / f"{seat['id']}.jsonl")
    begun = events[0]
    assert isinstance(begun, GameStarted) and begun.seed is not None
    assert str(begun.seed) not in before and seen["result"]["seed"] == begun.seed
    reasons = {event.why for event in events if isinstance(event, Decided) and event.seat != 1}
    assert reasons and not any(why in before for why in reasons)
    assert browser.get(f"game?id={seat['id']}").json()["deck"] == [
        card.value for card in begun.deck
    ]
    assert browser.get(f"turn?id={seat['id']}&turn=1").status_code == 200
    assert seat["id"] in browser.get("games").text


def test_own_cards_are_never_told_and_the_others_are(browser: Browser) -> None:
    (seat,) = browser.begin(graph="watson", players=2, seats=[0], seed=4)
    seen = browser.turn(seat)
    assert seen["turns"][0]["hands"][0] == [None] * 5 and None not in seen["turns"][0]["hands"][1]
    assert [move["text"] for move in seen["legal"]][:2] == ["play slot 0", "play slot 1"]
    hints = [move for move in seen["legal"] if move["type"] == "hint"]
    assert hints and all(move["slots"] for move in hints)
    over = browser.play(seat)
    assert all(card is None for turn in over["turns"] for card in turn["hands"][0])
    assert (
        over["result"]["end"] == "lives_lost"
        and browser.turn(seat, since=2)["turns"][0]["turn"] == 2
    )


@pytest.mark.parametrize("players", PLAYERS if FULL else (2, 4))
def test_another_hidden_hand_changes_no_byte_of_what_a_seat_gets(players: int) -> None:
    def sent(referee: Referee) -> str:
        game = Referee(players, referee.deck)
        views = [game.view(referee.seat)]
        for past in referee.view().history:
            game.apply(past.move)
            views.append(game.view(referee.seat))
        return json.dumps([person_view.frames(views, 1), person_view.legal(views[-1])])

    met = 0
    for referee, other in positions(players, 5 + players, 0.06):
        assert sent(referee) == sent(other)
        met += referee.deck != other.deck
    assert met > 0


def test_a_seat_is_opened_by_its_own_token_alone(browser: Browser) -> None:
    first, second = browser.begin(graph="watson", players=2, seats=[0, 1])
    wrong = [
        {"token": "guess"},
        {"token": second["token"]},
        {"token": ""},
        {"token": None},
        {"seat": 1},
        {"seat": 7},
        {"seat": "0"},
    ]
    for change in wrong:
        for name in ("seat", "move", "leave"):
            assert browser.post(name, **{**first, **change, "turn": 1, "move": "play 0"}) == (
                403,
                {"error": CLOSED},
            )
    for id in ("persons/nothing", "../../etc/passwd", "", None):
        assert browser.post("seat", **{**first, "id": id})[0] == 404
    assert not any(first["token"] in text for text in browser.heard[1:])


@pytest.mark.parametrize(
    "headers", [{}, {"x-page": "1", "origin": "http://evil.example"}, {"x-page": "1", "host": "x"}]
)
def test_other_pages_begin_no_game(browser: Browser, headers: dict[str, str]) -> None:
    answer = browser.client.post("/api/person/start", json={"graph": "watson"}, headers=headers)
    assert answer.status_code == 403 and browser.get("person").json()["games"] == []


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"graph": "nobody"}, "unknown graph 'nobody'"),
        ({"graph": "partner:nobody"}, "nobody"),
        ({"graph": "/etc/passwd.yaml"}, "is not the name of a graph"),
        ({"graph": "mine.yaml"}, "is not the name of a graph"),
        ({"graph": "python:os:system"}, "is not the name of a graph"),
        (
            {"model": "openai:gpt"},
            "the server was not started with the model 'openai:gpt'; it has program",
        ),
        ({"players": 6}, "players: must be at most 5, not 6"),
        ({"players": 2, "seats": [2]}, "there is no P2 among 2 players"),
        ({"seats": []}, "seats"),
        ({"seed": -1}, "seed: must be at least 0, not -1"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(
    browser: Browser, wanted: dict[str, Any], why: str
) -> None:
    status, said = browser.post("start", **wanted)
    assert status == 400 and why in said["error"], said
    assert browser.get("person").json()["games"] == []


def test_a_move_is_refused_with_the_reason(browser: Browser) -> None:
    first, second = browser.begin(graph="watson", players=2, seats=[0, 1])
    browser.turn(first)
    told = {"taken": False, "why": "you have no slot 9; your cards are in slots 0 to 4"}
    assert browser.post("move", **first, turn=1, move="play 9") == (200, told)
    for asked, why in (
        ({**first, "turn": 2, "move": "play 1"}, "it is not your turn now"),
        ({**second, "turn": 1, "move": "play 1"}, "it is not your turn now"),
        ({**first, "turn": 1, "move": 3}, "a move has a turn, a text and perhaps a reason"),
    ):
        assert browser.post("move", **asked) == (400, {"error": why})


def test_two_persons_see_each_others_moves_and_not_their_reasons(
    browser: Browser, folder: Path
) -> None:
    first, second = browser.begin(graph="watson", players=2, seats=[0, 1], seed=1)
    browser.turn(first)
    browser.move(first, 1, "h 1 1 because they fit")
    seen = browser.turn(second)
    assert seen["turn"] == 2 and seen["turns"][0]["move"]["text"] == "hint P1 rank 1"
    assert seen["turns"][1]["known"][1][1]["rank"] == 1 and None in seen["turns"][1]["hands"][1]
    assert not any("they fit" in text for text in browser.heard)
    assert "they fit" in (folder / f"{first['id']}.jsonl").read_text("utf-8")


def test_a_game_goes_on_after_the_server_was_started_again(browser: Browser, folder: Path) -> None:
    (seat,) = browser.begin(graph="partner:piers", players=2, seats=[1])
    browser.move(seat, browser.turn(seat)["turn"], "play 0")
    before = browser.turn(seat)
    browser.api.close()
    again = Browser(folder)
    (link,) = again.api.persons.links()
    assert seat["token"] in link and seat["id"] in link
    assert again.until(seat, lambda seen: seen["turns"])["turns"] == before["turns"], (
        "all moves, or none yet"
    )
    assert again.turn(seat)["turns"] == before["turns"]
    turns = again.play(seat)["result"]["turns"]
    assert again.api.persons.links() == []
    again.api.close()
    later = Browser(folder)
    assert later.turn(seat)["result"]["turns"] == turns
    later.api.close()


def test_a_game_that_was_left_waits_until_a_seat_is_taken_again(browser: Browser) -> None:
    (seat,) = browser.begin(graph="watson", players=2, seats=[0])
    browser.turn(seat)
    assert browser.post("leave", **seat) == (200, {"left": True})
    seen = browser.until(seat, lambda seen: seen["state"] == "stopped", wait=True)
    assert "goes on as soon as a seat is taken again" in seen["why"] and not seen["yours"]
    assert browser.post("move", **seat, turn=1, move="play 0")[1] == {
        "error": "it is not your turn now"
    }
    assert browser.turn(seat)["yours"]


def test_a_partner_who_gives_no_move_stops_the_game_and_tells_no_prompt(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "k")
    model = "openai:none@http://127.0.0.1:9/v1"
    browser = Browser(folder, model)
    assert browser.get("person").json()["models"] == ["program", model]
    (seat,) = browser.begin(graph="watson", players=2, seats=[1], model=model)
    seen = browser.until(seat, lambda seen: seen["state"] != "going", wait=True)
    assert seen["state"] == "stopped" and seen["why"].startswith(
        "A partner gave no move. The terminal"
    )
    browser.api.close()
    without = Browser(folder)
    status, said = without.post("seat", **seat)
    assert status == 400 and f"start the server with --model {model} to go on" in said["error"]
    without.api.close()


def test_games_of_persons_are_no_arm_of_a_run_and_can_be_looked_at_when_over(
    run_copy: Path,
) -> None:
    browser = Browser(run_copy)
    arms = browser.get("run").json()["arms"]
    (seat,) = browser.begin(graph="watson", players=2, seats=[0])
    assert browser.get(f"game?id={seat['id']}").status_code == 403
    browser.play(seat)
    assert browser.get(f"game?id={seat['id']}").json()["state"] == "finished"
    assert browser.get("run").json()["arms"] == arms
    (listed,) = browser.get("person").json()["games"]
    assert listed["id"] == seat["id"] and listed["score"] is not None and "token" not in str(listed)
    browser.api.close()


def test_nobody_looks_at_a_game_that_a_person_plays_in_the_terminal(
    folder: Path, browser: Browser
) -> None:
    async def leave(view: View, problem: str | None) -> str:
        raise Left("away")

    with pytest.raises(Suspended):
        play([Person(leave), graphs.seat("watson")], players=2, journal=folder / "mine.jsonl")
    assert (
        browser.get("game?id=mine").status_code == 403 and "mine" not in browser.get("games").text
    )


def test_a_journal_of_a_game_in_play_is_its_owners_alone(browser: Browser, folder: Path) -> None:
    """It holds the deck, and so does one that an earlier command left to be read by all."""
    (seat,) = browser.begin(graph="partner:piers", players=2)
    journal = folder / f"{seat['id']}.jsonl"
    browser.turn(seat)
    assert journal.stat().st_mode & 0o777 == 0o600
    browser.post("leave", **seat)
    browser.until(seat, lambda seen: seen["state"] == "stopped", wait=True)
    journal.chmod(0o644)
    browser.turn(seat)
    assert journal.stat().st_mode & 0o777 == 0o600


def test_only_so_many_games_are_played_at_once(
    browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_tables, "AT_ONCE", 2)
    (first,), _ = (browser.begin(graph="partner:piers", players=2) for _ in range(2))
    files = sorted(path.name for path in (folder / "persons").iterdir())
    status, answer = browser.post("start", graph="partner:piers", players=2)
    assert status == 400 and answer["error"].startswith(
        "2 games are being played here, the most at a time"
    )
    assert sorted(path.name for path in (folder / "persons").iterdir()) == files
    browser.turn(first)
    browser.post("leave", **first)
    browser.until(first, lambda seen: seen["state"] == "stopped", wait=True)
    browser.begin(graph="partner:piers", players=2)
    assert browser.post("seat", **first)[0] == 400, "it goes on when there is room"
