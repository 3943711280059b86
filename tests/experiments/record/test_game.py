"""A game as its journal has it."""

from pathlib import Path

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.orchestrator import play


def test_a_recorded_graph_for_other_player_counts_is_none(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    play(graphs.seat("house"), players=3, seed=1, journal=path, max_turns=1)
    game = Game.open(path)
    assert game.config(0) is not None
    info = game.started.seats[0]
    assert info.config
    other = info.model_copy(update={"config": {**info.config, "players": [2]}})
    started = game.started.model_copy(update={"seats": (other,) * 3})
    assert Game.of([started]).config(0) is None
