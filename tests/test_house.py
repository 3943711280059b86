"""The shape of the house: who may import whom, and which libraries live in one place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.folders import ROOT

MAY_IMPORT = {
    "prompts": set(),
    "orchestrator": set(),
    "roles": {"orchestrator", "prompts"},
    "graphs": {"orchestrator", "prompts", "roles"},
    "experiments": {"orchestrator", "prompts", "roles", "graphs"},
}

ONLY_IN = {
    "hanabi_learning_environment": {"orchestrator/hanabi/referee.py"},
    "langchain": {"orchestrator/models/langchain_client.py"},
    "openai": {"orchestrator/models/openai_client.py"},
    "httpx2": {"orchestrator/models/openai_client.py"},
    "sqlite3": {"orchestrator/models/cache.py"},
    "langgraph": {"graphs/compile.py", "graphs/node.py", "graphs/langgraph_app.py"},
    "jinja2": {"experiments/report/page.py"},
    "pyarrow": {"experiments/results/parquet.py"},
    "aiohttp": {"orchestrator/models/fake_endpoint.py", "orchestrator/models/fake_faults.py"},
    "typer": {
        f"experiments/cli/{name}.py" for name in ("app", "options", "experiment", "export", "listing", "game", "tools")
    },
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_go_one_way(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        used = {name.split(".")[0] for name in imports(path)} & set(MAY_IMPORT)
        assert used <= MAY_IMPORT[package] | {package}, path


@pytest.mark.parametrize("library", ONLY_IN)
def test_each_edge_has_one_place(library: str) -> None:
    found = {
        str(path.relative_to(ROOT))
        for package in MAY_IMPORT
        for path in (ROOT / package).rglob("*.py")
        if library in {name.split(".")[0] for name in imports(path)}
    }
    assert found == ONLY_IN[library]


def test_public_names_are_there() -> None:
    import graphs
    import orchestrator
    import roles

    for package in (graphs, orchestrator, roles):
        assert all(hasattr(package, name) for name in package.__all__)
