"""Files that version 0.1.0 wrote are still read: a journal, a run's folder and an experiment file."""

import csv
import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from experiments.study import experiment, manifest
from experiments.study.plan import Plan
from graphs import prompt_files
from orchestrator import journal
from orchestrator.journal.events import Call, GameEnded, GameStarted
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


def again(old: Path, run: Run) -> tuple[int, str, str]:
    """The same command once more."""
    return run("experiment", "run", str(old / "experiment.yaml"), "--set", "seeds.count=1", "--out", str(old / "run"))


def test_a_run_whose_prompts_have_changed_since_is_refused_by_their_names(old: Path, run: Run) -> None:
    code, _, err = again(old, run)
    assert code == 2 and "is another game: " in err and "contexts/cac.yaml" in err and "conventions/basic.md" in err


@pytest.fixture
def prompts_of_then(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves all but the prompts' texts to be compared: the graph's config, the models, the deals."""
    seats = yaml.safe_load((old / "run" / "run.yaml").read_text("utf-8"))["seats"].values()
    recorded = next(seat["prompts"] for seat in seats if seat.get("prompts"))
    monkeypatch.setattr(prompt_files, "hashes", lambda config: recorded)


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text("utf-8").splitlines()))


RESULTS = cells(OLD / "run" / "results.csv")


def gone_on(old: Path, run: Run) -> tuple[str, list[list[str]]]:
    """What the same command says on stderr, and the results that it leaves, in the columns of 0.1.0."""
    (old / "run" / "results.csv").unlink()
    code, _, err = again(old, run)
    assert code == 0
    rows = cells(old / "run" / "results.csv")
    return err, [row[: len(RESULTS[0])] for row in rows]


@pytest.mark.usefixtures("prompts_of_then")
def test_its_games_are_not_played_again(old: Path, run: Run) -> None:
    """A game goes on only under the config that it began with: the old file still means the same."""
    said, results = gone_on(old, run)
    assert "4 games, 4 of them played before" in said and results == RESULTS
    with (old / "run" / "results.csv").open(encoding="utf-8") as file:
        assert {row["own"] for row in csv.DictReader(file)} == {""}, "they do not state it"


CHECKED = """
name: checked
graph: cac_no_tom
players: [2]
seeds: {first: 1, count: 1}
models: {default: program}
"""


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Until it is undone, graphs are as in version 0.1.0, which knew no `check.unreadable`."""
    monkeypatch.setattr("graphs.config.given", lambda settings: settings)
    yield monkeypatch


def check_of(path: Path) -> object:
    started = journal.read(path)[0]
    assert isinstance(started, GameStarted) and started.seats[0].config is not None
    return started.seats[0].config["check"]


OLD_CHECK = {"judge": "check", "redo": "generate", "at_most": 2}


def test_a_run_from_before_unreadable_verdicts_refused_goes_on_as_it_began(
    before: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its games, finished or not, accept a move whose verdict cannot be read; so do those that are still to come."""
    (tmp_path / "checked.yaml").write_text(CHECKED, "utf-8")
    manifest.write(Plan.resolve(experiment.read(tmp_path / "checked.yaml"), tmp_path / "run"))
    before.undo()
    found = {}
    for folder in ("run", "new"):
        plan = Plan.resolve(experiment.read(tmp_path / "checked.yaml"), tmp_path / folder)
        (spec,) = plan.specs.values()
        assert spec.config is not None
        found[folder] = spec.config.model_dump(mode="json")["check"], "earlier version" in " ".join(plan.notes)
    assert found == {"run": (OLD_CHECK, True), "new": (OLD_CHECK | {"unreadable": "refuse"}, False)}


def test_a_game_from_before_unreadable_verdicts_refused_goes_on_as_it_began(
    before: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> None:
    command = ["play", "--graph", "cac_no_tom", "--players", "2", "--model", "sim:careless", "--out", str(tmp_path)]
    assert run(*command)[0] == 0
    (path,) = tmp_path.glob("*.jsonl")
    whole = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(whole[: len(whole) // 2]), "utf-8")
    before.undo()
    assert run(*command)[0] == 0
    assert list(tmp_path.glob("*.jsonl")) == [path] and check_of(path) == OLD_CHECK
    again = [json.loads(line)["event"] for line in path.read_text("utf-8").splitlines()]
    assert again == [json.loads(line)["event"] for line in whole]


@pytest.mark.usefixtures("prompts_of_then")
@pytest.mark.parametrize("arm", ("full", "with-piers"))
def test_a_game_that_was_cut_off_goes_on(arm: str, old: Path, run: Run) -> None:
    path = old / "run" / "games" / arm / "2p-s1-r1.jsonl"
    whole = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(whole[: len(whole) // 2]), "utf-8")
    said, results = gone_on(old, run)
    assert "4 games, 3 of them played before" in said and len(results) == len(RESULTS)
    assert [row for row in results if row[0] != arm] == [row for row in RESULTS if row[0] != arm]
    kept = path.read_text("utf-8").splitlines(keepends=True)
    assert kept[: len(whole) // 2] == whole[: len(whole) // 2] and '"game_ended"' in kept[-1]
