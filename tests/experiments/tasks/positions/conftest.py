"""A run of positions that several tests read: the packaged bank in a cheap graph of programs."""

from pathlib import Path

import pytest

from experiments.tasks.positions import position_run
from experiments.tasks.positions.effects import Effect, Effects, read
from experiments.tasks.positions.study import FOLDER, Study, arms_of, opened

ARMS = ("removed", "exact", "permuted", "noise_floor", "own_hand")
FIRST = 5


def found(folder: Path) -> Effects:
    study = FOLDER.read(folder)
    return read(folder, opened(study), arms_of(study))


def effect_of_arm(effects: Effects, name: str) -> Effect | None:
    return next((effect for effect in effects.effects if effect.arm.name == name), None)


@pytest.fixture(scope="session")
def house_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("positions") / "house"
    study = Study(positions="program", arms=ARMS, first=FIRST)
    done = position_run.run(study, folder)
    assert not done.left and not done.failed and not done.suspended
    return folder


@pytest.fixture(scope="session")
def house_effects(house_run: Path) -> Effects:
    return found(house_run)
