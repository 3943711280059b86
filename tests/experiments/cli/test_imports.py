"""`--import`: roles and graphs of one's own on the command line, in run.yaml, and in the processes of a run."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run

ROLE = """
from pydantic import Field
from hanabi_orchestrator import roles

class Risk(roles.Reply):
    example = {"worst": "slot 3 may be a five"}
    worst: str = Field(description="the greatest risk")

roles.add(roles.Role("risk", Risk, (roles.State, roles.LegalMoves), template="# Name the risk"))
"""
GRAPH = """
name: risky
context: house
nodes:
  risk: {role: risk}
  decider: {role: aggregator, reads: risk}
decides: decider
"""


def forget() -> None:
    """Nothing was imported, as in a new process."""
    plugins._OWN.clear()
    for name in ("risky_role", "risky_package"):
        sys.modules.pop(name, None)
    for name in ("risk", "fives"):
        roles.registry._KNOWN.pop(name, None)


@pytest.fixture(autouse=True)
def alone(own_roles: None, monkeypatch: pytest.MonkeyPatch, run: Run) -> Iterator[None]:
    """In an empty folder with a role and a graph; what a test imports is gone after it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("risky_role.py").write_text(ROLE, "utf-8")
    Path("risky.yaml").write_text(GRAPH, "utf-8")
    yield
    forget()


def test_a_role_of_a_file_is_listed_shown_and_checked(run: Run) -> None:
    own = ["--import", "risky_role.py"]
    assert "a role of your own needs --import FILE" in run("roles", "show", "risk")[2]
    assert json.loads(run("roles", "show", "risk", "--json", *own)[1])["source"] == "risky_role.py"
    assert (
        "risky_role.py" in run("list", "roles", *own)[1]
        and run("roles", "check", "risk", *own)[0] == 0
    )
    assert "# Name the risk" in run("graphs", "prompt", "risky.yaml", "--node", "risk", *own)[1]
    code, _, err = run("play", "--graph", "risky.yaml", *own)
    assert code == 2 and "role 'risk' has no program" in err and err.count("\n") == 1
    Path("risky-ablation.yaml").write_text(
        "{name: r, graph: risky.yaml, arms: {full: {}, less: {without: risk}}}", "utf-8"
    )
    code, out, err = run(
        "experiment", "plan", "risky-ablation.yaml", "--set", "players=2", "--set", "seeds=2", *own
    )
    assert (code, out) == (2, "") and "role 'risk' has no program" in err


def test_a_package_brings_its_graphs_by_name(run: Run) -> None:
    home = Path("risky_package")
    home.mkdir()
    (home / "__init__.py").write_text(ROLE, "utf-8")
    (home / "risky.yaml").write_text(GRAPH, "utf-8")
    code, out, _ = run("graphs", "show", "risky", "--import", "risky_package")
    assert code == 0 and "risky_package" in out


def test_a_role_without_a_program_plays_on_a_model_and_is_shown_with_its_prompt(
    run: Run, endpoint: str
) -> None:
    own = ["--import", "risky_role.py"]
    played = run(
        "play",
        "--graph",
        "risky.yaml",
        "--players",
        "2",
        "--model",
        f"openai:m@{endpoint}",
        "--json",
        *own,
    )
    assert played[0] == 0
    shown = run("show", json.loads(played[1])["journal"], "--turn", "1", "--full", *own)[1]
    assert "# Name the risk" in shown and "PLACEHOLDER" not in shown


def test_a_run_records_its_code_and_refuses_changed_or_missing_code(run: Run) -> None:
    Path("x.yaml").write_text("{name: x, graph: watson, players: 2, seeds: 1}", "utf-8")
    command = ["experiment", "run", "x.yaml", "--out", "here", "-q"]
    assert run(*command, "--import", "risky_role.py")[0] == 0
    recorded = yaml.safe_load(Path("here/run.yaml").read_text("utf-8"))["imports"]
    before = recorded["risky_role.py"]
    assert list(recorded) == ["risky_role.py"] and len(before) == 64
    forget()
    assert (
        "made with --import risky_role.py; give it again"
        in run("experiment", "run", "here/run.yaml")[2]
    )
    Path("risky_role.py").write_text(f"{ROLE}# changed\n", "utf-8")
    for more in ([], ["--dry-run"]):
        forget()
        code, _, err = run(*command, "--import", "risky_role.py", *more)
        assert (
            code == 2
            and f"another risky_role.py: its sha256 was {before[:12]}, is " in err
            and err.count("\n") == 1
        )


MARKED = """
from pydantic import Field
from hanabi_orchestrator import roles

class Fives(roles.Reply):
    example = {"slots": [1]}
    slots: tuple[int, ...] = Field(description="own slots")

@roles.role(reply=Fives, takes=(), mark=lambda reply, sections, truth: {"right": 0.25})
def fives(sections, notes):
    'Names no fives.'
    return Fives(slots=())
"""


def test_a_report_without_the_code_of_a_role_names_the_import_in_place_of_marks(run: Run) -> None:
    Path("risky_role.py").write_text(MARKED, "utf-8")
    nodes = "nodes: {fives: {role: fives}, proposer: {role: proposer, reads: fives}}"
    Path("fives.yaml").write_text(
        f"name: fives\ncontext: sherlock\n{nodes}\ndecides: proposer\n", "utf-8"
    )
    Path("x.yaml").write_text("{name: x, graph: fives.yaml, players: 2, seeds: 1}", "utf-8")
    own = ["--import", "risky_role.py"]
    assert run("experiment", "run", "x.yaml", "--out", "here", "-q", *own)[0] == 0
    assert run("report", "here", "--marks", *own)[0] == 0
    assert "Its notes: right 0.25 on average" in Path("here/report.md").read_text("utf-8")
    forget()
    remedy = "made with the code of fives, which is not loaded, so no marks can be computed: give `--import risky_role.py`"
    code, _, err = run("report", "here", "--marks")
    assert code == 2 and remedy in " ".join(err.split())
    assert run("report", "here")[0] == 0
    report = Path("here/report.md").read_text("utf-8")
    assert remedy in report and "it proposes none" not in report
    code, out, _ = run("report", "here/games", "--marks")
    assert code == 0 and "The code of fives is not loaded" in out and "states nothing" not in out


def test_another_process_imports_the_same_code_and_no_other() -> None:
    named.bring(["risky_role.py"])
    code = named.brought()
    forget()
    named.bring_again(code)
    assert "risk" in roles.names() and named.brought() == code
    forget()
    Path("risky_role.py").write_text(f"{ROLE}# changed\n", "utf-8")
    with pytest.raises(UserError, match=r"--import risky_role\.py: its content here is another"):
        named.bring_again(code)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("nope.py", None, "--import nope.py: cannot read "),
        ("no_such_module", None, "--import no_such_module: there is no such module here"),
        ("broken.py", "1 / 0", "--import broken.py: ZeroDivisionError: division by zero"),
        (
            "broken.py",
            "import no_such_library",
            "--import broken.py: ModuleNotFoundError: No module named",
        ),
        (
            "json.py",
            "",
            "--import json.py: a module 'json' is there already; give the file another name",
        ),
    ],
)
def test_code_that_cannot_be_imported_is_one_sentence(
    run: Run, name: str, text: str | None, said: str
) -> None:
    if text is not None:
        Path(name).write_text(text, "utf-8")
    code, out, err = run("list", "roles", "--import", name)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1
