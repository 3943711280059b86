"""The wheel as users install it: alone, in a fresh environment of each Python here, without a compiler on PATH.

Each plays a game and runs a study of two arms, which writes its report; a line says how long it took and how large the
environment is.
`.ci/run` starts it beside the tests. Exit code 1 where anything failed.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
STUDY = """
name: two
graph: sherlock
players: [2]
seeds: 2
models: {default: program}
arms: {plain: {}, safe: {verify: safety}}
"""


def pythons() -> Mapping[tuple[int, int], Path]:
    """Return a Python of each version that the package takes, by version."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    versions: dict[tuple[int, int], Path] = {}
    for path in (
        Path(sys.executable),
        *(path for folder in folders for path in sorted(folder.glob("python3.??"))),
    ):
        code = "import sys, venv; print(sys.version_info[0], sys.version_info[1])"
        asked = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            major, minor = map(int, asked.stdout.split())
            versions.setdefault((major, minor), path)
    return {version: path for version, path in sorted(versions.items()) if version >= OLDEST}


def try_out(python: Path, wheel: Path, folder: Path) -> str:
    """Install the wheel, play and study; returns how long that took. Raises CalledProcessError."""
    home = folder / "env"
    work = folder / "work"
    work.mkdir(parents=True)
    (work / "two.yaml").write_text(STUDY, "utf-8")
    began = time.monotonic()

    def run(*command: str | Path) -> float:
        """Run a command with nothing but the environment's own programs on PATH; returns the seconds so far."""
        own = {**os.environ, "PATH": str(home / "bin")}
        subprocess.run(command, cwd=work, env=own, check=True, capture_output=True, text=True)
        return time.monotonic() - began

    run(python, "-m", "venv", home)
    pip = (
        home / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
    )
    installed = run(*pip, wheel)
    size = sum(
        path.stat().st_size for path in home.rglob("*") if path.is_file() and not path.is_symlink()
    )
    orchestrator = home / "bin/orchestrator"
    played = run(orchestrator, "play", "--quiet")
    studied = run(orchestrator, "experiment", "run", "two.yaml", "--out", "out", "--quiet")
    assert (work / "out/report.html").is_file()
    return f"{size / 1e6:.0f} MB in {installed:.0f} s, a game after {played:.0f} s, a study after {studied:.0f} s"


def main() -> int:
    failures = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
            cwd=ROOT,
            check=True,
        )
        (wheel,) = folder.glob("*.whl")
        for version, python in pythons().items():
            number = ".".join(map(str, version))
            try:
                print(
                    f"the wheel with Python {number}: {try_out(python, wheel, folder / number)}",
                    flush=True,
                )
            except subprocess.CalledProcessError as error:
                failures += 1
                said = error.stderr or error.stdout
                print(
                    f"the wheel with Python {number} failed: {error.cmd}\n{said}",
                    file=sys.stderr,
                    flush=True,
                )
            shutil.rmtree(folder / number)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
