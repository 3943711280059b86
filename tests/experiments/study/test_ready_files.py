"""The ready experiments: each names its command, can be played at all its counts, and holds its paper's settings."""

import json
import re
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.protocols import PROTOCOLS
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.support.experiments import NOWHERE
from tests.support.prove import FULL


@pytest.mark.parametrize("name", experiment.packaged())
def test_a_ready_file_begins_with_its_command(name: str) -> None:
    first, second = experiment.packaged()[name].splitlines()[:2]
    assert re.match(rf"# orchestrator experiment run {name}( |$)", first) and second.startswith(
        "# "
    )


@pytest.mark.parametrize("name", [*experiment.packaged()][:: 1 if FULL else 3])
def test_a_ready_file_can_be_played_at_all_its_counts(name: str, run: Run) -> None:
    seeds = (
        "[1, 2]" if "shuffled:" in experiment.packaged()[name] else "[1]"
    )  # such notes are of another deal
    code, out, err = run(
        "experiment", "run", name, "--set", f"seeds={seeds}", "--dry-run", "--json"
    )
    assert code == 0 and re.fullmatch(
        r"(Playing \d+ turns of \d+ games? to estimate the time \.\.\.\n)?", err
    )
    assert {one["players"] for one in json.loads(out)["arms"]} == set(experiment.read(name).players)


CHEAP = (
    "role-ablation-small",
    "prompt-ablation",
    "context-ladder",
    "sparks-10",
    "cac-3",
    "challenge-selfplay",
    "sparks-judge",
    "best-of-k",
    "sparks-cross-play",
    "sparks-models",
    "sparks-moa",
    "tom-languages",
    "tom-orders",
)


@pytest.mark.parametrize("name", CHEAP if FULL else CHEAP[::2])
def test_one_deal_of_a_ready_file_is_played_by_programs(name: str, tmp_path: Path) -> None:
    one = [
        "seeds=[1]",
        f"players=[{min(experiment.read(name).players)}]",
        "repeats=1",
        "journals=lean",
    ]
    done = run_experiment(experiment.read(name, [*one, "models.default=program"]), tmp_path)
    assert (
        not done.failed and [row.arm for row in done.rows] and len(done.rows) == len(done.plan.jobs)
    )


def test_there_is_a_ready_file_of_every_protocol() -> None:
    assert all(experiment.read(name).protocol == name for name in PROTOCOLS)


def test_replacing_programs_by_programs_is_said_to_compare_nothing() -> None:
    with pytest.raises(
        UserError,
        match=r"nothing to compare: 'exact-historian', .* bind a model first, e\.g\. --set models\.default",
    ):
        Plan.resolve(experiment.read("oracle-ablation", ["models.default=program"]), NOWHERE)
