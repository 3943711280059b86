"""The engine's builds, for tests that hold one beside another."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from hanabi_orchestrator.orchestrator.hanabi import engine
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, rebuild

HAS_HLE = find_spec("hanabi_learning_environment") is not None
BUILDS = (engine.HLE, engine.OPENSPIEL) if HAS_HLE else (engine.OPENSPIEL,)


@contextmanager
def playing_on(build: str) -> Iterator[None]:
    """Have games that begin here played by a build."""
    before = os.environ.get(engine.SETTING)
    os.environ[engine.SETTING] = build
    try:
        yield
    finally:
        del os.environ[engine.SETTING]
        if before is not None:
            os.environ[engine.SETTING] = before


def on_build(build: str, referee: Referee) -> Referee:
    """The same game on a build."""
    with playing_on(build):
        return rebuild(referee.players, referee.deck, [past.move for past in referee.history])
