"""Every snippet of the README runs, and every output shown there is what comes out."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).with_name("orchestrator")


class Block(NamedTuple):
    language: str
    title: str
    text: str


README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = [Block(*found) for found in re.findall(r"```(\w+)(?: title=(\S+))?\n(.*?)```", README, re.S)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README has its readers write."""
    made = tmp_path_factory.mktemp("reader")
    for block in BLOCKS:
        if block.title:
            (made / block.title).write_text(block.text, "utf-8")
    return made


def run(folder: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def test_the_snippets_are_there() -> None:
    kinds = [(block.language, bool(block.title)) for block in BLOCKS]
    assert {("console", False), ("python", True), ("yaml", True), ("markdown", True), ("python", False)} <= set(kinds)


def test_the_shown_commands_print_what_is_shown(folder: Path) -> None:
    for block in of("console"):
        command, *shown = block.text.strip("\n").split("\n")
        name, *arguments = shlex.split(command.removeprefix("$ "))
        assert name == "orchestrator"
        printed = [line.rstrip() for line in run(folder, str(COMMAND), *arguments).splitlines()]
        place = 0
        for line in shown:
            if line != "...":
                assert line.rstrip() in printed[place:], line
                place += printed[place:].index(line.rstrip()) + 1


@pytest.mark.parametrize("number", range(len([b for b in of("python") if not b.title])))
def test_the_python_snippets_run(folder: Path, number: int) -> None:
    block = [block for block in of("python") if not block.title][number]
    printed = run(folder, sys.executable, "-c", block.text)
    assert re.search(r"\d", printed)


def test_the_shell_snippets_name_what_there_is() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for block in of("sh"):
        for line in block.text.splitlines():
            name, *arguments = shlex.split(line, comments=True)
            if name == "make":
                assert arguments[0] in targets
            else:
                options = {argument for argument in arguments if argument.startswith("--")}
                known = run(ROOT, str(COMMAND), arguments[0], "--help")
                assert name == "orchestrator" and all(option in known for option in options)


def test_the_pages_that_it_names_are_there() -> None:
    for page in re.findall(r"\]\((docs/[^)]+)\)", README):
        assert (ROOT / page).is_file(), page
