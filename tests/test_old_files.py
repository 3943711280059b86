"""Files that version 0.1.0 wrote are still read: a journal, a run's folder and an experiment file."""

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
    code, _, err = run("report", str(old / "run"))
    assert (code, err) == (0, "")
    report = (old / "run" / "report.md").read_text("utf-8")
    assert all(arm in report for arm in ("full", "no-discards", "with-piers", "careless"))
    assert "17" in report


def test_a_run_is_exported(old: Path, run: Run) -> None:
    code, out, err = run("export", str(old / "run"), "--to", "tables", "--out", "tables", "--json")
    assert (code, err) == (0, "") and json.loads(out)["rows"]["games"] == 4


def again(old: Path, run: Run) -> tuple[int, str, str]:
    """The same command once more."""
    return run("experiment", "run", str(old / "experiment.yaml"), "--set", "seeds.count=1", "--out", str(old / "run"))


def test_a_run_whose_prompts_have_changed_since_is_refused_by_their_names(old: Path, run: Run) -> None:
    code, _, err = again(old, run)
    assert code == 2 and "is another game: " in err and "contexts/cac.yaml" in err and "conventions/basic.md" in err
