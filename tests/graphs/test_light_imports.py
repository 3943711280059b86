"""A game of programs, and reading graphs, load neither LangGraph nor LangChain, which take seconds to import."""

import subprocess
import sys

import pytest

HEAVY = ("langgraph", "langchain_core")

PROGRAMS = """
from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.table.game_loop import play
play(graphs.seat("house"), players=2, seed=1, max_turns=2)
"""
READING = """
from hanabi_orchestrator import graphs
[graphs.read(name) for name in graphs.names()]
"""


@pytest.mark.parametrize("code", (PROGRAMS, READING), ids=("a game of programs", "reading graphs"))
@pytest.mark.parametrize("package", HEAVY)
def test_programs_load_no_scheduler(code: str, package: str) -> None:
    loaded = f"import sys\nprint([name for name in sys.modules if name.split('.')[0] == {package!r}][:5])"
    done = subprocess.run(
        [sys.executable, "-c", code + loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
