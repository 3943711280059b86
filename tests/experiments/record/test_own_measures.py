"""Measures of a user's own: by a call, by `--import`, and by an installed package."""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from hanabi_orchestrator import experiments
from hanabi_orchestrator.experiments import Experiment, Measure, measures
from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.orchestrator import UserError
from tests.roles.test_plugins import command
from tests.support.installed import install

TEMPO = """
from hanabi_orchestrator.experiments import Measure, measures

measures.add(
    Measure(key="tempo", of=lambda row: row.score_kept / row.turns, says="points a turn",
            unit="points per turn", better="more")
)
"""
STUDY = {
    "name": "tempo",
    "graph": "sherlock",
    "players": 2,
    "seeds": 7,
    "arms": {"full": {}, "piers": {"graph": "partner:piers"}},
    "baseline": "full",
}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Take measures away again that a test adds."""
    before = dict(measures.METRICS)
    yield
    measures.METRICS.clear()
    measures.METRICS.update(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tempo")
    experiments.run(Experiment(**STUDY), folder / "run", progress=Progress())
    return folder


def tempo() -> Measure:
    return Measure(
        key="tempo",
        of=lambda row: row.score_kept / row.turns,
        says="points a turn",
        unit="points per turn",
        better="more",
    )


def test_arms_are_compared_by_a_measure_that_is_added(folder: Path) -> None:
    measures.add(tempo())
    study = experiments.run(
        Experiment(**{**STUDY, "metric": "tempo"}),
        folder / "by-tempo",
        progress=Progress(),
    )
    means = {
        arm: fmean(row.score_kept / row.turns for row in study.rows if row.arm == arm)
        for arm in ("full", "piers")
    }
    (difference,) = study.report().data.analysis.differences
    assert difference.mean == pytest.approx(means["piers"] - means["full"])
    assert study.report().data.analysis.metric == "tempo"


@pytest.mark.parametrize("way", ["imported", "installed"])
def test_a_report_takes_it_by_import_and_from_an_installed_package(
    folder: Path, tmp_path: Path, way: str
) -> None:
    asked = ["report", str(folder / "run"), "--metric", "tempo", "--json"]
    code, _, err = command(tmp_path, *asked)
    assert code == 2 and "there is no metric 'tempo'" in err
    if way == "imported":
        (tmp_path / "tempo_file.py").write_text(TEMPO, "utf-8")
        asked += ["--import", "tempo_file.py"]
    else:
        points = {"hanabi_orchestrator.measures": {"tempo": "tempo_package"}}
        install(tmp_path, "tempo_package", {"__init__.py": TEMPO}, points)
    code, out, err = command(tmp_path, *asked)
    assert code == 0, err
    assert json.loads(out)["metric"]["metric"] == "tempo"


@pytest.mark.parametrize("key", ["strict", "turns", "score_kept", "mark:analyst.brier"])
def test_a_name_that_is_taken_is_refused(key: str) -> None:
    measure = Measure(key=key, of=lambda row: 1.0, says="one", unit="ones")
    with pytest.raises(UserError, match=f"there is a measure '{key}' already"):
        measures.add(measure)
    measures.add(tempo())
    with pytest.raises(UserError, match="there is a measure 'tempo' already"):
        measures.add(tempo())
