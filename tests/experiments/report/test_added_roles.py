"""A role of a file as an arm of an experiment: the run goes on with it, and the report names what it changed."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.support import processes
from tests.support.sentences import template_of

ROLE = """
from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator import Discard
from hanabi_orchestrator.roles import LegalMoves, State

@roles.role(reply=roles.Choice, takes=(State, LegalMoves), needs=(LegalMoves,), template="Discard slot 0.")
def oldest(sections, notes):
    moves = sections[LegalMoves].moves
    discards = [move for move in moves if move == Discard(slot=0)]
    return roles.Choice(reason="it is the oldest", action=[*discards, *moves][0])

class Mood(roles.Reply):
    example = {"mood": "calm"}
    mood: str = roles_field(description="the mood")

@roles.role(reply=Mood, takes=(State,), template="Name the mood.")
def mood(sections, notes):
    return Mood(mood="calm")
""".replace("roles_field", "__import__('pydantic').Field")
STUDY = """
name: mine
graph: house
players: 2
seeds: 2
baseline: full
arms:
  full: {}
  with-oldest: {add: {oldest: {role: oldest, feeds: [aggregator]}}}
  with-mood: added:mood
"""


def command(folder: Path, *arguments: str, marking: bool = False) -> str:
    done = processes.command(folder, "experiment", *arguments, marking=marking)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("added")
    (folder / "oldest.py").write_text(ROLE, "utf-8")
    (folder / "mine.yaml").write_text(STUDY, "utf-8")
    command(folder, "run", "mine.yaml", "--import", "oldest.py", "-q")
    return folder


def test_the_report_names_what_the_role_changed(folder: Path) -> None:
    text = (folder / "runs" / "mine" / "report.md").read_text("utf-8")
    changed = (
        r"with-oldest adds oldest\. Moves differ in 2 of 2 games, at the median from turn \d+ on; "
        r"the first other move is "
    )
    assert re.search(
        changed
        + r"another discard \(2\)\. The proposal of oldest was played in \d+% of \d+ turns\.",
        text,
    )
    assert re.search(
        r"Differences from full, in points, inconclusive: with-oldest -\d+\.\d\d\.", text
    )
    assert (
        "with-mood adds mood. Every move of 2 games is the same: its notes change no move." in text
    )


def test_the_run_and_its_journals_hold_the_arm_and_the_run_goes_on(folder: Path) -> None:
    run = folder / "runs" / "mine"
    record = yaml.safe_load((run / "run.yaml").read_text("utf-8"))
    assert record["arms"]["with-oldest"]["purpose"] == {"kind": "added", "nodes": ["oldest"]}
    last = run / "games" / "with-oldest" / "2p-s2-r1.jsonl"
    with last.open("rb") as journal:
        config = json.loads(journal.readline())["seats"][0]["config"]
    assert (
        config["nodes"]["oldest"]["added"]
        and config["nodes"]["aggregator"]["reads"][-1] == "oldest"
    )
    whole = last.read_bytes()
    last.write_bytes(whole[: len(whole) // 2])
    again = json.loads(command(folder, "run", "mine.yaml", "--import", "oldest.py", "--json"))
    (oldest, mood) = again["added"]
    assert template_of(oldest["said"]) is template_of(mood["said"]) is not None
    assert (
        oldest["games"] == 2 and oldest["moves"] == {"another discard": 2} and mood["turns"] == []
    )
    (before, after) = (re.findall(rb'"past":.*', text) for text in (whole, last.read_bytes()))
    assert before == after


def test_simulated_models_answer_a_new_role_by_its_program(folder: Path) -> None:
    sim = (
        "--set",
        "models.default=sim:average",
        "--set",
        "seeds=1",
        "--set",
        "controls.noise_floor=false",
    )
    arguments = (
        "run",
        "mine.yaml",
        "--import",
        "oldest.py",
        "--out",
        "runs/sim",
        *sim,
        "-q",
        "--full",
    )
    text = command(folder, *arguments, marking=True)
    assert re.search(
        r"Arm with-mood, beside full: same as the baseline: .*discard_strategist", text
    )
    assert "with-oldest adds oldest. Moves differ in 1 of 1 game, at the median from turn" in text
    assert re.search(
        r"oldest, in arm with-oldest: Its notes: .*Its first choice was played in \d+%", text
    )
