"""The expected scores over a game, computed beside the server in a process of its own: rollouts would stop it."""

import multiprocessing
import os
import signal
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any

from experiments.record.game import Game
from experiments.record.rows import Metric
from experiments.values import strip
from experiments.values.rollout_store import RolloutStore

FORGOTTEN_S = 10.0
"""A job that nobody has asked for so long makes room for another."""

Key = tuple[str, int]
"""A game's id and its number of moves."""


@dataclass
class StripJob:
    """One game under way."""

    key: Key
    mark: str
    process: BaseProcess
    results: Connection
    done: int = 0
    """Turns that are finished."""
    _asked: float = field(default_factory=monotonic)

    @classmethod
    def start(cls, game: Game, folder: Path, metric: Metric, mark: str) -> "StripJob":
        """`folder`: where rollouts are kept."""
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(game.name, game.path, folder, metric, there), daemon=True)
        process.start()
        there.close()
        return cls((game.name, len(game.moves)), mark, process, here)

    def wanted(self) -> None:
        """Somebody still looks at the game."""
        self._asked = monotonic()

    @property
    def forgotten(self) -> bool:
        return monotonic() - self._asked > FORGOTTEN_S

    def outcome(self) -> dict[str, Any] | None:
        """A strip as plain data, or `{"failed": sentence}`; None while it is under way."""
        try:
            while self.results.poll():
                said = self.results.recv()
                if not isinstance(said, int):
                    return dict(said)
                self.done = said
        except (EOFError, OSError):
            return {"failed": "the process that computes expected scores ended early"}
        return None

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(2)
        self.results.close()


def work(id: str, path: Path, folder: Path, metric: Metric, results: Connection) -> None:
    """In its own process: sends the number of finished turns, at last the strip."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this
    os.nice(10)
    try:
        game = Game.open(path, id)
        made = strip(game.with_next(), metric=metric, store=RolloutStore(folder), done=results.send)
        results.send(made.model_dump(mode="json"))
    except BrokenPipeError:  # the server is gone
        pass
    except Exception as error:
        results.send({"failed": f"{type(error).__name__}: {error}"})
