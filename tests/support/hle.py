"""HLE itself, for tests that hold ours beside it; without it, a test that imports this is skipped."""

import pytest

from hanabi_orchestrator.orchestrator.hanabi import engine
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from tests.support.engines import HAS_HLE, on_build

if not HAS_HLE:
    pytest.skip("HLE is not installed", allow_module_level=True)

pyhanabi = engine.hle()

# these import pyhanabi, which `engine` does with care
from hanabi_learning_environment import rl_env  # noqa: E402
from hanabi_learning_environment.agents.simple_agent import SimpleAgent  # noqa: E402


def hle_game(referee: Referee) -> engine.HleGame:
    """The same game of HLE, whose state lives as long."""
    game = on_build(engine.HLE, referee)._game
    assert isinstance(game, engine.HleGame)
    return game


__all__ = ["SimpleAgent", "hle_game", "pyhanabi", "rl_env"]
