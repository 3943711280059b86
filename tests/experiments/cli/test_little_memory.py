"""Too little memory is one sentence, whatever libraries do about it: they hang, abort, or print words of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import ROOT

resource = pytest.importorskip("resource")

EXPERIMENT = "name: small\ngraph: sherlock\nplayers: 2\nseeds: 1\nmin_own: 0\n"
COMMANDS = {
    "play": ("play", "--graph", "sherlock", "--players", "2"),
    "a run": ("experiment", "run", "small.yaml", "--out", "run"),
    "a plan": ("experiment", "plan", "small.yaml"),
    "a report": ("report", str(ROOT)),
}


def ended(folder: Path, kilobytes: int, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command as a shell starts it after `ulimit -v`."""
    limit = kilobytes * 1024

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "hanabi_orchestrator", *words],
        cwd=folder,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": ""},
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is not kept")
@pytest.mark.parametrize(
    ("name", "kilobytes"), [("play", 45_000), *((name, 300_000) for name in COMMANDS)]
)
def test_little_memory_ends_a_command_in_one_sentence(
    name: str, kilobytes: int, tmp_path: Path
) -> None:
    (tmp_path / "small.yaml").write_text(EXPERIMENT, "utf-8")
    done = ended(tmp_path, kilobytes, *COMMANDS[name])
    if name == "play" and kilobytes == 300_000:
        assert done.returncode == 0 and not done.stderr
        return
    assert done.returncode == 1 and not done.stdout
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: there is not enough memory")
    assert not (tmp_path / "run").exists()
