"""Bad files and settings, however bad: one sentence, an exit code, no traceback, and no waiting."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments import cli
from tests.conftest import Run

LONG_CJK = "花" * 90


def small(more: str = "") -> str:
    return f"name: small\ngraph: watson\nplayers: 2\nseeds: 1\n{more}"


def graph(nodes: str) -> str:
    return f"name: g\ncontext: watson\ndecides: n0\nnodes: {nodes}\n"


DEEP = "[" * 3000 + "]" * 3000
SERVER = "openai:m@http://127.0.0.1:9/v1"
RUN = ("experiment", "run", "x.yaml", "--dry-run")

BAD: dict[str, tuple[str | bytes, tuple[str, ...], str]] = {
    "a deep experiment": (
        small(f"arms: {DEEP}"),
        RUN,
        "x.yaml has lists or mappings more than 50 levels deep",
    ),
    "a deep graph": (
        graph(DEEP),
        ("play", "--graph", "x.yaml"),
        "x.yaml has lists or mappings more than 50 levels",
    ),
    "a deep models file": (
        f"model: {DEEP}",
        ("play", "--model", "x.yaml"),
        "models 'x.yaml' has lists or mappings",
    ),
    "a deep deck": (
        "[" * 100_000,
        ("play", "--deck", "x.yaml"),
        "deck 'x.yaml' is not JSON: maximum recursion",
    ),
    "a deep journal": (
        "[" * 100_000 + "\n",
        ("show", "x.yaml"),
        "x.yaml, line 1: not a journal line",
    ),
    "a deep setting": (
        small(),
        (*RUN, "--set", f"arms={DEEP}"),
        "... has lists or mappings more than 50 levels deep",
    ),
    "endless options": (
        small("arms: {a: {options: &a {rules: *a}}}"),
        RUN,
        "an alias inside what it stands for",
    ),
    "an endless extra_body": (
        f"model: {SERVER}\nextra_body: &a {{x: *a}}",
        ("play", "--model", "x.yaml"),
        "models 'x.yaml' has an alias inside what it stands for, which never ends",
    ),
    "a setting of a model twice": (
        f"model: {SERVER}\ntemperature: 1\ntemperature: 0",
        ("play", "--model", "x.yaml"),
        "models 'x.yaml' says 'temperature' twice",
    ),
    "a model twice": (
        f"a: {SERVER}\na: program",
        ("play", "--model", "x.yaml"),
        "models 'x.yaml' says 'a' twice",
    ),
    "too many cells": (
        small(
            "matrix:\n"
            + "".join(f"  options.rules.x{n}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for n in range(8))
        ),
        RUN,
        "x options.rules.x7 (10) make 100,000,000 arms; an experiment has at most 5,000",
    ),
    "too many cells to exclude from": (
        small(
            "exclude: {options.rules.x0: 0}\nmatrix:\n"
            + "".join(f"  options.rules.x{n}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for n in range(6))
        ),
        RUN,
        "make 1,000,000 arms; an experiment has at most 5,000",
    ),
    "too many arms": (
        small(f"arms: {{{', '.join(f'a{n}: {{}}' for n in range(5001))}}}"),
        RUN,
        "there are 5,001 arms; an experiment has at most 5,000",
    ),
    "too many pairs": (
        small(f"cross_play: {{seats: {{{', '.join(f'a{n}: partner:piers' for n in range(71))}}}}}"),
        RUN,
        "the pairs of 71 seats make 5,041 arms; an experiment has at most 5,000",
    ),
    "too many seeds": (
        small(),
        (*RUN, "--set", "seeds.count=100000000000"),
        "count: must be at most 100000, not 100",
    ),
    "seeds past the last": (
        small(),
        (*RUN, "--set", "seeds.first=2147483640", "--set", "seeds.count=10"),
        "10 seeds from 2147483640 on end with 2147483649; seeds go up to 2147483647",
    ),
    "too many repeats": (
        small("repeats: 1000000000"),
        RUN,
        "repeats: must be at most 10000, not 1000000000",
    ),
    "too many games": (
        small("repeats: 10000"),
        (*RUN, "--set", "seeds.count=1000"),
        "1 arms, 1,000 seeds and 10,000 repeats make 10,000,000 games; a run has at most 1,000,000",
    ),
    "too many nodes": (
        graph(f"{{{', '.join(f'n{n}: {{role: proposer}}' for n in range(1000))}}}"),
        ("play", "--graph", "x.yaml"),
        "x.yaml: nodes: must have at most 100 entries, not 1,000",
    ),
    "arms that differ by case": (
        small("arms: {Full: {}, full: {verify: safety}}"),
        RUN,
        "the arms 'Full' and 'full' would share a folder on some disks; give one another name",
    ),
    "arms that differ by the form of an accent": (
        small("arms: {'caf\u00e9': {}, 'cafe\u0301': {}}"),
        RUN,
        "cafe",
    ),
    "a long name of many bytes": (
        small(f"arms: {{{LONG_CJK}: {{}}}}"),
        RUN,
        "has 270 bytes, too long for the name of a folder, which has at most 255",
    ),
    "pairs of long names": (
        small(
            f"cross_play: {{seats: {{{LONG_CJK[:60]}: partner:piers, b{LONG_CJK[:60]}: partner:smart}}}}"
        ),
        RUN,
        "bytes, too long for the name of a folder",
    ),
    "pairs of one name": (
        small("cross_play: {seats: {a: partner:piers, a.with.a: partner:smart}}"),
        RUN,
        "two arms would be called 'a.with.a.with.a'; give one of their graphs, labels or values another name",
    ),
    "a partner called evaluated": (
        small("adhoc: {seat: watson, pool: {evaluated: partner:piers}, games: 0}"),
        RUN,
        "adhoc.pool: 'evaluated' is the label of the evaluated seat; give the partner another",
    ),
    "tables of one game": (
        "",
        ("export", "x.yaml", "--to", "tables", "--out", "o"),
        "takes a run's folder",
    ),
    "an option of another format": (
        "",
        ("export", "x.yaml", "--to", "atif", "--out", "o", "--otlp", "http://x"),
        "--otlp is for --to otlp, not for --to atif",
    ),
    "a graph that nobody asks about": (
        "",
        ("doctor", "--graph", "watson"),
        "--graph and --players are for --model M",
    ),
    "the content of no traces": (
        small(),
        (*RUN[:3], "--otlp", "content"),
        "--otlp content is for the traces of --otlp",
    ),
    "the content of no trace": (
        "",
        ("play", "--otlp", "content"),
        "--otlp content is for the traces of --otlp URL",
    ),
    "a variable with a NUL": (b"MY_API_KEY=a\0b\n", ("list", "roles"), ".env: embedded null byte"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name: str, run: Run) -> None:
    text, arguments, said = BAD[name]
    Path("x.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    if "NUL" in name:
        Path("x.yaml").rename(".env")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and err.startswith("error: ")
    assert said in " ".join(err.split()), err
    assert not list(Path().rglob("*.jsonl"))


@pytest.mark.parametrize("key", ("seeds", "arms", "players", "seats"))
def test_a_run_yaml_with_nothing_where_much_belongs(key: str, run: Run) -> None:
    Path("runs").mkdir()
    Path("runs/run.yaml").write_text(
        f"name: a\nconfig_hash: x\nexperiment: {{name: a}}\n{key}: null\n", "utf-8"
    )
    refused = ["report", "runs"], ["experiment", "run", "runs/run.yaml", "--dry-run"]
    for command in (*refused, ["list", "runs"]):
        code, _, err = run(*command)
        assert code == (2 if command in refused else 0), "a list names it and goes on"
        assert f"runs/run.yaml: {key}: must be a " in err and "not None" in err


def test_a_graph_whose_nodes_read_many_others_is_read_at_once(run: Run) -> None:
    """Each of 25 layers reads all of the one before: counting paths would take 3^25 steps."""
    layers = [[f"n{layer}{letter}" for letter in "abc"] for layer in range(25)]
    nodes = dict.fromkeys(layers[0], "{role: proposer}")
    for before, layer in pairwise(layers):
        nodes |= {name: f"{{role: aggregator, reads: [{', '.join(before)}]}}" for name in layer}
    nodes["judge"] = "{role: self_verifier, reads: [n24a]}"
    text = "name: g\ncontext: watson\ndecides: n24a\ncheck: {judge: judge, redo: n0a}\nnodes:\n"
    Path("wide.yaml").write_text(
        text + "".join(f"  {name}: {node}\n" for name, node in nodes.items()), "utf-8"
    )
    code, out, _ = run("graphs", "show", "wide.yaml")
    assert code == 0 and "n24a" in out


# The process


def test_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    assert (
        capsys.readouterr().err
        == "error: the working folder does not exist any more; change to one that does\n"
    )


def test_an_interrupt_during_imports_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow:
        """A module whose import the user interrupts."""

        def find_spec(self, name: str, path: object, target: object = None) -> None:
            if name == "hanabi_orchestrator.experiments.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "hanabi_orchestrator.experiments.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Slow(), *sys.meta_path])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130 and capsys.readouterr().err == "interrupted\n"


def test_a_missing_file_has_a_neighbour_of_a_similar_name(run: Run) -> None:
    Path("games").mkdir()
    for name in ("swap.yaml", "games/house-2p-s1.jsonl"):
        Path(name).write_text("", "utf-8")
    near = {
        "experiment run swapp.yaml": "swap.yaml",
        "experiment run swap": "swap.yaml",
        "play --graph swp.yaml": "swap.yaml",
        "show games/house-2p-s2.jsonl": "games/house-2p-s1.jsonl",
        "show gamess": "games",
    }
    for command, name in near.items():
        code, _, err = run(*command.split())
        assert code == 2 and err.endswith(f"did you mean {name!r}?\n"), err
    assert "did you mean" not in run("show", "games/other.jsonl")[2]
