"""Folders with files that are no files, and with journals that cannot be believed: the games beside them are told."""

import json
import os
import re
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.page.games import Games
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.record.run_folder import read_rows
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import file
from tests.conftest import Run

TEXT = {
    "name": "small",
    "graph": "partner:random",
    "players": [2],
    "seeds": [1, 2],
    "arms": {"a": {}},
}
GOOD = "run/games/a/2p-s1-r1.jsonl"


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """Nobody waits for a pipe."""
    signal.alarm(120)
    regular_files._leave_out.cache_clear()
    yield
    signal.alarm(0)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """The folder of the games of a run of two."""
    return (
        experiment_run.run(config.parse(yaml.safe_dump(TEXT)), tmp_path / "run").plan.folder
        / "games"
        / "a"
    )


def listening_socket(path: Path) -> None:
    os.chdir(path.parent)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)


STRANGE: dict[str, Callable[[Path], Any]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe by a link": lambda path: path.symlink_to(fifo(path.with_name("pipe"))),
    "a socket": listening_socket,
    "a folder": Path.mkdir,
    "a link out of the folder": lambda path: path.symlink_to(journal_outside(path)),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a file with an endless first line": lambda path: os.truncate(
        os.open(path, os.O_CREAT | os.O_RDWR), 2**33
    ),
    "noise": lambda path: path.write_bytes(bytes(range(128, 256))),
    "a text": lambda path: path.write_text("some words\n", "utf-8"),
    "a torn line": lambda path: path.write_text('arted", "players": 2}\n', "utf-8"),
    "a list": lambda path: path.write_text("[1, 2]\n", "utf-8"),
    "a journal of another version": lambda path: path.write_text(
        '{"v": 9, "event": "game_started"}\n', "utf-8"
    ),
    "a journal without its first line": lambda path: path.write_text(
        f"{json.dumps(HALT)}\n", "utf-8"
    ),
}


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def journal_outside(path: Path) -> Path:
    outside = path.parents[3] / "outside.jsonl"
    outside.write_bytes(path.with_name("2p-s1-r1.jsonl").read_bytes())
    return outside


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_journal_is_named_and_left_out_by_every_reader(
    kind: str, games: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "LONGEST", 2**20)
    STRANGE[kind](games / "2p-s7-r1.jsonl")
    os.chdir(games.parents[2])
    code, out, err = run("list", "games", "run", "--json")
    assert code == 0 and [row["journal"] for row in json.loads(out)] == [
        GOOD,
        GOOD.replace("s1", "s2"),
    ]
    assert "2p-s7-r1" in err
    for command in (
        ("show", "run"),
        ("report", "run"),
        ("experiment", "status", "run"),
        ("list", "runs", "run"),
    ):
        code, out, _ = run(*command)
        assert code == 0 and re.search(r"\b2\b", out), command
    assert len(Games(Library.open(Path("run"))).shelf().entries) == 2


def test_data_of_other_programs_is_left_out_without_a_word(games: Path, run: Run) -> None:
    (games / "rows.jsonl").write_text('{"prompt": "a", "completion": "b"}\n', "utf-8")
    code, out, err = run("list", "games", "run", "--json")
    assert (code, err) == (0, "") and len(json.loads(out)) == 2


def test_a_pipe_that_is_named_is_refused_in_a_sentence(run: Run) -> None:
    for name in ("pipe.jsonl", "pipe.yaml", "pipe.json", "run.yaml"):
        os.mkfifo(name)
    for command in (
        ("show", "pipe.jsonl"),
        ("diff", "pipe.jsonl", "pipe.jsonl"),
        ("fork", "pipe.jsonl", "--turn", "1"),
        ("view", "pipe.jsonl", "--no-browser"),
        ("export", "pipe.jsonl", "--to", "hanab-live", "--out", "a.json"),
        ("import", "pipe.json"),
        ("import", "pipe.jsonl"),
        ("play", "--deck", "pipe.json"),
        ("play", "--graph", "pipe.yaml"),
        ("play", "--model", "pipe.yaml"),
        ("experiment", "run", "pipe.yaml"),
        ("report", "."),
        ("evaluate", "questions", "--data", "pipe.json"),
    ):
        code, out, err = run(*command)
        assert code in (1, 2) and not out and "pipe" in err and err.count("\n") == 1, (
            command,
            code,
            out,
            err,
        )


@pytest.mark.parametrize("place", ["games", "games/a", ".control", "values", "figures"])
def test_nobody_waits_for_a_pipe_in_the_place_of_a_folder(
    place: str, games: Path, run: Run
) -> None:
    path = Path("run", place)
    shutil.rmtree(path, ignore_errors=True)
    os.mkfifo(path)
    for command in (("show", "run"), ("experiment", "status", "run"), ("report", "run")):
        code, _, err = run(*command)
        assert code == 0, (command, err)
    Path("small.yaml").write_text(yaml.safe_dump(TEXT), "utf-8")
    code, _, err = run("experiment", "run", "small.yaml", "--out", "run", "-q")
    assert code == (1 if place.startswith("games") else 0) and "Traceback" not in err


def without(lines: list[dict[str, Any]], wanted: Callable[[int], bool]) -> list[dict[str, Any]]:
    return [
        line
        for line in lines
        if line["event"] in ("game_started", "game_ended") or wanted(turn(line))
    ]


def turn(line: dict[str, Any]) -> int:
    return int(line.get("past", line)["turn"])


def resulting(lines: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    lines[-1]["result"].update(changes)
    return lines


HALT: dict[str, Any] = {"v": 2, "event": "suspended", "t": "", "turn": 3, "why": "no money"}
CHANGES: dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "no turns": lambda lines: resulting(
        [lines[0], lines[-1]],
        score_strict=25,
        score_kept=25,
        lives=3,
        fireworks=dict.fromkeys("RYGWB", 5),
    ),
    "no turns, a stop": lambda lines: [lines[0], HALT, lines[-1]],
    "no first turns": lambda lines: without(lines, lambda number: number > 5),
    "one turn less": lambda lines: without(lines, lambda number: number != 4),
    "no last turn": lambda lines: without(
        lines, lambda number: number < lines[-1]["result"]["turns"]
    ),
    "a turn twice": lambda lines: [*lines[:-1], lines[-2], lines[-1]],
    "more points": lambda lines: resulting(lines, score_strict=20, score_kept=20),
    "more points than fireworks": lambda lines: resulting(
        [*lines[:-1], HALT, lines[-1]], score_kept=24
    ),
    "a lost game that scores": lambda lines: resulting(lines, score_strict=7),
    "26 points": lambda lines: resulting(lines, score_strict=26, score_kept=26),
    "negative lives": lambda lines: resulting(lines, lives=-1),
    "negative tokens": lambda lines: resulting(lines, tokens_in=-99999999),
    "endless tokens": lambda lines: resulting(lines, tokens_out=int("9" * 4000)),
    "negative calls": lambda lines: resulting(lines, calls=-1),
    "money that is no number": lambda lines: resulting(lines, usd=float("nan")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_journal_that_cannot_be_believed_is_named_and_the_others_are_told(
    change: str, games: Path, run: Run
) -> None:
    path = games / "2p-s2-r1.jsonl"
    lines = CHANGES[change]([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    os.utime(path, (1, 1))
    code, out, err = run("list", "games", "run", "--json")
    assert (
        code == 0
        and [row["journal"] for row in json.loads(out)] == [GOOD]
        and "2p-s2-r1.jsonl" in err
    )
    code, out, err = run("show", "run")
    assert code == 0 and "1 game" in out and "2p-s2-r1.jsonl" in err
    if change == "no turns":
        code, _, err = run("report", "run")
        assert code == 0 and "left out" in err and "2p-s2-r1.jsonl" in err and "0 moves" in err
        assert "left out: " in Path("run/report.md").read_text("utf-8")
        with pytest.raises(UserError, match="2p-s2-r1"):  # a run says it before it plays
            experiment_run.run(config.parse(yaml.safe_dump(TEXT)), Path("run"))


def test_a_game_of_another_run_is_no_game_of_the_arm(games: Path, run: Run, tmp_path: Path) -> None:
    """Whoever merges two machines may mix up what played on them: the game is named, and counts nowhere."""
    others = {**TEXT, "graph": "partner:piers", "seeds": [3]}
    other = experiment_run.run(config.parse(yaml.safe_dump(others)), tmp_path / "other").plan.folder
    (games / "2p-s3-r1.jsonl").write_bytes((other / "games/a/2p-s3-r1.jsonl").read_bytes())
    code, out, err = run("report", "run")
    why = "partner:piers by program played it, and the arm a is partner:random by program"
    assert code == 0 and "2 games, 2 deals" in out and err.count(why) == 1
    assert {row.seed for row in read_rows("run")} == {1, 2}
    merged = yaml.safe_dump({**TEXT, "seeds": [1, 2, 3]})
    Path("merged.yaml").write_text(merged, "utf-8")
    code, _, err = run("experiment", "run", "merged.yaml", "--out", "run")
    assert code == 2 and "games/a/2p-s3-r1.jsonl in 'run' is another game" in err
