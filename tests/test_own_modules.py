"""The project beside files of others that have the names of its packages."""

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import graphs
import hanabi_orchestrator
from hanabi_orchestrator.own_modules import PACKAGES
from tests.support.folders import ROOT

SCRIPT = """
import experiments, graphs, orchestrator, prompts, roles  # the user's own, before ours and after
from hanabi_orchestrator import graphs as our_graphs, play
from graphs import MINE

result = play(our_graphs.seat("moa_sherlock"), players=2, seed=1, max_turns=4, journal="mine.jsonl")
assert {MINE, experiments.MINE, orchestrator.MINE, prompts.MINE, roles.MINE} == {"mine"}
print(result.turns)
"""

SOME = """
import graphs
from hanabi_orchestrator import graphs as ours, play
import roles

assert ours is graphs and not hasattr(roles, "role")
print(play(graphs.seat("house"), players=2, seed=1, max_turns=4).turns)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files and packages of all these names."""
    for package in ("graphs", "experiments"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("MINE = 'mine'\n", "utf-8")
    for file in ("orchestrator", "roles", "prompts"):
        (tmp_path / f"{file}.py").write_text("MINE = 'mine'\n", "utf-8")
    return tmp_path


def python(folder: Path, *arguments: str) -> str:
    """Return what Python prints that is started in a folder, whose files come before ours on the path."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_script_plays_beside_its_own_files_of_these_names(folder: Path) -> None:
    (folder / "script.py").write_text(SCRIPT, "utf-8")
    assert python(folder, "script.py") == "4\n"
    assert (folder / "mine.jsonl").exists()


def test_files_of_some_of_these_names_hide_them_from_none_of_ours(folder: Path) -> None:
    shutil.rmtree(folder / "graphs")
    (folder / "script.py").write_text(SOME, "utf-8")
    assert python(folder, "script.py") == "4\n"


def test_the_command_line_plays_beside_them(folder: Path) -> None:
    played = python(
        folder,
        "-m",
        "hanabi_orchestrator",
        "play",
        "--json",
        "--graph",
        "moa_sherlock",
        "--players",
        "2",
    )
    assert json.loads(played)["graph"] == "moa_sherlock"


@pytest.mark.parametrize("package", PACKAGES)
def test_both_names_stand_for_the_same_modules(package: str) -> None:
    module = import_module(package)
    assert (
        module
        is getattr(hanabi_orchestrator, package)
        is import_module(f"hanabi_orchestrator.{package}")
    )
    assert module.__name__ == f"hanabi_orchestrator.{package}"
    assert import_module("graphs.config") is import_module("hanabi_orchestrator.graphs.config")


def test_the_one_name_offers_what_the_table_does() -> None:
    assert {"graphs", "roles", "play", "View"} <= set(dir(hanabi_orchestrator))
    assert graphs is hanabi_orchestrator.graphs
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = hanabi_orchestrator.nothing_of_ours  # type: ignore[attr-defined]
