"""A small run of programs, and a simulated model's game, played once for all tests of the page."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import app
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.figures.drawing import all_figures
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.table.game_loop import play

RUN = """
name: small
players: [2]
seeds: {first: 1, count: 2}
question: Do two players differ?
columns: [id, score_strict, forced]
arms:
  iggi: {graph: "partner:iggi"}
  piers: {graph: "partner:piers"}
baseline: iggi
"""


MARKUP = "<script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>"


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with its report."""
    place = tmp_path_factory.mktemp("page")
    (place / "small.yaml").write_text(RUN, "utf-8")
    done = experiment_run.run(experiment.read(str(place / "small.yaml"), ()), place / "small")
    with pytest.MonkeyPatch.context() as few:
        few.setattr(
            drawing, "all_figures", lambda data: all_figures(data)[:1]
        )  # each takes a third of a second
        run_report.write(done.plan.folder, peeked=done.games, png=False)
    return place / "small"


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a game of two turns in which a model answers with markup."""
    folder = tmp_path_factory.mktemp("asked")
    seat = graphs.seat("sherlock", Scripted({"proposer": MARKUP}))
    with Journal(folder / "marked-up.jsonl") as journal:
        play(seat, players=2, seed=1, sink=journal, max_turns=2)
    return folder


@pytest.fixture
def run_copy(played: Path, tmp_path: Path) -> Path:
    """A run of the test's own, to change."""
    return Path(shutil.copytree(played, tmp_path / "small"))


def client(path: Path) -> TestClient:
    """A browser of the page of a path."""
    return TestClient(
        app(Library.open(path)), base_url="http://127.0.0.1:8642", raise_server_exceptions=False
    )


@pytest.fixture
def page(played: Path) -> TestClient:
    return client(played)
