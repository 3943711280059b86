"""Games and turns as data frames; without pandas one sentence says what is missing."""

import sys
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments import games, results
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError


def test_without_pandas_it_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    play(graphs.seat("watson"), players=2, seed=1, max_turns=3, journal=tmp_path / "g.jsonl")
    with pytest.raises(
        UserError,
        match=r"pandas, which is not installed: `pip install 'hanabi-orchestrator\[tables\]'`",
    ):
        games.turns(tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="there is no game in"):
        games.turns(tmp_path / "none")


def test_a_line_for_each_game_and_each_turn(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    done = run(experiment.parse("{name: e, graph: watson, players: 2, seeds: 2}"), tmp_path / "run")
    frame = results.read(tmp_path / "run")
    assert list(frame["score_kept"]) == [row.score_kept for row in done.rows] and list(
        frame["seed"]
    ) == [1, 2]
    turns = games.turns(tmp_path / "run")
    assert len(turns) == sum(row.turns for row in done.rows)
    assert list(turns.groupby("journal")["score"].last()) == [row.score_kept for row in done.rows]
    one = games.turns(next((tmp_path / "run" / "games").rglob("*.jsonl")))
    assert len(one) == done.rows[0].turns and one["turn"].is_monotonic_increasing
