"""What users install: the wheel, in an environment of its own, used from a folder with packages of the same names."""

import contextlib
import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel

from tests.support.folders import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with contextlib.chdir(ROOT):
        return folder / build_wheel(str(folder))


def test_the_wheel_holds_the_packages_with_their_words(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"hanabi_orchestrator"}
    names = {name.removeprefix("hanabi_orchestrator/") for name in names}
    assert {
        "prompts/sections/rules.md",
        "prompts/contexts/cac.yaml",
        "graphs/configs/house.yaml",
    } <= names
    assert {
        f"experiments/tasks/positions/banks/{bank}.jsonl.gz" for bank in ("program", "probes")
    } <= names


def test_the_installed_command_plays_from_a_foreign_folder(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    folder = tmp_path / "mine"
    venv.create(home)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    # The dependencies come from the environment that runs the tests; its own editable install does not.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(home),
        "--disable-pip-version-check",
        "install",
        "--quiet",
    ]
    subprocess.run([*pip, "--no-compile", "--no-deps", "--no-index", str(wheel)], check=True)
    for package in ("orchestrator", "roles", "graphs", "prompts", "experiments"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("raise RuntimeError('not mine')", "utf-8")
    play = [str(home / "bin" / "orchestrator"), "play", "--json", "--graph", "moa_sherlock"]
    done = subprocess.run(play, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["graph"] == "moa_sherlock"
    where = "import hanabi_orchestrator; print(hanabi_orchestrator.roles.__file__)"
    python = [str(home / "bin" / "python"), "-E", "-c", where]
    found = subprocess.run(python, cwd=folder, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(home))
