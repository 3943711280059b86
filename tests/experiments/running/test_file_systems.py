"""Runs on file systems without locks, that fill, or that turn read-only: the same command goes on to the same games."""

import ast
import errno
import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.orchestrator import journal, locks
from hanabi_orchestrator.orchestrator.journal.file import Journal
from tests.conftest import Run
from tests.support.folders import ROOT
from tests.support.prove import FULL

TEXT = {
    "name": "small",
    "graph": "sherlock",
    "players": [2],
    "seeds": 2,
    "models": {"default": "sim:average"},
}
RUN = ("experiment", "run", "small.yaml", "-q", "--out")


def unlocked(*_: object) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def failing(number: int, lines: int) -> Callable[[Journal, bytes], None]:
    """Return a `_write` that fails after so many lines."""
    real = Journal._write
    left = [lines]

    def write(self: Journal, line: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(number, "it fails")
        real(self, line)

    return write


@pytest.mark.parametrize(
    ("number", "locked"),
    [
        (errno.ENOSPC, False),
        (errno.EROFS, True),
        *(
            [(errno.EDQUOT, True), (errno.EIO, False), (errno.EROFS, False), (errno.ENOSPC, True)]
            if FULL
            else []
        ),
    ],
)
def test_a_run_that_was_stopped_by_its_disk_goes_on_to_the_same_journals(
    number: int, locked: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("small.yaml").write_text(yaml.safe_dump({**TEXT, "arms": {"a": {}}}), "utf-8")
    assert run(*RUN, "unbroken")[0] == 0
    with monkeypatch.context() as broken:
        if not locked:
            broken.setattr(fcntl, "flock", unlocked)
        broken.setattr(Journal, "_write", failing(number, 200))
        code, _, err = run(*RUN, "here")
        assert code == 3 and "it fails" in err and "another program" not in err
        broken.undo()
        if not locked:
            broken.setattr(fcntl, "flock", unlocked)
        code, _, err = run(*RUN, "here")
        assert (code, err) == (0, "")
        assert run("play", "--graph", "watson", "--players", "2", "-q")[0] == 0
    for path in Path("unbroken/games").rglob("*.jsonl"):
        here = Path("here") / path.relative_to("unbroken")
        again, before = (journal.comparable(journal.read(file)) for file in (here, path))
        assert [event for event in again if event["event"] != "suspended"] == before
    assert Path("here/results.csv").read_bytes() == Path("unbroken/results.csv").read_bytes()


@pytest.mark.parametrize("number", [errno.EROFS, *([errno.ENOSPC, errno.EACCES] if FULL else [])])
def test_a_finished_run_is_told_from_a_disk_that_cannot_be_written(
    number: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("small.yaml").write_text(
        yaml.safe_dump({**TEXT, "arms": {"a": {}, "b": {"verify": "safety"}}}), "utf-8"
    )
    assert run(*RUN, "here")[0] == 0
    manifest = Path("here/run.yaml")  # as another version of the program would write it
    manifest.write_text(manifest.read_text("utf-8").replace("openai: ", "openai: 0."), "utf-8")
    Path("here/results.csv").unlink()

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(number, "it cannot be written")

    for name in ("write_text", "unlink", "replace"):
        monkeypatch.setattr(Path, name, refused)
    for file in Path("here").glob("report.*"):
        file.rename(file.with_suffix(".old"))
    for command in ((*RUN, "here"), ("report", "here"), ("report", "here", "--full", "--latex")):
        code, out, err = run(*command)
        assert code == 0 and "4 games" in out and "Traceback" not in err, (command, code, out, err)
        assert out.count("it cannot be written: here/report.html") == 1
    plain = json.loads(run("report", "here", "--json")[1])
    assert (
        "it cannot be written" in plain["unwritten"]
        and plain["arms" if "arms" in plain else "analysis"]
    )


def test_a_lock_is_held_only_where_another_process_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "a").open("w") as first, (tmp_path / "a").open("w") as second:
        assert locks.take(first.fileno()) and not locks.take(second.fileno())
        assert not locks.take(second.fileno(), shared=True) and locks.has_locks(second.fileno())
        for number in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL):
            error = OSError(number, "no locks")

            def flock(*_: object, error: OSError = error) -> None:
                raise error

            monkeypatch.setattr(fcntl, "flock", flock)
            assert locks.take(second.fileno()) and not locks.has_locks(second.fileno())


def test_modules_of_one_system_alone_are_imported_where_they_are_used() -> None:
    found = set()
    for package in ("orchestrator", "experiments", "graphs", "roles", "prompts"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text("utf-8")).body:
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                found |= {
                    (path.name, name)
                    for name in names
                    if name in ("fcntl", "resource", "termios", "pwd", "grp")
                }
    assert not found
