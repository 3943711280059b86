"""`python:` in place of a node's role: roles and plain functions of one's own files and modules."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play, plugins
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.roles import registry
from tests.conftest import Run

CODE = '''
from hanabi_orchestrator import roles

NUMBER = 3


def last_move(sections: roles.Sections, notes: roles.Notes) -> roles.Choice:
    """Proposes the last legal move."""
    return roles.Choice(reason="the last", action=sections[roles.LegalMoves].moves[-1])


def proposer(sections: roles.Sections, notes: roles.Notes) -> roles.Choice:
    return last_move(sections, notes)


def undecided(sections, notes):
    return None


def alone(sections: roles.Sections) -> roles.Choice:
    return last_move(sections, {})


@roles.role(reply=roles.Choice, takes=(roles.LegalMoves,), needs=(roles.LegalMoves,))
def registered(sections: roles.Sections, notes: roles.Notes) -> roles.Choice:
    """Proposes the first legal move."""
    return roles.Choice(reason="the first", action=sections[roles.LegalMoves].moves[0])
'''
GRAPH = """
name: own
context: sherlock
nodes:
  first:  {python: own_nodes.py:registered}
  second: {python: "own_nodes:last_move", reads: first}
decides: second
"""


def forget() -> None:
    """Nothing was imported, as in a new process."""
    plugins._OWN.clear()
    sys.modules.pop("own_nodes", None)
    for name in ("registered", "last_move"):
        registry._KNOWN.pop(name, None)


@pytest.fixture(autouse=True)
def alone(own_roles: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """In an empty folder with the code, and the graph in a folder with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("mine").mkdir()
    Path("mine/own_nodes.py").write_text(CODE, "utf-8")
    Path("mine/own.yaml").write_text(GRAPH, "utf-8")
    yield
    forget()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_role_and_a_function_of_a_file_beside_the_graph_play(players: int) -> None:
    config = graphs.read("mine/own.yaml")
    assert [(node.role, node.model) for node in config.nodes.values()] == [
        ("registered", "program"),
        ("last_move", "program"),
    ]
    walked = play(graphs.seat(config), players=players, seed=1, max_turns=6)
    scheduled = play(
        graphs.seat(graphs.setting(config, engine="langgraph")),
        players=players,
        seed=1,
        max_turns=6,
    )
    assert walked.turns == 6 and walked.moves_digest == scheduled.moves_digest


def test_it_is_added_and_takes_the_place_of_a_role() -> None:
    added = graphs.add(graphs.read("house"), last={"python": "mine/own_nodes.py:last_move"})
    assert added.nodes["last"].role == "last_move" and "last" in added.nodes["aggregator"].reads
    Path("other.yaml").write_text(
        "{name: o, extends: sherlock, nodes: {proposer: {python: mine/own_nodes.py:last_move}}}",
        "utf-8",
    )
    assert "last_move" in [node.role for node in graphs.read("other.yaml").nodes.values()]


def test_a_run_records_the_code_and_imports_it_again(run: Run) -> None:
    Path("x.yaml").write_text("{name: x, graph: mine/own.yaml, players: 2, seeds: 1}", "utf-8")
    assert run("experiment", "run", "x.yaml", "--out", "here", "-q")[0] == 0
    recorded = yaml.safe_load(Path("here/run.yaml").read_text("utf-8"))["imports"]
    assert "mine/own_nodes.py" in recorded
    journal = str(next(Path("here").rglob("*.jsonl")))
    forget()
    shown = run("show", journal, "--turn", "1", "--import", "mine/own_nodes.py")
    assert shown[0] == 0 and "second" in shown[1]


def test_a_stopped_game_goes_on_by_the_same_command(run: Run) -> None:
    command = (
        "play",
        "--graph",
        "mine/own.yaml",
        "--players",
        "2",
        "--model",
        "sim:average",
        "--out",
        "g",
        "-q",
    )
    assert run(*command)[0] == 0
    (path,) = Path("g").glob("*.jsonl")
    whole = path.read_bytes()
    first = journal.comparable(journal.read(path))
    path.write_bytes(whole[: len(whole) // 2])
    forget()
    assert run(*command)[0] == 0 and journal.comparable(journal.read(path)) == first
    assert {"first", "second"} <= {
        event.node for event in journal.read(path) if isinstance(event, Call)
    }


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("{python: nope.py:f}", "nodes.second.python: mine/nope.py: cannot read"),
        ("{python: 'no_such_module:f'}", "no_such_module: there is no such module here"),
        ("{python: own_nodes.py}", "names no function"),
        ("{python: own_nodes.py:NUMBER}", "is neither a role nor a function"),
        ("{python: own_nodes.py:undecided}", "is neither a role nor a function"),
        ("{python: own_nodes.py:alone}", "is neither a role nor a function"),
        ("{python: own_nodes.py:proposer}", "there is another role 'proposer', of built-in"),
        ("{python: own_nodes.py:last_move, role: proposer}", "leave one out"),
    ],
)
def test_what_is_no_node_is_refused_in_a_sentence(node: str, message: str) -> None:
    Path("mine/bad.yaml").write_text(
        GRAPH.replace('{python: "own_nodes:last_move", reads: first}', node), "utf-8"
    )
    with pytest.raises(UserError) as refused:
        graphs.read("mine/bad.yaml")
    assert message in str(refused.value) and "\n" not in str(refused.value)
