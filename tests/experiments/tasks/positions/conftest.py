"""A run of positions that several tests read: the packaged bank in a cheap graph of programs."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.study import experiment as files
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.experiments.tasks.positions import position_run
from hanabi_orchestrator.experiments.tasks.positions.effects import Effect, Effects, read
from hanabi_orchestrator.experiments.tasks.positions.study import read as read_study

ARMS = ("removed", "exact", "permuted", "noise_floor", "own_hand")
FIRST = 5


def asking(**keys: Any) -> Experiment:
    """An experiment on positions, of the packaged bank where no other is named."""
    return files.checked(
        {"name": "positions", "task": "positions", "bank": "program", **keys}, "the experiment"
    )


def graph_file(folder: Path, graph: Any) -> str:
    """Write a graph, and return its file."""
    path = folder / f"{graph['name']}.yaml"
    path.write_text(yaml.safe_dump(graph, sort_keys=False), "utf-8")
    return str(path)


def ran(folder: Path, **keys: Any) -> Effects:
    done = position_run.run(asking(**keys), folder)
    assert not done.left and not done.failed and not done.suspended
    return found(folder)


def found(folder: Path) -> Effects:
    return read(folder, read_study(folder))


def effect_of_arm(effects: Effects, name: str) -> Effect | None:
    return next((effect for effect in effects.effects if effect.arm.name == name), None)


@pytest.fixture(scope="session")
def house_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("positions") / "house"
    ran(folder, arms=list(ARMS), first=FIRST)
    return folder


@pytest.fixture(scope="session")
def house_effects(house_run: Path) -> Effects:
    return found(house_run)
