"""Games to fork: short, each played once for all tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.graph_seat import Model
from hanabi_orchestrator.orchestrator.table.game_loop import play

Games = Callable[..., Path]


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """Plays a game once; returns its journal."""
    folder = tmp_path_factory.mktemp("games")
    made = dict[str, Path]()

    def played(
        graph: str, players: int, model: Model = "program", turns: int | None = None, **more: Any
    ) -> Path:
        name = f"{graph}-{players}-{model}-{turns}-{more}"
        if name not in made:
            made[name] = folder / f"game{len(made)}.jsonl"
            play(
                graphs.seat(graph, model),
                players=players,
                seed=2,
                journal=made[name],
                max_turns=turns,
                **more,
            )
        return made[name]

    return played
