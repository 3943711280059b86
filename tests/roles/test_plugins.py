"""Packages of others: they bring roles, sections, contexts and graphs, and play from the command line like our own."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import installed, processes

INIT = '''
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from hanabi_orchestrator import roles
from hanabi_orchestrator.roles.hanabi.sections.table import State


@roles.section
@dataclass(frozen=True)
class Tempo(roles.Section):
    """How many cards a turn the team can still afford to draw."""

    name = "tempo"
    template = Path(__file__).with_name("tempo.md")
    choices = {"unit": ("cards", "turns")}
    left: int
    unit: str

    @classmethod
    def of(cls, view, options):
        return cls(view.deck_size, str(options["unit"]))

    def variables(self, words):
        return {"left": self.left, "unit": self.unit}


class Clock(roles.Reply):
    example = {"left": 9}
    left: int = Field(ge=0, description="cards left to draw")


def right(clock, told, truth):
    """`off`: how far it is off."""
    return {"off": abs(clock.left - told[Tempo].left)}


@roles.role(reply=Clock, takes=(State, Tempo), needs=(Tempo,), template="Say how many cards are left.", mark=right)
def timekeeper(told, notes):
    """Counts what is left to draw."""
    return Clock(left=told[Tempo].left)
'''

GRAPH = """
name: timed
context: timed
nodes:
  timekeeper: {role: timekeeper, options: {tempo: turns}}
  aggregator: {role: aggregator, reads: [timekeeper]}
decides: aggregator
verify: safety
"""

CONTEXT = """
name: timed
order: cache
sections: [rules, state, {tempo: {unit: cards}}, own_deductions, partner_deductions, discards, history, legal_moves]
"""

PLUGIN = {
    "__init__.py": INIT,
    "tempo.md": "# Tempo\n\n$left $unit are left.",
    "timed.yaml": GRAPH,
    "contexts/timed.yaml": CONTEXT,
}
BOTH = ("hanabi_orchestrator.roles", "hanabi_orchestrator.graphs")


def install(
    folder: Path, name: str, files: Mapping[str, str], groups: tuple[str, ...] = BOTH
) -> None:
    installed.install(folder, name, files, {group: {name: name} for group in groups})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path, "hanabi_tempo", PLUGIN)
    return tmp_path


def command(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """The command in a process of its own, with the folder's packages installed."""
    done = processes.command(folder, *arguments, paths=(folder,))
    return done.returncode, done.stdout, done.stderr


def test_a_package_plays_a_whole_game_with_its_role_section_context_and_graph(folder: Path) -> None:
    code, out, err = command(folder, "play", "--graph", "timed", "--players", "2", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["graph"] == "timed" and result["turns"] > 20
    lines = [
        json.loads(line) for line in (folder / result["journal"]).read_text("utf-8").splitlines()
    ]
    said = [
        line["reply"] for line in lines if line["event"] == "call" and line["role"] == "timekeeper"
    ]
    assert len(said) >= result["turns"] and said[0] == {"left": 40}
    hashed = lines[0]["seats"][0]["prompts"]
    assert {
        "sections/tempo.md",
        "contexts/timed.yaml",
        "roles/timekeeper",
        "sections/state.md",
    } <= set(hashed)
    code, out, _ = command(
        folder, "graphs", "prompt", "timed", "--players", "2", "--node", "timekeeper"
    )
    assert code == 0 and "# Tempo\n\n40 turns are left." in out


def test_other_words_of_a_package_are_another_game(folder: Path) -> None:
    def hashes() -> dict[str, str]:
        journal = json.loads(
            command(folder, "play", "--graph", "timed", "--json", "--force-new")[1]
        )["journal"]
        first: dict[str, dict[str, str]] = json.loads(
            (folder / journal).read_text("utf-8").partition("\n")[0]
        )
        return first["seats"][0]["prompts"]  # type: ignore[index, return-value]

    before = hashes()
    (folder / "hanabi_tempo" / "tempo.md").write_text("# Tempo\n\n$left $unit, no more.", "utf-8")
    (folder / "hanabi_tempo" / "contexts" / "timed.yaml").write_text(
        CONTEXT.replace("history, ", ""), "utf-8"
    )
    after = hashes()
    changed = {name for name in before if before[name] != after.get(name)}
    assert changed == {"sections/tempo.md", "contexts/timed.yaml", "sections/history.md"}


def test_lists_say_who_brings_what(folder: Path) -> None:
    done = processes.script(folder, LISTS)
    assert done.returncode == 0, done.stderr
    *lists, graphs, roles = map(json.loads, done.stdout.splitlines())
    graph_sources, role_sources = (
        {entry["name"]: entry["source"] for entry in json.loads(one)} for one in (graphs, roles)
    )
    assert (graph_sources["timed"], graph_sources["house"]) == ("hanabi-tempo", "built-in")
    assert (role_sources["timekeeper"], role_sources["analyst"]) == ("hanabi-tempo", "built-in")
    assert len(lists) == 3 and all("hanabi-tempo" in one for one in lists)


LISTS = """
import contextlib, io, json, sys
from hanabi_orchestrator.experiments.cli.app import main

def printed(line):
    sys.argv = ["orchestrator", *line.split()]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    return out.getvalue()

for line in ("list graphs", "list roles", "graphs show timed", "list graphs --json", "list roles --json"):
    print(json.dumps(printed(line)))
"""


def test_the_check_passes_a_packages_role(folder: Path) -> None:
    assert command(folder, "roles", "check", "timekeeper") == (0, "ok\n", "")


TWICE = "from hanabi_orchestrator import roles\nroles.add(roles.Role({name!r}, roles.Judgement, (), template='Judge.'))\n"

CLASHES = [
    (
        {"__init__.py": TWICE.format(name="analyst")},
        "role 'analyst' is registered twice: by built-in and by other",
    ),
    (
        {"__init__.py": TWICE.format(name="timekeeper")},
        "role 'timekeeper' is registered twice: by hanabi-tempo and",
    ),
    (
        {"__init__.py": "", "house.yaml": GRAPH},
        "graph 'house' is there twice: by built-in and by other",
    ),
    (
        {"__init__.py": "", "timed.yaml": GRAPH},
        "graph 'timed' is there twice: by hanabi-tempo and by other",
    ),
    (
        {"__init__.py": "", "contexts/cac.yaml": CONTEXT},
        "context 'cac' is there twice: by built-in and by other",
    ),
    (
        {"__init__.py": "import nothing_of_this_name"},
        "plugin 'other' (other = other) cannot be loaded: ModuleNotFound",
    ),
    (
        {"__init__.py": INIT.replace('name = "tempo"', 'name = "notes"')},
        "section 'notes' is registered twice: by ",
    ),
    (
        {"__init__.py": INIT.replace("def timekeeper", "def other")},
        "section 'tempo' is registered twice: by hanabi_",
    ),
    (
        {
            "__init__.py": "from hanabi_orchestrator import roles\n@roles.section\nclass A(roles.Section):\n    name = 'a'"
        },
        "section 'a' has no template; give it its words as text or as a file",
    ),
]


@pytest.mark.parametrize(("files", "said"), CLASHES, ids=[said for _, said in CLASHES])
def test_a_package_that_cannot_be_is_one_sentence(
    folder: Path, files: Mapping[str, str], said: str
) -> None:
    install(folder, "other", files)
    code, out, err = command(folder, "play", "--json")
    assert (code, out) == (2, "") and said in " ".join(err.split()) and "Traceback" not in err
    assert "Serve random answers like OpenAI" in command(folder, "fake-endpoint", "--help")[1]


def test_graphs_come_from_a_package_with_a_folder(tmp_path: Path) -> None:
    install(tmp_path, "lone", {}, groups=("hanabi_orchestrator.graphs",))
    (tmp_path / "lone.py").write_text("", "utf-8")
    code, _, err = command(tmp_path, "list", "graphs")
    assert code == 2 and "plugin 'lone' (lone = lone) names no package" in " ".join(err.split())
