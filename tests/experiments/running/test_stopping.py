"""Runs with a stop rule: they stop, they stop at the same look whatever happens, and the rule cannot be changed."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.record.rows import rows
from hanabi_orchestrator.experiments.report.figures import drawing
from tests.conftest import Run
from tests.support import processes

TEXT: dict[str, Any] = {
    "name": "stops",
    "graph": "partner:iggi",
    "players": [2],
    "seeds": {"first": 1, "count": 18},
    "journals": "lean",
    "arms": {
        "full": {},
        "random": {"graph": "partner:random"},
        "other": {"graph": "partner:outer"},
    },
    "baseline": "full",
    "stop": {"when": "shown", "looks": [8, 14]},
}


def written(folder: Path, **changes: Any) -> str:
    (folder / "stops.yaml").write_text(yaml.safe_dump({**TEXT, **changes}), "utf-8")
    return str(folder / "stops.yaml")


def test_arms_stop_at_the_look_that_settles_them_and_the_run_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(drawing, "all_figures", lambda data: [])
    path = written(tmp_path)
    command = ("experiment", "run", path, "--out", "here")
    code, out, err = run(*command, "--json")
    assert code == 0, err
    found = json.loads(out)
    stood = {one["arm"]: one for one in found["stopped"]["stood"]}
    assert stood["random"]["settled"] == "shown" and stood["random"]["deals"] == 14, (
        "8 deals cannot show anything"
    )
    played = {arm: sum(row.arm == arm for row in rows(Path("here"))) for arm in TEXT["arms"]}
    assert played["random"] == 14 and played["other"] == stood["other"]["deals"]
    assert played["full"] == max(one["deals"] for one in stood.values()) and found["left"] == 0
    (one,) = (one for one in found["differences"] if one["arm"] == "random")
    assert one["n"] == 14 and one["p_holm"] < 0.05 and one["high_holm"] < 0 and one["tests"] == 2
    assert one["low_holm"] < one["low"] < one["mean"], "Bonferroni's interval is the wider one"
    said = " ".join(found["said"])
    assert (
        "This run had a stop rule" in said
        and "random stopped at look 2 of 3, after 14 of at most 18 deals" in said
    )
    assert "Holm" not in said.replace("Bonferroni", "")
    code, out, _ = run("diff", "here", "here", "--arm", "full", "--arm", "random", "--json")
    assert code == 1 and "A and B had a stop rule" in json.loads(out)["compared"]["said"][-1]
    before = Path("here/results.csv").read_bytes(), Path("here/run.yaml").read_bytes()
    code, _, err = run(*command)
    assert code == 0 and "no arm needs more games" in err
    assert (Path("here/results.csv").read_bytes(), Path("here/run.yaml").read_bytes()) == before
    for changes, why in (
        (("--set", "stop.looks=[10]"), "looks was 8, 14, 18, is 10, 18"),
        (("--set", "stop.alpha=0.1"), "alpha was 0.05, is 0.1"),
        (
            ("--set", "seeds.count=50"),
            "seeds was 18 values from 1 to 18, is 50 values from 1 to 50",
        ),
        (("--set", "metric=turns"), "metric was strict, is turns"),
        (("--shard", "1/2"), "--shard plays a part of the deals"),
    ):
        code, _, err = run(*command, *changes)
        assert code == 2 and why in err and "Traceback" not in err
    without = written(tmp_path, stop=None)
    code, _, err = run("experiment", "run", without, "--out", "here")
    assert code == 2 and "was begun with a stop rule" in err


def test_a_run_that_is_killed_stops_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    path = written(tmp_path, arms={"full": {}, "random": {"graph": "partner:random"}})
    command = ("experiment", "run", path, "--out")
    whole = processes.command(tmp_path, *command, "whole")
    assert whole.returncode == 0, whole.stderr
    going = processes.begun(tmp_path, *command, "killed")
    until = time.monotonic() + 60
    while (
        len(list((tmp_path / "killed").glob("games/*/*.jsonl"))) < 21 and time.monotonic() < until
    ):
        time.sleep(0.01)
    assert going.is_alive(), "it was over before it could be killed"
    os.kill(going.pid or 0, signal.SIGKILL)
    going.join()
    again = processes.command(tmp_path, *command, "killed", "--workers", "2")
    assert again.returncode == 0, again.stderr
    files = [(tmp_path / name / "results.csv").read_bytes() for name in ("whole", "killed")]
    assert files[0] == files[1]
