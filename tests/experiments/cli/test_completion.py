"""The Tab key completes names and paths, without what is heavy in the start of every command."""

import subprocess
import sys
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.cli import completion
from tests.conftest import Run

OWN = """
from hanabi_orchestrator import roles

class Risk(roles.Reply):
    example = {"worst": "slot 3"}
    worst: str

roles.add(roles.Role("tom_own", Risk, (roles.State,), template="# Name the risk"))
"""


def test_names_and_paths_are_completed(run: Run) -> None:
    assert completion.graph("house_s") == ["house_solo"] and completion.role("tom_") == [
        "tom_interpreter"
    ]
    assert completion.player("partner:pie") == ["partner:piers"] and completion.model("sim:av") == [
        "sim:average"
    ]
    assert "role-ablation-small" in completion.experiment("role") and "program" in completion.bank(
        ""
    )
    Path("runs/mine/games").mkdir(parents=True)
    Path("games").mkdir()
    Path("games/a.jsonl").write_text("", "utf-8")
    assert completion.run("") == completion.run("runs/m") == ["runs/mine"]
    assert completion.game("g") == ["games/a.jsonl", "games/"]
    assert (
        completion.path("runs/mine/") == ["runs/mine/games/"] and completion.path("nowhere/a") == []
    )


@pytest.mark.parametrize("option", ["--json", "--import=own.py"])
def test_a_shell_gets_the_completions(option: str, run: Run) -> None:
    Path("own.py").write_text(OWN, "utf-8")
    script = "import sys; sys.argv = ['orchestrator']; from hanabi_orchestrator.experiments.cli import main; main()"
    words = {"COMP_WORDS": f"orchestrator {option} roles show tom", "COMP_CWORD": "4"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(sys.path), "_ORCHESTRATOR_COMPLETE": "complete_bash", **words},
        capture_output=True,
        text=True,
        check=False,
    )
    own = ["tom_own"] if "own" in option else []
    assert sorted(done.stdout.split()) == ["tom_interpreter", *own], done.stderr
