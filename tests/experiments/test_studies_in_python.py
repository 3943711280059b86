"""Experiments made and played from Python: graphs as objects, and what a study tells."""

import asyncio
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hanabi_orchestrator import experiments, graphs
from hanabi_orchestrator.experiments import Experiment, RunOptions
from hanabi_orchestrator.experiments.document.blocks import Heading
from hanabi_orchestrator.experiments.report import verdict
from hanabi_orchestrator.experiments.running.progress import Progress
from hanabi_orchestrator.orchestrator import UserError, View
from hanabi_orchestrator.orchestrator.hanabi.moves import Move

HOUSE = graphs.read("house")
WITHOUT = graphs.without(HOUSE, "history_analyst")


def experiment(**changes: Any) -> Experiment:
    settings = {"graph": HOUSE, "arms": {"no historian": WITHOUT}, "players": 2, "seeds": 7}
    return Experiment(**{**settings, **changes})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the study, played from Python."""
    folder = tmp_path_factory.mktemp("study")
    experiments.run(experiment(), folder, progress=Progress())
    return folder


def test_graphs_made_in_python_play_as_the_same_changes_of_a_file_do(
    folder: Path, tmp_path: Path
) -> None:
    settings = {"name": "file", "players": 2, "seeds": 7, "graph": "house"}
    arms = {"full": {}, "no historian": {"without": "history_analyst"}}
    same = Experiment.model_validate({**settings, "arms": arms, "baseline": "full"})
    by_file = experiments.run(same, tmp_path, progress=Progress())
    rows = experiments.read_rows(folder)
    scores = {(row.arm, row.seed): (row.score_strict, row.turns) for row in rows}
    assert len(scores) == 14
    assert scores == {(row.arm, row.seed): (row.score_strict, row.turns) for row in by_file.rows}


def test_a_study_tells_its_verdict_tables_and_games(folder: Path) -> None:
    study = experiments.run(experiment(), folder, progress=Progress())
    rows = [row for row in study.rows if row.arm == "no historian"]
    mean = sum(row.score_strict for row in rows) / 7
    assert study.arms["no historian"].scores["strict"].mean == pytest.approx(mean)
    assert set(study.arms) == {"full", "no historian"} and len(study.games) == 14
    assert not study.done.status.turns, "finished games are not played again"
    assert "no historian" in study.verdict and "7 deals" in study.verdict
    page = study._repr_html_()
    assert "<table" in page and "<svg" in page
    used = set(re.findall(r"var\((--\w+)\)", page))
    assert used and all(f"{name}:" in page for name in used), "a notebook has no colours of ours"
    assert study.report().html.is_file() and len(study.frame()) == 14
    assert len(repr(study)) < 200 and str(folder) in repr(study)


def test_an_event_loop_goes_on_while_a_study_is_played(tmp_path: Path) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    async def cell() -> experiments.Study:
        clock = asyncio.create_task(tick())
        study = await experiments.run_async(
            experiment(seeds=1), tmp_path, options=RunOptions(workers=2), progress=Progress()
        )
        clock.cancel()
        return study

    assert len(asyncio.run(cell()).rows) == 2 and ticks > 2


def test_positions_are_a_study_too(tmp_path: Path) -> None:
    asked = Experiment(task="positions", bank="program", first=4, arms={"less": WITHOUT})
    study = experiments.run(asked, tmp_path, progress=Progress())
    assert "less:" in study.verdict and "<table" in study._repr_html_()
    with pytest.raises(UserError, match="asks positions: it has no games"):
        _ = study.rows


def test_positions_tell_what_parts_add_as_games_do(tmp_path: Path) -> None:
    asked = Experiment(task="positions", bank="program", first=8, coalitions=["tom_interpreter"])
    page = experiments.run(asked, tmp_path, progress=Progress())._repr_html_()
    assert "leave-one-out" in page and "sum (all less none:" in page


def test_every_arm_of_coalitions_says_where_it_is_compared(tmp_path: Path) -> None:
    parts = ["discards", "partner_knowledge"]
    asked = Experiment(graph="sherlock", players=2, seeds=2, coalitions=parts)
    study = experiments.run(asked, tmp_path, progress=Progress())
    report = study.report()
    states = {arm.arm: arm.state for arm in verdict.arms(report.data)}
    assert states == dict.fromkeys(set(study.arms) - {"full"}, "in_terms")
    for before, after in pairwise(report.document.blocks):
        if isinstance(before, Heading) and isinstance(after, Heading):
            assert before.level < after.level, f"nothing is below {before.text}"


async def first_move(view: View, memory: Any) -> Any:
    """A seat that plays its first legal move."""
    from hanabi_orchestrator.orchestrator import Decision

    move: Move = view.legal[0]
    return Decision(move=move, memory=memory)


def spec(made: Experiment, arm: str) -> str | None:
    """Return what an arm has in the place of the graph."""
    assert isinstance(made.arms, dict)
    return made.arms[arm].graph


def test_functions_and_rule_players_are_arms(tmp_path: Path) -> None:
    arms = {"piers": experiments.read_seat("partner:piers"), "first": first_move}
    study = experiments.run(experiment(arms=arms, seeds=1), tmp_path, progress=Progress())
    assert spec(study.experiment, "piers") == "partner:piers"
    assert spec(study.experiment, "first") == f"python:{__name__}:first_move"
    assert {row.arm for row in study.rows} == {"full", "piers", "first"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"arms": {"mine": lambda view, memory: None}}, "'<lambda>' .function. is in no module"),
        ({"arms": {"mine": 5}}, "Experiment: arms.mine: must be a mapping"),
        ({"graph": graphs.seat("house")}, "holds its models; give the graph itself"),
        ({"seeds": "many"}, "Experiment: seeds.0: must be a whole number, not 'many'"),
        ({"nothing": 1}, "Experiment: unknown key 'nothing'"),
        ({"arms": {"a/b": WITHOUT}}, "the name 'a/b' must be letters, digits"),
        ({"arms": {"a  b": WITHOUT}}, "the name 'a  b' must be letters, digits"),
        ({"players": 9}, "Experiment: players"),
    ],
)
def test_a_mistake_is_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence) as caught:
        experiment(**changes)
    assert "\n" not in str(caught.value)


def test_a_function_of_a_script_is_refused_and_one_of_its_module_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = ModuleType("__main__")
    exec("async def mine(view, memory): ...", vars(script))
    monkeypatch.setitem(sys.modules, "__main__", script)
    with pytest.raises(UserError, match=r"'mine' .function. is in no module"):
        experiment(arms={"mine": vars(script)["mine"]})
    module = ModuleType("my_agents")
    vars(module)["mine"] = vars(script)["mine"]
    monkeypatch.setitem(sys.modules, "my_agents", module)
    taken = experiment(arms={"mine": vars(script)["mine"]})
    assert spec(taken, "mine") == "python:my_agents:mine"


def test_two_graphs_of_one_name_are_told_apart() -> None:
    arms = {"one": WITHOUT.model_copy(update={"name": "house"}), "two": WITHOUT}
    made = experiment(arms=arms)
    names = [spec(made, arm) for arm in ("one", "two")]
    assert names[0] != names[1] and names[0] != "house"
    assert [graphs.read(str(name)) for name in names] == [arms["one"], arms["two"]]
