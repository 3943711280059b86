"""A system without the modules of Unix, such as Windows: games, runs and reports are the same there."""

import json
import subprocess
import sys
from pathlib import Path

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play

WITHOUT = """
import json, os, signal, sys

for name in ("fcntl", "resource", "termios", "pwd", "grp", "tty", "pty"):
    sys.modules[name] = None
for name in ("geteuid", "getuid", "chown", "fork", "nice", "posix_fallocate", "O_NONBLOCK", "O_NOFOLLOW"):
    delattr(os, name)
del signal.pthread_sigmask
opened = os.open

def open_on_windows(path, *arguments, **options):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    return opened(path, *arguments, **options)

os.open = open_on_windows
from hanabi_orchestrator.experiments.cli import main

for arguments in json.loads(sys.argv[1]):
    sys.argv = ["orchestrator", *arguments]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
"""

STUDY = """
name: two
graph: sherlock
players: [2]
seeds: 2
models: {default: program}
arms: {a: {}, b: {verify: safety}}
"""


def test_games_and_a_study_are_played_without_the_modules_of_unix(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(STUDY, "utf-8")
    commands = [
        ["play", "--json", "-q", "--graph", "sherlock", "--players", "2"],
        ["experiment", "run", "two.yaml", "--out", "out", "-q"],
        ["experiment", "status", "out"],
    ]
    python = [
        sys.executable,
        "-W",
        "ignore:only soft file lock",
        "-c",
        WITHOUT,
        json.dumps(commands),
    ]
    done = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    game, _, report = done.stdout.partition("\n")
    assert (
        json.loads(game)["moves_digest"]
        == play(graphs.seat("sherlock"), players=2, seed=1).moves_digest
    )
    assert report.startswith("4 games, 2 deals, 2 players") and "4 of 4 finished" in report
    assert (tmp_path / "out/report.html").is_file() and not list(tmp_path.glob("out/.control*"))
