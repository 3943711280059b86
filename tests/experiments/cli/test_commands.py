"""The command line as a user meets it: exit codes, one sentence for a mistake, JSON for programs."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.show.live_table import LiveTable
from hanabi_orchestrator.experiments.tasks.games import single_game
from hanabi_orchestrator.experiments.values.looks import costliest
from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.models import fake_endpoint, layer, retries
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, ModelResponse
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.conftest import Run
from tests.support.prove import FULL
from tests.support.servers import in_a_thread

RESULT_KEYS = {
    "score_strict", "score_kept", "lives", "turns", "end", "players", "seed", "graph", "model", "fireworks",
    "tokens_in", "tokens_out", "calls", "fallbacks", "journal",
}  # fmt: skip


def test_play_ends_with_a_result_and_names_the_journal_and_the_next_command(run: Run) -> None:
    code, out, err = run("play", "--players", "2", "--graph", "watson")
    assert (code, err) == (0, "")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0].startswith("  1  P0  ") and "tokens 7" in lines[0]
    assert lines[-2] == "journal  games/watson-2p-s1.jsonl"
    turn, why = costliest(Game.open(Path("games/watson-2p-s1.jsonl")))
    assert (
        lines[-1] == f"next     orchestrator show games/watson-2p-s1.jsonl --turn {turn}  # {why}"
        and turn > 1
    )
    assert Path("games/watson-2p-s1.jsonl").exists()
    assert "\x1b" not in out


def test_play_json_prints_the_result_object_alone(run: Run) -> None:
    code, out, _ = run("play", "--json", "--seed", "7", "--players", "4", "--out", "here")
    result = json.loads(out)
    assert code == 0 and set(result) >= RESULT_KEYS
    assert (result["seed"], result["players"], result["graph"], result["model"]) == (
        7,
        4,
        "house",
        "program",
    )
    assert Path(result["journal"]).parent == Path("here")


def test_the_same_command_again_tells_the_same_game_and_plays_nothing(run: Run) -> None:
    first, again = [run("play", "--graph", "watson")[1] for _ in range(2)]
    assert "played before; --force-new plays it again" in again and "played before" not in first
    assert (
        again.splitlines()[:-4] == first.splitlines()[:-3]
        and len(list(Path("games").iterdir())) == 1
    )


def test_another_game_of_the_same_name_is_another_file(run: Run) -> None:
    play = ("play", "--json", "--graph", "watson")
    names = [
        json.loads(run(*play, *more)[1])["journal"]
        for more in ([], ["--model", "sim:average"], ["--force-new"], [])
    ]
    paths = [f"games/watson-3p-s1{number}.jsonl" for number in ("", "-2", "-3", "-3")]
    assert names == paths  # the last command means the latest game of its kind


def test_a_deck_file_is_dealt(run: Run) -> None:
    Path("mine.json").write_text(json.dumps(deal(3)), "utf-8")
    code, out, _ = run("play", "--json", "--graph", "watson", "--deck", "mine.json")
    of_seed = json.loads(run("play", "--json", "--graph", "watson", "--seed", "3")[1])
    of_deck = json.loads(out)
    assert (
        code == 0
        and of_deck["seed"] is None
        and of_deck["journal"] == "games/watson-3p-d-mine.jsonl"
    )
    assert of_deck["fireworks"] == of_seed["fireworks"]


def test_a_model_is_played_through_a_server(run: Run, endpoint: str) -> None:
    code, out, _ = run(
        "play",
        "--json",
        "--graph",
        "watson",
        "--set",
        "verify=safety",
        "--model",
        f"openai:fake@{endpoint}",
    )
    result = json.loads(out)
    assert code == 0 and result["calls"] > 40 and result["lives"] > 0
    code, out, _ = run("show", result["journal"])
    assert (
        code == 0
        and "model calls: " in out
        and f"watson-verify-safety on openai:fake@{endpoint}" in out
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wrong_decks() -> None:
    Path("49.json").write_text(json.dumps(deal(1)[:49]), "utf-8")
    Path("r1.json").write_text(json.dumps([*deal(1)[:49], "R1"]), "utf-8")
    Path("map.json").write_text('{"deck": []}', "utf-8")
    Path("bad.json").write_text("[", "utf-8")
    Path("circle.yaml").write_text(
        "name: c\ncontext: sherlock\ndecides: a\n"
        "nodes: {a: {role: proposer, reads: [b]}, b: {role: aggregator, reads: [a]}}\n",
        "utf-8",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["play", "--graph", "huose"],
            "unknown graph 'huose'; did you mean 'house'? Known: best_of_k, cac, ",
        ),
        (["play", "--graph", "circle.yaml"], "circle.yaml: nodes read in a circle: "),
        (["play", "--players", "1"], "Hanabi is for 2 to 5 players, not 1"),
        (["play", "--players", "6"], "Hanabi is for 2 to 5 players, not 6"),
        (
            ["play", "--seed", "2147483648"],
            "a seed is a whole number from 0 to 2147483647, not 2147483648",
        ),
        (["play", "--seed", "-1"], "a seed is a whole number from 0 to 2147483647, not -1"),
        (["play", "--deck", "49.json"], "a deck has 50 cards, this one has 49"),
        (["play", "--deck", "r1.json"], "this one has"),
        (["play", "--deck", "map.json"], "is not a JSON list of cards"),
        (["play", "--deck", "bad.json"], "deck 'bad.json' is not JSON"),
        (["play", "--deck", "none.json"], "cannot read deck 'none.json'"),
        (
            ["play", "--model", "gpt"],
            "unknown model 'gpt'; did you mean 'openai:gpt'? Known: program, openai:NAME",
        ),
        (
            ["play", "--model", ""],
            "--model is empty; name a model, e.g. openai:NAME, or `program` for a game without",
        ),
        (["doctor", "--model", " "], "--model is empty; name a model"),
        (["play", "--model", "openai:gpt-4.1-mini"], "needs a key: set OPENAI_API_KEY"),
        (["play", "--set", "verify=maybe"], "verify.rule: must be 'none' or 'safety', not 'maybe'"),
        (["play", "--player", "3"], "No such option"),
        (["play", "--budget", "0tokens"], "the budget is 0 tokens; it must be at least 1"),
        (
            ["play", "--budget", "-1usd"],
            "the budget is $-1; it must be a number of dollars, more than 0",
        ),
        (
            ["play", "--budget", "nanusd"],
            "--budget 'nanusd' is no budget: write e.g. 2000000tokens or 5usd",
        ),
        (
            ["play", "--budget", "infusd"],
            "--budget 'infusd' is no budget: write e.g. 2000000tokens or 5usd",
        ),
        (
            ["play", "--budget", "1usd", "--model", "openai:m@http://127.0.0.1:9/v1"],
            "needs the price of openai:m",
        ),
        (["play", "--cache", "replay:nowhere"], "there is no recording at 'nowhere'"),
        (["play", "--model", "replay:map.json"], "map.json, line 1: journal version None"),
        (["play", "--model", "none.yaml"], "cannot read models 'none.yaml'"),
        (["play", "--cache", "49.json"], "cannot use '49.json' as a cache"),
        (["--logs", "xml", "list", "graphs"], "--logs is 'xml'; it can be: console, json"),
        (
            ["fake-endpoint", "--faults", "0.5", "--faults", "fire"],
            "unknown fault 'fire'; known: 429",
        ),
        (["play", "--players", "three"], "--players: must be a whole number, not 'three'"),
        (
            ["roles", "show", "nope"],
            "unknown role 'nope': a role of your own needs --import FILE; known: ",
        ),
        (["graphs", "show", "nope"], "unknown graph 'nope'"),
        (["show", "none.jsonl"], "cannot read none.jsonl as a journal"),
        (["show", "49.json"], "not a journal line"),
        (["show", ".", "--turn", "1"], "is a folder, and --turn and --full are for one game"),
        (
            ["play", "--model", "openai:m@http://HOST:PORT/v1"],
            "'http://HOST:PORT/v1' is not a server's address",
        ),
        (
            ["play", "--out", "49.json"],
            "cannot write the journal '49.json/house-3p-s1.jsonl': File exists",
        ),
        (["fake-endpoint", "--port", "99999"], "--port: must be at most 65535, not '99999'"),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    run: Run, arguments: list[str], said: str
) -> None:
    wrong_decks()
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err and err.startswith("error: ") and err.count("\n") == 1
    assert not Path("games").exists()


def test_a_server_that_is_not_there_is_said_before_the_first_move(run: Run) -> None:
    code, out, err = run("play", "--model", f"openai:x@http://127.0.0.1:{free_port()}/v1")
    assert (code, out) == (2, "")
    assert "cannot reach a model server at http://127.0.0.1" in err and err.count("\n") == 1
    assert not Path("games").exists()


def test_an_interrupt_ends_the_game_with_code_130(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(single_game, "play_started", interrupted)
    assert run("play", "--graph", "watson") == (130, "", "interrupted: the game had not begun\n")


def answering(monkeypatch: pytest.MonkeyPatch, text: Callable[[], str]) -> None:
    """Every model says this, and its server is there."""

    async def said(_: object, request: ModelRequest, said: object, /) -> ModelResponse:
        return ModelResponse(text=text())

    monkeypatch.setattr(retries.ChatBrain, "__call__", said)
    monkeypatch.setattr(layer.ModelLayer, "check", lambda _: asyncio.sleep(0))


def test_a_game_whose_server_fails_is_suspended_and_goes_on_by_the_same_command(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def failing() -> str:
        nonlocal asked
        asked += 1
        if asked == 4:
            raise ModelError("node 'proposer': the model server answered HTTP 404")
        return '{"ratings": [], "reason": "r", "action": "9"}'

    answering(monkeypatch, failing)
    play = ("play", "--graph", "watson", "--model", "openai:some@http://127.0.0.1:9/v1")
    code, out, err = run(*play)
    *moves, used = out.splitlines()
    assert (code, len(moves)) == (3, 3) and re.fullmatch(
        r"so far   3 calls, \d+ tokens in, \d+ out", used
    )
    assert err == (
        "suspended at turn 4 of games/watson-3p-s1.jsonl: node 'proposer': the model server answered HTTP 404. "
        "The same command continues from there\n"
    )
    code, out, _ = run(*play, "--json")
    assert code == 0 and json.loads(out)["calls"] == asked - 1
    asked = 3
    code, _, err = run(*play, "--force-new")
    assert code == 3 and "The same command without --force-new continues from there" in err


def test_a_server_that_is_still_down_leaves_a_game_suspended(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    play = ("play", "--graph", "watson", "--model", f"openai:some@{url}")
    with monkeypatch.context() as patched:
        said = iter(['{"ratings": [], "reason": "r", "action": "9"}'] * 3)
        answering(patched, lambda: next(said, None) or exhausted())
        assert run(*play)[0] == 3
    code, _, err = run(*play)
    assert (
        code == 3
        and "suspended at turn 4 of games/watson-3p-s1.jsonl: cannot reach a model server" in err
    )


def exhausted() -> str:
    raise ModelError("no answer")


def test_a_damaged_journal_is_said_and_never_paid_for_again_in_silence(run: Run) -> None:
    assert run("play", "--graph", "watson", "-q")[0] == 0
    path = Path("games/watson-3p-s1.jsonl")
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:5], lines[5][:40], *lines[6:]]), "utf-8")
    code, _, err = run("play", "--graph", "watson")
    assert code == 2 and "line 6: not a journal line" in err and "--force-new keeps it" in err
    assert json.loads(run("play", "--json", "--graph", "watson", "--force-new")[1])[
        "journal"
    ].endswith("s1-2.jsonl")


def test_a_slip_in_a_models_file_is_no_game_of_programs(run: Run) -> None:
    Path("models.yaml").write_text("Default: openai:m@http://127.0.0.1:9/v1\n", "utf-8")
    code, _, err = run("play", "--model", "models.yaml")
    assert (
        code == 2
        and "models.yaml names Default, but not default, which nodes use that name no model" in err
    )


def test_a_suspended_game_is_said_as_json_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> str:
        raise ModelError("no answer")

    answering(monkeypatch, failing)
    code, out, _ = run(
        "play", "--json", "--graph", "watson", "--model", "openai:some@http://127.0.0.1:9/v1"
    )
    assert code == 3
    said = json.loads(out)
    assert said["turn"] == 1 and "no answer" in said["suspended"] and Path(said["journal"]).exists()
    assert (
        said["so_far"]["calls"] == said["so_far"]["tokens_in"] == 0
        and said["so_far"]["usd"] is None
    )


def test_unusable_replies_are_logged_on_demand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, lambda: "I would rather not say.")
    server = ("--model", "openai:some@http://127.0.0.1:9/v1", "--min-own", "0")
    play = ("play", "--json", "--graph", "watson", *server)
    code, out, err = run(*play, "-v")
    result = json.loads(out)
    assert code == 0 and result["fallbacks"] == result["forced"] == result["turns"]
    assert (
        "unusable reply" in err and "node=proposer" in err and "turn=1" in err and "seat=0" in err
    )
    assert run(*play, "--seed", "2")[2] == ""
    logged = run("--logs", "json", "-v", *play, "--seed", "3")[2].splitlines()[0]
    assert {"game", "turn", "seat", "node", "event", "timestamp"} <= set(json.loads(logged))


def test_a_game_of_forced_moves_is_not_passed_off_as_the_models(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda: "rubbish")
    server = ("--model", "openai:some@http://127.0.0.1:9/v1", "--min-own", "0")
    _, out, _ = run("play", "-q", "--graph", "watson", *server)
    assert "moves were forced: this is not how the model plays" in out


def test_a_models_words_cannot_move_the_terminals_cursor(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(
        monkeypatch,
        lambda: '{"ratings": [], "reason": "\\u001b[31m\\u009b2J red\\u0007", "action": "9"}',
    )
    _, played, _ = run("play", "--graph", "watson", "--model", "openai:some@http://127.0.0.1:9/v1")
    told = [
        run("show", "games/watson-3p-s1.jsonl", *more)[1]
        for more in ([], ["--turn", "1"], ["--turn", "1", "--full"])
    ]
    for out in (played, *told):
        assert " red" in out and not set("\x1b\x9b\x07") & set(out)


@pytest.mark.parametrize("shell", ["trap '' INT; exec", *(["exec"] if FULL else [])])
def test_sigterm_ends_a_game_as_ctrl_c_does(tmp_path: Path, shell: str) -> None:
    """In the middle of it: the journal shows the first turn, and every call takes a while."""
    with in_a_thread(fake_endpoint.app(latency_s=0.2)) as url:
        played = f"{Path(sys.executable).with_name('orchestrator')} play --model openai:fake@{url}"
        command = ["sh", "-c", f"{shell} {played}"]
        process = subprocess.Popen(
            command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        written = tmp_path / "games" / "house-3p-s1.jsonl"
        while process.poll() is None and not (
            written.exists() and '"moved"' in written.read_text("utf-8")
        ):
            time.sleep(0.05)
        process.terminate()
        _, err = process.communicate()
    said = "interrupted: the game is kept in games/house-3p-s1.jsonl; the same command goes on with it\n"
    assert (process.returncode, err) == (130, said)


async def test_a_terminal_gets_a_board_and_a_line_a_turn() -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=90, height=40, color_system=None)
    with LiveTable(screen) as board:
        await play_async(graphs.seat("watson"), players=3, seed=1, sink=board, max_turns=12)
    text = written.getvalue()
    assert "P0 decides: " in text and "turn 1, P0 to move" in text
    assert len(re.findall(r" \d+  P\d  (?:hint|play|discard) ", text)) >= 12
    assert "\x1b[?25h" in text  # the cursor is shown again


def test_quiet_says_how_it_ended(run: Run) -> None:
    code, out, _ = run("play", "--graph", "watson", "-q")
    assert code == 0 and out.startswith("score") and "hint P1" not in out


def test_an_env_file_that_is_no_text_is_said(run: Run) -> None:
    Path(".env").write_bytes(b"KEY=\xff\xfe")
    code, _, err = run("list", "graphs")
    assert code == 2 and ".env: it is not UTF-8 text" in err


def test_a_port_in_use_is_said(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("fake-endpoint", "--port", str(port))
    assert code == 2 and f"cannot serve on port {port}" in err


def test_python_m_experiments_works_in_a_folder_with_packages_of_the_same_names(
    tmp_path: Path,
) -> None:
    for package in ("prompts", "roles", "graphs", "orchestrator"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError('not mine')", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "hanabi_orchestrator", "list", "graphs"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "") and "house" in done.stdout
