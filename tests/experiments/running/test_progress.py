"""What a run says of itself: the time and money left, and that a folder is taken."""

from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.running import control_folder, progress
from hanabi_orchestrator.experiments.running.control_folder import alone
from hanabi_orchestrator.experiments.running.progress import Status
from hanabi_orchestrator.experiments.running.task import Measured
from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.tasks.games.experiment_run import GameTask
from hanabi_orchestrator.experiments.tasks.run_progress import RunProgress
from hanabi_orchestrator.orchestrator.errors import UserError


def jobs(number: int) -> list[Job]:
    return [Job(arm="weak", deal=Deal(seed, 2), lineup=()) for seed in range(1, number + 1)]


GAMES = GameTask({})


def line(shown: RunProgress, capsys: pytest.CaptureFixture[str], status: Status) -> str:
    capsys.readouterr()
    shown.tick(status)
    return capsys.readouterr().err


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of the run's clock."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_time_and_money_left_are_told_after_a_few_turns_long_before_a_game_ends(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = RunProgress()
    shown.begin("mine", GAMES, jobs(20))
    clock[0] = 11.0
    assert "left" not in line(shown, capsys, Status(playing=20, turns=progress.FEWEST - 1))
    clock[0] = 136.0
    # a tenth of the 20 x 68 turns that are expected took 136 s and a dollar
    told = line(shown, capsys, Status(playing=20, turns=136, tokens=9, usd=1.0))
    assert "0 of 20 games, 20 in play, 136 turns" in told and "about 20 min and $9.00 left" in told


def test_turns_of_an_earlier_command_do_not_make_a_run_look_fast(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = RunProgress()
    shown.begin("mine", GAMES, jobs(2))
    clock[0] = 20.0
    # 10 turns took 20 s, and 24 of the 2 x 68 are still to come
    assert "about 48 s left" in line(shown, capsys, Status(playing=2, turns=112, earlier=102))


def test_the_mean_shown_is_that_of_the_score_that_the_run_names() -> None:
    shown = RunProgress(quiet=True)
    first, second = jobs(2)
    shown.begin("mine", GAMES, [first, second], {first.name: Measured(17.0, 50)})
    assert [row.mean for row in shown.arms() if row.units] == ["17.00"]
    assert [*shown.sentences()] == ["mine: 1 of 2 games"], (
        "a line names no arms, of which there may be many"
    )


@pytest.mark.parametrize("arms", [2, 12])
def test_a_line_that_is_piped_is_as_short_with_twelve_arms(
    clock: list[float], capsys: pytest.CaptureFixture[str], arms: int
) -> None:
    units = [Job(arm=f"without-{number}", deal=Deal(1, 2), lineup=()) for number in range(arms)]
    shown = RunProgress()
    shown.begin("mine", GAMES, units)
    clock[0] = 60.0
    loads = {"openai:gpt-4.1-mini": progress.Load(busy=8, limit=8, rate_limited=3)}
    told = line(shown, capsys, Status(loads, playing=arms, turns=136, tokens=9, usd=1.0))
    assert told.count("\n") == 1 and len(told) < 200 and "without-" not in told


def test_a_folder_is_taken_by_one_run_or_by_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_folder, "LOCK_PATIENCE_S", 0.0)
    with alone(tmp_path):
        for shared in (False, True):
            with (
                pytest.raises(
                    UserError, match=r"another program is playing the run in .*give another --out"
                ),
                alone(tmp_path, shared=shared),
            ):
                pass
    with (
        alone(tmp_path, shared=True),
        alone(tmp_path, shared=True),
        pytest.raises(UserError),
        alone(tmp_path),
    ):
        pass
    with alone(tmp_path):
        pass
