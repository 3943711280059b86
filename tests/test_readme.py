"""Every snippet of the README and of docs/ runs and prints what is shown there, and every link leads somewhere."""

import json
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from hanabi_orchestrator.experiments.cli.app import app
from tests.support import processes
from tests.support.engines import HAS_HLE
from tests.support.folders import ROOT


class Block(NamedTuple):
    language: str
    title: str
    text: str


DOCS = (
    "add-a-role",
    "add-a-graph",
    "langgraph",
    "add-a-task",
    "add-a-measure",
    "prompts",
    "models",
    "simulated",
    "experiments",
    "ablations",
    "running",
    "partners",
    "forks",
    "evaluate",
    "report",
    "statistics",
    "formats",
    "marks",
    "values",
    "strength",
    "page",
    "recipes",
)
PAGES = ("README.md", "CONTRIBUTING.md", *(f"docs/{page}.md" for page in DOCS))
ALL = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
)
OTHERS = ("curl", "git", ".venv/bin/python")
"""Commands of shell snippets that are not ours."""
GROUPS = ("graphs", "roles", "models", "experiment", "evaluate")
"""Commands of ours that have commands of their own."""


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text("utf-8")
    return [
        Block(*found) for found in re.findall(r"```(\w+)(?: title=(\S+))?\n(.*?)```", text, re.S)
    ]


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that a page has its readers write; a package among them is installed."""
    made = tmp_path_factory.mktemp("reader")
    for block in blocks(page):
        if block.title:
            (made / block.title).parent.mkdir(exist_ok=True)
            (made / block.title).write_text(block.text, "utf-8")
        if block.title == "pyproject.toml":
            install(made, tomllib.loads(block.text)["project"])
    return made


def install(folder: Path, project: dict[str, Any]) -> None:
    """What an installer leaves of a project's metadata."""
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Name: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    points = [
        line
        for group, named in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in named.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(points), "utf-8")


def printed(done: "CompletedProcess[str]") -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def script(folder: Path, text: str) -> str:
    return printed(processes.script(folder, text))


def command(folder: Path, *arguments: str) -> str:
    return printed(processes.command(folder, *arguments, paths=(folder,), marking=True))


@cache
def helped(*arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


def of(page: str, language: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == language]


def test_the_snippets_are_there() -> None:
    kinds = [(block.language, bool(block.title)) for block in blocks("README.md")]
    assert {
        ("console", False),
        ("python", True),
        ("yaml", True),
        ("markdown", True),
        ("python", False),
    } <= set(kinds)


def test_the_shown_commands_print_what_is_shown(page: str, folder: Path) -> None:
    for block in of(page, "console"):
        first, *shown = block.text.strip("\n").split("\n")
        name, *arguments = shlex.split(first.removeprefix("$ "))
        assert name == "orchestrator"
        lines = [line.rstrip() for line in command(folder, *arguments).splitlines()]
        place = 0
        for line in shown:
            if line != "...":
                assert line.rstrip() in lines[place:], line
                place += lines[place:].index(line.rstrip()) + 1


def test_the_python_snippets_run(page: str, folder: Path) -> None:
    for block in of(page, "python"):
        if "hanabi_learning_environment" in block.text and not HAS_HLE:
            continue
        if block.title:
            printed(processes.file(folder, block.title))
        else:
            assert re.search(r"\d", script(folder, block.text))


def test_what_a_page_says_of_a_sound_role_is_so(page: str, folder: Path) -> None:
    for block in of(page, "python"):
        if "conformance.check" in block.text:
            assert script(folder, block.text) == "0\nproblems\n"


CHANGED = """
import json, chop
from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play
mine = graphs.read("mine.yaml")
for config in (mine, graphs.without(mine, "chop")):
    events = []
    play(graphs.seat(config), players=2, seed=1, sink=events.append, max_turns=40)
    print(json.dumps([str(event.past.move) for event in events if event.event == "moved"]))
"""


@pytest.mark.parametrize("page", ["README.md"], indirect=True)
def test_the_role_of_the_readme_changes_the_play_of_programs(page: str, folder: Path) -> None:
    with_it, without = map(json.loads, script(folder, CHANGED).splitlines())
    other = next(
        turn for turn, (one, two) in enumerate(zip(with_it, without, strict=True), 1) if one != two
    )
    (shown,) = (block.text for block in of(page, "console") if "mine.yaml" in block.text)
    assert re.findall(r"^ *(\d+)  P", shown, re.M) == [str(other)]


ARM = """
import json, chop
from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.study import arms, experiment
from hanabi_orchestrator.orchestrator import play
for arm in arms.arms(experiment.read("chop-arm.yaml")):
    events = []
    play(graphs.seat(arm.everybody.config), players=2, seed=1, sink=events.append, max_turns=30)
    print(json.dumps([str(event.past.move) for event in events if event.event == "moved"]))
"""


@pytest.mark.parametrize("page", ["README.md"], indirect=True)
def test_the_arm_of_the_readme_changes_the_play_of_house(page: str, folder: Path) -> None:
    without, with_it = map(json.loads, script(folder, ARM).splitlines())
    pairs = next((one, two) for one, two in zip(without, with_it, strict=True) if one != two)
    assert all(move.startswith("discard") for move in pairs)


def test_the_shell_snippets_name_what_there_is(page: str) -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for block in of(page, "sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            name, *arguments = shlex.split(line, comments=True)
            if name == "make":
                assert arguments[0] in targets
            elif name not in OTHERS:
                options = {word.partition("=")[0] for word in arguments if word.startswith("--")}
                known = helped(*arguments[: 2 if arguments[0] in GROUPS else 1])
                assert name == "orchestrator" and all(option in known for option in options)


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made where Markdown is shown."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ALL)
def test_links_lead_to_pages_and_headings_that_exist(page: str) -> None:
    prose = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.S)
    for link in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.is_file(), link
        assert not anchor or anchor in slugs(target), link


def test_every_page_can_be_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [page for page in ALL if page != "README.md" and f"({page})" not in readme] == []
