"""Run folders on disks as they are: full, read-only or shared; with copies, edits and little that may be opened."""

import errno
import json
import os
import resource
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.record import files
from hanabi_orchestrator.experiments.record import rows as results
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.running import open_files
from hanabi_orchestrator.experiments.running.runner import RunOptions, Shard
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.journal.file import Journal
from hanabi_orchestrator.orchestrator.table.seat import Decision
from tests.conftest import Run
from tests.support.processes import script

TEXT = {
    "name": "small",
    "graph": "partner:random",
    "players": [2],
    "seeds": [1, 2],
    "arms": {"a": {}, "b": {}},
}
FULL = OSError(errno.ENOSPC, "No space left on device")
RUN = ("experiment", "run", "small.yaml", "--out", "here", "-q")


def experiment(**changes: Any) -> config.Experiment:
    return config.parse(yaml.safe_dump({**TEXT, **changes}))


def write(**changes: Any) -> None:
    Path("small.yaml").write_text(yaml.safe_dump({**TEXT, **changes}), "utf-8")


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    return experiment_run.run(experiment(), tmp_path / "here").plan.folder


# Full and read-only


def test_a_full_disk_stops_the_run_which_goes_on_when_there_is_room(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write()
    real = Journal._write
    room = [100]

    def filling(self: Journal, line: bytes) -> None:
        room[0] -= 1
        if room[0] < 0:
            raise FULL
        real(self, line)

    with monkeypatch.context() as now:
        now.setattr(Journal, "_write", filling)
        now.setattr(Path, "write_text", refused)
        code, out, err = run(*RUN)
        assert (code, err) == (1, "error: No space left on device: here/run.yaml\n")
        now.undo()
        now.setattr(Journal, "_write", filling)
        code, out, err = run(*RUN)
    assert code == 3 and "report" not in out
    assert (
        "cannot write the journal 'here/games/b/2p-s1-r1.jsonl': No space left on device; make room"
        in flat(err)
    )
    assert flat(err).endswith("The same command continues from there")
    assert not list(Path().rglob("*.part"))
    assert run(*RUN)[0] == 0
    experiment_run.run(experiment(), Path("unbroken"))
    assert Path("here/results.csv").read_bytes() == Path("unbroken/results.csv").read_bytes()
    monkeypatch.setattr(Path, "write_text", read_only)
    code, out, err = run(*RUN)  # it is told again from a disk that cannot be written
    assert (code, err) == (0, "") and "here/report.html" in out


def flat(text: str) -> str:
    return " ".join(text.split())


def refused(path: Path, *_: object) -> int:
    path.touch()  # a file that is there, and empty
    raise FULL


def read_only(*_: object) -> int:
    raise OSError(errno.EROFS, "Read-only file system")


def test_a_file_that_cannot_be_written_is_named_and_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "write_text", refused)
    with pytest.raises(OSError, match="No space left on device") as error:
        files.write_atomically(tmp_path / "x.csv", "text")
    assert error.value.filename == str(tmp_path / "x.csv") and not list(tmp_path.iterdir())


# Shared


def test_a_shard_that_ends_late_keeps_the_games_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first shard has read the folder when the second comes to its end."""
    read = results.finished
    others = list[threading.Thread]()

    def slow(folder: Path, games: Mapping[Path, Game]) -> list[Row]:
        found = read(folder, games)
        if games and not others:
            others.append(threading.Thread(target=shard, args=(2,)))
            others[0].start()
            others[0].join(0.5)
            assert others[0].is_alive()  # it waits for its turn
        return found

    def shard(number: int) -> None:
        experiment_run.run(experiment(), tmp_path, options=RunOptions(shard=Shard(number, 2)))

    monkeypatch.setattr(results, "finished", slow)
    shard(1)
    others[0].join()
    assert (tmp_path / "results.csv").read_text("utf-8").count("\n") == 5


# Copies and edits


def test_copies_of_journals_are_not_counted(ran: Path) -> None:
    games = ran / "games" / "a"
    for name in (
        "2p-s1-r1 (copy).jsonl",
        "Copy of 2p-s1-r1.jsonl",
        "2p-s1-r1-2.jsonl",
        ".2p-s1-r1.jsonl",
    ):
        shutil.copy(games / "2p-s1-r1.jsonl", games / name)
    assert len(results.rows(ran)) == 4 and len(experiment_run.run(experiment(), ran).rows) == 4


def test_another_games_journal_is_named(ran: Path, run: Run) -> None:
    games = ran / "games" / "a"
    shutil.copy(games / "2p-s1-r1.jsonl", games / "2p-s3-r1.jsonl")
    said = "holds the game of 2p-s1-r1.jsonl; give it that name, or move it out of the run folder"
    with pytest.raises(UserError, match=said):
        experiment_run.run(experiment(seeds=[1, 2, 3]), ran)
    code, _, err = run("report", str(ran))
    assert code == 0 and said in flat(err) and "2p-s3-r1.jsonl" in err


@pytest.mark.parametrize("what", ["deck", "seat", "score_strict", "score_kept", "lives", "turns"])
def test_an_edited_journal_is_named(what: str, ran: Path, run: Run) -> None:
    path = ran / "games" / "a" / "2p-s1-r1.jsonl"
    lines = path.read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    last = json.loads(lines[-1])
    if what == "deck":
        cards = first["deck"]
        cards[0], cards[-1] = cards[-1], cards[0]
        assert cards[0] != cards[-1]
    elif what == "seat":
        first["seats"][0]["graph"] = "partner:piers"
    else:
        last["result"][what] += 1
    path.write_text("\n".join([json.dumps(first), *lines[1:-1], json.dumps(last)]) + "\n", "utf-8")
    code, _, err = run("report", str(ran))
    assert code == 0 and "2p-s1-r1.jsonl' was changed after it was written: its " in flat(err)
    assert "left out: " in (ran / "report.md").read_text("utf-8")
    assert ("config_hash" if what in ("deck", "seat") else f"result has {what}") in flat(err)
    with pytest.raises(UserError, match="was changed after it was written"):
        experiment_run.run(experiment(), ran)
    if what in ("deck", "seat"):
        code, _, err = run("show", str(path))
        assert code == 2 and "its config_hash is not that of its deck and its seats" in flat(err)


# Open files


@pytest.fixture
def limit() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_games_are_as_many_as_files_may_be_open(
    limit: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = len(list(Path("/dev/fd").iterdir()))
    monkeypatch.setattr(open_files, "WANTED", used + 100)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (used + 60, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )
    assert 75 <= open_files.units(5, cached=False) <= 79  # the limit was raised
    assert open_files.units(5, cached=False) - open_files.units(5, cached=True) == 5
    with pytest.raises(
        UserError, match=r"may open \d+ files, too few for 90 calls .*; say `ulimit -n \d+`"
    ):
        open_files.units(90, cached=False)


# Seats that end their process


async def deadly(view: View, memory: Memory) -> Decision:
    """Ends its process in the third turn of one deal."""
    if view.turn == 3 and view.hands[0].cards[0].value in DOOMED:
        os._exit(9)
    return Decision(view.legal[-1])


DOOMED = ("R1", "R2", "R3", "R4", "R5", "Y1", "Y2", "Y3")


def test_a_seat_that_ends_its_process_costs_its_own_game_with_one_worker_too(
    tmp_path: Path,
) -> None:
    asked = experiment(graph=f"python:{__name__}:deadly", arms={"a": {}}, seeds=list(range(1, 6)))
    done = experiment_run.run(asked, tmp_path)
    assert done.failed and done.rows and len(done.failed) + len(done.rows) == 5
    assert set(done.failed.values()) == {"the process that played it died"}


# Readers that leave


@pytest.mark.parametrize(
    "arguments", [("list", "graphs"), ("list", "graphs", "--json"), ("--help",)]
)
def test_a_command_whose_reader_leaves_ends_as_it_would_have(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    text = f"""
import os, sys
reader, writer = os.pipe()
os.dup2(writer, 1)
os.close(reader)
sys.argv = ["orchestrator", *{arguments!r}]
from hanabi_orchestrator.experiments.cli import main
main()
"""
    done = script(tmp_path, text)
    assert (done.returncode, done.stderr) == (0, "")
