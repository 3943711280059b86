"""A turn decided again from the page: what is sent back, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from tests.experiments.page.conftest import client
from tests.experiments.page.test_api import GAME, got

OWN = {"x-page": "1"}


def forked(path: Path, **asked: Any) -> Any:
    return client(path).post("/api/fork", json=asked, headers=OWN)


def test_programs_decide_a_turn_again(played: Path) -> None:
    before = (played / "games" / f"{GAME}.jsonl").read_bytes()
    answer = forked(played, id=GAME, turn=5, graph="house", model="program")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["old"]["move"] == got(client(played), "game", id=GAME)["turns"][4]["move"]
    (new,) = found["new"]
    assert (
        new["graph"] == "house" and new["node"] == "aggregator" and new["move"]["type"] in ("play", "discard", "hint")
    )
    assert [call["node"] for call in new["calls"]][-1] in ("aggregator", "safety")
    assert (played / "games" / f"{GAME}.jsonl").read_bytes() == before


def test_the_page_is_told_what_it_may_ask(played: Path) -> None:
    offered = got(client(played), "run")["fork"]
    assert "house" in offered["graphs"] and offered["models"] == ["program"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"id": GAME, "turn": 5, "graph": "house", "model": "openai:expensive"}, "it can be: program"),
        ({"id": GAME, "turn": 5, "graph": "/etc/passwd", "model": "program"}, "/etc/passwd"),
        ({"id": GAME, "turn": 500, "graph": "house", "model": "program"}, "the game has turns 1 to"),
        ({"id": GAME, "turn": "5", "graph": "house"}, "whole number"),
        ({"id": GAME, "turn": 5, "graph": "house", "samples": 1000}, "it can be 1 to 20"),
        ({"id": "../run", "turn": 5}, "is no game's id"),
        ({"id": GAME, "turn": 5}, "partner:piers"),
    ],
)
def test_what_is_not_offered_is_refused_in_a_sentence(played: Path, asked: dict[str, Any], says: str) -> None:
    answer = forked(played, **asked)
    assert answer.status_code in (400, 403) and says in answer.json()["error"], answer.text


def test_a_command_of_another_page_is_refused(played: Path) -> None:
    page, asked = client(played), {"id": GAME, "turn": 5, "graph": "house", "model": "program"}
    assert page.post("/api/fork", json=asked).status_code == 403
    stranger = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert page.post("/api/fork", json=asked, headers=OWN | stranger).status_code == 403
    assert page.post("/api/fork", content=b"[]", headers=OWN).status_code == 400
    assert page.post("/api/fork", content=b"{" * 100_000, headers=OWN).status_code == 403
