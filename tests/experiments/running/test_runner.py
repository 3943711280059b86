"""Experiments as a user runs them: killed and gone on with, in one process or several, failing games and mistakes."""

import csv
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.cli import app
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import peek_all
from hanabi_orchestrator.experiments.running.runner import RunOptions
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Memory, TurnStarted
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.seat import Decision, Seat
from tests.conftest import Run

TEXT: dict[str, Any] = {
    "name": "small",
    "graph": "partner:random",
    "players": [2, 3],
    "seeds": {"first": 1, "count": 2},
    "arms": {"alone": {}, "with-watson": {"seats": {1: "watson"}}},
    "baseline": "alone",
}


async def failing(view: View, memory: Memory) -> Decision:
    """Breaks on the third turn of two-player games."""
    if view.players == 2 and view.turn == 3:
        raise ZeroDivisionError("no such luck")
    return Decision(view.legal[-1])


def written(folder: Path, **changes: Any) -> str:
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump({**TEXT, **changes}), "utf-8")
    return str(path)


def experiment(**changes: Any) -> config.Experiment:
    return config.parse(yaml.safe_dump({**TEXT, **changes}))


def table(folder: Path | str) -> list[dict[str, str]]:
    return list(csv.DictReader((Path(folder) / "results.csv").read_text("utf-8").splitlines()))


def test_a_run_writes_its_folder_and_the_same_command_plays_nothing_again(
    run: Run, tmp_path: Path
) -> None:
    command = ("experiment", "run", written(tmp_path), "--out", "here")
    code, out, err = run(*command)
    assert (
        code == 0
        and "8 games" in err
        and "with-watson" in out
        and "by programs, no language model" in out
    )
    rows = table("here")
    assert [(row["arm"], row["players"], row["seed"]) for row in rows] == [
        (arm, players, seed)
        for arm in ("alone", "with-watson")
        for players in "23"
        for seed in "12"
    ]
    assert (
        rows[4]["graph"] == "partner:random+watson"
        and rows[4]["journal"] == "games/with-watson/2p-s1-r1.jsonl"
    )
    resolved = yaml.safe_load(Path("here/run.yaml").read_text("utf-8"))
    seats = {seat["graph"]: seat for seat in resolved["seats"].values()}
    assert (
        set(seats) == {"partner:random", "watson"}
        and "sections/state.md" in seats["watson"]["prompts"]
    )
    assert resolved["seeds"] == [1, 2] and resolved["versions"] and resolved["config_hash"]
    before = {path: path.read_bytes() for path in Path("here").rglob("*.*") if path.is_file()}
    code, again, err = run(*command)
    assert code == 0 and again == out and "8 of them played before" in err
    assert {path: path.read_bytes() for path in before} == before
    code, out, err = run(*command, "--json", "-q", "--set", "seeds.count=3")
    found = json.loads(out)
    assert (code, err, len(table("here"))) == (0, "", 12)
    assert {(one["players"], one["n"]) for one in found["arms"]} == {(2, 3), (3, 3), (None, 6)}
    assert [(one["players"], one["n"]) for one in found["differences"]] == [
        (2, 3),
        (3, 3),
        (None, 3),
    ]
    assert yaml.safe_load(Path("here/run.yaml").read_text("utf-8"))["seeds"] == [1, 2, 3]


def test_a_dry_run_plays_nothing_and_says_what_is_left(run: Run, tmp_path: Path) -> None:
    command = ("experiment", "run", written(tmp_path), "--out", "here")
    code, out, _ = run(*command, "--dry-run", "--json")
    assert (code, json.loads(out)["games"], json.loads(out)["left"]) == (0, 8, 8) and not Path(
        "here"
    ).exists()
    run(*command, "--set", "players=[2]")
    assert json.loads(run(*command, "--dry-run", "--json")[1])["left"] == 4


def forked(action: Callable[[], object]) -> int:
    """A child of this process that does it: as a command would, without its seconds of imports."""
    if pid := os.fork():
        return pid
    os.setsid()
    try:
        action()
        os._exit(0)
    except SystemExit as end:
        os._exit(int(end.code or 0))
    except BaseException:
        os._exit(99)


def wait_for(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not there() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert there()


def test_a_killed_run_goes_on_to_the_same_results_also_in_several_processes(tmp_path: Path) -> None:
    many = experiment(seeds={"first": 1, "count": 40}, arms={}, baseline=None, players=[2])
    unbroken = tmp_path / "unbroken"
    killed = tmp_path / "killed"
    run_experiment(many, unbroken)
    child = forked(lambda: run_experiment(many, killed, options=RunOptions(workers=2)))
    wait_for(lambda: len(list(killed.glob("games/small/*"))) > 3)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    time.sleep(0.3)  # its processes end with it
    begun = {path: path.stat().st_size for path in killed.glob("games/small/*")}
    assert len(begun) < 40 and not (killed / "results.csv").exists()
    finished = [path for path, game in peek_all(killed).items() if game.result]
    resumed = run_experiment(many, killed, options=RunOptions(workers=2))
    assert not resumed.failed and all(path.stat().st_size == begun[path] for path in finished)
    assert (killed / "results.csv").read_bytes() == (unbroken / "results.csv").read_bytes()
    for path in begun:
        whole_game = journal.comparable(journal.read(unbroken / path.relative_to(killed)))
        assert journal.comparable(journal.read(path)) == whole_game


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_leaves_no_process(
    workers: str, sent: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, seeds={"first": 1, "count": 400}, graph="watson", arms={"alone": {}})
    command = ["experiment", "run", path, "--out", str(tmp_path / "here"), "--workers", workers]
    monkeypatch.setattr(sys, "argv", ["orchestrator", *command])
    child = forked(app.main)
    wait_for(lambda: bool(list(tmp_path.glob("here/games/*/*"))))
    os.kill(child, sent)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(child, 0)
    assert (tmp_path / "here" / "results.csv").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_seat_stops_no_other_game(workers: int, run: Run, tmp_path: Path) -> None:
    arms = {"alone": {}, "broken": {"seats": {0: f"python:{__name__}:failing"}}}
    path = written(tmp_path, arms=arms)
    code, out, err = run(
        "experiment", "run", path, "--out", "here", "--workers", str(workers), "--json", "-q"
    )
    assert code == 1 and "2 of 8 games failed: " in err and "ZeroDivisionError: no such luck" in err
    assert len(table("here")) == 6 and [one["game"] for one in json.loads(out)["failed"]] == [
        "broken/2p-s1-r1",
        "broken/2p-s2-r1",
    ]
    assert "2 of 8 games failed: broken/2p-s1-r1: ZeroDivisionError: no such luck" in Path(
        "here/report.md"
    ).read_text("utf-8")
    assert Path("here/failed.csv").read_text("utf-8").count("no such luck") == 2


def test_a_game_of_another_graph_is_refused_with_the_difference(run: Run, tmp_path: Path) -> None:
    command = ("experiment", "run", written(tmp_path), "--out", "here", "-q")
    run(*command)
    code, _, err = run(
        *command,
        "--set",
        "arms.with-watson.seats={1: sherlock}",
        "--set",
        "seeds={first: 7, count: 1}",
    )
    assert (
        code == 2
        and "games/with-watson/2p-s1-r1.jsonl" in err
        and "context was 'watson', is 'sherlock'" in err
    )
    assert len(table("here")) == 8
    code, _, err = run(*command, "--set", "name=other")
    assert code == 2 and "holds the run of 'small', not of 'other'" in err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 1}, "unknown key 'seed'; did you mean 'seeds'? Known: name, task, protocol, "),
        (
            {"arms": {"a": {"wihtout": ["x"]}}},
            "unknown key 'wihtout'; did you mean 'without'? Known: graph, ",
        ),
        ({"baseline": "none"}, "baseline 'none' is not an arm; the arms are: alone, with-watson"),
        ({"players": [6]}, "players.0: must be at most 5, not 6"),
        (
            {"seeds": {"first": 1, "cuont": 2}},
            "unknown key 'cuont'; did you mean 'count'? Known: first, count",
        ),
        (
            {"arms": {"alone": {"without": ["x"]}}},
            "arm 'alone': `without` changes a graph, and partner:random is not a graph",
        ),
        ({"arms": {"alone": {"seats": {2: "watson"}}}}, "there is no seat 2 among 2 players"),
        ({"arms": {"alone": {"graph": "huose"}}}, "unknown graph 'huose'"),
        ({"arms": {"alone": {"graph": "house", "without": ["x"]}}}, "has no node 'x'; it has: "),
        ({"arms": {"../up": {}}}, "arms: the name '../up' must be letters, digits"),
        ({"arms": "leave_one_out", "baseline": None}, "leave_one_out changes the nodes of a graph"),
        ({"cross_play": {"seats": ["watson"]}}, "has arms or cross_play, not both"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    changes: dict[str, Any], said: str, run: Run, tmp_path: Path
) -> None:
    code, out, err = run("experiment", "run", written(tmp_path, **changes), "--out", "here")
    assert (
        (code, out) == (2, "")
        and said in err
        and err.count("\n") == 1
        and not Path("here/run.yaml").exists()
    )


def test_what_an_arm_changes_is_in_its_graph() -> None:
    from hanabi_orchestrator.experiments.study.arms import arms

    changes = {
        "gone": {"without": ["discard_strategist"], "without_sections": ["discards"]},
        "told": {
            "options": {"history": {"moves": 5}},
            "change": {"tom_interpreter": {"samples": 3}},
            "verify": "none",
        },
        "twin": {
            "replace": {"analyst": "program"},
            "graph": "moa_sherlock",
            "models": {"default": "sim:x"},
        },
    }
    made = {
        arm.name: arm.everybody
        for arm in arms(experiment(graph="house", arms=changes, baseline=None))
    }
    gone, told, twin = (made[name].config for name in changes)
    assert gone and told and twin
    assert "discard_strategist" not in gone.nodes and gone.without_sections == ("discards",)
    assert (told.options, told.nodes["tom_interpreter"].samples) == ({"history": {"moves": 5}}, 3)
    assert told.verify.rule == "none" and twin.nodes["analyst"].model == "program"
    assert made["twin"].models == {"default": "sim:x"} and made["told"].models == {
        "default": "program"
    }


def test_leave_one_out_leaves_each_role_out_that_the_graph_can_do_without() -> None:
    from hanabi_orchestrator.experiments.study.arms import arms

    names = [
        arm.name for arm in arms(experiment(graph="house", arms="leave_one_out", baseline=None))
    ]
    roles = ("history_analyst", "tom_interpreter", "discard_strategist")
    assert names == ["full", *(f"no-{role}" for role in roles)]


@pytest.mark.parametrize("name", config.packaged())
def test_packaged_experiments_are_sound(name: str, tmp_path: Path) -> None:
    from hanabi_orchestrator.experiments.study.plan import Plan

    asked = config.read(name, ["seeds.count=2"])
    assert asked.name == name and Plan.resolve(asked, tmp_path).jobs


def test_simulated_arms_are_said_to_be_so_and_their_errors_counted(
    run: Run, tmp_path: Path
) -> None:
    arms = {"erring": {"models": {"default": "sim:careless"}}, "exact": {}}
    path = written(tmp_path, graph="sherlock", players=[2], seeds=[1], arms=arms, baseline="exact")
    code, out, _ = run("experiment", "run", path, "--out", "here")
    assert code == 0 and out.startswith(
        "2 games, 1 deal, 2 players. erring uses simulated models: exact programs with"
    )
    assert out.count("erring (simulated)") == 1 and "exact (simulated)" not in out
    assert {row["arm"]: row["simulated"] for row in table("here")} == {
        "erring": "True",
        "exact": "False",
    }
    code, out, _ = run("report", "--errors", "here", "--json")
    told = json.loads(out)
    assert code == 0 and list(told) == ["erring", "exact"]
    assert sum(told["erring"]["injected"].values()) > 0 and not told["exact"]["injected"]
    assert told["erring"]["counts"]["turns"] == int(table("here")[0]["turns"])
    assert "erring (simulated)" in run("report", "--errors", "here")[1]
    code, _, said = run("report", "--errors", "nowhere")
    assert code == 2 and "not a run folder" in said


def test_a_lean_journal_is_small_goes_on_and_tells_the_same_story(tmp_path: Path) -> None:
    from hanabi_orchestrator import graphs

    full, lean, cut = (tmp_path / f"{name}.jsonl" for name in ("full", "lean", "cut"))
    seats: list[Seat] = [graphs.seat("watson"), partners.get("random"), graphs.seat("mycroft")]
    result = play(seats, players=3, seed=2, journal=full)
    assert play(seats, players=3, seed=2, journal=lean, lean=True) == result
    assert lean.stat().st_size < full.stat().st_size / 4
    assert not [event for event in journal.read(lean) if isinstance(event, Call | TurnStarted)]
    games = [
        Game.of([e for e in journal.read(path) if not isinstance(e, Call)]) for path in (full, lean)
    ]
    assert games[0].result == games[1].result and games[0].moves == games[1].moves
    turns = [[(turn.view, turn.events) for turn in game.turns] for game in games]
    assert turns[0] == turns[1]
    data = lean.read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    assert play(seats, players=3, seed=2, journal=cut, lean=True) == result
    assert journal.read(cut) == journal.read(lean)


def test_settings_on_the_command_line_are_settings_of_the_file() -> None:
    read = config.read(
        "model-cross-play", ["cross_play.seats.a.model={model: openai:x, temperature: 0.5}"]
    )
    assert read.cross_play and read.cross_play.seats["a"].model.temperature == 0.5  # type: ignore[index,union-attr]
    with pytest.raises(UserError, match="--set 'seeds' is no setting"):
        config.read("role-ablation", ["seeds"])
    with pytest.raises(UserError, match="there are no settings under 'name'"):
        config.read("role-ablation", ["name.x=1"])
