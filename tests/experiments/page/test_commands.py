"""`view` as a user types it: what it says, what it refuses, how it ends."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.page import server
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.support.folders import ROOT


def test_it_serves_until_ctrl_c_and_ends_without_a_traceback(played: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "hanabi_orchestrator",
        "view",
        str(played),
        "--port",
        "0",
        "--no-browser",
    ]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("small is at http://127.0.0.1:")
        with urllib.request.urlopen(f"{said.split()[-1]}api/version", timeout=60) as answer:
            assert json.load(answer)["going"] is False
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in "".join(process.communicate(timeout=60))
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nothing-here", "there is nothing at"),
        ("empty", "neither a run"),
        ("notes.txt", "is no journal"),
    ],
)
def test_a_path_that_holds_no_game_is_a_sentence(
    run: Run, tmp_path: Path, path: str, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("notes", "utf-8")
    code, out, err = run("view", path, "--no-browser")
    assert (code, out) == (2, "") and says in err and path in err and "Traceback" not in err


def test_a_port_that_is_taken_is_a_sentence(run: Run, played: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("view", str(played), "--no-browser", "--port", str(port))
        assert code == 2 and f"cannot listen on port {port}" in err


def test_without_a_port_a_free_one_is_taken_where_the_usual_is_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(server, "DEFAULT_PORT", taken.getsockname()[1])
        with server.listening(None) as listener:
            assert listener.getsockname()[1] != server.DEFAULT_PORT
        with pytest.raises(UserError):
            server.listening(server.DEFAULT_PORT)
