"""The project as one package, beside files of users that have the names of its folders."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hanabi_orchestrator
from tests.support.folders import ROOT
from tests.support.prove import FULL

PACKAGES = hanabi_orchestrator.PACKAGES
SCRIPT = """
import experiments, graphs, orchestrator, prompts, roles  # the user's own, before ours and after
from hanabi_orchestrator import graphs as our_graphs, play
from graphs import MINE

result = play(our_graphs.seat("moa_sherlock"), players=2, seed=1, max_turns=4, journal="mine.jsonl")
assert {MINE, experiments.MINE, orchestrator.MINE, prompts.MINE, roles.MINE} == {"mine"}
print(result.turns)
"""


KINDS = ("files", "packages", "folders without __init__.py")
FORMS = ("script", "module", "test", "notebook")
PAIRS = [(kind, form) for kind in KINDS for form in FORMS]
REDUCED = [
    ("files", "notebook"),
    ("files", "test"),
    ("packages", "script"),
    ("folders without __init__.py", "module"),
]


def folder_of(kind: str, tmp_path: Path) -> Path:
    """Return a folder with files, packages or namespace packages of all these names."""
    for package in PACKAGES:
        if kind == "files":
            (tmp_path / f"{package}.py").write_text("MINE = 'mine'\n", "utf-8")
            continue
        (tmp_path / package).mkdir()
        if kind == "packages":
            (tmp_path / package / "__init__.py").write_text("MINE = 'mine'\n", "utf-8")
        else:
            (tmp_path / package / "own.py").write_text("MINE = 'mine'\n", "utf-8")
    return tmp_path


def python(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in a folder, as a user does who has the project installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def write_notebook(path: Path, cell: str) -> None:
    """Write a notebook of one cell."""
    code = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "source": cell}
    notebook = {"cells": [{**code, "execution_count": None}], "metadata": {}}
    path.write_text(json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5}), "utf-8")


@pytest.mark.parametrize(("kind", "form"), PAIRS if FULL else REDUCED)
def test_users_files_of_these_names_and_ours_hide_nothing_from_each_other(
    kind: str, form: str, tmp_path: Path
) -> None:
    folder = folder_of(kind, tmp_path)
    script = SCRIPT
    if (folder / "roles" / "own.py").exists():
        script = script.replace("import experiments, graphs, orchestrator, prompts, roles", "")
        script = script.replace("from graphs import MINE", "from graphs.own import MINE")
        for package in PACKAGES:
            script = f"import {package}.own\n" + script.replace(
                f"{package}.MINE", f"{package}.own.MINE"
            )
    (folder / "script.py").write_text(script, "utf-8")
    cell = script.replace("play\n", "play_async\n").replace(
        "result = play", "result = await play_async"
    )
    write_notebook(folder / "mine.ipynb", cell)
    test = "import script\n\n\ndef test_it():\n    assert script.result.turns == 4\n"
    (folder / "test_mine.py").write_text(test, "utf-8")
    command = {
        "script": ("script.py",),
        "module": ("-m", "script"),
        "notebook": ("-m", "jupyter", "execute", "mine.ipynb"),
        "test": ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"),
    }[form]
    run = python(folder, *command)
    assert run.returncode == 0, run.stdout + run.stderr
    said = {"test": "1 passed", "notebook": ""}
    assert said.get(form, "4\n") in run.stdout
    assert (folder / "mine.jsonl").exists()


@pytest.mark.parametrize("kind", KINDS if FULL else KINDS[:1])
def test_the_command_line_plays_beside_them(kind: str, tmp_path: Path) -> None:
    folder = folder_of(kind, tmp_path)
    command = "-m hanabi_orchestrator play --json --graph moa_sherlock --players 2"
    run = python(folder, *command.split())
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["graph"] == "moa_sherlock"


@pytest.mark.parametrize("package", PACKAGES if FULL else PACKAGES[:2])
@pytest.mark.parametrize("form", ["import {}", "from {} import nothing", "import {}.nothing"])
def test_a_folder_of_ours_by_its_bare_name_is_a_clear_sentence(package: str, form: str) -> None:
    run = python(ROOT, "-c", form.format(package))
    sentence = f"{package} is part of one package: from hanabi_orchestrator import {package}"
    assert run.stderr.splitlines()[-1] == f"ImportError: {sentence}"


def test_no_import_is_hooked_and_no_module_has_a_bare_name() -> None:
    seen = "import sys; print(len(sys.meta_path), __import__.__module__)"
    cli = "from hanabi_orchestrator.experiments.cli import app"
    assert python(ROOT, "-c", f"{cli}; {seen}").stdout == python(ROOT, "-c", seen).stdout
    loaded = f"import sys; print([name for name in sys.modules if name in {PACKAGES}])"
    assert python(ROOT, "-c", f"{cli}; {loaded}").stdout == "[]\n"


def test_the_one_name_offers_what_the_table_does() -> None:
    assert {"graphs", "roles", "play", "View"} <= set(dir(hanabi_orchestrator))
    assert hanabi_orchestrator.graphs is import_module("hanabi_orchestrator.graphs")
    assert hanabi_orchestrator.View is hanabi_orchestrator.orchestrator.View
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = hanabi_orchestrator.nothing_of_ours  # type: ignore[attr-defined]


def test_a_checkout_that_holds_links_as_plain_files_works_too(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).symlink_to(ROOT / package)
    home = tmp_path / "src" / "hanabi_orchestrator"
    home.mkdir(parents=True)
    for path in (ROOT / "src" / "hanabi_orchestrator").iterdir():
        if path.is_symlink():
            (home / path.name).write_text(f"../../{path.name}", "utf-8")
        elif path.is_file():
            (home / path.name).write_bytes(path.read_bytes())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'src')!r})\n"
        "from hanabi_orchestrator import graphs, play\n"
        "print(graphs.__file__, play(graphs.seat('watson'), players=2, seed=1, max_turns=2).turns)"
    )
    run = python(tmp_path, "-c", code)
    assert run.stdout == f"{tmp_path / 'graphs' / '__init__.py'} 2\n", run.stderr
