"""What takes long is said on stderr before it starts, in one line; stdout and JSON stay as they are."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hanabi_orchestrator.experiments.cli import shared_options
from hanabi_orchestrator.experiments.cli.app import app
from hanabi_orchestrator.experiments.cli.shared_options import SLOW_ROLLOUTS

STUDY = "name: mine\ngraph: house\nplayers: [2]\nseeds: 1\narms: {full: {}, bare: {without: [history_analyst]}}\n"


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    done = CliRunner().invoke(app, ["--json", "play", "--players", "2", "--out", str(folder)])
    return Path(json.loads(done.stdout)["journal"])


@pytest.mark.parametrize("numba", [True, False])
def test_rollouts_that_nothing_compiles_are_told_with_the_remedy(
    game: Path, monkeypatch: pytest.MonkeyPatch, numba: bool
) -> None:
    monkeypatch.setattr(shared_options, "find_spec", lambda name: numba or None)
    command = ["show", str(game), "--mistakes", "--rollouts", "50", "--turn", "3"]
    for options in ([], ["--json"]):
        done = CliRunner().invoke(app, [*options, *command])
        assert done.exit_code == 0, done.output
        assert (SLOW_ROLLOUTS in done.stderr.splitlines()) is not numba
        assert "rollouts, about" not in done.stdout
    quiet = CliRunner().invoke(app, ["-q", *command])
    assert SLOW_ROLLOUTS not in quiet.stderr


@pytest.mark.parametrize(
    ("settings", "slow"),
    [("nodes.planner.options.rollouts=1", True), ("nodes.planner.options.rollouts=0", False)],
)
def test_a_graph_whose_program_plays_rollouts_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, slow: bool
) -> None:
    monkeypatch.setattr(shared_options, "find_spec", lambda name: None)
    command = [
        "--json",
        "play",
        "--graph",
        "house_planner",
        "--players",
        "2",
        "--out",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, [*command, "--set", settings])
    assert done.exit_code == 0 and (SLOW_ROLLOUTS in done.stderr.splitlines()) is slow, done.output


@pytest.mark.parametrize("model", ["program", "sim:average"])
def test_a_dry_run_says_what_it_plays_to_estimate_the_time(tmp_path: Path, model: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{STUDY}models: {{default: {model}}}\n")
    done = CliRunner().invoke(
        app, ["--json", "experiment", "run", str(file), "--dry-run", "--out", str(tmp_path)]
    )
    assert done.stderr == "Playing 6 turns of 2 games to estimate the time ...\n"
    assert json.loads(done.stdout)["seconds"] > 0
