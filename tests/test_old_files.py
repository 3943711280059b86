"""Files that version 0.1.0 wrote are still read: a journal, a run's folder and an experiment file."""

import csv
import gzip
import json
import shutil
from pathlib import Path

import pytest

from orchestrator import journal
from orchestrator.journal.events import Call, GameEnded
from tests.conftest import Run
from tests.support.folders import TESTS

OLD = TESTS / "old_files"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the old files; their journals are stored compressed."""
    folder = tmp_path / "old"
    shutil.copytree(OLD, folder)
    for packed in folder.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return folder


def test_a_journal_is_read_and_told(old: Path, run: Run) -> None:
    path = old / "cac-2p-s2.jsonl"
    events = journal.read(path)
    (ended,) = [event for event in events if isinstance(event, GameEnded)]
    calls = [event for event in events if isinstance(event, Call) and event.text is not None]
    assert (ended.result.end, ended.result.turns, len(calls)) == ("lives_lost", 13, ended.result.calls)
    assert all(call.messages and call.messages[0].spans for call in calls)
    code, out, err = run("show", str(path), "--turn", "3")
    assert (code, err) == (0, "") and "turn 3 of 13: P0, cac on openai:fake" in out
    for node in ("interpret", "generate", "check"):
        assert node in out


def test_its_lines_are_written_as_they_were(old: Path) -> None:
    """A tag, a key or a default that changed would show here."""
    path = old / "cac-2p-s2.jsonl"
    for event, line in zip(journal.read(path), path.read_text("utf-8").splitlines(), strict=True):
        written = json.loads(line)
        assert {"v": 1, "t": written["t"], **json.loads(event.model_dump_json())} == written


def test_a_run_is_reported(old: Path, run: Run) -> None:
    code, _, err = run("experiment", "report", str(old / "run"))
    assert (code, err) == (0, "")
    report = (old / "run" / "report.md").read_text("utf-8")
    assert all(arm in report for arm in ("full", "no-discards", "with-piers", "careless"))
    assert "17" in report


def test_a_run_is_exported(old: Path, run: Run) -> None:
    code, out, err = run("export", str(old / "run"), "--to", "tables", "--out", "tables", "--json")
    assert (code, err) == (0, "") and json.loads(out)["rows"]["games"] == 4


def gone_on(old: Path, run: Run) -> tuple[str, list[list[str]]]:
    """What the same command says on stderr, and the results that it leaves, in the columns of 0.1.0."""
    (old / "run" / "results.csv").unlink()
    code, _, err = run(
        "experiment", "run", str(old / "experiment.yaml"), "--set", "seeds.count=1", "--out", str(old / "run")
    )
    assert code == 0
    rows = cells(old / "run" / "results.csv")
    return err, [row[: len(RESULTS[0])] for row in rows]


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text("utf-8").splitlines()))


RESULTS = cells(OLD / "run" / "results.csv")


def test_its_games_are_not_played_again(old: Path, run: Run) -> None:
    """A game goes on only under the config that it began with: the old file still means the same."""
    said, results = gone_on(old, run)
    assert "4 games, 4 of them played before" in said and results == RESULTS
    with (old / "run" / "results.csv").open(encoding="utf-8") as file:
        assert {row["own"] for row in csv.DictReader(file)} == {""}, "they do not state it"


@pytest.mark.parametrize("arm", ("full", "careless"))
def test_a_game_that_was_cut_off_goes_on(arm: str, old: Path, run: Run) -> None:
    path = old / "run" / "games" / arm / "2p-s1-r1.jsonl"
    whole = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(whole[: len(whole) // 2]), "utf-8")
    said, results = gone_on(old, run)
    assert "4 games, 3 of them played before" in said and results == RESULTS
