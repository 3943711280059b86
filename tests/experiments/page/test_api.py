"""What the page's server says of runs, games and turns: the fields that its front end relies on."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator.experiments.page import run_page
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.report.figures import scores
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.hanabi.referee import rebuild
from tests.experiments.page.conftest import MARKUP, client

GAME = "piers/2p-s1-r1"


def got(page: TestClient, name: str, **asked: object) -> Any:
    answer = page.get(f"/api/{name}", params={key: str(value) for key, value in asked.items()})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_run_has_its_arms_with_the_scores_of_the_report(page: TestClient, played: Path) -> None:
    run = got(page, "run")
    rows = run_folder.read_rows(played)
    assert (run["name"], run["kind"], run["question"], run["going"]) == (
        "small",
        "run",
        "Do two players differ?",
        False,
    )
    assert (run["labels"], run["metric"], run["baseline"]) == (["programs"], "strict", "iggi")
    arms = {arm["name"]: arm for arm in run["arms"]}
    scores = [row.score_strict for row in rows if row.arm == "piers"]
    assert arms["piers"]["mean"] == sum(scores) / 2 and arms["piers"]["games"] == 2
    assert arms["iggi"]["verdict"] == []
    others = [row.score_strict for row in rows if row.arm == "iggi"]
    (piers,) = arms["piers"]["verdict"]
    assert piers["mean"] == (sum(scores) - sum(others)) / 2 and piers["state"] == "untested"
    assert piers["sentence"].startswith("piers: inconclusive beside iggi (-0.50 points, 2 ")


def test_the_runs_file_chooses_the_columns(page: TestClient) -> None:
    columns = got(page, "run")["columns"]
    assert [one["key"] for one in columns if one["shown"]] == ["id", "score_strict", "forced"]
    assert {"key": "score_strict", "title": "score", "kind": "number", "shown": True} in columns
    assert {one["kind"] for one in columns} == {"number", "text", "flag"}


def test_figures_and_the_report_can_be_fetched_and_link_to_games(page: TestClient) -> None:
    run = got(page, "run")
    assert "<svg" in page.get(run["figures"][0]["file"]).text
    assert run["figures"][0]["games"] == {"state": "finished", "players": 2}
    assert page.get(run["report"]).headers["content-type"].startswith("text/html")


def test_a_figure_of_one_arm_or_one_count_links_to_the_games_of_these(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("players,arm,best\n2,iggi,1\n2,piers,3\n", "utf-8")
    (tmp_path / "pooled.csv").write_text("players,arm,best\n2,iggi,1\n3,iggi,1\n,iggi,2\n", "utf-8")
    plain = replace(scores.ENDS, arm=None)
    assert run_page.games_of(plain, tmp_path / "few.csv") == {"state": "finished", "players": 2}
    assert run_page.games_of(plain, tmp_path / "pooled.csv") == {"state": "finished", "arm": "iggi"}
    of_one = replace(plain, arm="piers")
    assert run_page.games_of(of_one, tmp_path / "few.csv") == {
        "state": "finished",
        "players": 2,
        "arm": "piers",
    }
    assert run_page.games_of(plain, tmp_path / "none.csv") == {"state": "finished"}


def test_the_table_has_a_row_for_every_game(page: TestClient, played: Path) -> None:
    table = got(page, "games")
    games = [dict(zip(table["keys"], row, strict=True)) for row in table["rows"]]
    assert [game["id"] for game in games] == [
        "iggi/2p-s1-r1",
        "iggi/2p-s2-r1",
        "piers/2p-s1-r1",
        "piers/2p-s2-r1",
    ]
    for game, row in zip(games, run_folder.read_rows(played), strict=True):
        assert game["state"] == "finished" and game["arm"] == row.arm
        assert {name: game[name] for name in vars(row) if name in game} == {
            name: value for name, value in vars(row).items() if name in game
        }


def test_a_game_is_told_turn_by_turn_as_the_referee_played_it(
    page: TestClient, played: Path
) -> None:
    game = got(page, "game", id=GAME)
    events = journal.read(played / "games" / f"{GAME}.jsonl")
    record = journal.public_record(events)
    assert game["deck"] == [card.value for card in record.deck] and game["state"] == "finished"
    assert [turn["move"]["text"] for turn in game["turns"]] == [str(move) for move in record.moves]
    for turn in game["turns"][::7]:
        referee = rebuild(2, record.deck, record.moves[: turn["turn"] - 1])
        for seat in range(2):
            seen = referee.view((seat + 1) % 2).hands[0]
            assert turn["hands"][seat] == [card.value for card in seen.cards]
            assert [one["ranks"] for one in turn["known"][seat]] == [
                list(one.ranks) for one in seen.known
            ]
        assert (turn["fireworks"], turn["lives"]) == (list(referee.fireworks), referee.lives)


def test_a_drawn_card_is_the_one_that_is_in_the_hand_next(page: TestClient) -> None:
    turns = got(page, "game", id=GAME)["turns"]
    drew = [(turn, turns[turn["turn"]]) for turn in turns[:-1] if turn["drew"]]
    assert drew and all(after["hands"][turn["seat"]][-1] == turn["drew"] for turn, after in drew)


def test_conventions_narrow_only_what_hints_leave(page: TestClient) -> None:
    told = 0
    for turn in got(page, "game", id=GAME)["turns"]:
        for known, inferred in zip(turn["known"], turn["inferred"], strict=True):
            for card, cards in zip(known, inferred, strict=True):
                told += cards is not None
                assert all(
                    one[0] in card["colours"] and int(one[1]) in card["ranks"]
                    for one in cards or ()
                )
    assert told


def test_beliefs_stand_beside_the_truth(page: TestClient) -> None:
    game = got(page, "game", id=GAME)
    for seat in range(2):
        beliefs = got(page, "beliefs", id=GAME, turn=9, seat=seat)
        assert [slot["truth"] for slot in beliefs["slots"]] == game["turns"][8]["hands"][seat]
        for slot in beliefs["slots"]:
            assert (
                sum(slot["cards"].values()) == pytest.approx(1, abs=0.01)
                and slot["cards"][slot["truth"]] > 0
            )
    assert got(page, "beliefs", id=GAME, turn=9)["seat"] == game["turns"][8]["seat"]


def test_a_turn_has_its_calls_and_its_prompts(asked: Path) -> None:
    page = client(asked)
    turn = got(page, "turn", id="marked-up", turn=1)
    assert turn["graph"]["decides"] == "proposer" and turn["graph"]["nodes"][0]["level"] == 0
    first, second = turn["calls"]
    assert (first["key"], first["outcome"], first["text"]) == ("proposer.0.0", "reasked", MARKUP)
    assert second["ask"] == 1 and second["error"]
    prompt = got(page, "prompt", id="marked-up", turn=1, key=first["key"])
    assert (
        not prompt["rendered"] and [message["role"] for message in prompt["messages"]][-1] == "user"
    )
    events = journal.read(asked / "marked-up.jsonl")
    call = next(event for event in events if isinstance(event, journal.events.Call))
    for message, shown in zip(call.messages, prompt["messages"], strict=True):
        assert " ".join(part["text"] for part in shown["parts"]).split() == message.content.split()


def test_the_answer_of_a_model_is_sent_as_data_never_as_a_page(asked: Path) -> None:
    answer = client(asked).get("/api/turn", params={"id": "marked-up", "turn": "1"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert MARKUP in json.dumps(answer.json(), ensure_ascii=False)


def test_a_forced_move_and_what_was_unusable_are_told(asked: Path) -> None:
    game = got(client(asked), "game", id="marked-up")
    assert game["result"]["end"] == "max_turns" and len(game["turns"]) == 2
    assert all(
        turn["forced"] and turn["unusable"] == 2 and turn["absent"] == ["proposer"]
        for turn in game["turns"]
    )


def test_two_games_are_compared_up_to_the_first_move_that_differs(page: TestClient) -> None:
    found = got(page, "compare", a="iggi/2p-s1-r1", b=GAME)
    one, other = (got(page, "game", id=id)["turns"] for id in ("iggi/2p-s1-r1", GAME))
    first = found["first_difference"]
    assert found["same_deal"]
    assert [turn["move"] for turn in one[: first - 1]] == [
        turn["move"] for turn in other[: first - 1]
    ]
    assert (found["a"], found["b"]) == (one[first - 1]["move"], other[first - 1]["move"]) and found[
        "a"
    ] != found["b"]
    assert got(page, "compare", a=GAME, b=GAME)["first_difference"] is None
    assert not got(page, "compare", a=GAME, b="piers/2p-s2-r1")["same_deal"]


def test_a_single_journal_and_a_folder_of_journals_open_too(asked: Path, played: Path) -> None:
    alone = client(asked / "marked-up.jsonl")
    assert got(alone, "run")["kind"] == "game" and len(got(alone, "games")["rows"]) == 1
    folder = client(played / "games")
    assert got(folder, "run")["kind"] == "games"
    assert {arm["name"] for arm in got(folder, "run")["arms"]} == {"partner:iggi", "partner:piers"}
    assert got(folder, "game", id=GAME)["id"] == GAME


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        ("game", {"id": "piers/2p-s9-r1"}, "there is no game"),
        ("turn", {"id": GAME, "turn": "900"}, "the game has turns 1 to"),
        ("turn", {"id": GAME, "turn": "x"}, "whole number"),
        ("beliefs", {"id": GAME, "turn": "1", "seat": "4"}, "there is no seat 4"),
        ("prompt", {"id": GAME, "turn": "1", "key": "nobody.0.0"}, "has no call"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(
    page: TestClient, name: str, asked: dict[str, str], says: str
) -> None:
    answer = page.get(f"/api/{name}", params=asked)
    assert answer.status_code in (400, 404) and says in answer.json()["error"]
