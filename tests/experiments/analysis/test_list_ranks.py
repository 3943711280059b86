"""The rank of chosen moves in a recommender's list: of games whose choices are given."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.analysis.policies import rank_tables
from hanabi_orchestrator.experiments.record import run_folder, turn_rows
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from tests.conftest import Run

CONFIG: dict[str, Any] = {
    "name": "listed",
    "context": "house",
    "nodes": {
        "recommender": {"role": "action_recommender", "options": {"k": 3}},
        "chooser": {"role": "aggregator", "reads": ["recommender"]},
    },
    "decides": "chooser",
}
TURNS = 8


def answer(request: ModelRequest) -> dict[str, Any]:
    """P0 takes the first move of the list; P1 the second, and the third on turns 4 and 8."""
    place = request.place.seat and (2 if request.place.turn % 4 == 0 else 1)
    return {"ratings": [], "reason": "r", "action": str(list(request.moves.values())[place])}


def unlisted(request: ModelRequest) -> dict[str, Any]:
    """The last of all legal moves, which few lists have."""
    return {"ratings": [], "reason": "r", "action": str(list(request.moves.values())[-1])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms: one keeps to the list; in the other who chooses does not see it. And one game in a lean journal."""
    made = tmp_path_factory.mktemp("listed")
    blind = {**CONFIG["nodes"], "chooser": {"role": "aggregator"}}
    for arm, config, brain, lean in (
        ("listed", CONFIG, answer, False),
        ("blind", {**CONFIG, "nodes": blind}, unlisted, True),
    ):
        path = made / "games" / arm / "2p-s1-r1.jsonl"
        path.parent.mkdir(parents=True)
        seat = graphs.seat(checked(config, "a test"), Scripted({"aggregator": brain}))
        play(seat, players=2, seed=1, journal=path, max_turns=TURNS, lean=lean)
    return made


def test_ranks_are_counted_by_seat(folder: Path, run: Run, tmp_path: Path) -> None:
    found = rank_tables(folder, run_folder.read_rows(folder), by="seat")
    counts = {(table.arm, table.by): dict(table.counts) for table in found}
    assert counts["listed", "P0"] == {1: 4} and counts["listed", "P1"] == {2: 2, 3: 2}
    assert set(counts) == {(arm, seat) for arm in ("listed", "blind") for seat in ("P0", "P1")}
    both = {
        table.arm: dict(table.counts) for table in rank_tables(folder, run_folder.read_rows(folder))
    }
    assert both["listed"] == {1: 4, 2: 2, 3: 2} and both["blind"][0] > 0
    path = tmp_path / "r.csv"
    code, out, _ = run(
        "experiment", "policy", str(folder), "--list-ranks", "--by", "seat", "--out", str(path)
    )
    rows = [line.split() for line in out.splitlines()]
    assert code == 0 and ["listed", "2", "P1", "4", "0", "50", "50", "0"] in rows
    written = [
        row
        for row in csv.DictReader(path.read_text("utf-8").splitlines())
        if row["arm"] == "listed"
    ]
    assert [(row["by"], row["rank"], row["turns"]) for row in written if row["turns"] != "0"] == [
        ("P0", "1", "4"),
        ("P1", "2", "2"),
        ("P1", "3", "2"),
    ]
    _, text, _ = run(
        "experiment", "policy", str(folder), "--list-ranks", "--arm", "listed", "--json"
    )
    (data,) = json.loads(text)
    assert (
        data["ranks"] == {"1": 0.5, "2": 0.25, "3": 0.25, "outside": 0}
        and data["intervals"]["1"] is None
    )
    code, _, err = run("experiment", "policy", str(folder), "--list-ranks", "--players", "3")
    assert code == 2 and "nobody chose from a recommender's list in any arm at 3 players" in err


def test_a_lean_journal_says_the_same_ranks_as_the_decisions(folder: Path) -> None:
    """The lists of programs are not in it; the decision has the rank."""
    rows = [row for row in run_folder.read_rows(folder) if row.arm == "blind"]
    ranks = [turn.list_rank for row in rows for turn in turn_rows.game_turns(folder, row)]
    assert len(ranks) == TURNS and None not in ranks and 0 in ranks


def test_the_report_draws_them(folder: Path) -> None:
    made = run_report.write(folder, png=False)
    (figure,) = [one for one in made.drawn if one.key == "list-ranks"]
    table = csv.DictReader((folder / figure.csv).read_text("utf-8").splitlines())
    assert figure.svg and {row["by"] for row in table} == {"P0", "P1"}
