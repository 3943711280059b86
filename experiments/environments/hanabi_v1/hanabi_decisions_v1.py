"""Single decisions of Hanabi for verifiers: a task is a position, and the reward is the exact
one-step value of the move, from 0 for the worst legal move to 1 for the best; -1 for an unusable
response."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import verifiers.v1 as vf
from hanabi_v1 import SEAT, OneRequest

from hanabi_orchestrator import graphs, play
from hanabi_orchestrator.experiments import games, rewards
from hanabi_orchestrator.experiments.interchange import data_rows

__all__ = ["DecisionsEnv", "HanabiDecisions", "OneRequest"]


class PositionData(vf.TaskData):
    reader: str
    """How the project reads a response."""
    legal_moves: list[str]
    values: list[float]
    """Of the legal moves, in points."""


class Position(vf.Task[PositionData]):
    @vf.reward
    async def move_value(self, trace: Any) -> float:
        columns = {
            "reader": [self.data.reader],
            "legal_moves": [self.data.legal_moves],
            "values": [self.data.values],
        }
        return float(rewards.scaled_move_value([trace.last_reply], **columns)[0])

    @vf.metric
    async def usable(self, trace: Any) -> float:
        return float(self.fault(trace) is None)

    @vf.metric
    async def legal(self, trace: Any) -> float:
        return float(self.fault(trace) != "illegal")

    def fault(self, trace: Any) -> Any:
        return rewards.fault(trace.last_reply, self.data.reader, self.data.legal_moves)


class DecisionsConfig(vf.TasksetConfig):
    graph: str = "compact"
    """The graph whose deciding node is asked: compact, watson, sherlock, or any other of one
    node."""
    games: Path | None = None
    """A journal, or the folder of a run; None for games by programs with the conventions of
    house."""
    players: int = 2
    first: int = 20001
    """The seed of the first deal of the programs."""
    deals: int = 20


class HanabiDecisions(vf.Taskset[Position, DecisionsConfig]):
    def load(self) -> Iterator[Any]:
        data = data_rows.DataSet("grpo", prompts=graphs.read(self.config.graph))
        with TemporaryDirectory() as folder:
            for source in self.sources(Path(folder)):
                for row in data_rows.rows(source, data).rows:
                    names = ("prompt", "reader", "legal_moves", "values")
                    values = {name: row[name] for name in names}
                    title = f"{row['game']}, turn {row['turn']}"
                    yield Position(PositionData(name=title, **values))

    def sources(self, folder: Path) -> Iterator[games.Source]:
        if self.config.games:
            yield from games.sources(self.config.games)
        else:
            yield from self.by_programs(folder)

    def by_programs(self, folder: Path) -> Iterator[games.Source]:
        config = self.config
        with ThreadPoolExecutor(1) as thread:  # the caller may have an event loop of its own
            for seed in range(config.first, config.first + config.deals):
                journal = folder / f"{config.players}p-s{seed}.jsonl"
                seat = graphs.seat("compact")
                thread.submit(
                    play, seat, players=config.players, seed=seed, journal=journal, lean=True
                ).result()
                yield games.Source(journal)


class DecisionsEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = SEAT


class DecisionsEnv(vf.Env[DecisionsEnvConfig]):
    async def run(self, task: Any, agents: Any) -> None:
        await agents.agent.run(task)
