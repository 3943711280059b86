"""A turn decided again from the page: what is sent back, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from starlette.testclient import TestClient

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.named_models import NamedModels
from hanabi_orchestrator.experiments.page.server import Api, app
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.table import game_loop
from tests.experiments.page.conftest import client
from tests.experiments.page.test_api import GAME, got
from tests.support.servers import completion, in_a_thread, server

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
        new["graph"] == "house"
        and new["node"] == "aggregator"
        and new["move"]["type"] in ("play", "discard", "hint")
    )
    assert [call["node"] for call in new["calls"]][-1] in ("aggregator", "safety")
    assert (played / "games" / f"{GAME}.jsonl").read_bytes() == before


def test_the_page_is_told_what_it_may_ask(played: Path) -> None:
    offered = got(client(played), "run")["fork"]
    assert "house" in offered["graphs"] and offered["models"] == ["program"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"id": GAME, "turn": 5, "graph": "house", "model": "openai:expensive"},
            "it can be: program",
        ),
        ({"id": GAME, "turn": 5, "graph": "/etc/passwd", "model": "program"}, "/etc/passwd"),
        (
            {"id": GAME, "turn": 500, "graph": "house", "model": "program"},
            "the game has turns 1 to",
        ),
        ({"id": GAME, "turn": "5", "graph": "house"}, "whole number"),
        ({"id": GAME, "turn": 5, "graph": "house", "samples": 1000}, "it can be 1 to 20"),
        ({"id": "../run", "turn": 5}, "is no game's id"),
        ({"id": GAME, "turn": 5}, "partner:piers"),
    ],
)
def test_what_is_not_offered_is_refused_in_a_sentence(
    played: Path, asked: dict[str, Any], says: str
) -> None:
    answer = forked(played, **asked)
    assert answer.status_code in (400, 403) and says in answer.json()["error"], answer.text


@pytest.fixture
def paid(tmp_path: Path) -> Iterator[tuple[Path, str, list[str]]]:
    """A game at its first turn whose seats ask a model, the model, and what reached its server."""
    heard: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        heard.append(request.path)
        usage = {"prompt_tokens": 900, "completion_tokens": 20}
        return (
            completion(usage=usage)
            if request.method == "POST"
            else web.json_response({"data": [{"id": "fake"}]})
        )

    with in_a_thread(server(answer)) as url:
        model = f"openai:fake@{url}"
        with Journal(tmp_path / "open.jsonl") as journal:
            journal(game_loop.start([graphs.seat("sherlock", model)] * 2, players=2, seed=1))
        yield tmp_path, model, heard


def asked_of(folder: Path, models: NamedModels, **asked: Any) -> tuple[int, Any]:
    library = Library.open(folder)
    page = TestClient(app(library, Api(library, models)), base_url="http://127.0.0.1:8642")
    answer = page.post("/api/fork", json={"id": "open", "turn": 1, **asked}, headers=OWN)
    return answer.status_code, answer.json()


def test_a_games_own_model_is_asked_only_if_the_server_was_told(
    paid: tuple[Path, str, list[str]],
) -> None:
    folder, model, heard = paid
    assert got(client(folder), "run")["fork"]["models"] == ["program"]
    others = NamedModels.of(["openai:fake@http://127.0.0.1:9/v1", "sim:average"])
    for given in ({}, {"graph": "house"}, {"model": model}):
        for named in (NamedModels(), others):
            status, said = asked_of(folder, named, **given)
            assert status == 400 and model in said["error"], said
    assert not heard
    assert asked_of(folder, others, graph="house", model="program")[0] == 200 and not heard
    status, said = asked_of(folder, NamedModels.of([model]))
    assert status == 200 and said["new"][0]["calls"][0]["model"] == model and heard


def test_a_budget_holds_for_everything_that_the_server_asks(
    paid: tuple[Path, str, list[str]],
) -> None:
    folder, model, _ = paid
    named = NamedModels.of([model], max_tokens=9_000)
    told = [asked_of(folder, named, samples=2)[1] for _ in range(4)]
    assert told[0]["stopped"] is None and len(told[0]["new"]) == 2, told[0]
    assert "the budget is reached" in told[-1]["stopped"]
    with pytest.raises(UserError, match="a budget in dollars needs the price of openai:fake"):
        NamedModels.of([model], max_usd=1)


def test_a_command_of_another_page_is_refused(played: Path) -> None:
    page = client(played)
    asked = {"id": GAME, "turn": 5, "graph": "house", "model": "program"}
    assert page.post("/api/fork", json=asked).status_code == 403
    stranger = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert page.post("/api/fork", json=asked, headers=OWN | stranger).status_code == 403
    assert page.post("/api/fork", content=b"[]", headers=OWN).status_code == 400
    assert page.post("/api/fork", content=b"{" * 100_000, headers=OWN).status_code == 403
