"""The roles of README and docs: each passes its own check, and plays in every packaged graph or is refused in words."""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.orchestrator import Scripted, UserError, play
from hanabi_orchestrator.orchestrator.errors import RoleError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles import conformance
from hanabi_orchestrator.roles.sections import SECTIONS
from tests.support.prove import FULL

ROOT = Path(__file__).parents[2]
BLOCKS = re.compile(r"^```(?:python|markdown) title=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_roles: None) -> Iterator[Path]:
    """The titled files of README and docs in a folder from which they can be imported."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for title, text in BLOCKS.findall(page.read_text("utf-8")):
            file = tmp_path / title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("hanabi_orchestrator.roles.sections.SECTIONS", dict(SECTIONS))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if (file := getattr(sys.modules[name], "__file__", None)) and Path(file).is_relative_to(
            tmp_path
        ):
            del sys.modules[name]


def test_every_documented_role_keeps_its_promises_in_every_graph(documented: Path) -> None:
    built_in = set(roles.names())
    for file in sorted(documented.rglob("*.py")):
        if re.search(r"roles\.(role|add)\(", file.read_text("utf-8")):
            import_module(
                ".".join(file.relative_to(documented).with_suffix("").parts).removesuffix(
                    ".__init__"
                )
            )
    names = set(roles.names()) - built_in
    assert "chop" in names and len(names) >= 3
    for name in names:
        assert conformance.check(roles.get(name)) == [], name
    outcomes = {(name, graph): _played(name, graph) for name in names for graph in _graphs()}
    assert not any("\n" in outcome or "Error" in outcome for outcome in outcomes.values()), outcomes
    assert outcomes["chop", "house"] == "played"
    needs = "needs the sections own_deductions with from: counting, not hints"
    assert needs in outcomes["chop", "sherlock"] and needs in outcomes["chop", "cac"]


def test_the_documented_verifier_and_state_graph_fit_every_graph(documented: Path) -> None:
    import_module("last_token")
    app = import_module("careful").app
    for name in _graphs():
        config = graphs.read(name)
        kept = graphs.add(
            config, keeper={"role": "last_token", "reads": [config.decides], "model": PROGRAM}
        )
        kept = graphs.setting(kept, check={"judge": "keeper", "redo": config.decides})
        seats = [graphs.seat(kept, PROGRAM), graphs.seat(app)]
        seats += [graphs.seat(config, PROGRAM)] * (config.players[0] - 2)
        assert play(seats, players=config.players[0], seed=1, max_turns=3).turns == 3, name


def _graphs() -> list[str]:
    """All packaged graphs, or, reduced, one of each context."""
    by_context = {graphs.read(name).context: name for name in graphs.names("hanabi")}
    return (
        list(graphs.names("hanabi")) if FULL else [*by_context.values(), "house", "sherlock", "cac"]
    )


def _played(role: str, graph: str) -> str:
    """What becomes of a graph with one more node, of this role: `played`, or the sentence that refuses it."""
    program = roles.get(role).solve is not None
    try:
        config = graphs.add(graphs.read(graph), added={"role": role})
        seat = graphs.seat(
            config, PROGRAM if program else Scripted({role: roles.get(role).reply.example})
        )
        play(seat, players=config.players[0], seed=1, max_turns=2)
    except UserError as why:
        return str(why)
    return "played"


def test_an_error_names_the_line_of_the_users_code(own_roles: None) -> None:
    @roles.role(reply=roles.Choice, takes=(roles.LegalMoves,))
    def hasty(sections: roles.Sections, notes: roles.Notes) -> roles.Choice:
        return roles.Choice(reason="", action=sections[roles.LegalMoves].moves[99])

    (problem, *_) = conformance.check(hasty)
    (line,) = [
        n
        for n, text in enumerate(Path(__file__).read_text("utf-8").splitlines(), 1)
        if "moves[99]" in text
    ][:1]
    assert (
        f"IndexError: tuple index out of range (test_documented_roles.py, line {line})" in problem
    )
    config = graphs.add(graphs.read("sherlock"), added={"role": "hasty"})
    with pytest.raises(
        RoleError, match=rf"'hasty' failed: IndexError.*\(test_documented_roles.py, line {line}\)"
    ):
        play(graphs.seat(config), players=2, seed=1)


SHADOWS = (
    "spare",
    "beside",
    "example",
    "decisive",
    "unique",
    "bare",
    "as_data",
    "model_dump",
    "copy",
)


@pytest.mark.parametrize("name", SHADOWS)
def test_a_field_with_a_name_of_ours_is_refused_by_name(name: str) -> None:
    with pytest.raises(
        UserError, match=f"Faulty has a field '{name}', a name that every reply has"
    ):
        type("Faulty", (roles.Reply,), {"__annotations__": {name: int}})


def test_the_documented_graph_goes_on_after_an_unusable_answer(documented: Path) -> None:
    answers = Scripted({"proposer": "no move at all"})
    reads = 'reads=["analyst", "rule"]'
    asked = (documented / "careful.py").read_text("utf-8").replace(reads, f"{reads}, model=MODEL")
    space: dict[str, Any] = {"MODEL": answers, "__name__": "asked"}
    exec(compile(asked, "asked.py", "exec"), space)
    result = play(graphs.seat(space["app"]), players=2, seed=1, max_turns=2)
    assert (result.turns, result.forced) == (2, 2) and answers.asked
