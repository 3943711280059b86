"""Runs that are killed on a file system without locks, on one that fills and on one that nobody may write: the same
command goes on to the games of a run that nothing disturbed."""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator.orchestrator import journal
from tests.support import processes

EXPERIMENT = {
    "name": "small",
    "graph": "sherlock",
    "players": [2],
    "seeds": 2,
    "models": {"default": "sim:average"},
    "arms": {"a": {}},
}
BYTES = 500_000
"""Of journals when a run is killed: the first of two games is over, and the second is not."""
DISK = 4_900_000
"""Bytes of a small disk: the room that is kept free there, and most of both games."""
FILE = 450_000
"""Bytes of the longest file where files may not grow: the second game needs more."""


class Runs:
    """The runs of a test, played by processes of their own in a folder beside them."""

    def __init__(self, folder: Path, out: str = "run") -> None:
        self.out = folder / out
        self._folder = folder
        self._command = ("experiment", "run", "small.yaml", "-q", "--out", out)
        (folder / "small.yaml").write_text(yaml.safe_dump(EXPERIMENT), "utf-8")

    def play(self, run: processes.Run = processes.run_command) -> tuple[int | None, str]:
        """Run the command to its end; return its exit code and what it says of errors, which is no traceback."""
        process = processes.begun(self._folder, *self._command, run=run)
        process.join()
        stderr = self.stderr()
        assert "Traceback" not in stderr
        return process.exitcode, stderr

    def kill(self, run: processes.Run = processes.run_command) -> None:
        """Begin the run, and `kill -9` it in its second game."""
        process = processes.begun(self._folder, *self._command, run=run)
        end = time.monotonic() + 60
        while sum(path.stat().st_size for path in self.journals()) < BYTES:
            assert process.is_alive() and time.monotonic() < end, self.stderr()
            time.sleep(0.001)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        first, second = (journal.read(path)[-1].event for path in self.journals())
        assert first == "game_ended" and second != "game_ended"
        assert not (self.out / "results.csv").exists()

    def journals(self) -> list[Path]:
        return sorted(self.out.glob("games/*/*.jsonl"))

    def stderr(self) -> str:
        return (self._folder / "stderr").read_text("utf-8")

    def are_those_of(self, other: "Runs") -> bool:
        """Compare journals but for times and stops, and the bytes of the results."""
        return self._contents() == other._contents()

    def _contents(self) -> tuple[list[object], bytes]:
        games = list[object]()
        for path in self.journals():
            events = journal.comparable(journal.read(path))
            games += [path.name, [event for event in events if event["event"] != "suspended"]]
        assert len(games) == 4
        return games, (self.out / "results.csv").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(tmp_path_factory.mktemp("undisturbed"))
    assert runs.play() == (0, "")
    return runs


def without_locks(*arguments: str) -> None:
    """Run the command as on Lustre without `-o flock`, or NFS without its lock daemon."""

    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    fcntl.flock = flock
    processes.run_command(*arguments)


def test_without_locks(undisturbed: Runs, tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.kill(without_locks)
    assert runs.play(without_locks) == (0, "")
    assert runs.are_those_of(undisturbed)


def of_short_files(*arguments: str) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, resource.RLIM_INFINITY))
    processes.run_command(*arguments)


def test_where_files_may_not_grow(undisturbed: Runs, tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.kill()
    for _ in range(2):
        code, stderr = runs.play(of_short_files)
        assert code == 3 and "File too large" in stderr
    assert runs.play() == (0, "")
    assert runs.are_those_of(undisturbed)


def mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk, mounted below the test's folder."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or not mount(
        "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)
    ):
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_on_a_disk_that_fills(undisturbed: Runs, disk: Path) -> None:
    runs = Runs(disk.parent, "disk/run")
    runs.kill()
    for _ in range(2):
        code, stderr = runs.play()
        assert code == 3 and "No space left on device" in stderr and "make room" in stderr
    assert mount("-o", "remount,size=64m", str(disk))
    assert runs.play() == (0, "")
    assert runs.are_those_of(undisturbed)


def test_on_a_disk_that_turns_read_only(undisturbed: Runs, disk: Path) -> None:
    assert mount("-o", "remount,size=64m", str(disk))
    runs = Runs(disk.parent, "disk/run")
    runs.kill()
    before = [path.read_bytes() for path in runs.journals()]
    assert mount("-o", "remount,ro", str(disk))
    code, stderr = runs.play()
    assert code and "Read-only file system" in stderr
    assert [path.read_bytes() for path in runs.journals()] == before
    assert mount("-o", "remount,rw", str(disk))
    assert runs.play() == (0, "")
    assert runs.are_those_of(undisturbed)


def bound_by_permissions(*arguments: str) -> None:
    """Run the command as somebody whom the permissions of files bind, which they do not root."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0
    processes.run_command(*arguments)


@pytest.mark.skipif(sys.platform != "linux", reason="root is free of permissions")
def test_in_a_folder_that_turns_read_only(undisturbed: Runs, tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.kill(bound_by_permissions)
    paths = [runs.out, *runs.out.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(path.stat().st_mode & 0o555)
    code, stderr = runs.play(bound_by_permissions)
    for path, mode in zip(paths, modes, strict=True):
        path.chmod(mode)
    assert code and "Permission denied" in stderr
    assert runs.play() == (0, "")
    assert runs.are_those_of(undisturbed)
