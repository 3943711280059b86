"""Errors put into one role: its own marks fall, and the worst of all marks names it."""

from pathlib import Path

import pytest

from experiments.bench import fault_matrix
from experiments.bench.fault_games import Game, Played, faulty, played
from experiments.bench.fault_matrix import Fault, collected, upstream
from orchestrator.errors import UserError
from tests.support.prove import FULL

OWN, OTHER = ("discard_strategist", "safety_brier"), ("history_analyst", "inferred_held")


def fault(own: list[float], other: list[float]) -> Fault:
    """Two deals at rates 0 and 1 with these marks; lower is better for the first mark, higher for the second."""
    games = [
        Played(Game("discard_strategist", rate, seed, 3, None), {OWN: own[i], OTHER: other[i]}, {OWN: own[i]})
        for i, (rate, seed) in enumerate([(0.0, 1), (0.0, 2), (1.0, 1), (1.0, 2)])
    ]
    return collected("discard_strategist", games)


def test_a_mark_that_worsens_is_named_whichever_way_is_better() -> None:
    assert fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).named(1.0) == "discard_strategist"
    assert fault([0.3, 0.4, 0.1, 0.1], [0.9, 0.9, 0.7, 0.6]).named(1.0) == "history_analyst"
    assert fault([0.3, 0.3, 0.3, 0.3], [0.9, 0.9, 0.9, 0.9]).named(1.0) == ""
    assert fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).falls(OWN)
    assert not fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).falls(OTHER)


def test_a_role_errs_in_a_graph_that_has_it() -> None:
    config, nodes = faulty("tom_interpreter", "house_lite")
    assert (config.nodes["tom_interpreter"].model, nodes) == ("faulty", ("tom_interpreter",))
    assert upstream(config, nodes) == {"history_analyst"}
    config, nodes = faulty("analyst", None)
    assert nodes == ("analyst",) and "analyst" in config.nodes[config.decides].reads
    with pytest.raises(UserError, match="unknown role 'x'"):
        faulty("x", None)


@pytest.mark.skipif(not FULL, reason="plays 12 games")
def test_the_errors_of_the_strategist_are_named(tmp_path: Path) -> None:
    games = [Game("discard_strategist", rate, seed, 2, None) for rate in (0.0, 0.6) for seed in range(1, 7)]
    found = collected("discard_strategist", played(games, tmp_path))
    assert found.falls(OWN) and found.named(0.6, beside=True) == "discard_strategist"


def test_a_command_that_cannot_compare_says_what_is_needed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["fault_matrix", str(tmp_path), "--games", "1"])
    with pytest.raises(SystemExit):
        fault_matrix.main()
    assert "an interval needs at least 2 games" in capsys.readouterr().err


def test_games_in_the_folder_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game("first_order", 0.6, 1, 2, None)
    (first,) = played([game], tmp_path)
    monkeypatch.setattr("experiments.bench.fault_games._play", lambda *_: pytest.fail("played again"))
    assert list(played([game], tmp_path)) == [first]
    assert first.marks.keys() >= {("first_order", "next_log")}
